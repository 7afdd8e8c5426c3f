#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas how often it reads a special register that the PTX reads twice, by what stands between. Writes
targets/special_reads.csv: by target and variant the reads of the thread's and the block's place, and whether the second stands behind a
branch. behind_long_loops of ptx/passes follows from it.

  special_reads.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect
from targets import NEWER

HEAD = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n, .param .u64 b)
{{
 .reg .pred %p<9>; .reg .b64 %rd<30>; .reg .b32 %r<60>;
 ld.param.u64 %rd1,[a]; ld.param.u32 %r1,[n]; ld.param.u64 %rd10,[b];
 mov.u32 %r5,%ctaid.x; mov.u32 %r6,%ntid.x; mov.u32 %r7,%tid.x; mad.lo.s32 %r2,%r6,%r5,%r7;
 mul.wide.u32 %rd3,%r2,4; add.s64 %rd4,%rd1,%rd3; ld.global.u32 %r3,[%rd4];
 mov.u32 %r20,%r3;
 {body}
RET:
 ret;
}}
"""
TAIL = """ mov.u32 %r30,%tid.x; mov.u32 %r31,%ctaid.x; add.s32 %r33,%r31,%r30;
 mul.wide.u32 %rd20,%r33,8; add.s64 %rd21,%rd10,%rd20; st.global.u32 [%rd21],%r20;"""
LOAD = "ld.global.u32 %r40,[%rd4+64]; "


def loop(body, n=1):
    """Counts to a parameter."""
    return f""" mov.u32 %r10,0; setp.eq.s32 %p1,%r1,0; @%p1 bra END{n};
LOOP{n}: mad.lo.s32 %r20,%r20,%r3,7; {body}
 add.s32 %r10,%r10,1; setp.lt.s32 %p2,%r10,%r1; @%p2 bra LOOP{n};
END{n}:"""


def branch(n=1):
    """A side that some lanes take."""
    return f" setp.lt.u32 %p4,%r20,%r3; @%p4 bra SKIP{n}; {LOAD} atom.global.add.u32 %r41,[%rd1],%r40; add.s32 %r20,%r20,%r41; SKIP{n}:"


VARIANTS = {
    "nothing": TAIL,
    "a barrier": "bar.sync 0;" + TAIL,
    "an exit": "setp.ge.u32 %p5,%r2,%r1; @%p5 bra RET;" + TAIL,
    "a branch": branch() + TAIL,
    "four branches": "".join(branch(n) for n in range(4)) + TAIL,
    "a loop": loop("") + TAIL,
    "two loops": loop("") + loop("st.global.u32 [%rd4+64],%r20;", 2) + TAIL,
    "a loop that lanes leave apart": "L: add.s32 %r20,%r20,-3; setp.gt.s32 %p3,%r20,0; @%p3 bra L;" + TAIL,
    "a loop and a branch": loop("") + branch() + TAIL,
    "a loop with a branch": loop(branch()) + TAIL,
    "a loop with a way out": loop(LOAD + "setp.lt.u32 %p4,%r20,%r40; @%p4 bra END1;") + TAIL,
    "a loop in a loop": loop(" mov.u32 %r50,0; I: st.global.u32 [%rd4+68],%r50; add.s32 %r50,%r50,1; setp.lt.s32 %p3,%r50,%r3; @%p3 bra I;") + TAIL,
    "on one side a loop with a way out": "setp.lt.u32 %p6,%r3,77; @%p6 bra JOIN;"
    + loop(LOAD + "setp.lt.u32 %p4,%r20,%r40; @%p4 bra END1;") + "st.global.u32 [%rd4+72],%r20; JOIN:" + TAIL,
    "it is in a loop": loop(TAIL),
    "it is in a loop with a loop": loop(" mov.u32 %r50,0; I: st.global.u32 [%rd4+68],%r50; add.s32 %r50,%r50,1; setp.lt.s32 %p3,%r50,%r3; @%p3 bra I;" + TAIL),
}


def reads(variant, target):
    text = collect.disassembly_of(HEAD, VARIANTS[variant], target)
    branched, counts = False, {}
    for op, operands in re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\d\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*)", text):
        branched = branched or op in ("BRA", "BSSY")
        for name in ("TID", "CTAID"):
            if op in ("S2R", "S2UR") and f"SR_{name}.X" in operands:
                counts.setdefault(name, []).append("behind" if branched else "first")
    return ["; ".join(f"{name} {' '.join(places)}" for name, places in sorted(counts.items()))]


def main():
    targets = sys.argv[1:] or NEWER
    collect.write_answers("special_reads.csv", ["reads"], targets, VARIANTS, reads)


if __name__ == "__main__":
    main()
