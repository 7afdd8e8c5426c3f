#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas's schedules of the tuned half of the corpus (but for ml/, whose kernels hardly branch) what it keeps between
instructions of the branch unit, and how long each keeps its warp. Writes targets/branches.csv, a line a target and pair: the first, what follows in the same block (`any`
for whatever is next: the first's own stall), the least cycles between them, how often those, how often at all.

  branches.py [--older FOLDER]   FOLDER has the ptxas and nvdisasm of CUDA 12, for sm_70; others are those of the PATH"""
import collections
import csv
import pathlib
import subprocess
import tempfile

import schedules
from targets import HERE, NEWER, is_unseen, modules, older_of, retargeted, tools_of, without_errors

UNIT = {"BRA", "BRX", "EXIT", "BSYNC", "BSSY", "CALL", "RET", "BREAK", "WARPSYNC", "BMOV"}


def listings(target, tools, older):
    for name, ptx in modules():
        if name.startswith("ml/"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            cubin, _ = without_errors(pathlib.Path(folder), retargeted(ptx, target, older), target, tools[0])
            if cubin is None:
                continue
            done = subprocess.run([tools[1], "-c", "-hex", str(cubin)], check=True, capture_output=True, text=True)
        yield name, done.stdout


def count(block, pairs):
    for n, first in enumerate(block.instructions):
        if first.base not in UNIT:
            continue
        pairs[first.base, "any"][first.stall] += 1
        apart = first.stall
        for following in block.instructions[n + 1:]:
            if following.base in UNIT:
                pairs[first.base, following.base][apart] += 1
                break
            apart += following.stall


def rows_of(target, tools, older=False):
    pairs = collections.defaultdict(collections.Counter)
    for name, text in listings(target, tools, older):
        for block in schedules.blocks_of(text):
            if not is_unseen(name, block.kernel):
                count(block, pairs)
    for (first, following), apart in sorted(pairs.items()):
        least = min(apart)
        yield target, first, following, least, apart[least], sum(apart.values())


def main():
    older = older_of(__doc__)
    rows = []
    if older:
        rows += rows_of("sm_70", tools_of(older), older=True)
    for target in NEWER:
        rows += rows_of(target, tools_of())
    with (HERE / "targets" / "branches.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["target", "first", "next", "least", "times_least", "times"])
        table.writerows(rows)


if __name__ == "__main__":
    main()
