#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of cases.cu under `gpuloom exec` and checks how each ends: robustness.py [NAME...].

nvcc compiles them; with --committed they are those that it made before (tests/cuda/committed), and nvcc need not be there.
Prints a line a case; exit status 1 when one ends otherwise. A case hangs for nobody: each has a time limit.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from programs import ROBUSTNESS, ROOT, committed, compiled, place_of_its_own  # noqa: E402

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
    "host_heap": ([], -6, "", r""),  # the C library says so and aborts
    "forks": ([], 0, "child: 7\nparent: cudaSuccess", r""),
    "child_exits": ([], 0, "child: 7", r""),
    "unsynchronised": ([], 0, "ends", r""),
    "threads": ([], 0, "wrong: 0", r""),
    "many": ([], 0, "wait: cudaSuccess\nfirst: 200000, grown: no", r""),
    "many_in_time": (["--timed", "-j", "1"], 0, "wait: cudaSuccess\nfirst: 2000, grown: no", r""),
    "many_written": (["--timed", "-j", "1"], 0, "wait: cudaSuccess\nfirst: 2000, grown: no", r""),
    "full_disk": (["--timed", "-j", "1"], 3, "", r"cannot write the records of the run in '.*launches.part': No space left on device"),
    "too_much": ([], 1, "malloc: cudaErrorMemoryAllocation\nlaunch: cudaErrorInvalidValue", r""),
}
WITHOUT_RESULT = ("many_in_time",)  # no folder is asked for: nothing is made of the metrics
PROGRAM_OF = {"full_disk": "many_in_time"}


def start(gpuloom, program, name, options, folder, environment):
    folder.mkdir()
    where = [] if name in WITHOUT_RESULT else ["-o", "out"]
    if name == "full_disk":  # what it records goes to a device that is always full
        (folder / "out").mkdir()
        (folder / "out/launches.part").symlink_to("/dev/full")
    return subprocess.Popen([gpuloom, "exec", "-q", *where, *options, str(program), PROGRAM_OF.get(name, name)], cwd=folder, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def incomplete(result):
    """What result.json of many_written lacks, or ""."""
    launches = result["launches"]
    numbers = [launch["launch"] for launch in launches]
    if numbers != list(range(2000)):
        return f"result.json has {len(numbers)} launches: {numbers[:3]} ... {numbers[-3:]}"
    for launch in launches:
        if launch["mode"] != "timed" or launch["metrics"]["sm__cycles_elapsed.max"]["value"] <= 0:
            return f"launch {launch['launch']} of result.json has no metrics"
    return ""


def wrong(process, name, folder, seconds, code, out, err):
    """What is not as it has to be, or ""."""
    try:
        stdout, stderr = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"it took more than {seconds:g} s"
    if process.returncode != code:
        return f"it ended with {process.returncode}, not {code}: {stderr.strip()[-300:]}"
    if out not in stdout:
        return f"it printed {stdout.strip()!r}"
    if not re.search(err, stderr):
        return f"it said {stderr.strip()[-300:]!r}"
    if process.returncode == 3:
        left = [p.name for p in (folder / "out").iterdir()]
        return f"it left {left} and said {stderr.strip()!r}" if left or len(stderr.strip().splitlines()) != 1 else ""
    if process.returncode >= 0 and name not in WITHOUT_RESULT:  # a program that a signal ends leaves no result
        result = json.loads((folder / "out/result.json").read_text())
        if name == "many_written" and incomplete(result):
            return incomplete(result)
        others = {p.name for p in (*folder.iterdir(), *(folder / "out").iterdir())} - {"out", "result.json", "timeline.json"}
        if others:
            return f"it left other files beside result.json: {sorted(others)}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--committed", action="store_true", help="run the program of tests/cuda/committed, as nvcc made it")
    parser.add_argument("--gpuloom", type=pathlib.Path, default=ROOT / "build/release/gpuloom")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--sanitized", action="store_true", help="gpuloom is a debug build, whose sanitizer keeps freed memory for a while")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cuda_gallery")
    parser.add_argument("--seconds", type=float, default=600)
    a = parser.parse_args()
    if a.sanitized:
        options, code, out, err = CASES["many"]
        CASES["many"] = (options, code, out.split(", grown")[0], err)
    chosen = [(name, [case]) for name, case in CASES.items() if not a.names or name in a.names]
    if not a.names:  # two programs at once do not meet
        chosen.append(("two_at_once", [CASES["threads"]] * 2))
    failed = 0
    with place_of_its_own(a.build) as (place, environment):
        program = committed(ROBUSTNESS, place) if a.committed else compiled(a.nvcc, ROBUSTNESS, [HERE / "cases.cu"], a.build, [])
        for name, cases in chosen:
            folders = [place / f"{name}{k}" for k in range(len(cases))]
            case = name if name in CASES else "threads"
            running = [start(str(a.gpuloom.resolve()), program, case, c[0], f, environment) for c, f in zip(cases, folders)]
            problems = [wrong(p, case, f, a.seconds, *c[1:]) for p, f, c in zip(running, folders, cases)]
            problem = "; ".join(p for p in problems if p)
            print(f"{'FAIL' if problem else 'ok  '} {name}{': ' + problem if problem else ''}", flush=True)
            failed += bool(problem)
    return 1 if failed else 0


sys.exit(main())
