#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machine operations line by line of PTX: ptxas's beside ours, where they differ.

usage: lines.py KERNEL.ptx[.gz] [--gpuloom PATH] [--arch sm_90a] [--nvdisasm PATH]

Each line of PTX becomes a source line of its own (.loc), so that ptxas says which of its operations comes from it; `gpuloom info --machine`
says the same of ours. Operations count by name: uniform ones as those of lanes, moves between the two as moves. A line that ptxas has
moved, joined or dropped shows where what replaces it stands. Wants ptxas and nvdisasm (CUDA's toolkit, or the package nvidia-cuda-nvdisasm).
"""
import argparse
import collections
import gzip
import pathlib
import re
import subprocess
import tempfile

OPERATION = r"(?:@!?U?P\w*\s+)?([A-Z][A-Z0-9_./]*)"
# One operation by two names, which say only which path or type takes it.
ALIKE = {"VIADD": "IADD3", "VIMNMX": "IMNMX", "HGMMA": "WGMMA", "QGMMA": "WGMMA", "IGMMA": "WGMMA", "I2FP": "I2F", "REDG": "RED", "R2UR": "MOV", "S2UR": "S2R"}
OF_LANES = {"IADD3", "IADD", "IMAD", "ISETP", "LDC", "LEA", "LOP3", "MOV", "PLOP3", "POPC", "PRMT", "SEL", "SHF"}  # also as U...


def counted(operations):
    """How often each operation is there, whichever path takes it."""
    names = []
    for operation in operations:
        name = operation.split(".")[0].split("/")[0]
        if name.startswith("U") and name[1:] in OF_LANES:
            name = name[1:]
        names.append(ALIKE.get(name, name))
    return collections.Counter(names)


def with_lines(lines):
    """The same PTX with a .loc in front of each instruction, and none of its own."""
    result, depth = [], 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(".section"):
            break  # the debugging information of the compiler that wrote it
        if re.match(r"\.(file|loc)\s", text):
            continue
        if depth > 0 and text.endswith(";") and re.match(r"(@!?%\w+\s+)?[a-z]", text):
            result.append(f"\t.loc 1 {number} 1")
        result.append(line)
        if text.startswith(".address_size"):
            result.append('.file 1 "kernel.ptx"')
        if text in ("{", "}"):
            depth += 1 if text == "{" else -1
    return "\n".join(result) + "\n"


def of_ptxas(lines, arguments):
    """Line of PTX -> ptxas's operations."""
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = pathlib.Path(folder) / "kernel.ptx", pathlib.Path(folder) / "kernel.cubin"
        ptx.write_text(with_lines(lines))
        subprocess.run(["ptxas", f"-arch={arguments.arch}", "-lineinfo", ptx, "-o", cubin], check=True)
        listing = subprocess.run([arguments.nvdisasm, "-g", "-c", cubin], check=True, capture_output=True, text=True).stdout
    found, number = collections.defaultdict(list), None
    for line in listing.split("\n"):
        place = re.search(r'//## File ".*", line (\d+)', line)
        if place:
            number = int(place[1])
        operation = re.match(r"\s*/\*[0-9a-f]{4,5}\*/\s+" + OPERATION, line)
        if operation:
            found[number].append(operation[1])
    return found


def of_gpuloom(arguments):
    """Line of PTX -> our operations."""
    listing = subprocess.run([arguments.gpuloom, "info", "--machine", arguments.ptx], check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(list)
    for line in listing.split("\n"):
        operation = re.match(r"\s+" + OPERATION, line)
        places = re.findall(r"\(line (\d+)\)", line)
        if operation and places:
            found[int(places[-1])].append(operation[1])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptx")
    parser.add_argument("--gpuloom", default="build/release/gpuloom")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    arguments = parser.parse_args()
    opened = gzip.open(arguments.ptx, "rt") if arguments.ptx.endswith(".gz") else open(arguments.ptx, encoding="utf-8")
    with opened as file:
        lines = file.read().split("\n")
    theirs, ours = of_ptxas(lines, arguments), of_gpuloom(arguments)
    for number in sorted({n for n in theirs if n} | set(ours)):
        if counted(theirs[number]) != counted(ours[number]):
            print(f"{number}: {lines[number - 1].strip()[:70]} | ptxas {' '.join(theirs[number])} | ours {' '.join(ours[number])}")


if __name__ == "__main__":
    main()
