# SPDX-License-Identifier: Apache-2.0
"""What the tests of Python packages share: the Python that scripts/setup --cuda-python has made, and runs under `gpuloom exec`."""
import importlib.util
import os
import pathlib
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[3]


def use_the_trees_own(package):
    """Starts this script again with build/cuda_python where the package is not here and that has been made."""
    own = TREE / "build/cuda_python/bin/python"
    if importlib.util.find_spec(package) is None and own.exists() and pathlib.Path(sys.prefix) != own.parents[1]:
        os.execv(own, [str(own), *sys.argv])


def runs(gpuloom, environment, *words):
    """Runs a script without and with time; yields what it did."""
    for mode in ([], ["--timed"]):
        yield subprocess.run([gpuloom, "exec", "-q", *mode, "--", sys.executable, "-W", "ignore", *map(str, words)], capture_output=True, text=True,
                             env=environment, timeout=600)
