#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs numba_kernels.py under `gpuloom exec` where numba-cuda and NVVM are: numba_test.py GPULOOM [NAMES]. Exit code 77: nothing was tested, and why.

nvJitLink makes machine code, which has no PTX. A library of that name without functions makes cuda.core take the driver's linker, which is ours.
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from environment import TREE, runs, use_the_trees_own  # noqa: E402


def main():
    use_the_trees_own("numba_cuda")
    if importlib.util.find_spec("numba_cuda") is None or shutil.which("cc") is None:
        print("skipped: numba-cuda or a compiler is not installed (scripts/setup --cuda-python)")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "none.c")
        source.write_text("")
        subprocess.run(["cc", "-shared", "-o", f"{folder}/libnvJitLink.so.13", "-Wl,-soname,libnvJitLink.so.13", str(source)], check=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": folder + os.pathsep + os.environ.get("LD_LIBRARY_PATH", "")}
        if "CUDA_HOME" not in environment and pathlib.Path("/usr/local/cuda/nvvm").exists():
            environment["CUDA_HOME"] = "/usr/local/cuda"
        for run in [*runs(sys.argv[1], environment, HERE / "numba_kernels.py", *sys.argv[2:]),
                    *runs(sys.argv[1], environment, TREE / "docs/how_to/code/numba_saxpy.py")]:
            if "NvvmSupportError" in run.stderr or "libNVVM cannot be found" in run.stderr:
                print("skipped: no NVVM here (scripts/setup --cuda-python)")
                return SKIPPED
            print(run.stdout + run.stderr)
            failed += run.returncode != 0 or not run.stdout
    return failed != 0


sys.exit(main())
