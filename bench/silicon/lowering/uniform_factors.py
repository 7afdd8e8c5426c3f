#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas in which file it keeps the factors of wide and 64-bit products that all lanes share. Writes
targets/uniform_factors.csv: by target and variant what multiplies, with its operands' files (R, UR, an immediate or the constant
bank), and what brings them. constant_uses and uniform_arithmetic of ptx/machine and the rule long_product follow from it.

  uniform_factors.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect
from targets import NEWER

HEAD = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m, .param .u64 w)
{{
 .reg .b64 %rd<30>; .reg .b32 %r<20>;
 ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[b]; ld.param.u32 %r1,[n]; ld.param.u32 %r2,[m]; ld.param.u64 %rd3,[w];
 mov.u32 %r3,%tid.x; mov.u32 %r4,%ctaid.x; mov.u32 %r5,%ntid.x; mov.u32 %r6,%tid.y; cvt.u64.u32 %rd9,%r6;
 {body}
 st.global.u64 [%rd1],%rd10;
 ret;
}}
"""
LOADED = "ld.global.u64 %rd12,[%rd2]; "
VARIANTS = {
    "lane's place by parameter": "mul.wide.s32 %rd10,%r3,%r1;",
    "the same in a sum": "mad.wide.s32 %rd10,%r3,%r1,%rd9;",
    "by the block's place": "mul.wide.s32 %rd10,%r3,%r4;",
    "by two parameters": "mul.lo.s32 %r8,%r1,%r2; mul.wide.s32 %rd10,%r3,%r8;",
    "index of a base": "mul.wide.s32 %rd11,%r3,4; add.s64 %rd12,%rd2,%rd11; ld.global.u32 %r8,[%rd12]; cvt.u64.u32 %rd10,%r8;",
    "64 bits by parameter": "cvt.s64.s32 %rd11,%r1; " + LOADED + "mul.lo.s64 %rd10,%rd12,%rd11;",
    "the same without a sign": "cvt.u64.u32 %rd11,%r1; " + LOADED + "mul.lo.s64 %rd10,%rd12,%rd11;",
    "64 bits by 64 bits": LOADED + "mul.lo.s64 %rd10,%rd12,%rd3;",
    "64 bits by the block's place": "cvt.s64.s32 %rd11,%r4; " + LOADED + "mul.lo.s64 %rd10,%rd12,%rd11;",
    "64 bits by what is computed": "shl.b32 %r7,%r5,3; cvt.s64.s32 %rd11,%r7; " + LOADED + "mul.lo.s64 %rd10,%rd12,%rd11;",
}


def file_of(operand):
    m = re.match(r"[-|~]*(UR|R|c\[|0x)", operand.strip())
    return {"UR": "UR", "R": "R", "c[": "c", "0x": "i"}[m[1]] if m else operand.strip()


def products(variant, target):
    text = collect.disassembly_of(HEAD, VARIANTS[variant], target)
    found = []
    for op, operands in re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\d\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*)", text):
        if op.startswith(("S2", "ULDC", "LDC", "USHF")) and not re.search(r"0x28\]|0x37c\]", operands):
            found.append(op)
        elif op.startswith(("IMAD.WIDE", "UIMAD")) or op == "IMAD":
            found.append(op + " " + "*".join(file_of(o) for o in operands.split(",")[1:3]))
    return ["; ".join(found)]


def main():
    targets = sys.argv[1:] or NEWER
    collect.write_answers("uniform_factors.csv", ["code"], targets, VARIANTS, products)


if __name__ == "__main__":
    main()
