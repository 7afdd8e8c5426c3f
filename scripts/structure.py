#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figure of the folders in CONTRIBUTING.md, made from the includes of the sources.

usage: scripts/structure.py [--write]

An arrow means "includes"; arrows that follow from others are left out. Without --write the figure in CONTRIBUTING.md is compared with
the sources. Exit status 1: it is not current, or arrows go in a circle, which would be an arrow upwards.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- structure: scripts/structure.py --write -->\n", "<!-- end of structure -->\n"

# The box of a path is the longest of these that it begins with. Interfaces that lie beside what implements them, but are for everybody, count
# for the box in which they are used from below.
BOXES = {
    "base": "base",
    "ptx/ir": "ptx/ir, ptx/target", "ptx/target": "ptx/ir, ptx/target", "ptx/isa/table/op_class.h": "ptx/ir, ptx/target",
    "ptx/lex": "ptx/lex, ptx/parse", "ptx/parse": "ptx/lex, ptx/parse",
    "ptx/isa/table": "ptx/isa/table", "ptx/isa": "ptx/isa", "ptx/numeric": "ptx/numeric", "ptx/exec": "ptx/exec",
    "ptx/passes": "ptx/passes", "ptx/machine": "ptx/machine",
    "arch/systemc": "arch/systemc",
    "arch/gpu_config": "arch: configuration", "arch/ideal": "arch: configuration", "arch/lowering_config": "arch: configuration", "arch/types": "arch: configuration", "arch/policy_window": "arch: configuration", "arch/stall_reason": "arch: configuration",
    "arch/sm/scheduler.h": "arch: configuration", "arch/simulation.h": "arch: configuration",
    **{f"arch/{unit}/config": "arch: configuration" for unit in ("dram", "gpc", "host", "l2", "noc", "sm")},
    **{f"arch/policy/{name}": "arch: policy interface" for name in ("interface", "choice", "reading", "library", "age_order", "block_order.h", "mix_address")},
    "arch/noc": "arch/noc", "arch/dram": "arch/dram", "arch/l2": "arch/l2", "arch/sm": "arch/sm", "arch/gpc": "arch/gpc",
    "arch/policy": "arch/policy", "arch/host": "arch/host", "arch/gpu": "arch/gpu", "arch/simulation": "arch/gpu",
    "traces": "traces",
    "sim/memory": "sim/memory", "sim/report": "sim/report", "sim/frontend": "sim/frontend", "sim/runtime": "sim/runtime",
    "sim/streams": "sim/streams", "sim/api": "sim/api", "sim/python": "sim/python", "sim/cli": "sim/cli",
}
GROUPS = ["base", "ptx", "arch", "traces", "sim", "bench"]  # from the bottom to the top


def box_of(path):
    best = ""
    for prefix in BOXES:
        if (path == prefix or path.startswith((prefix + "/", prefix + "."))) and len(prefix) > len(best):
            best = prefix
    return BOXES[best] if best else "/".join(path.split("/")[:2])


def arrows():
    """box -> the boxes that its files include."""
    done = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {}
    for path in done.stdout.split():
        if path.startswith("tests/") or path.startswith("bench/silicon/") or path.endswith("_test.cpp") or not (ROOT / path).exists():
            continue
        box = box_of(path)
        found.setdefault(box, set())
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', (ROOT / path).read_text(encoding="utf-8"), re.M):
            if "/" in name and (ROOT / name).exists() and box_of(name) != box:
                found[box].add(box_of(name))
    return found


def reach(found, box, seen):
    for to in found.get(box, ()):
        if to not in seen:
            seen.add(to)
            reach(found, to, seen)
    return seen


def figure(found):
    """Mermaid text; an arrow that a longer way makes superfluous is left out."""
    names = sorted(set(found) | {to for tos in found.values() for to in tos})
    key = {name: re.sub(r"\W+", "_", name) for name in names}
    lines = ["```mermaid", "flowchart TB"]
    for group in reversed(GROUPS):
        inside = [n for n in names if n.split("/")[0].split(":")[0] == group]
        if len(inside) == 1:
            lines.append(f'  {key[inside[0]]}["{inside[0]}"]')
        elif inside:
            lines += [f'  subgraph group_{group}["{group}"]', *(f'    {key[n]}["{n}"]' for n in inside), "  end"]
    for name in names:
        for to in sorted(found.get(name, ())):
            if not any(to in reach(found, other, set()) for other in found[name] if other != to):
                lines.append(f"  {key[name]} --> {key[to]}")
    return "\n".join([*lines, "```"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the figure into CONTRIBUTING.md")
    a = parser.parse_args()
    found = arrows()
    circles = sorted(box for box in found if box in reach(found, box, set()))
    if circles:
        print("includes go in a circle: " + ", ".join(circles))
        return 1
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    now = head + BEGIN + figure(found) + END + tail
    if a.write:
        PAGE.write_text(now, encoding="utf-8")
    elif now != text:
        print("CONTRIBUTING.md: the figure of the folders is not current; run scripts/structure.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
