#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs of this folder with nvcc and runs them under `gpuloom exec`: gallery.py [NAME...].

Prints a line a program; exit status 1 when one does not end with PASS. What is compiled stays in --build for the next time.
"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def programs():
    """Name and sources of each: a file, or a folder whose files are linked."""
    for source in sorted(HERE.glob("*.cu")):
        yield source.stem, [source]
    for main_file in sorted(HERE.glob("*/main.cu")):
        yield main_file.parent.name, sorted(main_file.parent.glob("*.cu"))


GPUS = {"peers": ["-c", "h200", "-c", "h200"]}  # of programs that want more than one


def compiled(nvcc, name, sources, build, flags):
    build.mkdir(parents=True, exist_ok=True)
    program = build / (name + "".join(flags).replace("/", "_").replace(" ", ""))
    newest = max(p.stat().st_mtime for p in (*sources, *sources[0].parent.glob("*.h"), HERE / "check.h"))
    if not program.exists() or program.stat().st_mtime < newest:
        linked = ["-rdc=true"] if len(sources) > 1 else []
        linked += ["-lcuda"] if name.startswith("driver_") else []
        subprocess.run([nvcc, "-std=c++17", "-arch=sm_90", "-cudart", "shared", f"-I{HERE.parent.parent}", *linked, *flags,
                        "-o", str(program), *map(str, sources)], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpuloom", default=str(HERE.parent.parent / "build/release/gpuloom"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build/cuda_gallery")
    parser.add_argument("--flags", default="", help="more options of nvcc, as in --flags='-G -default-stream per-thread'")
    parser.add_argument("--exec", default="-q", dest="options", help="options of gpuloom exec, as in --exec='-q --timed'")
    parser.add_argument("--seconds", type=float, default=600)
    a = parser.parse_args()
    failed = 0
    for name, sources in programs():
        if a.names and name not in a.names:
            continue
        program = compiled(a.nvcc, name, sources, a.build, a.flags.split())
        try:
            run = subprocess.run([a.gpuloom, "exec", *a.options.split(), *GPUS.get(name, []), str(program)], capture_output=True, text=True, timeout=a.seconds)
            passed = run.returncode == 0 and run.stdout.rstrip().endswith("PASS")
        except subprocess.TimeoutExpired as late:
            run, passed = late, False
        print(f"{'ok  ' if passed else 'FAIL'} {name}", flush=True)
        if not passed:
            failed += 1
            for text in (run.stdout, run.stderr):
                text = text.decode(errors="replace") if isinstance(text, bytes) else text or ""
                print("\n".join("    " + line for line in text.rstrip().split("\n")[-12:]))
    return 1 if failed else 0


sys.exit(main())
