#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas for single operations of each target: what its schedules keep between one and the next that needs its result,
and between two that do not. Writes targets/single.csv, a line an operation and target:

  opcode      what ptxas makes of it
  result      `stalls`: the reader stands as many cycles behind as `dependent` says; `scoreboard`: it waits for one
  dependent   least cycles from an operation to the next that reads its result; to one of its own kind, where there is one
  apart       least cycles between two that need nothing of each other
  stall       least cycles that the operation itself keeps the warp, of branches too
  each        how many of the opcode a step has

  single.py                    ptxas and nvdisasm of the PATH: 7.5 and later
  single.py --older FOLDER     with the ptxas and nvdisasm in FOLDER (of CUDA 12) for 7.0; other lines stay"""
import argparse
import collections
import csv
import pathlib
import subprocess
import tempfile

import schedules
from single_operations import OPERATIONS, STEPS, module
from targets import HERE, OLDER_VERSION, tools_of, without_errors

TARGETS = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121")
OLDER = ("sm_70",)
PATH = HERE / "targets" / "single.csv"
HEADER = ("operation", "target", "opcode", "result", "dependent", "apart", "stall", "each")


def blocks_by_kernel(target, tools, version):
    """Blocks of each operation's two kernels; what the target lacks is left out."""
    ptxas, nvdisasm = tools
    text = module(target, version)
    with tempfile.TemporaryDirectory() as folder:
        cubin, log = without_errors(pathlib.Path(folder), text, target, ptxas)
        if cubin is None:
            raise SystemExit(f"{target}: {log}")
        out = subprocess.run([nvdisasm, "-c", "-hex", str(cubin)], check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(list)
    for block in schedules.blocks_of(out):
        found[block.kernel].append(block)
    return found


class Facts:
    """What blocks show of an opcode: distances to readers (those of the same opcode before others) and between two."""

    def __init__(self, blocks, opcode):
        self.own, self.others, self.again, self.stalls, self.guarded = [], [], [], [], False
        for block in blocks:
            self.add(block, opcode)

    def add(self, block, opcode):
        now, made, latest = 0, {}, None
        for i in block.instructions:
            for register in set(i.reads()[0] + i.reads()[1]):
                if register in made:
                    (self.own if i.base == opcode else self.others).append(now - made[register])
            if i.base == opcode:
                if latest is not None:
                    self.again.append(now - latest)
                latest = now
                self.stalls.append(i.stall)
                self.guarded = self.guarded or i.write != schedules.NONE
            for register in i.writes():
                made.pop(register, None)
                if i.base == opcode and i.write == schedules.NONE:
                    made[register] = now
            now += i.stall

    def dependent(self):
        return "" if self.guarded else min(self.own or self.others, default="")


def joined(blocks):
    """Blocks that follow each other without a branch are one: labels stand between collectives (what BRA.DIV ends at)."""
    found = []
    for block in blocks:
        last = found[-1].instructions[-1] if found else None
        if last is None or schedules.unit(last) == "branch":
            found.append(schedules.Block(block.kernel, block.counted))
        found[-1].instructions += block.instructions
    return found


def row_of(operation, target, chain, free):
    chain, free = joined(chain), joined(free)
    there = {i.base for block in chain for i in block.instructions}
    opcode = next((o for o in operation.opcodes if o in there), None)
    if opcode is None:
        return None
    chained, apart = Facts(chain, opcode), Facts(free, opcode)
    return [operation.name, target, opcode, "scoreboard" if chained.guarded else "stalls", chained.dependent(),
            min(apart.again or chained.again, default=""), min(chained.stalls), round(len(chained.stalls) / STEPS, 2)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--older", type=pathlib.Path)
    arguments = parser.parse_args()
    older = arguments.older
    targets = OLDER if older else TARGETS
    tools = tools_of(older)
    rows = []
    if PATH.exists():
        rows = [r for r in csv.reader(PATH.open()) if r[1] not in targets and r[0] != "operation"]
    for target in targets:
        found = blocks_by_kernel(target, tools, OLDER_VERSION if older else "9.0")
        made = (row_of(o, target, found[f"{o.name}_chain"], found[f"{o.name}_free"]) for o in OPERATIONS)
        rows += [row for row in made if row]
    order = {operation.name: n for n, operation in enumerate(OPERATIONS)}
    rows.sort(key=lambda r: (order[r[0]], int(r[1][3:])))
    with PATH.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEADER)
        table.writerows(rows)


if __name__ == "__main__":
    main()
