#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which loads it does not make again, because the thread has loaded or stored the value. Writes
targets/sharing.csv: by target and variant how many loads of memory the code has. ptx/passes/share_loads.cpp follows
from it.

  sharing.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect
from targets import NEWER

HEAD = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)
{{
 .reg .b64 %rd<20>; .reg .b32 %r<40>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .pred %p<9>; .shared .align 8 .b8 s[1024];
 ld.param.u64 %rd1,[p]; ld.param.u64 %rd2,[q]; ld.param.u32 %r9,[n]; mov.u32 %r1,%tid.x;
 {body}
 st.global.u32 [%rd1],%r13;
L:
 ret;
}}
"""
TWICE = "ld.global.u32 %r10,[%rd2]; {} ld.global.u32 %r12,[%rd2]; add.s32 %r13,%r10,%r12;"
OF_SHARED = TWICE.replace("ld.global.u32", "ld.shared.u32").replace("[%rd2]", "[s]")
EXCHANGE = "shfl.sync.down.b32 %r11,%r1,1,31,-1;"
VARIANTS = {
    "twice": TWICE.format(EXCHANGE),
    "twice, of shared memory": OF_SHARED.format(EXCHANGE),
    "twice, read-only": TWICE.replace("global", "global.nc").format("bar.sync 0;"),
    "twice, generic": TWICE.replace(".global", "").format(EXCHANGE),
    "twice, .cg": TWICE.replace("global", "global.cg").format(""),
    "one of them .cg": TWICE.replace("global", "global.cg", 1).format(""),
    "volatile": TWICE.replace("ld.", "ld.volatile.").format(""),
    "float and integer": "ld.global.f32 %f1,[%rd2]; ld.global.u32 %r12,[%rd2]; mov.b32 %r10,%f1; add.s32 %r13,%r10,%r12;",
    "wide and narrow": "ld.global.u32 %r10,[%rd2]; ld.global.u16 %h1,[%rd2]; cvt.u32.u16 %r12,%h1; add.s32 %r13,%r10,%r12;",
    "an element of a vector": "ld.shared.v2.u32 {%r10,%r11},[s]; ld.shared.u32 %r12,[s+4]; add.s32 %r13,%r10,%r12;",
    "a volatile load between": TWICE.format("ld.volatile.global.u32 %r14,[%rd2+64];") + "add.s32 %r13,%r13,%r14;",
    "a store of shared memory between": TWICE.format("st.shared.u32 [s],%r1;"),
    "a store of global memory between": TWICE.format("st.global.u32 [%rd1+64],%r1;"),
    "a store beside it between": OF_SHARED.format("st.shared.u32 [s+4],%r1;"),
    "a barrier between": TWICE.format("bar.sync 0;"),
    "a barrier of the warp between": TWICE.format("bar.warp.sync -1;"),
    "an atomic between": TWICE.format("atom.global.add.u32 %r14,[%rd1+64],1;") + "add.s32 %r13,%r13,%r14;",
    "an atomic of shared memory between": TWICE.format("atom.shared.add.u32 %r14,[s+64],1;") + "add.s32 %r13,%r13,%r14;",
    "stored before": "st.global.u32 [%rd2],%r1; " + EXCHANGE + " ld.global.u32 %r12,[%rd2]; add.s32 %r13,%r12,%r11;",
    "stored before in a vector": "st.shared.v2.u32 [s],{%r9,%r1}; ld.shared.u32 %r12,[s+4]; add.s32 %r13,%r12,%r9;",
    "behind a branch": "ld.global.u32 %r10,[%rd2]; setp.eq.s32 %p1,%r10,5; @%p1 bra L; " + EXCHANGE
                       + " ld.global.u32 %r12,[%rd2]; add.s32 %r13,%r12,%r11;",
    "where two ways meet": TWICE.format("setp.eq.s32 %p1,%r10,5; @%p1 bra M; st.shared.u32 [s],%r1; " + EXCHANGE
                                        + " st.shared.u32 [s+8],%r11; M:"),
    "where two ways meet, with a barrier on one": TWICE.format("setp.eq.s32 %p1,%r10,5; @%p1 bra M; bar.warp.sync -1;"
                                                               " st.shared.u32 [s],%r1; M:"),
}


def loads(variant, target):
    text = collect.disassembly_of(HEAD, VARIANTS[variant], target)
    return [len(re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?P\d\s+)?(?:LD|LDG|LDS)\b", text))]


def main():
    targets = sys.argv[1:] or NEWER
    collect.write_answers("sharing.csv", ["loads"], targets, VARIANTS, loads)


if __name__ == "__main__":
    main()
