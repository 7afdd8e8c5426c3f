#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas when an array in local memory that an index reaches becomes registers: generated kernels that store each
word of an array once and load by an index, for each target. Writes targets/indexed.csv. Shapes: `accesses` is the most
loads by an index that still leave registers, in straight code; `loop_ffma` the fewest FFMA in a loop that make one such
load in it do so, `front_ffma` the fewest in front of that loop. 0 and -1: any number, and none up to the largest tried.
The group `indexed` of the lowering profiles (configs/lowering) holds what follows from it.

  indexed.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import argparse

import schedules
from targets import NEWER, replace_rows, tools_of

HEAD = """.visible .entry {name}(.param .u64 p, .param .u32 n) {{
  .local .align 16 .b8 D_{name}[{bytes}]; .reg .pred %p<4>; .reg .f32 %f<4>; .reg .b32 %r<300>; .reg .b64 %rd<300>; .reg .b64 %SPL;
  mov.u64 %SPL, D_{name}; ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; ld.global.f32 %f1, [%rd1+4]; ld.global.f32 %f2, [%rd1+8];
"""
FMA = "  fma.rn.f32 %f1, %f1, %f2, %f1;\n"
LOADS = (1, 2, 4)
WORDS = (4, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64)


def filled(words):
    return "".join(f"  ld.global.u32 %r{10 + k}, [%rd1+{128 * k}]; st.local.u32 [%SPL+{4 * k}], %r{10 + k};\n" for k in range(words))


def loads(count):
    return "".join(f"  ld.global.u32 %r{100 + 2 * k}, [%rd1+{200000 + 4 * k}]; mul.wide.u32 %rd{10 + 2 * k}, %r{100 + 2 * k}, 4; "
                   f"add.s64 %rd{11 + 2 * k}, %SPL, %rd{10 + 2 * k}; ld.local.u32 %r{101 + 2 * k}, [%rd{11 + 2 * k}]; "
                   f"st.global.u32 [%rd1+{300000 + 4 * k}], %r{101 + 2 * k};\n" for k in range(count))


def kernel(name, words, count, loop=False, inside=0, front=0):
    body = loads(count) + FMA * inside
    if loop:
        body = (f"  mov.u32 %r3, 0;\nL_{name}:\n{body}  add.s64 %rd1, %rd1, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2;"
                f" @%p1 bra L_{name};\n")
    return HEAD.format(name=name, bytes=4 * words) + filled(words) + FMA * front + body + "  st.global.f32 [%rd1], %f1;\n  ret;\n}\n"


def in_registers(kernels, target, tools):
    """Which of the kernels (a name each) have neither LDL nor STL."""
    text = f".version 9.0\n.target {target}\n.address_size 64\n" + "".join(kernels.values())
    counts = schedules.opcodes_of_ptx(text, target, tools)
    return [key for key in kernels if counts[key]["LDL"] + counts[key]["STL"] == 0]


def most_accesses(words, target, tools):
    kernels = {f"k{n}": kernel(f"k{n}", words, n) for n in range(1, 81)}
    return max((int(k[1:]) for k in in_registers(kernels, target, tools)), default=0)


def fewest(sizes, make, target, tools):
    kernels = {f"k{n}": make(f"k{n}", n) for n in sizes}
    return min((int(k[1:]) for k in in_registers(kernels, target, tools)), default=-1)


def rows_of(target, tools):
    for words in WORDS:
        yield ["accesses", words, "", most_accesses(words, target, tools)]
    for words in (8, 12, 16, 20):
        for count in LOADS:
            yield ["loop_ffma", words, count,
                   fewest(range(0, 80), lambda name, n: kernel(name, words, count, True, inside=n), target, tools)]
    for words in (7, 8, 12, 16):
        yield ["front_ffma", words, 1,
               fewest(range(0, 1000, 20), lambda name, n: kernel(name, words, 1, True, front=n), target, tools)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    targets = parser.parse_args().targets or NEWER
    tools = tools_of(None)
    replace_rows("indexed.csv", ["shape", "words", "accesses", "count"], targets, lambda target: rows_of(target, tools))


if __name__ == "__main__":
    main()
