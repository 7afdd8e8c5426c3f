#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The planted kernels on an H200: what a repair gains there, beside what `gpuloom explain` predicts for it.

  silicon.py launches OUT                 launch files at the size of an H200, and jobs for bench/silicon/ml/launcher.cpp
  silicon.py measured FOLDER              h200.csv from the runs of collect.sh
  silicon.py score GPULOOM [-j 2] [NAME...] [--floor N] [--meant] [--write]

`tiny` has two SMs and an H200 132: grids and the buffers that grow with them are 66 times as large, unless the manifest
says otherwise under `h200`. --meant runs the switches of the advice that is meant alone, a tenth of the time; the first
advice then says nothing. --write puts what came out into h200_predicted.csv.
"""
import argparse
import csv
import gzip
import json
import pathlib
import shutil
import statistics
import sys
import tempfile

import yaml
from score import HERE, ROOT, output

SCALE = 66
WITHIN = 20.0  # percent of the H200's own ratio
FORMATS = {int: "s32", float: "f32"}



def three(dims):
    dims = dims if isinstance(dims, list) else [dims]
    return dims + [1] * (3 - len(dims))


def scaled(case):
    """The launch of a case on an H200: what its file says, 66 times as large."""
    launch, own = yaml.safe_load((HERE / "kernels" / f"{case['name']}.yaml").read_text()), case.get("h200", {})
    launch["config"] = "h200"
    launch["grid"] = own.get("grid", [launch["grid"] * SCALE, 1, 1] if isinstance(launch["grid"], int) else launch["grid"])
    launch["block"] = three(launch["block"])
    for name in own.get("grows", ["out"]):
        launch["buffers"][name]["count"] *= own.get("by", SCALE)
    for name, count in own.get("counts", {}).items():
        launch["buffers"][name]["count"] = count
    launch["args"] = own.get("args", launch["args"])
    return launch


def repaired(case, launch):
    """Grid and block of the repaired launch, which has its own where the launch is to blame."""
    own = case.get("repaired", {})
    grid = own["grid"] * case.get("h200", {}).get("by", SCALE) if "grid" in own else launch["grid"]
    return three(grid), three(own.get("block", launch["block"]))


def job(case, launch, which):
    buffers = {}
    for name, b in launch["buffers"].items():
        init = b.get("init", "zero")
        if isinstance(init, dict):
            (init, options), = init.items()
            buffers[name] = {**b, "init": init, **options}
        else:
            buffers[name] = {**b, "init": init}
    grid, block = (three(launch["grid"]), launch["block"]) if which == "planted" else repaired(case, launch)
    args = [{"buffer": a} if isinstance(a, str) else {"type": FORMATS[type(a)], "value": a} for a in launch["args"]]
    return {"name": f"{case['name']}.{which}", "module": case["name"], "kernel": which, "grid": grid, "block": block, "cluster": [0, 0, 0],
            "dynamic_shared": 0, "repeat": 1, "buffers": buffers, "args": args}


def write_launches(cases, out):
    (out / "ptx").mkdir(parents=True, exist_ok=True)
    jobs = []
    for case in cases:
        launch = scaled(case)
        ptx = (HERE / "kernels" / launch["ptx"]).read_bytes()
        (out / launch["ptx"]).write_bytes(ptx)
        (out / "ptx" / (launch["ptx"] + ".gz")).write_bytes(gzip.compress(ptx))
        (out / f"{case['name']}.yaml").write_text(yaml.safe_dump(launch, sort_keys=False))
        shutil.copy(HERE / "kernels" / f"{case['name']}.cu", out)
        jobs += [job(case, launch, which) for which in ("planted", "repaired")]
    (out / "cases.json").write_text(json.dumps(jobs))
    print(f"{len(jobs)} launches in {out}")


def write_measured(cases, folder):
    """Medians of the runs of ncu, which lists launches in the order of cases.json."""
    names = [f"{c['name']}.{which}" for c in cases for which in ("planted", "repaired")]
    runs = []
    for path in sorted(folder.glob("cycles.*.csv")):
        rows = [r for r in csv.reader(open(path)) if len(r) > 5]
        at = rows[0].index("sm__cycles_elapsed.max")
        runs.append([float(r[at].replace(",", "")) for r in rows[1:] if r[0].isdigit()])
        assert len(runs[-1]) == len(names), (path, len(runs[-1]), len(names))
    with open(HERE / "h200.csv", "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["kernel", "planted", "repaired", "spread_pct"])
        for i in range(0, len(names), 2):
            planted, fixed = ([r[k] for r in runs] for k in (i, i + 1))
            spread = max(100 * (max(s) - min(s)) / statistics.median(s) for s in (planted, fixed))
            w.writerow([cases[i // 2]["name"], int(statistics.median(planted)), int(statistics.median(fixed)), f"{spread:.1f}"])


def switches_of(case):
    """Options for the switches of the advice that is meant."""
    keys = [k for advice in case["advice"] for k in yaml.safe_load((ROOT / "configs" / "advice" / f"{advice}.yaml").read_text())["switches"]]
    return [word for key in dict.fromkeys(keys) for word in ("--switch", key)]


def write_predicted(found):
    path = HERE / "h200_predicted.csv"
    rows = {r["kernel"]: r for r in csv.DictReader(open(path))} if path.exists() else {}
    for name, first, cycles, predicted in found:
        rows[name] = {"kernel": name, "first_advice": first or rows.get(name, {}).get("first_advice", ""), "cycles": cycles, "predicted": predicted}
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, ["kernel", "first_advice", "cycles", "predicted"], lineterminator="\n")
        w.writeheader()
        w.writerows(rows[name] for name in sorted(rows))


def score(cases, program, jobs, only_meant, write):
    real = {r["kernel"]: r for r in csv.DictReader(open(HERE / "h200.csv"))} if (HERE / "h200.csv").exists() else {}
    print(f"{'kernel':22} {'first advice':22} {'cycles':>10} {'H200':>10} {'predicted':>9} {'gain':>6} {'H200 gain':>9} {'apart':>8}")
    right, measured, found = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        write_launches(cases, out)
        for case in cases:
            kernel = output([program, "explain", str(out / f"{case['name']}.yaml"), "--json", "-j", str(jobs), "--pairs", "0", *(switches_of(case) if only_meant else [])])["kernels"][0]
            advice = kernel["advice"]
            meant = next((a for a in advice if a["id"] in case["advice"]), None)
            first = "" if only_meant else advice[0]["id"] if advice else "nothing"
            found.append((case["name"], first, kernel["cycles"], meant["predicted_cycles"] if meant else kernel["cycles"]))
            row, gain = real.get(case["name"]), kernel["cycles"] / meant["predicted_cycles"] if meant else 1.0
            own = float(row["planted"]) / float(row["repaired"]) if row else None
            apart = 100 * (gain / own - 1) if own else None
            close = apart is not None and abs(apart) <= WITHIN
            right, measured = right + close, measured + (own is not None)
            print(f"{case['name']:22} {first:22} {kernel['cycles']:10} {row['planted'] if row else '':>10} "
                  f"{meant['predicted_cycles'] if meant else '':>9} {gain:6.2f} {'' if own is None else f'{own:.2f}':>9} "
                  f"{'' if apart is None else f'{apart:+.1f} %':>8}{'' if close else ' !'}", flush=True)
    print(f"predicted gain within {WITHIN:.0f} % of the H200's: {right} of {measured}")
    if write:
        write_predicted(found)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["launches", "measured", "score"])
    parser.add_argument("path", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--floor", type=int, default=0)
    parser.add_argument("--meant", action="store_true")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_intermixed_args()
    cases = json.loads((HERE / "manifest.json").read_text())
    cases = [c for c in cases if not a.names or c["name"] in a.names]
    if a.what == "launches":
        return write_launches(cases, a.path)
    if a.what == "measured":
        return write_measured(cases, a.path)
    return 1 if score(cases, str(a.path.resolve()), a.jobs, a.meant, a.write) < a.floor else 0


if __name__ == "__main__":
    sys.exit(main())
