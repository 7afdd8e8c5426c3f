#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas for what it makes of single operations that machine code lacks, for each target: divisions, roots, 64-bit
integers. Writes targets/sequences.csv: by operation, how many instructions it takes more than an addition.

  sequences.py [--older FOLDER]   FOLDER has the ptxas and nvdisasm of CUDA 12, for sm_70; others are those of the PATH"""
import argparse
import csv
import pathlib

import schedules
from targets import HERE, NEWER, OLDER_VERSION, tools_of

# By kind of operand: what all others are compared with, and the others.
OPERATIONS = {
    "u32": ("add.s32", ["div.u32", "rem.u32", "div.s32", "rem.s32"]),
    "f32": ("add.f32", ["div.rn.f32", "div.full.f32", "div.approx.f32", "rcp.rn.f32", "sqrt.rn.f32", "ex2.approx.f32"]),
    "b64": ("xor.b64", ["add.u64", "mul.lo.u64", "mul.hi.u64", "min.s64", "div.u64", "rem.s64"]),
    "f64": ("add.f64", ["div.rn.f64", "rcp.rn.f64", "sqrt.rn.f64", "rsqrt.approx.f64", "min.f64"]),
}
REGISTERS = {"u32": ".b32", "f32": ".f32", "b64": ".b64", "f64": ".f64"}


def kernel(name, kind, operation):
    sources = "%v1" if operation.startswith(("rcp", "sqrt", "rsqrt", "ex2")) else "%v1, %v2"
    return f""".visible .entry {name}(.param .u64 p)
{{
  .reg .b32 %r; .reg .b64 %rd<3>; .reg {REGISTERS[kind]} %v<4>;
  ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r, %tid.x; mul.wide.u32 %rd2, %r, 32;
  add.s64 %rd1, %rd1, %rd2; ld.global.{kind} %v1, [%rd1]; ld.global.{kind} %v2, [%rd1+8];
  {operation} %v3, {sources}; st.global.{kind} [%rd1+16], %v3; ret;
}}
"""


def counts_of(target, tools, version):
    names = {operation: f"k{n}" for n, operation in enumerate(
        operation for first, others in OPERATIONS.values() for operation in [first, *others])}
    text = f".version {version}\n.target {target}\n.address_size 64\n"
    for kind, (first, others) in OPERATIONS.items():
        text += "".join(kernel(names[operation], kind, operation) for operation in [first, *others])
    counts = schedules.opcodes_of_ptx(text, target, tools)
    return {operation: sum(counts[name].values()) for operation, name in names.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--older", type=pathlib.Path)
    arguments = parser.parse_args()
    found = {}
    if arguments.older:
        found["sm_70"] = counts_of("sm_70", tools_of(arguments.older), OLDER_VERSION)
    for target in NEWER:
        found[target] = counts_of(target, tools_of(), "9.0")
    with (HERE / "targets" / "sequences.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["operation", *found])
        for first, others in OPERATIONS.values():
            for operation in others:
                table.writerow([operation, *(counts[operation] - counts[first] for counts in found.values())])


if __name__ == "__main__":
    main()
