#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas how much of its budget for unrolling an instruction takes: how many FFMA fewer a loop with a load of global
memory may have that it unrolls by four. Generated kernels; each form is asked for twice in a loop and alone, so that
what it needs beside it (a conversion, a move) is in its figure. Writes targets/units.csv. loop_body.cpp counts the same.

  units.py   ptxas and nvdisasm of the PATH, for sm_90"""
import csv
import sys

import habits
import schedules
from targets import HERE, tools_of

HEAD = habits.HEAD.replace(".reg .f32 %f<8>; .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;",
                           ".reg .b16 %h<9>; .reg .f32 %f<30>; .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<12>;")
LOAD = "  ld.global.f32 %f3, [%rd2]; add.f32 %f2, %f2, %f3; add.s64 %rd2, %rd2, 4;\n"
GUARD = "  setp.lt.s32 %p2, %r2, %r3; "
WORDS = "{%f3, %f13, %f14, %f15}"
SUMS = "add.f32 %f2, %f2, %f13; add.f32 %f2, %f2, %f14; add.f32 %f2, %f2, %f15; "
# Of %r20, %f20 and the constant %r9, %r10, %f1, %f5.
FORMS = {
    "add.s32": "add.s32 %r20, %r20, %r9;",
    "and, or": "and.b32 %r20, %r20, %r9; or.b32 %r20, %r20, %r10;",
    "setp, selp": "setp.lt.f32 %p2, %f2, %f1; selp.b32 %r20, %r9, %r20, %p2;",
    "max.f32": "max.f32 %f20, %f20, %f2;",
    "mul.wide, cvt.u32.u64": "mul.wide.s32 %rd5, %r20, 12; cvt.u32.u64 %r20, %rd5;",
    "mad.wide, cvt.u32.u64": "mad.wide.s32 %rd5, %r20, 2, %rd1; cvt.u32.u64 %r20, %rd5;",
    "mul.hi": "mul.hi.u32 %r20, %r20, %r9;",
    "clz": "clz.b32 %r20, %r20;",
    "popc": "popc.b32 %r20, %r20;",
    "two f16 of a pair to f32, two add": "mov.b32 {%h1, %h2}, %r9; cvt.f32.f16 %f21, %h1; cvt.f32.f16 %f22, %h2;"
                                         " add.f32 %f20, %f20, %f21; add.f32 %f20, %f20, %f22;",
    "two bf16 of a pair to f32, two add": "mov.b32 {%h1, %h2}, %r9; cvt.f32.bf16 %f21, %h1; cvt.f32.bf16 %f22, %h2;"
                                          " add.f32 %f20, %f20, %f21; add.f32 %f20, %f20, %f22;",
    "cvt.rn.f16x2, add": "cvt.rn.f16x2.f32 %r21, %f20, %f1; add.s32 %r20, %r20, %r21;",
    "cvt.rn.bf16x2, add": "cvt.rn.bf16x2.f32 %r21, %f20, %f1; add.s32 %r20, %r20, %r21;",
    "add.f16 between cvt.u16": "cvt.u16.u32 %h1, %r20; add.f16 %h2, %h1, %h1; cvt.u32.u16 %r20, %h2;",
    "fma.f16x2": "fma.rn.f16x2 %r20, %r20, %r9, %r10;",
    "ex2.approx.ftz": "ex2.approx.ftz.f32 %f20, %f20;",
    "ex2.approx": "ex2.approx.f32 %f20, %f20;",
    "shfl": "shfl.sync.bfly.b32 %r20, %r20, 1, 31, -1;",
}
LOADS = {
    "guarded load": GUARD + "mov.f32 %f3, %f1; @%p2 ld.global.f32 %f3, [%rd2]; add.f32 %f2, %f2, %f3; add.s64 %rd2, %rd2, 4;\n",
    "load of four, three add": f"  ld.global.v4.f32 {WORDS}, [%rd2]; add.f32 %f2, %f2, %f3; {SUMS}add.s64 %rd2, %rd2, 16;\n",
    "guarded load of four, three add": GUARD + "mov.f32 %f3, %f1; mov.f32 %f13, %f1; mov.f32 %f14, %f1; mov.f32 %f15, %f1;"
                                       f" @%p2 ld.global.v4.f32 {WORDS}, [%rd2]; add.f32 %f2, %f2, %f3; {SUMS}add.s64 %rd2, %rd2, 16;\n",
    "load by mad.wide": "  mad.wide.s32 %rd5, %r2, 4, %rd2; ld.global.f32 %f3, [%rd5]; add.f32 %f2, %f2, %f3;\n",
}


def loop(name, body, size):
    return (HEAD.format(name=name) + "  mov.b32 %r9, %f1; mov.b32 %r10, %f5; mov.u32 %r20, 0; mov.f32 %f20, %f1;"
            " mov.u32 %r2, 0; mov.f32 %f2, 0f00000000;\nL_" + name + ":\n" + body + habits.FMA * size +
            "  add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L_" + name + ";\n"
            "  add.f32 %f2, %f2, %f20; st.global.u32 [%rd1+4], %r20;\n" + habits.STORE)


def most(body, tools):
    sizes = range(1, 60)
    text = ".version 9.0\n.target sm_90\n.address_size 64\n" + "".join(loop(f"k{n}", body, n) for n in sizes)
    counts = schedules.opcodes_of_ptx(text, "sm_90", tools)
    return max((n for n in sizes if counts[f"k{n}"]["FFMA"] > n), default=0)


def main():
    tools = tools_of(None)
    base = most(LOAD, tools)
    rows = [["load, add, step", 0.0]]
    rows += [[name, (base - most(LOAD + f"  {body}\n" * 2, tools)) / 2] for name, body in FORMS.items()]
    rows += [[name, float(base - most(body, tools))] for name, body in LOADS.items()]
    print(f"{base} FFMA beside a load", *rows, sep="\n", file=sys.stderr)
    with (HERE / "targets" / "units.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["what", "units"])
        table.writerows(rows)


if __name__ == "__main__":
    main()
