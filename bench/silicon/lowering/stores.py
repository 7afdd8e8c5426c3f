#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which loops with a store to global memory it does not unroll, where lanes begin them with values of their
own. Writes targets/stores.csv: by target and variant how many times the loop's store stands in the code. unroll_find.cpp
and loop_body.cpp of ptx/passes follow from it.

  stores.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect

KERNEL = """.version 8.0
.target {target}
.address_size 64
.shared .align 16 .b8 s[4096];
.visible .entry k(.param .u64 p, .param .u64 q)
{{
 .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<4>;
 ld.param.u64 %rd1,[p]; ld.param.u64 %rd2,[q];
 mov.u32 %r1,%tid.x; mov.u32 %r2,s; shl.b32 %r3,%r1,2; add.s32 %r2,%r2,%r3;
 ld.global.u32 %r4,[%rd2+64]; ld.global.u32 %r5,[%rd2+128]; setp.ne.s32 %p2,%r5,0; cvt.s64.s32 %rd4,%r4;
 cvt.s64.s32 %rd3,%r1; mul.wide.s32 %rd5,%r1,4; add.s64 %rd6,%rd2,%rd5; add.s64 %rd7,%rd1,%rd5;
L:
 {body}
 add.s32 %r2,%r2,16; add.s64 %rd6,%rd6,16; add.s64 %rd7,%rd7,16; add.s64 %rd3,%rd3,4;
 setp.lt.u64 %p1,%rd3,%rd4; @%p1 bra L;
 st.shared.u32 [s],%r10;
 ret;
}}
"""
LOAD, STORE = "ld.global.u32 %r6,[%rd6];", "st.global.u32 [%rd7],%r6;"
AT_INDEX = "shl.b64 %rd9,%rd3,2; add.s64 %rd10,%rd1,%rd9;"
AT_LOADED = "mul.wide.s32 %rd9,%r6,4; add.s64 %rd10,%rd7,%rd9;"
GUARDED = "mov.u32 %r6,0; @%p2 bra S; " + LOAD + "\nS:"
VARIANTS = {
    "what is loaded, by a stepped pointer": LOAD + STORE,
    "a sum with it, by a stepped pointer": LOAD + "add.s32 %r6,%r6,%r5;" + STORE,
    "what a skipped block loads, by a stepped pointer": GUARDED + STORE,
    "what is loaded, at one place": LOAD + "st.global.u32 [%rd1],%r6;",
    "another value, at one place": LOAD + "add.s32 %r10,%r10,%r6; st.global.u32 [%rd1],%r5;",
    "what is loaded, at an index": LOAD + AT_INDEX + "st.global.u32 [%rd10],%r6;",
    "what is loaded read-only, at an index": LOAD.replace("global", "global.nc") + AT_INDEX + "st.global.u32 [%rd10],%r6;",
    "what is loaded from there, at an index": AT_INDEX + "ld.global.u32 %r6,[%rd10]; add.s32 %r6,%r6,1; st.global.u32 [%rd10],%r6;",
    "another value, at an index": LOAD + AT_INDEX + "add.s32 %r10,%r10,%r6; st.global.u32 [%rd10],%r5;",
    "what is loaded from shared memory, at an index": "ld.shared.u32 %r6,[%r2];" + AT_INDEX + "st.global.u32 [%rd10],%r6;",
    "another value, where it has loaded": LOAD + AT_LOADED + "st.global.u32 [%rd10],%r5;",
    "another value, where a skipped block has loaded": GUARDED + AT_LOADED + "st.global.u32 [%rd10],%r5;",
    "another value, where it has loaded from shared memory": "ld.shared.u32 %r6,[%r2];" + AT_LOADED + "st.global.u32 [%rd10],%r5;",
    "to shared memory, where it has loaded": LOAD + "shl.b32 %r7,%r6,2; add.s32 %r8,%r2,%r7; st.shared.u32 [%r8],%r5;",
}


def stores(variant, target):
    text = collect.disassembly(KERNEL.format(target=target, body=VARIANTS[variant]), target)
    to_shared = variant.startswith("to shared")
    return [len(re.findall(r"\bSTS\b" if to_shared else r"\bSTG\b", text)) - to_shared]


def main():
    targets = sys.argv[1:] or ["sm_75", "sm_80", "sm_90"]
    collect.write_answers("stores.csv", ["stores"], targets, VARIANTS, stores)


if __name__ == "__main__":
    main()
