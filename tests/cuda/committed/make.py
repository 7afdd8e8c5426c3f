#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the programs of this folder again, where nvcc 13 is, and says which have changed: make.py.

With --check it makes nothing and needs no nvcc: exit status 1 when a program is not of today's sources, is missing, or is one too many.
"""
import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from programs import COMMITTED, COMMITTED_FLAGS, LIST, ROOT, committed_list, committed_programs, compiled, digest  # noqa: E402

OTHERS = {"LIST", "README.md", "make.py", "__pycache__"}
VERSION = "release 13."


def file_digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""


def check():
    """What is wrong with the folder, a line each."""
    known, wanted = committed_list(), dict(committed_programs())
    for name, sources in wanted.items():
        made_of, file = known.get(name, ("", ""))
        if name not in known or not (COMMITTED / name).exists():
            yield f"{name} is missing"
        elif made_of != digest(name, sources):
            yield f"{name} is not of today's sources"
        elif file != file_digest(COMMITTED / name):
            yield f"{name} is not the file that was committed"
    there = {p.name for p in COMMITTED.iterdir()} - OTHERS
    yield from (f"{name} is not a program of tests/cuda" for name in sorted((there | set(known)) - set(wanted)))


def make(nvcc, names):
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if VERSION not in version:
        raise SystemExit(f"{nvcc} is not of CUDA 13, whose programs these are: {version.strip()}")
    lines = committed_list()
    wanted = dict(committed_programs())
    with tempfile.TemporaryDirectory() as build:
        for name, sources in wanted.items():
            if names and name not in names:
                continue
            made = compiled(nvcc, name, sources, pathlib.Path(build), COMMITTED_FLAGS, newer_only=False)
            now = file_digest(made)
            print(f"{'same    ' if now == file_digest(COMMITTED / name) else 'CHANGED '} {name} {made.stat().st_size}", flush=True)
            shutil.copyfile(made, COMMITTED / name)
            (COMMITTED / name).chmod(0o755)
            lines[name] = (digest(name, sources), now)
    for gone in set(lines) - set(wanted):
        (COMMITTED / gone).unlink(missing_ok=True)
        del lines[gone]
    LIST.write_text("".join(f"{made_of} {file} {name}\n" for name, (made_of, file) in sorted(lines.items())), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--check", action="store_true", help="make nothing, and say what is not of today's sources")
    a = parser.parse_args()
    if not a.check:
        make(a.nvcc, a.names)
    problems = list(check())
    for problem in problems:
        print(problem)
    if problems:
        print(f"where nvcc 13 is: python3 {pathlib.Path(__file__).resolve().relative_to(ROOT)}")
    elif a.check:
        print(f"{len(committed_list())} programs are of today's sources")
    return 1 if problems else 0


sys.exit(main())
