#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints results of run.py (--results) as a table, a program a row: table.py FILE...; a later result replaces an earlier one."""
import collections
import json
import pathlib
import re
import sys

ORDER = ("pass", "same", "ran", "slow", "refused", "fail", "fault", "crash", "differs", "broken", "waived", "no kernel", "no data", "build", "skipped")


def told(cause):
    """The cause without the machine's paths."""
    text = re.sub(r"/\S*/", "", cause).split(" (build it")[0].replace("|", "/")
    return text if len(text) <= 140 else text[:137] + "..."


def beside(outcome):
    """What stands beside the result: a cause, or how many tests of its own a program has passed."""
    counted = re.fullmatch(r"(\d+)(?:/\d+)?", outcome["cause"])
    if outcome["result"] == "pass" and counted:
        return f"{counted.group(1)} tests" if counted.group(1) != "1" else "1 test"
    return told(outcome["cause"]) if outcome["result"] not in ("pass", "same", "ran") or "bounds" in outcome["cause"] else ""


def main():
    latest = {}
    for path in sys.argv[1:]:
        for line in pathlib.Path(path).read_text().splitlines():
            outcome = json.loads(line)
            latest[outcome["name"]] = outcome
    counts = collections.Counter(o["result"] for o in latest.values())
    print(", ".join(f"{counts[r]} {r}" for r in ORDER if counts[r]) + "\n")
    print("| program | result | cause |\n|---|---|---|")
    for o in sorted(latest.values(), key=lambda o: (ORDER.index(o["result"]), o["name"].lower())):
        if o["result"] == "skipped":
            continue
        print(f"| {o['name']} | {o['result']} | {beside(o)} |")
    skipped = collections.defaultdict(list)
    for o in latest.values():
        if o["result"] == "skipped":
            skipped[o["cause"]].append(o["name"])
    for cause, names in sorted(skipped.items()):
        print(f"| {len(names)} programs | skipped | {cause} |")


main()
