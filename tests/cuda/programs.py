# SPDX-License-Identifier: Apache-2.0
"""The programs of this folder: what each is made of, how nvcc makes it, and the ones that are committed as nvcc made them."""
import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMITTED = HERE / "committed"
LIST = COMMITTED / "LIST"  # a line a program: digest of what it is made of, digest of the file, name
ROBUSTNESS = "robustness"
# They compare our declarations with a toolkit's headers, so they say something only where they are compiled.
COMPILED_ONLY = {"abi_check", "driver_abi_check"}

COMPILE = ["-std=c++17", "-cudart", "shared"]
# PTX and no machine code; small; and the same file again from the same sources (names of static things are random without a seed).
# Programs of several units come without NVIDIA's device runtime: gpuloom has its own.
COMMITTED_FLAGS = ["-gencode", "arch=compute_90,code=compute_90", "-cudadevrt", "none", "--compress-mode=size", "-frandom-seed=gpuloom",
                   "-Xcompiler", "-Os,-ffunction-sections,-fdata-sections,-fno-asynchronous-unwind-tables,-fno-exceptions",
                   "-Xlinker", "--strip-all,--gc-sections,--build-id=none,-z,noseparate-code,-z,norelro"]


def programs():
    """Name and sources of each of the gallery: a file, or a folder whose files are linked."""
    for source in sorted(HERE.glob("*.cu")):
        yield source.stem, [source]
    for main_file in sorted(HERE.glob("*/main.cu")):
        yield main_file.parent.name, sorted(main_file.parent.glob("*.cu"))


def committed_programs():
    yield from ((name, sources) for name, sources in programs() if name not in COMPILED_ONLY)
    yield ROBUSTNESS, [HERE / ROBUSTNESS / "cases.cu"]


def parts(sources):
    """The sources, and every file of the tree that they include, directly or not."""
    found, left = [], list(sources)
    while left:
        file = left.pop(0).resolve()
        if file in found:
            continue
        found.append(file)
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
            left += [place for place in (file.parent / name, ROOT / name) if place.exists()][:1]
    return sorted(found)


def options(name, sources):
    return [*COMPILE, *(["-rdc=true"] if len(sources) > 1 else []), *(["-lcuda"] if name.startswith("driver_") else [])]


def digest(name, sources):
    """Of everything in the tree that decides what nvcc makes of a committed program."""
    whole = hashlib.sha256(" ".join([*options(name, sources), *COMMITTED_FLAGS]).encode())
    for file in parts(sources):
        whole.update(f"\n{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return whole.hexdigest()


def compiled(nvcc, name, sources, build, flags, newer_only=True):
    build.mkdir(parents=True, exist_ok=True)
    program = build.resolve() / (name + ("" if flags == COMMITTED_FLAGS else "".join(flags).replace("/", "_").replace(" ", "")))
    newest = max(p.stat().st_mtime for p in parts(sources))
    if not newer_only or not program.exists() or program.stat().st_mtime < newest:
        arch = [] if "-gencode" in flags else ["-arch=sm_90"]
        # Names of files get into the program: they are those from here, wherever the tree is.
        subprocess.run([nvcc, *arch, "-I../..", *options(name, sources), *flags, "-o", str(program), *(str(p.relative_to(HERE)) for p in sources)],
                       check=True, cwd=HERE)
    return program


def committed_list():
    """Name: digest of the sources, digest of the file."""
    lines = LIST.read_text(encoding="utf-8").split("\n") if LIST.exists() else []
    return {name: (sources, file) for sources, file, name in (line.split() for line in lines if line)}


def committed(name, folder):
    """A copy of the committed program that can be run, in `folder`: a checkout need not keep the bit that lets it."""
    contents = (COMMITTED / name).read_bytes()
    if hashlib.sha256(contents).hexdigest() != committed_list()[name][1]:
        raise SystemExit(f"{COMMITTED / name} is not the file that was committed (see {LIST})")
    copy = pathlib.Path(folder) / name
    copy.write_bytes(contents)
    copy.chmod(0o755)
    return copy


@contextlib.contextmanager
def place_of_its_own(build):
    """A new folder to run programs in, and an environment in which nothing of the user's decides how they end."""
    build.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=build.resolve()))
    try:
        (folder / "home").mkdir()
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("GPULOOM_", "CUDA_", "NVIDIA_", "XDG_")) and name not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
        yield folder, {**kept, "HOME": str(folder / "home")}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
