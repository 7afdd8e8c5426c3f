#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cupy_kernels.py under `gpuloom exec` where CuPy is: cupy_test.py GPULOOM [NAMES]. Exit code 77: nothing was tested, and why."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
sys.path.insert(0, str(HERE))
import cupy_runtime  # noqa: E402
from environment import TREE, runs, use_the_trees_own  # noqa: E402


def main():
    use_the_trees_own("cupy")
    folder = pathlib.Path(sys.argv[1]).resolve().parent / "cupy"
    try:
        cupy_runtime.main(folder)
    except (cupy_runtime.Missing, subprocess.SubprocessError, OSError) as problem:
        print(f"skipped: {problem}")
        return SKIPPED
    environment = {**os.environ, "PYTHONPATH": str(folder), "CUPY_CACHE_DIR": str(folder / "cache")}
    failed = 0
    for run in [*runs(sys.argv[1], environment, HERE / "cupy_kernels.py", *sys.argv[2:]),
                *runs(sys.argv[1], environment, TREE / "docs/how_to/code/cupy_saxpy.py")]:
        print(run.stdout + run.stderr)
        failed += run.returncode != 0 or not run.stdout
    return failed != 0


sys.exit(main())
