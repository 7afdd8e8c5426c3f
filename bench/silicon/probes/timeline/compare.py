#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same programs on the simulated H200 beside the H200's answers: compare.py [NAME...] [--gpuloom PROGRAM] [--build FOLDER].

Compiles what is not compiled (-cudart shared), runs it by `gpuloom exec --timed`, and prints a line a measurement: what, n, us
of the H200, us simulated, difference in per cent; then the median of the differences by program.
"""
import argparse
import csv
import gzip
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
NAMES = ("chains", "bandwidth", "overlap", "mixes")


def rows(text):
    return {(r[0], int(r[1])): float(r[2]) for r in csv.reader(text.splitlines()) if len(r) == 3}


def simulated(name, a):
    program = a.build / name
    source = HERE / f"{name}.cu"
    a.build.mkdir(parents=True, exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([a.nvcc, "-std=c++17", "-arch=sm_90a", "-O3", "-cudart", "shared", "-o", str(program), str(source)], check=True)
    return subprocess.run([a.gpuloom, "exec", "-q", "--timed", "--config", "h200", str(program), "1", a.only], capture_output=True,
                          text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--gpuloom", default=str(ROOT / "build/release/gpuloom"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/timeline")
    parser.add_argument("--only", default="", help="what has this in its name")
    a = parser.parse_args()
    for name in a.names or NAMES:
        here = rows(gzip.open(HERE / f"h200_{name}.csv.gz", "rt").read())
        there = rows(simulated(name, a))
        errors = []
        for key, us in here.items():
            if key not in there:
                continue
            errors.append(abs(there[key] / us - 1) * 100)
            print(f"{name:10} {key[0]:40} {key[1]:10} {us:10.2f} {there[key]:10.2f} {(there[key] / us - 1) * 100:+7.1f} %", flush=True)
        if errors:
            print(f"{name}: median {statistics.median(errors):.1f} %, {sum(e <= 15 for e in errors)} of {len(errors)} within 15 %")


main()
