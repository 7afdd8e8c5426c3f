#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas what it makes of 64-bit sums, shifts and products, alone and in one another. Writes
targets/wide_integers.csv: by target and variant the arithmetic of the code, in order. The rules wide_shift_in_sum,
sign_extension, long_product, long_product_in_sum and wide_sum_of_three of ptx/machine/rules follow from it.

  wide_integers.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect
from targets import NEWER

HEAD = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{{
 .reg .b64 %rd<30>; .reg .b32 %r<20>; .reg .pred %p<3>;
 ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[b];
 ld.global.u64 %rd3,[%rd2]; ld.global.u64 %rd4,[%rd2+8]; ld.global.u64 %rd5,[%rd2+16]; ld.global.u64 %rd6,[%rd2+24];
 ld.global.u32 %r1,[%rd2+32]; ld.global.u32 %r2,[%rd2+48];
 {body}
 ret;
}}
"""
TO_ONE = "cvt.s64.s32 %rd7,%r1; shl.b64 %rd8,%rd7,2; add.s64 %rd9,%rd3,%rd8; st.global.u32 [%rd9],%r2;"
TO_TWO = TO_ONE + " add.s64 %rd10,%rd4,%rd8; st.global.u32 [%rd10],%r2;"
KEEP = "st.global.u64 [%rd1],%rd9;"
BEYOND = "setp.eq.s64 %p1,%rd3,5; @%p1 bra L; bar.sync 0; {} bar.sync 0;\nL:"
VARIANTS = {
    "shift of an extended value in a sum": TO_ONE,
    "the same without a sign": TO_ONE.replace("s64.s32", "u64.u32"),
    "mul.wide in a sum": "mul.wide.s32 %rd8,%r1,4; add.s64 %rd9,%rd3,%rd8; st.global.u32 [%rd9],%r2;",
    "shift of an extended value in two sums": TO_TWO,
    "the same without a sign, in two": TO_TWO.replace("s64.s32", "u64.u32"),
    "shift of 64 bits in two sums": "shl.b64 %rd8,%rd5,2; add.s64 %rd9,%rd3,%rd8; add.s64 %rd10,%rd4,%rd8; st.global.u64 [%rd9],%rd10;",
    "shift of a byte in two sums": TO_TWO.replace("cvt.s64.s32 %rd7,%r1", "and.b32 %r3,%r1,255; cvt.u64.u32 %rd7,%r3"),
    "extended value in a sum": "cvt.s64.s32 %rd7,%r1; add.s64 %rd9,%rd3,%rd7; " + KEEP,
    "product": "mul.lo.s64 %rd9,%rd3,%rd4; " + KEEP,
    "product with a constant": "mul.lo.s64 %rd9,%rd3,12; " + KEEP,
    "product with a power of two": "mul.lo.s64 %rd9,%rd3,64; " + KEEP,
    "product with a negative constant": "mul.lo.s64 %rd9,%rd3,-12; " + KEEP,
    "product with a long constant": "mul.lo.s64 %rd9,%rd3,0x1800000003; " + KEEP,
    "product with a value without upper half": "cvt.u64.u32 %rd7,%r1; mul.lo.s64 %rd9,%rd3,%rd7; " + KEEP,
    "product in a sum": "mul.lo.s64 %rd8,%rd3,%rd4; add.s64 %rd9,%rd8,%rd5; " + KEEP,
    "product in two sums": "mul.lo.s64 %rd8,%rd3,%rd4; add.s64 %rd9,%rd8,%rd5; add.s64 %rd10,%rd8,%rd6; st.global.u64 [%rd9],%rd10;",
    "product in a sum of another block": "mul.lo.s64 %rd8,%rd3,%rd4; " + BEYOND.format("add.s64 %rd9,%rd8,%rd5; " + KEEP),
    "product in a sum, and read": "mul.lo.s64 %rd8,%rd3,%rd4; add.s64 %rd9,%rd8,%rd5; st.global.u64 [%rd9],%rd8;",
    "product with a constant in two sums": "mul.lo.s64 %rd8,%rd3,12; add.s64 %rd9,%rd8,%rd5; add.s64 %rd10,%rd8,%rd6; st.global.u64 [%rd9],%rd10;",
    "mad": "mad.lo.s64 %rd9,%rd3,%rd4,%rd5; " + KEEP,
    "mad with a constant": "mad.lo.s64 %rd9,%rd3,12,%rd5; " + KEEP,
    "sum of three": "add.s64 %rd8,%rd3,%rd4; add.s64 %rd9,%rd8,%rd5; " + KEEP,
    "sum of four": "add.s64 %rd7,%rd3,%rd4; add.s64 %rd8,%rd7,%rd5; add.s64 %rd9,%rd8,%rd6; " + KEEP,
    "sum of three in two blocks": "add.s64 %rd8,%rd3,%rd4; " + BEYOND.format("add.s64 %rd9,%rd8,%rd5; " + KEEP),
    "sum of three, the first read": "add.s64 %rd8,%rd3,%rd4; add.s64 %rd9,%rd8,%rd5; st.global.u64 [%rd9],%rd8;",
    "difference and sum": "sub.s64 %rd8,%rd3,%rd4; add.s64 %rd9,%rd5,%rd8; " + KEEP,
    "sum of three with a constant": "add.s64 %rd8,%rd3,77; add.s64 %rd9,%rd8,%rd5; " + KEEP,
    "sum of three with two extended values": "cvt.s64.s32 %rd7,%r1; cvt.s64.s32 %rd8,%r2; add.s64 %rd10,%rd7,%rd8; add.s64 %rd9,%rd10,%rd3; " + KEEP,
}
ARITHMETIC = r"(?:I|U)?(?:ADD3?|MAD|MUL|SUB|ABS)\S*|VIADD|U?LEA\S*|U?SHF\S*|SHL|SHR|XMAD\S*|ISCADD|IADD\S*|HFMA2\S*|U?MOV|IMNMX"


def arithmetic(variant, target):
    text = collect.disassembly_of(HEAD, VARIANTS[variant], target)
    body = re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\d\s+)?([A-Z][A-Z0-9_.]*)", text)
    found = [op for op in body if re.fullmatch(ARITHMETIC, op) and not op.endswith(("MOV", "MOV.U32"))]
    return [len(found), " ".join(found)]


def main():
    targets = sys.argv[1:] or NEWER
    collect.write_answers("wide_integers.csv", ["operations", "arithmetic"], targets, VARIANTS, arithmetic)


if __name__ == "__main__":
    main()
