#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which loads in front of a branch it moves behind it, to the side that alone needs them. Writes
targets/sinking.csv: by target and variant how many loads of memory stand in front of the first branch or exit, and how
many behind it. One of those in front makes the condition. ptx/passes/sink_loads.cpp follows from it.

  sinking.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect

HEAD = """.version 8.0
.target {target}
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{{
 .reg .b64 %rd<20>; .reg .b32 %r<40>; .reg .pred %p<9>; .shared .align 8 .b8 s[1024];
 ld.param.u64 %rd1,[p]; ld.param.u64 %rd2,[q]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd3,%r1,4; add.s64 %rd4,%rd1,%rd3;
 ld.global.u32 %r2,[%rd4];
"""
ONE, USE = "ld.global.u32 %r3,[%rd4+4096];", "add.s32 %r9,%r3,%r1;"
TEN = "".join(f"ld.global.u32 %r{20 + k},[%rd4+{4096 * (k + 1)}];" for k in range(10))
SUM = "add.s32 %r9,%r20,%r1;" + "".join(f"add.s32 %r9,%r9,%r{21 + k};" for k in range(9))
STORE = "st.global.u32 [%rd2+64],%r1;"
# What stands in front of the branch, on the side that it skips, and where both sides meet.
VARIANTS = {
    "one": (ONE, USE, ""),
    "ten": (TEN, SUM, ""),
    "read-only": (ONE.replace("global", "global.nc"), USE, ""),
    "shared": ("ld.shared.u32 %r3,[s];", USE, ""),
    "volatile": (ONE.replace("ld.", "ld.volatile."), USE, ""),
    "both sides need it": (ONE, USE, "st.global.u32 [%rd2+8],%r3;"),
    "a store in front of the branch": (ONE + STORE, USE, ""),
    "a store behind the branch": (ONE, STORE + USE, ""),
    "a barrier behind the branch": (ONE, "bar.sync 0;" + USE, ""),
    "its address is made of what was loaded": ("mul.wide.u32 %rd7,%r2,24; add.s64 %rd8,%rd1,%rd7; ld.global.u32 %r3,[%rd8];", USE, ""),
}


def kernel(variant, target):
    front, side, meeting = VARIANTS[variant]
    work = "".join(f" mad.lo.s32 %r9,%r9,%r9,%r{1 + k % 2}; xor.b32 %r9,%r9,{k + 3};\n" for k in range(14))
    return (HEAD.format(target=target) + f" {front}\n setp.gt.s32 %p1,%r2,100; @%p1 bra L;\n {side}\n{work}"
            f" atom.global.add.u32 %r10,[%rd2],%r9;\nL:\n {meeting}\n ret;\n}}\n")


def loads(variant, target):
    """How many stand in front of the first branch or exit, and behind it."""
    text = collect.disassembly(kernel(variant, target), target)
    found = re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?P\d\s+)?(LDG|LDS|BRA|EXIT)\b", text)
    first = next(k for k, opcode in enumerate(found) if opcode in ("BRA", "EXIT"))
    return [sum(opcode.startswith("LD") for opcode in part) for part in (found[:first], found[first:])]


def main():
    targets = sys.argv[1:] or ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]
    collect.write_answers("sinking.csv", ["loads in front", "loads behind"], targets, VARIANTS, loads)


if __name__ == "__main__":
    main()
