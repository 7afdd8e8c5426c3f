#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turn what collect.sh wrote into the tables of h200/.  Usage: process.py RAW_DIR CASES_JSON OUT_DIR"""
import csv
import json
import re
import statistics
import sys
from pathlib import Path


def ncu_rows(path):
    """Nsight Compute's raw CSV page as dictionaries, program output and the unit row skipped."""
    rows = [r for r in csv.reader(open(path)) if len(r) > 20]
    head = rows[0]
    return [dict(zip(head, r)) for r in rows[1:] if r[0].isdigit()]


def number(text):
    return float(text.replace(",", "")) if text else None


def show(x):
    return "" if x is None else str(int(x)) if float(x).is_integer() else f"{x:.6g}"


def writer(path, head):
    w = csv.writer(open(path, "w"), lineterminator="\n")
    w.writerow(head)
    return w


def main(raw, cases_file, out):
    raw, out = Path(raw), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    cases = json.load(open(cases_file))
    rows, last, n = ncu_rows(raw / "ncu.csv"), [], 0
    for case in cases:  # the last launch of a repeated case is the measured one
        n += case["repeat"]
        last.append(n - 1)
    assert n == len(rows), (n, len(rows))
    wanted = [m.strip() for m in open(Path(__file__).with_name("metrics.txt")) if m.strip()]
    names = [m for m in wanted if m in rows[0]]
    repeats = [ncu_rows(p) for p in sorted(raw.glob("cycles.*.csv"))]
    w = writer(out / "metrics.csv", ["case", "cycles_median", "cycles_spread_pct", "cycles_active_median", "ns_median"] + names)
    for case, k in zip(cases, last):
        series = {m: [number(r[k][m]) for r in repeats] for m in ("sm__cycles_elapsed.max", "sm__cycles_active.avg", "gpu__time_duration.sum")}
        cycles = series["sm__cycles_elapsed.max"]
        spread = (max(cycles) - min(cycles)) / statistics.median(cycles) * 100
        w.writerow([case["name"], show(statistics.median(cycles)), f"{spread:.1f}", show(statistics.median(series["sm__cycles_active.avg"])),
                    show(statistics.median(series["gpu__time_duration.sum"]))] + [show(number(rows[k][m])) for m in names])
    opcodes = ncu_rows(raw / "opcodes.csv")
    w = writer(out / "opcodes.csv", ["case", "opcode", "warp_instructions"])
    for case, k in zip(cases, last):
        text = opcodes[k].get("sass__inst_executed_per_opcode_with_modifier_all") or opcodes[k]["sass__inst_executed_per_opcode"]
        for part in filter(None, re.search(r"\((.*)\)", text).group(1).split("; ")):
            opcode, count = part.rsplit(": ", 1)
            w.writerow([case["name"], opcode, count.replace(",", "")])
    modules = {c["name"]: c["module"] for c in cases}
    hashes, probes = writer(out / "outputs.csv", ["case", "buffer", "fnv1a64"]), []
    for line in open(raw / "plain.txt"):
        fields = line.split()
        for field in fields[3:]:
            name, value = field.split("=")
            if modules[fields[0]] == "micro":
                probes.append((fields[0], value.split(":")[1]))
            else:
                hashes.writerow([fields[0], name, value.split(":")[0]])
    if probes:
        w = writer(out / "probes.csv", ["case", "cycles"])
        w.writerows(probes)


if __name__ == "__main__":
    main(*sys.argv[1:4])
