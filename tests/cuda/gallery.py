#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of this folder under `gpuloom exec`: gallery.py [NAME...].

nvcc compiles them, and what it made stays in --build for the next time. With --committed they are those of committed/, and nvcc need not be there.
Prints a line a program, and how many passed; exit status 1 when one does not end with PASS.
"""
import argparse
import pathlib
import subprocess
import sys

from programs import COMPILED_ONLY, ROOT, committed, compiled, place_of_its_own, programs

GPUS = {"peers": ["-c", "h200", "-c", "h200"]}  # of programs that want more than one


def show(text):
    text = text.decode(errors="replace") if isinstance(text, bytes) else text or ""
    print("\n".join("    " + line for line in text.rstrip().split("\n")[-12:]))


def passes(command, folder, environment, seconds):
    """Whether it ends with PASS; what it said is shown where not."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, cwd=folder, env=environment,
                             stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        show(late.stdout), show(late.stderr)
        print(f"    it took more than {seconds:g} s")
        return False
    if run.returncode == 0 and run.stdout.rstrip().endswith("PASS"):
        return True
    show(run.stdout), show(run.stderr)
    print(f"    it ended with {run.returncode}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave a program out")
    parser.add_argument("--committed", action="store_true", help="run the programs of committed/, as nvcc made them")
    parser.add_argument("--gpuloom", type=pathlib.Path, default=ROOT / "build/release/gpuloom")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cuda_gallery")
    parser.add_argument("--flags", default="", help="more options of nvcc, as in --flags='-G -default-stream per-thread'")
    parser.add_argument("--exec", default="-q", dest="options", help="options of gpuloom exec, as in --exec='-q --timed'")
    parser.add_argument("--seconds", type=float, default=600)
    a = parser.parse_args()
    chosen = [(name, sources) for name, sources in programs()
              if (not a.names or name in a.names) and name not in a.without and not (a.committed and name in COMPILED_ONLY)]
    passed = 0
    for name, sources in chosen:
        with place_of_its_own(a.build) as (folder, environment):
            program = committed(name, folder) if a.committed else compiled(a.nvcc, name, sources, a.build, a.flags.split())
            good = passes([str(a.gpuloom.resolve()), "exec", *a.options.split(), *GPUS.get(name, []), str(program)], folder, environment, a.seconds)
        print(f"{'ok  ' if good else 'FAIL'} {name}", flush=True)
        passed += good
    print(f"{passed} of {len(chosen)} passed")
    return 0 if passed == len(chosen) > 0 else 1


sys.exit(main())
