#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The suite of bench/silicon as a CUDA program: nvcc makes it from its own host code, `gpuloom exec` runs it, and the digests of its outputs
are compared with those that an H200 gave (bench/silicon/h200/outputs.csv). Exit status 1 when one differs or lacks.

  reference_suite.py [--exec='-q --timed'] [CASE...]
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

from programs import ROOT

SILICON = ROOT / "bench/silicon"
MODULES = ["suite", "memory", "compute", "shared", "async", "irregular", "micro"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--gpuloom", type=pathlib.Path, default=ROOT / "build/release/gpuloom")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cuda_gallery")
    parser.add_argument("--exec", default="-q", dest="options", help="options of gpuloom exec, as in --exec='-q --timed'")
    a = parser.parse_args()
    a.build.mkdir(parents=True, exist_ok=True)
    program = a.build.resolve() / "reference_suite"
    sources = [SILICON / f"{name}.cu" for name in MODULES]
    if not program.exists() or program.stat().st_mtime < max(s.stat().st_mtime for s in [*sources, SILICON / "harness.cuh"]):
        subprocess.run([a.nvcc, "-O3", "-std=c++17", "-gencode", "arch=compute_90,code=compute_90", "-cudart", "shared", "-o", str(program),
                        *map(str, sources)], check=True)
    run = subprocess.run([str(a.gpuloom.resolve()), "exec", *a.options.split(), str(program), *a.cases], stdout=subprocess.PIPE, text=True)
    got = {}
    for line in run.stdout.splitlines():
        name, *words = line.split()
        got.update({(name, buffer): digest for buffer, digest in re.findall(r"(\w+)=([0-9a-f]{16})\b", " ".join(words))})
    with (SILICON / "h200/outputs.csv").open(encoding="utf-8") as table:
        wanted = {(row["case"], row["buffer"]): row["fnv1a64"] for row in csv.DictReader(table) if not a.cases or row["case"] in a.cases}
    for key in (key for key in wanted if got.get(key) != wanted[key]):
        print(f"{key[0]}: {key[1]} is {got.get(key, 'not there')}, on the H200 {wanted[key]}")
    equal = {key for key in wanted if got.get(key) == wanted[key]}
    cases = {case for case, _ in wanted}
    good = cases - {case for case, _ in set(wanted) - equal}
    print(f"{len(run.stdout.splitlines())} cases ended, exit code {run.returncode}; outputs of {len(good)} of {len(cases)} cases are equal ({len(equal)} of {len(wanted)} digests)")
    return 0 if run.returncode == 0 and good == cases else 1


sys.exit(main())
