#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs numba_kernels.py under `gpuloom exec` where numba-cuda and a toolkit's NVVM are: numba_test.py GPULOOM.

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


def main():
    here = pathlib.Path(__file__).resolve().parent
    if importlib.util.find_spec("numba_cuda") is None or shutil.which("cc") is None:
        print("numba-cuda or a compiler is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "none.c")
        source.write_text("")
        subprocess.run(["cc", "-shared", "-o", f"{folder}/libnvJitLink.so.13", "-Wl,-soname,libnvJitLink.so.13", str(source)], check=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": folder + os.pathsep + os.environ.get("LD_LIBRARY_PATH", "")}
        if "CUDA_HOME" not in environment and pathlib.Path("/usr/local/cuda/nvvm").exists():
            environment["CUDA_HOME"] = "/usr/local/cuda"
        run = subprocess.run([sys.argv[1], "exec", "-q", sys.executable, "-W", "ignore", str(here / "numba_kernels.py")], capture_output=True, text=True,
                             env=environment, timeout=600)
    if "NvvmSupportError" in run.stderr or "libNVVM cannot be found" in run.stderr:
        print("no NVVM here")
        return SKIPPED
    print(run.stdout + run.stderr)
    return 0 if run.returncode == 0 and run.stdout.rstrip().endswith("PASS") else 1


sys.exit(main())
