#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `gpuloom explain` on kernels with a planted defect, and beside them their repaired twins.

    tests/explain/score.py build/release/gpuloom [-j 2] [NAME...] [--small] [--set unseen] [--floor NAMED PREDICTED]

For each kernel: whether the first advice names the defect and its line, and how far the predicted cycles are from
those of the simulated twin. Exit code 1 where fewer than --floor are right.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WITHIN = 15.0  # percent of the twin's cycles
SMALL = ["shared_store", "column_walk", "divergent_parity", "double_literal", "one_chain"]  # seconds, for continuous integration


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def marked_lines(folder, name):
    text = (folder / f"{name}.cu").read_text().split("\n")
    return [i + 1 for i, line in enumerate(text) if "// defect" in line]


def score(program, folder, case, jobs):
    launch = str(folder / f"{case['name']}.yaml")
    kernel = output([program, "explain", launch, "--json", "-j", str(jobs), "--pairs", "0"])["kernels"][0]
    options = [word for key, value in case.get("repaired", {}).items() for word in (f"--{key}", str(value))]
    twin = output([program, "run", launch, "-k", "repaired", *options, "--json", "--no-lines"])["kernels"][0]
    cycles = twin["metrics"]["sm__cycles_elapsed.max"]["value"]
    advice = kernel["advice"]
    first = advice[0] if advice else None
    named = bool(first) and first["id"] in case["advice"]
    place = "" if not first or not first["lines"] else f"{first['lines'][0]['line']}"
    if named and case.get("line", True):
        named = place != "" and int(place) in marked_lines(folder, case["name"])
    meant = next((a for a in advice if a["id"] in case["advice"]), None)
    predicted = meant["predicted_cycles"] if meant else None
    error = None if predicted is None else 100 * (predicted / cycles - 1)
    return {"name": case["name"], "cycles": kernel["cycles"], "first": first["id"] if first else "nothing", "line": place,
            "named": named, "predicted": predicted, "twin": cycles, "error": error,
            "others": [f"{a['id']} {a['saved_pct']:.0f}" for a in advice[1:4]]}


def measured_errors():
    rows = {}
    for line in (ROOT / "bench" / "silicon" / "SCORE.md").read_text().split("\n"):
        if m := re.match(r"\| (\w+) \| \S+ \| [\d,]+ \| [\d,]+ \| ([-+][\d.]+|=) \|", line):
            rows[m[1]] = 0.0 if m[2] == "=" else abs(float(m[2]))
    return rows


def check_errors(write):
    """model_error of all advice beside the score; returns how many differ."""
    rows, different = measured_errors(), 0
    for path in sorted((ROOT / "configs" / "advice").glob("*.yaml")):
        text = path.read_text()
        pct, cases = re.search(r"^model_error: \{pct: ([\d.]+), cases: \[(.*)\], from", text, re.M).groups()
        found = [v for k, v in rows.items() if any(fnmatch.fnmatch(k, c) for c in cases.split(", "))]
        mean = round(sum(found) / len(found), 1) if found else None
        if mean == float(pct):
            continue
        different += 1
        print(f"{path.name}: model_error.pct is {pct}, the score says {mean}")
        if write and found:
            path.write_text(re.sub(r"(model_error: \{pct: )[\d.]+", rf"\g<1>{mean}", text))
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="the quick ones only")
    parser.add_argument("--set", default="kernels", help="the folder: kernels, or one of those that no advice was written for")
    parser.add_argument("--errors", action="store_true", help="compare model_error of the advice with the score")
    parser.add_argument("--write-errors", action="store_true")
    parser.add_argument("--floor", type=int, nargs=2, metavar=("NAMED", "PREDICTED"))
    a = parser.parse_intermixed_args()
    if a.errors or a.write_errors:
        return 1 if check_errors(a.write_errors) and not a.write_errors else 0
    if not a.program:
        parser.error("the path of gpuloom is missing")
    folder = HERE / a.set
    manifest = folder / "manifest.json"
    cases = json.loads((manifest if manifest.exists() else HERE / "manifest.json").read_text())
    wanted = SMALL if a.small else a.names
    cases = [c for c in cases if not wanted or c["name"] in wanted]
    print(f"{'kernel':22} {'cycles':>9} {'first advice':24} {'line':>4} {'named':5} {'predicted':>9} {'twin':>9} {'error':>7}  others")
    named = predicted = 0
    for case in cases:
        r = score(a.program, folder, case, a.jobs)
        named += r["named"]
        close = r["error"] is not None and abs(r["error"]) <= WITHIN
        predicted += close
        error = "" if r["error"] is None else f"{r['error']:+.1f} %"
        print(f"{r['name']:22} {r['cycles']:9} {r['first']:24} {r['line']:>4} {'yes' if r['named'] else 'NO':5} "
              f"{'' if r['predicted'] is None else r['predicted']:>9} {r['twin']:9} {error:>7}{'' if close else ' !'}  {', '.join(r['others'])}", flush=True)
    print(f"first advice names the defect and its line: {named} of {len(cases)}")
    print(f"predicted cycles within {WITHIN:.0f} % of the repaired twin's: {predicted} of {len(cases)}")
    return 1 if a.floor and (named < a.floor[0] or predicted < a.floor[1]) else 0


if __name__ == "__main__":
    sys.exit(main())
