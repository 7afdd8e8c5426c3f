#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of cases.cu under `gpuloom exec` and checks how each ends: robustness.py [NAME...].

Prints a line a case; exit status 1 when one ends otherwise. A case hangs for nobody: each has a time limit.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Case: options of exec, exit code (negative: a signal), what stdout and stderr must have.
CASES = {
    "out_of_bounds": ([], 1, "wait: cudaErrorIllegalAddress\nand stays: cudaErrorIllegalAddress", r"add_one.*past the end"),
    "alignment": ([], 1, "wait: cudaErrorMisalignedAddress", r"misaligned"),
    "trap": ([], 1, "wait: cudaErrorLaunchFailure", r"trap"),
    "null_pointer": ([], 1, "wait: cudaErrorIllegalAddress", r"null pointer"),
    "freed_pointer": ([], 1, "free again: cudaErrorInvalidValue\ncopy: cudaErrorInvalidValue\nwait: cudaErrorIllegalAddress", r"which was freed"),
    "null_arguments": ([], 1, "malloc: cudaErrorInvalidValue\nmemcpy: cudaErrorInvalidValue\nevent: cudaErrorInvalidResourceHandle\n"
                              "stream: cudaErrorInvalidResourceHandle\nattributes: cudaErrorInvalidValue", r""),
    "spins": (["--max-seconds", "1"], 5, "", r"stopped by --max-seconds in kernel '.*spin'"),
    "endless": (["--max-seconds", "1"], 5, "", r"stopped by --max-seconds in kernel '.*add_one'"),
    "device_heap": ([], 0, "wait: cudaSuccess\nlast is null", r""),
    "host_heap": ([], (-6, -11), "", r""),  # the C library says so and aborts, or meets the broken list first
    "forks": ([], 0, "child: 7\nparent: cudaSuccess", r""),
    "child_exits": ([], 0, "child: 7", r""),
    "unsynchronised": ([], 0, "ends", r""),
    "threads": ([], 0, "wrong: 0", r""),
    "many": ([], 0, "wait: cudaSuccess\nfirst: 200000, grown: no", r""),
    "too_much": ([], 1, "malloc: cudaErrorMemoryAllocation\nlaunch: cudaErrorInvalidValue", r""),
}
SECONDS = 600  # a case takes seconds alone; a test may have a fraction of a processor


def compiled(nvcc, build):
    program = build / "robustness"
    source = HERE / "cases.cu"
    build.mkdir(parents=True, exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([nvcc, "-std=c++17", "-arch=sm_90", "-cudart", "shared", "-o", str(program), str(source)], check=True)
    return program


def start(gpuloom, program, name, options, folder):
    return subprocess.Popen([gpuloom, "exec", "-q", "-o", folder, *options, str(program), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def wrong(process, folder, code, out, err):
    """What is not as it has to be, or ""."""
    try:
        stdout, stderr = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"it took more than {SECONDS} s"
    codes = code if isinstance(code, tuple) else (code,)
    if process.returncode not in codes:
        return f"it ended with {process.returncode}, not {code}: {stderr.strip()[-300:]}"
    if out not in stdout:
        return f"it printed {stdout.strip()!r}"
    if not re.search(err, stderr):
        return f"it said {stderr.strip()[-300:]!r}"
    if process.returncode >= 0:  # a program that a signal ends leaves no result
        json.loads((pathlib.Path(folder) / "result.json").read_text())
        others = {p.name for p in pathlib.Path(folder).iterdir()} - {"result.json", "timeline.json"}
        if others:
            return f"it left other files beside result.json: {sorted(others)}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpuloom", default=str(HERE.parent.parent.parent / "build/release/gpuloom"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--sanitized", action="store_true", help="gpuloom is a debug build, whose sanitizer keeps freed memory for a while")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent.parent / "build/cuda_gallery")
    a = parser.parse_args()
    program = compiled(a.nvcc, a.build)
    if a.sanitized:
        options, code, out, err = CASES["many"]
        CASES["many"] = (options, code, out.split(", grown")[0], err)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, (options, code, out, err) in CASES.items():
            if a.names and name not in a.names:
                continue
            folder = f"{scratch}/{name}"
            problem = wrong(start(a.gpuloom, program, name, options, folder), folder, code, out, err)
            print(f"{'FAIL' if problem else 'ok  '} {name}{': ' + problem if problem else ''}", flush=True)
            failed += bool(problem)
        # Two programs at once do not meet.
        if not a.names:
            both = [start(a.gpuloom, program, "threads", [], f"{scratch}/both{k}") for k in range(2)]
            problems = [wrong(p, f"{scratch}/both{k}", 0, "wrong: 0", "") for k, p in enumerate(both)]
            print(f"{'FAIL' if any(problems) else 'ok  '} two_at_once{': ' + str(problems) if any(problems) else ''}")
            failed += any(problems)
    return 1 if failed else 0


sys.exit(main())
