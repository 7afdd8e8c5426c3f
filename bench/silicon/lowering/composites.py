#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas for what it makes of operations of many instructions, one after another: 64-bit divisions, bit fields, video
operations, fns. Of 32-bit divisions by a value that a loop does not change, what it puts in front of the loop. Writes
targets/composites.csv, a line an operation and target: how many instructions, and which.

  composites.py [--older FOLDER]   FOLDER has the ptxas and nvdisasm of CUDA 12, for sm_70; others are those of the PATH"""
import csv
import pathlib
import subprocess
import tempfile

import schedules
from targets import HERE, NEWER, OLDER_VERSION, older_of, tools_of, without_errors

# %A to %D: other values; %R: the result
ALONE = {
    "div.u64": ("b64", "div.u64 %R, %A, %B;"),
    "rem.u64": ("b64", "rem.u64 %R, %A, %B;"),
    "bfe.u32": ("b32", "bfe.u32 %R, %A, %B, %C;"),
    "bfi.b32": ("b32", "bfi.b32 %R, %A, %D, %B, %C;"),
    "vadd": ("b32", "vadd.s32.s32.s32 %R, %A, %B;"),
    "vadd of bytes": ("b32", "vadd.s32.s32.s32 %R, %A.b0, %B.b3;"),
    "vadd.sat": ("b32", "vadd.s32.s32.s32.sat %R, %A.b0, %B.h1;"),
    "vmad of bytes": ("b32", "vmad.s32.s32.s32 %R, %A.b0, %B.b1, %C;"),
    "fns": ("b32", "fns.b32 %R, %A, %B, %C;"),
}
IN_A_LOOP = ["div.u32", "rem.u32", "div.s32", "rem.s32"]
READ = "ld.global.{kind} %{name}, [%g+{at}];"


def alone(name, kind, step):
    step = step.replace("%R", "%r")
    for letter in "ABCD":
        step = step.replace("%" + letter, "%" + letter.lower())
    loads = " ".join(READ.format(kind=kind, name=letter, at=8 * n) for n, letter in enumerate("abcd"))
    return f""".visible .entry {name}(.param .u64 p)
{{ .reg .b64 %g; .reg .{kind} %a, %b, %c, %d, %r; ld.param.u64 %g, [p]; {loads}
  bar.sync 0; {step} st.global.{kind} [%g], %r; bar.sync 0; ret; }}
"""


def in_a_loop(name, operation):
    return f""".visible .entry {name}(.param .u64 p)
{{ .reg .b64 %g; .reg .b32 %a, %d, %r; .reg .pred %q; ld.param.u64 %g, [p]; ld.global.u32 %d, [%g]; bar.sync 0;
L: ld.volatile.global.u32 %a, [%g]; {operation} %r, %a, %d; st.volatile.global.u32 [%g], %r; bar.sync 0;
  setp.ne.u32 %q, %r, 7; @%q bra L; ret; }}
"""


def listing(text, target, tools):
    with tempfile.TemporaryDirectory() as folder:
        cubin, log = without_errors(pathlib.Path(folder), text, target, tools[0])
        if cubin is None:
            raise SystemExit(f"{target}: {log}")
        return subprocess.run([tools[1], "-c", "-hex", str(cubin)], check=True, capture_output=True, text=True).stdout


def between(instructions):
    """What stands between the first barrier and what follows the last value: the second barrier, or the loop's load."""
    first = next(n for n, i in enumerate(instructions) if i.base == "BAR")
    found = []
    for instruction in instructions[first + 1:]:
        if instruction.base in ("BAR", "STG", "LDG", "EXIT"):
            break
        if instruction.base != "NOP" and instruction.guard != "!PT":
            found.append(instruction)
    return found


def opcodes_of(target, tools, version):
    names = {name: f"k{n}" for n, name in enumerate([*ALONE, *IN_A_LOOP])}
    text = f".version {version}\n.target {target}\n.address_size 64\n"
    text += "".join(alone(names[name], *ALONE[name]) for name in ALONE)
    text += "".join(in_a_loop(names[name], name) for name in IN_A_LOOP)
    kernels = {kernel: ([], []) for kernel in names.values()}  # its own instructions, and those of what it calls
    for block in schedules.blocks_of(listing(text, target, tools)):
        kernels[block.kernel][block.function is not None].extend(block.instructions)
    for name, kernel in names.items():
        own, called = kernels[kernel]
        made = between(own)
        if called and any(i.base == "CALL" for i in made):
            at = next(n for n, i in enumerate(made) if i.base == "CALL") + 1
            made = made[:at] + [i for i in called if i.base != "NOP" and i.guard != "!PT"] + made[at:]
        yield name if name in ALONE else f"{name} before a loop", [i.opcode for i in made]


def main():
    older = older_of(__doc__)
    rows = []
    if older:
        made = opcodes_of("sm_70", tools_of(older), OLDER_VERSION)
        rows += [(name, "sm_70", found) for name, found in made]
    for target in NEWER:
        rows += [(name, target, found) for name, found in opcodes_of(target, tools_of(), "9.0")]
    order = [*ALONE, *(f"{name} before a loop" for name in IN_A_LOOP)]
    rows.sort(key=lambda row: (order.index(row[0]), int(row[1][3:])))
    with (HERE / "targets" / "composites.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["operation", "target", "count", "opcodes"])
        table.writerows((name, target, len(found), " ".join(found)) for name, target, found in rows)


if __name__ == "__main__":
    main()
