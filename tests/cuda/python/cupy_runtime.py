#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes CuPy's module for the CUDA runtime anew, with the runtime as a library: cupy_runtime.py FOLDER

CuPy's wheels hold the static runtime, which gpuloom cannot stand in for. CuPy's own source of that one module is fetched with pip in the version
that is installed, and linked with -lcudart. FOLDER then goes before it: PYTHONPATH=FOLDER gpuloom exec python program.py
FOLDER also sets what CuPy asks the environment: that NVRTC makes PTX, and that sums do not go through CUB, whose module holds the static runtime
too and gives wrong sums without a word.
Needs Cython, a C++ compiler, and CUDA's headers and runtime from a toolkit or from pip (nvidia-cuda-runtime, nvidia-cuda-crt).
"""
import importlib.metadata
import importlib.util
import os
import pathlib
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

MODULE = "cupy_backends/cuda/api/runtime"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


ENVIRONMENT = """import os
os.environ.setdefault("CUPY_COMPILE_WITH_PTX", "1")
os.environ.setdefault("CUPY_ACCELERATORS", "")
"""


class Missing(Exception):
    """What is needed and not here."""


def installed():
    """Where CuPy's packages lie, and its version."""
    found = importlib.util.find_spec("cupy_backends")
    if found is None:
        raise Missing("CuPy is not installed")
    owners = importlib.metadata.packages_distributions().get("cupy_backends", ["cupy"])
    return pathlib.Path(found.submodule_search_locations[0]).parent, importlib.metadata.version(owners[0])


def cuda():
    """Folders of CUDA's headers and of libcudart."""
    places = [pathlib.Path(p) for p in (os.environ.get("CUDA_PATH"), "/usr/local/cuda") if p]
    found = importlib.util.find_spec("nvidia")
    for root in found.submodule_search_locations if found else []:
        places += sorted(pathlib.Path(root).glob("cu1*"))
    for place in places:
        libraries = [*place.glob("lib*/libcudart.so"), *place.glob("lib*/libcudart.so.*")]
        if libraries and (place / "include/cuda_runtime_api.h").exists():
            return place / "include", libraries[0]
    raise Missing("CUDA's headers and libcudart are not here: pip install nvidia-cuda-runtime nvidia-cuda-crt")


def source(version, folder):
    """CuPy's source of that version."""
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--no-deps", "--no-binary", "cupy",
                    "--dest", folder, f"cupy=={version}"], check=True, timeout=600)
    with tarfile.open(next(pathlib.Path(folder).glob("cupy-*.tar.gz"))) as archive:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Debian 12's Python 3.11.2 does not have it
        archive.extractall(folder, **safe)
    return pathlib.Path(folder, f"cupy-{version}")


def compiled(root, folder, target):
    headers, library = cuda()
    names = {"CUPY_CUDA_VERSION": 13000, "CUPY_HIP_VERSION": 0, "CUPY_USE_CUDA_PYTHON": False, "CUPY_CUFFT_STATIC": False}
    text = pathlib.Path(folder, "runtime.cpp")
    subprocess.run([sys.executable, "-m", "cython", "--cplus", "-3", "-E", ",".join(f"{k}={v}" for k, v in names.items()), "-I", ".", f"{MODULE}.pyx",
                    "-o", text], cwd=root, check=True, capture_output=True)
    includes = [root / "cupy_backends/cuda/api", root / "cupy_backends/cuda", root / "cupy_backends", root / "cupy/_core/include", headers,
                sysconfig.get_path("include")]
    subprocess.run(["c++", "-O1", "-w", "-shared", "-fPIC", "-std=c++17", *(f"-I{place}" for place in includes), text, "-o", target, library], check=True)


def overlay(packages, folder):
    """The package cupy_backends as links, but for the folders on the way to the module."""
    at = pathlib.Path()
    for part in pathlib.Path(MODULE).parts[:-1]:
        at = at / part
        (folder / at).mkdir(parents=True, exist_ok=True)
        for entry in (packages / at).iterdir():
            place = folder / at / entry.name
            on_the_way = pathlib.Path(MODULE).is_relative_to(at / entry.name) and entry.is_dir()
            if entry.name == "__init__.py" and at == pathlib.Path("cupy_backends"):
                place.write_text(ENVIRONMENT + entry.read_text())
            elif entry.name != "__pycache__" and not on_the_way and entry.name != f"runtime{SUFFIX}" and not place.exists():
                place.symlink_to(entry)


def main(folder):
    packages, version = installed()
    cuda()
    if importlib.util.find_spec("Cython") is None:
        raise Missing("Cython is not installed")
    target = folder / f"{MODULE}{SUFFIX}"
    if target.exists():
        return
    overlay(packages, folder)
    with tempfile.TemporaryDirectory() as scratch:
        compiled(source(version, scratch), scratch, target.with_suffix(".part"))
    target.with_suffix(".part").rename(target)


if __name__ == "__main__":
    try:
        main(pathlib.Path(sys.argv[1]).resolve())
    except Missing as problem:
        sys.exit(f"skipped: {problem}")
