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
from environment import use_the_trees_own  # noqa: E402


def main():
    use_the_trees_own("cupy")
    folder = pathlib.Path(sys.argv[1]).resolve().parent / "cupy"
    try:
        cupy_runtime.main(folder)
    except (cupy_runtime.Missing, subprocess.SubprocessError, OSError) as problem:
        print(f"skipped: {problem}")
        return SKIPPED
    environment = {**os.environ, "PYTHONPATH": str(folder), "CUPY_CACHE_DIR": str(folder / "cache")}
    for mode in ([], ["--timed"]):
        run = subprocess.run([sys.argv[1], "exec", "-q", *mode, "--", sys.executable, "-W", "ignore", str(HERE / "cupy_kernels.py"), *sys.argv[2:]],
                             capture_output=True, text=True, env=environment, timeout=600)
        print(run.stdout + run.stderr)
        if run.returncode != 0 or not run.stdout.rstrip().endswith("PASS"):
            return 1
    return 0


sys.exit(main())
