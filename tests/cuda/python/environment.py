# SPDX-License-Identifier: Apache-2.0
"""The Python that scripts/setup --cuda-python has made, where the running one lacks a package."""
import importlib.util
import os
import pathlib
import sys


def use_the_trees_own(package):
    """Starts this script again with build/cuda_python where the package is not here and that has been made."""
    own = pathlib.Path(__file__).resolve().parents[3] / "build/cuda_python/bin/python"
    if importlib.util.find_spec(package) is None and own.exists() and pathlib.Path(sys.prefix) != own.parents[1]:
        os.execv(own, [str(own), *sys.argv])
