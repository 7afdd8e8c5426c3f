#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ptx/*.ptx.gz and sass.csv.gz from the kernels here: what ptxas makes of each. Needs nvcc, ptxas and
nvdisasm on the PATH; nobody else does.

Counted are the static machine instructions of a kernel and of the functions it calls. Left out: padding
(NOP, the branch to itself at the end) and what ptxas keeps out of line because it hardly ever runs: slow paths
(`$__internal_...`: denormal divisors and the like) and collectives of diverged warps (behind BRA.DIV)."""
import collections
import csv
import gzip
import io
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ARCH = "sm_90"
# What ptxas adds for slow paths and for divisions of 64 bits. Functions of the PTX may have `__internal` in their names too.
OWN_FUNCTION = re.compile(r"\$__internal_\d+_\$")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True)


def disassembly(ptx, target):
    """What ptxas and nvdisasm of the PATH make of a text of PTX."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder) / "k.ptx", pathlib.Path(folder) / "k.cubin"
        source.write_text(ptx)
        run("ptxas", f"-arch={target}", "-o", str(cubin), str(source))
        return run("nvdisasm", "-c", str(cubin)).stdout


def disassembly_of(head, body, target):
    """The same of `body` in the frame `head`, in the oldest PTX that the probes need and the target knows."""
    return disassembly(head.format(target=target, version="8.0" if len(target) == 5 else "8.7", body=body), target)


def write_answers(name, columns, targets, variants, answer):
    """targets/NAME: a row for each target and variant, with what `answer(variant, target)` gives for the columns."""
    with open(HERE / "targets" / name, "w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["target", "variant", *columns])
        table.writerows([target, variant, *answer(variant, target)] for target in targets for variant in variants)


def registers(log):
    """ptxas -v: registers, spill stores and loads by kernel."""
    found, name, spill = {}, None, (0, 0)
    for line in log.splitlines():
        if m := re.search(r"Compiling entry function '([^']+)'", line):
            name = m[1]
        elif m := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spill = (int(m[1]), int(m[2]))
        elif (m := re.search(r"Used (\d+) registers", line)) and name:
            found[name] = (int(m[1]), *spill)
            name = None
    return found


def opcodes(text):
    """Static instructions by opcode of each kernel."""
    # What BRA.DIV jumps to, and what WARPSYNC.COLLECTIVE there ends at: collectives of warps that have diverged.
    diverged = set(re.findall(r"BRA\.DIV\S* .*`\((\S+)\)", text)) | set(
        re.findall(r"WARPSYNC\.COLLECTIVE \w+, `\((\S+)\)", text))
    counts, kernel, inside, label = collections.defaultdict(collections.Counter), None, True, None
    for line in text.splitlines():
        if m := re.match(r"\s*\.text\.(\S+):", line):
            kernel, inside = m[1], True
        elif m := re.match(r"\s*(\S+):\s*$", line):
            label = m[1]
            if label.startswith("$"):
                inside = not OWN_FUNCTION.match(label)
            elif label in diverged:
                inside = False
        elif kernel and (m := INSTRUCTION.match(line)):
            if not inside:
                continue
            if m[1] == "NOP" or (m[1] == "BRA" and label and m[2].strip() in (f"`({label})", label)):
                continue
            counts[kernel][m[1]] += 1
            label = None
    return counts


def main():
    (HERE / "ptx").mkdir(exist_ok=True)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["module", "kernel", "what", "count"])
    for source in sorted(HERE.glob("*.cu")):
        with tempfile.TemporaryDirectory() as folder:
            ptx, cubin = pathlib.Path(folder) / "k.ptx", pathlib.Path(folder) / "k.cubin"
            run("nvcc", "-std=c++17", "-O3", f"-arch={ARCH}", "-ptx", "-o", str(ptx), str(source))
            (HERE / "ptx" / f"{source.stem}.ptx.gz").write_bytes(gzip.compress(ptx.read_bytes(), 9, mtime=0))
            used = registers(run("ptxas", "-O3", f"-arch={ARCH}", "-v", "-o", str(cubin), str(ptx)).stderr)
            sass = opcodes(run("nvdisasm", "-c", str(cubin)).stdout)
        for kernel in sorted(sass):
            for what, count in zip(("registers", "spill_stores", "spill_loads"), used[kernel]):
                table.writerow([source.stem, kernel, what, count])
            for opcode, count in sorted(sass[kernel].items()):
                table.writerow([source.stem, kernel, opcode, count])
    (HERE / "sass.csv.gz").write_bytes(gzip.compress(out.getvalue().encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
