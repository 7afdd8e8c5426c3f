#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs points of a sweep on the workers of a Dask scheduler: what `gpuloom sweep run --backend dask` calls.

Each point is the command `gpuloom sweep point DIRECTORY ID` on one worker thread. The command does nothing where the result is
there, so that a point whose worker dies is simply given to another one. How a point ended stands in the directory; this client
only sees to it that each of them is tried. Exit status: 0 when all were, 3 where a point found no worker that lived, 2 without Dask.
"""
import argparse
import pathlib
import subprocess
import sys


def run_point(program, directory, point, timeout):
    return subprocess.run([program, "sweep", "point", directory, point, "--quiet", "--timeout", timeout],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for option in ("--scheduler", "--program", "--directory", "--points"):
        parser.add_argument(option, required=True)
    parser.add_argument("--timeout", default="0", help="seconds a point, 0 for none")
    a = parser.parse_args()
    try:
        import distributed
    except ImportError as error:
        print(f"no Dask here: {error}")
        return 2
    points = pathlib.Path(a.points).read_text(encoding="ascii").split()
    lost = 0
    with distributed.Client(a.scheduler, timeout="20s") as client:
        futures = {client.submit(run_point, a.program, a.directory, p, a.timeout, pure=False, retries=3): p for p in points}
        for future in distributed.as_completed(futures):
            # Killed from outside (a negative status): once more.
            if future.status == "finished" and future.result() < 0:
                again = client.submit(run_point, a.program, a.directory, futures[future], a.timeout, pure=False, retries=3)
                lost += again.result() < 0
            elif future.status != "finished":
                print(f"{futures[future]}: {future.exception()}")
                lost += 1
    return 3 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
