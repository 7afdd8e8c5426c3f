#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers of several runs as one: what, n, the middle of the runs, the least, the most. middle.py RUN.csv..."""
import csv
import pathlib
import statistics
import sys

runs = [{(r[0], r[1]): float(r[2]) for r in csv.reader(pathlib.Path(name).read_text().splitlines()) if len(r) == 3} for name in sys.argv[1:]]
for what, n in runs[0]:
    us = [run[what, n] for run in runs if (what, n) in run]
    print(f"{what},{n},{statistics.median(us):.3f},{min(us):.3f},{max(us):.3f}")
