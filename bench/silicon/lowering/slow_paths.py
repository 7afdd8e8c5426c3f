#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas how many registers the slow path of a division or a root takes at least: kernels that keep 22 and 30 values
across one, with fewer and fewer registers (--maxrregcount) until something is spilled. Writes targets/slow_paths.csv:
what the operation needs while those values live, its operands and its result included. An addition needs its two
operands alone. The registers of ptx/isa/table/op_traits.cpp follow from it.

  slow_paths.py [sm_75 ...]   ptxas of the PATH"""
import argparse
import pathlib
import tempfile

import collect
from targets import NEWER, replace_rows

HEAD = """.version 9.0
.target {target}
.address_size 64
.visible .entry k(.param .u64 p) {{
  .reg .b32 %r<200>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %d<8>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;
"""
KEPT = (22, 30)
NOT_FOR_VALUES = 5  # the address, the stack pointer and two hidden ones
OPERATIONS = {
    "add.f32": "f 2", "div.rn.f32": "f 2", "rcp.rn.f32": "f 1", "sqrt.rn.f32": "f 1", "add.f64": "d 2", "div.rn.f64": "d 2",
    "rcp.rn.f64": "d 1", "sqrt.rn.f64": "d 1", "rsqrt.approx.f64": "d 1", "div.u64": "rd 2", "div.s64": "rd 2", "rem.u64": "rd 2",
    "rem.s64": "rd 2",
}


def kernel(operation, target, kept):
    """All loads and stores are volatile: they keep their order, so that every value lives across the operation."""
    kind, count = OPERATIONS[operation].split()
    number = operation.rsplit(".", 1)[1]
    operands = [f"%{kind}{3 + k}" for k in range(int(count))]
    lines = [f"ld.volatile.global.u32 %r{10 + k}, [%rd1+{4096 * k}];" for k in range(kept)]
    lines += [f"ld.volatile.global.{number} {v}, [%rd1+{8 + 8 * k}];" for k, v in enumerate(operands)]
    lines += [f"{operation} %{kind}5, {', '.join(operands)};", f"st.volatile.global.{number} [%rd1+24], %{kind}5;"]
    lines += [f"st.volatile.global.u32 [%rd1+{4096 * k + 64}], %r{10 + k};" for k in range(kept)]
    return HEAD.format(target=target) + "".join(f"  {line}\n" for line in lines) + "  ret;\n}\n"


def fewest(ptx, target):
    """The fewest registers with which nothing is spilled."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "k.ptx"
        source.write_text(ptx)
        few, enough = 16, 96
        while few < enough:
            middle = (few + enough) // 2
            log = collect.run("ptxas", f"-arch={target}", "-v", f"--maxrregcount={middle}", "-o", f"{folder}/k.cubin", str(source)).stderr
            if collect.registers(log)["k"][1] == 0:
                enough = middle
            else:
                few = middle + 1
    return enough


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    targets = parser.parse_args().targets or NEWER

    def rows_of(target):
        for operation in OPERATIONS:
            yield [operation, *(fewest(kernel(operation, target, n), target) - n - NOT_FOR_VALUES for n in KEPT)]

    replace_rows("slow_paths.csv", ["operation", *(f"beside_{n}" for n in KEPT)], targets, rows_of)


if __name__ == "__main__":
    main()
