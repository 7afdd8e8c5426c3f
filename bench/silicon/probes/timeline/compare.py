#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same programs on the simulated H200 beside the H200's answers: compare.py [NAME...] [options].

Compiles what is not compiled (-cudart shared) and runs it by `gpuloom exec --timed`; what it prints is kept in the build folder and used
again as long as the simulator is the same. Then a table for each kind of measurement, with how many are within the bound.
"""
import argparse
import csv
import dataclasses
import gzip
import pathlib
import re
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
NAMES = ("chains", "bandwidth", "overlap", "mixes", "peers")
GPUS = {"peers": 2}  # of a program that wants more than one


@dataclasses.dataclass
class Table:
    title: str
    program: str
    what: str  # a regular expression
    bound: float  # per cent
    n: int = 0  # only these; 0: all
    host: tuple = ()  # what shows how much longer its host takes than that of `host:` in the configuration, which the page then adds


TABLES = (
    Table("The guide's two streams, short kernel", "overlap", r"(depth|breadth)_short.*", 15),
    Table("The guide's two streams, long kernel", "overlap", r"(depth|breadth)_long.*", 15),
    Table("Their kernels alone", "overlap", r"kernel_.*", 15),
    Table("Mixes of two to eight kernels", "mixes", r"(?!.*_alone_).*", 15),
    Table("Their kernels alone", "mixes", r".*_alone_\d+", 15),
    Table("Chains of 100 short kernels", "chains", r".*", 10, 100),
    Table("Chains of 10 short kernels", "chains", r".*", 10, 10),
    Table("Copies to the device, pinned", "bandwidth", r"to_pinned.*", 10),
    Table("Copies from the device, pinned", "bandwidth", r"from_pinned.*", 10),
    Table("Copies to the device, pageable", "bandwidth", r"to_pageable", 10),
    Table("Copies from the device, pageable", "bandwidth", r"from_pageable", 10),
    Table("Copies within the device", "bandwidth", r"within.*", 10),
    Table("Two copies at once", "bandwidth", r"both_.*", 15),
    Table("Fills", "bandwidth", r"fill.*", 10),
    Table("Copies to the other GPU", "peers", r"push(_queued|_ten)?", 15),
    Table("Copies from the other GPU", "peers", r"pull(_queued)?", 15),
    Table("Both ways at once", "peers", r"both", 15),
    Table("Copies through the host, without peer access", "peers", r".*_staged", 25),
    Table("Waits of one GPU for the other", "peers", r"waits.*", 15),
    Table("Kernels on the other GPU's memory", "peers", r".*_peer", 15, host=("waits_none_queued", 1)),
    Table("The same on their own", "peers", r".*_near", 15, host=("waits_none_queued", 1)),
)


@dataclasses.dataclass
class Measured:
    us: float
    least: float
    most: float  # of several runs, where there were several


def rows(text):
    """what, n, us, and of several runs the least and the most."""
    found = {}
    for r in csv.reader(text.splitlines()):
        if len(r) in (3, 5):
            us = [float(v) for v in r[2:]]
            found[r[0], int(r[1])] = Measured(us[0], us[1] if len(us) > 1 else us[0], us[2] if len(us) > 1 else us[0])
    return found


def compiled(name, a):
    program, source = a.build / name, HERE / f"{name}.cu"
    a.build.mkdir(parents=True, exist_ok=True)
    newest = max(p.stat().st_mtime for p in (source, HERE / "timeline.cuh", HERE.parent / "harness.cuh", HERE.parent / "streams.cuh"))
    if not program.exists() or program.stat().st_mtime < newest:
        subprocess.run([a.nvcc, "-std=c++17", "-arch=sm_90a", "-O3", "-cudart", "shared", "-o", str(program), str(source)], check=True)
    return program


def simulated(name, a):
    kept = a.build / f"{name}.csv"
    program = compiled(name, a)
    if not a.only and not a.set and kept.exists() and kept.stat().st_mtime > max(a.gpuloom.stat().st_mtime, program.stat().st_mtime):
        return kept.read_text()
    settings = [word for s in a.set for word in ("-s", s)]
    run = subprocess.run([str(a.gpuloom), "exec", "-q", "--timed", *["--config", "h200"] * GPUS.get(name, 1), *settings, str(program), "1", *([a.only] if a.only else [])],
                         stdout=subprocess.PIPE, text=True, check=True)
    if not a.only and not a.set:
        kept.write_text(run.stdout)
    return run.stdout


def of_the_host(table, here, there):
    """What two events with kernels between them take more on the table's host than on the simulated one."""
    return here[table.host].us - there[table.host].us if table.host and table.host in there else 0.0


def differences(table, here, there):
    more = of_the_host(table, here, there)
    for (what, n), silicon in here.items():
        if (what, n) in there and re.fullmatch(table.what, what) and table.n in (0, n):
            us = there[what, n].us + more
            yield what, n, silicon, us, (us / silicon.us - 1) * 100


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def tables(here, there):
    """A page: how many are within each table's bound, then the tables."""
    summary = line(["measurement", "within", "of", "bound", "median", "furthest"]) + "|---|---:|---:|---:|---:|---|\n"
    page = ""
    for t in TABLES:
        found = list(differences(t, here.get(t.program, {}), there.get(t.program, {})))
        if not found:
            continue
        off = [abs(f[4]) for f in found]
        worst = max(found, key=lambda f: abs(f[4]))
        summary += line([t.title, str(sum(o <= t.bound for o in off)), str(len(off)), f"{t.bound:g} %", f"{statistics.median(off):.1f} %",
                         f"{worst[0]} {worst[1]} {worst[4]:+.1f} %"])
        page += f"\n## {t.title}\n"
        if more := of_the_host(t, here[t.program], there[t.program]):
            page += f"With {more:.2f} us that two kernels (`{t.host[0]}`) take more between two events on this program's host.\n\n"
        page += line(["what", "n", "H200, us", "its runs", "here, us", "difference", ""]) + "|---|---:|---:|---|---:|---:|---|\n"
        for what, n, silicon, us, percent in found:
            runs = f"{silicon.least:.2f} to {silicon.most:.2f}" if silicon.least != silicon.most else ""
            page += line([what, str(n), f"{silicon.us:.2f}", runs, f"{us:.2f}", f"{percent:+.1f} %", "" if abs(percent) <= t.bound else "beyond"])
    return summary + page


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--gpuloom", type=pathlib.Path, default=ROOT / "build/release/gpuloom")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/timeline")
    parser.add_argument("--only", default="", help="what has this in its name")
    parser.add_argument("-s", "--set", action="append", default=[], help="a value of the configuration, as in gpuloom exec")
    parser.add_argument("--page", type=pathlib.Path, help="write the tables there as well")
    a = parser.parse_args()
    here = {name: rows(gzip.open(HERE / f"h200_{name}.csv.gz", "rt").read()) for name in a.names}
    text = tables(here, {name: rows(simulated(name, a)) for name in a.names})
    print(text, end="")
    if a.page:
        a.page.write_text("# Time, H200 and simulated side by side\n\nMade by `compare.py --page RESULTS.md`; [README.md](README.md) says what the programs are, "
                          "and what follows from them.\n\"Its runs\": the least and the most of the H200's runs, each the middle of nine rounds.\n\n" + text)


main()
