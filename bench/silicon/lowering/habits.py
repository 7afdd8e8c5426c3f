#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas how long a loop's body may be that it unrolls by four, and a block that it makes of guarded instructions:
generated kernels of every size, one above the other, for each target. Writes targets/habits.csv: the most FFMA of each
shape that still are. The lowering profiles (configs/lowering) hold what follows from it.

  habits.py [sm_75 ...]                  ptxas and nvdisasm of the PATH
  habits.py --older FOLDER sm_70 sm_61   those in FOLDER (of CUDA 12)"""
import argparse
import pathlib

import schedules
from targets import NEWER, OLDER_VERSION, replace_rows, tools_of

HEAD = """.visible .entry {name}(.param .u64 a, .param .u64 b, .param .u32 n, .param .f32 x, .param .f32 y) {{
  .reg .f32 %f<8>; .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .shared .align 4 .b8 s{name}[1024];
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [x]; ld.param.f32 %f5, [y];
  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r3, %tid.x; mov.u32 %r4, s{name}; shl.b32 %r5, %r3, 2; add.s32 %r4, %r4, %r5;
"""
FMA = "  fma.rn.f32 %f2, %f2, %f1, %f5;\n"
STORE = "  st.global.f32 [%rd1], %f2;\n  ret;\n}\n"


def loop(name, body, size):
    return (HEAD.format(name=name) + "  mov.u32 %r2, 0; mov.f32 %f2, 0f00000000;\nL_" + name + ":\n" + body + FMA * size +
            "  add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L_" + name + ";\n" + STORE)


def skipped(name, body, size):
    return (HEAD.format(name=name) + "  ld.global.f32 %f2, [%rd2]; setp.lt.s32 %p1, %r3, %r1; @%p1 bra S_" + name + ";\n" + body +
            FMA * size + "S_" + name + ":\n" + STORE)


def either(name, body, size):
    other = FMA.replace("%f1", "%f6")
    return (HEAD.format(name=name) + "  ld.global.f32 %f2, [%rd2]; mov.f32 %f6, 0f40490fdb; setp.lt.s32 %p1, %r3, %r1;"
            " @%p1 bra S_" + name + ";\n" + FMA * size + "  bra J_" + name + ";\nS_" + name + ":\n" + other * size +
            "J_" + name + ":\n" + STORE)


def of_shared(count):
    return "".join(f"  ld.shared.f32 %f3, [%r4]; add.f32 %f2, %f2, %f3; add.s32 %r4, %r4, {4 * (k + 1)};\n" for k in range(count))


GLOBAL = "  ld.global.f32 %f3, [%rd2]; add.f32 %f2, %f2, %f3; add.s64 %rd2, %rd2, 4;\n"
# Name, what makes the kernel, what stands beside the FFMA, the largest size that is tried.
SHAPES = (("unroll", loop, "", 60), ("unroll_shared_1", loop, of_shared(1), 80), ("unroll_shared_4", loop, of_shared(4), 110),
          ("unroll_global", loop, GLOBAL, 100), ("skipped", skipped, "", 40),
          ("skipped_load", skipped, "  ld.global.f32 %f3, [%rd2+4]; add.f32 %f2, %f2, %f3;\n", 40), ("either", either, "", 30))


def is_kept_apart(shape, counts, size):
    """Whether ptxas left the loop or the branch as it was."""
    if shape.startswith("unroll"):
        return counts["FFMA"] <= size
    return counts["BRA"] > 0 or counts["BSSY"] > 0 or counts["SSY"] > 0 or counts["EXIT"] > 1 or counts["RET"] > 0


def most(shape, make, body, largest, target, tools, older):
    sizes = range(1, largest + 1)
    text = f".version {OLDER_VERSION if older else '9.0'}\n.target {target}\n.address_size 64\n"
    text += "".join(make(f"{shape}_{n}", body, n) for n in sizes)
    counts = schedules.opcodes_of_ptx(text, target, tools)
    done = [n for n in sizes if not is_kept_apart(shape, counts[f"{shape}_{n}"], n)]
    return max(done, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--older", type=pathlib.Path)
    arguments = parser.parse_args()
    tools = tools_of(arguments.older)

    def rows_of(target):
        for shape, make, body, largest in SHAPES:
            yield [shape, most(shape, make, body, largest, target, tools, arguments.older)]

    replace_rows("habits.csv", ["shape", "most_ffma"], arguments.targets or NEWER, rows_of)


if __name__ == "__main__":
    main()
