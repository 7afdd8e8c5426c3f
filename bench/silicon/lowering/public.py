#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a folder that `gpuloom score --static --suite FOLDER` compares with ptxas, of PTX that is not in the tree.

  public.py files OUT FILE.ptx[.gz]...          any PTX files
  public.py programs OUT SOURCE --seed 1 -n 100  kernels of public programs (HeCBench's CUDA folders) chosen by
                                                 seed; SOURCE: its git repository, a folder or an address

`programs` writes OUT/tuned and OUT/unseen, a random half each: look at the first while you change something, at the
second when you are done. Needs git, nvcc, ptxas and nvdisasm on the PATH."""
import argparse
import concurrent.futures
import csv
import gzip
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import collect

TARGET = re.compile(r"^\.target\s+(\w+)", re.M)
SOURCES = {".cu", ".cuh", ".h", ".hpp", ".hh", ".c", ".cpp", ".cc", ".inc", ".inl"}
LONGEST = 240  # seconds for a program's file


def text_of(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def rows_of(module, ptx):
    """What ptxas makes of a file, as rows of sass.csv."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder) / "k.ptx", pathlib.Path(folder) / "k.cubin"
        source.write_text(ptx)
        arch = TARGET.search(ptx)[1]
        arch = "sm_90a" if arch == "sm_90a" else collect.ARCH
        used = collect.registers(collect.run("ptxas", "-O3", f"-arch={arch}", "-v", "-o", str(cubin), str(source)).stderr)
        sass = collect.opcodes(collect.run("nvdisasm", "-c", str(cubin)).stdout)
    rows = []
    for kernel in sorted(k for k in sass if k in used):
        rows += [[module, kernel, what, count]
                 for what, count in zip(("registers", "spill_stores", "spill_loads"), used[kernel])]
        rows += [[module, kernel, opcode, count] for opcode, count in sorted(sass[kernel].items())]
    return rows


def write(out, modules, jobs):
    """modules: name and text of each PTX file."""
    folder = out / "lowering"
    (folder / "ptx").mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = [(name, ptx, pool.submit(rows_of, name, ptx)) for name, ptx in modules]
    with gzip.open(folder / "sass.csv.gz", "wt", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["module", "kernel", "what", "count"])
        for name, ptx, rows in found:
            try:
                table.writerows(rows.result())
            except subprocess.CalledProcessError as e:
                print(f"{name}: ptxas: {e.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
                continue
            (folder / "ptx" / f"{name}.ptx.gz").write_bytes(gzip.compress(ptx.encode(), 6, mtime=0))


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def take(repository, program, to):
    """The program's sources; what a snapshot of the repository lacks is left out (data, as a rule)."""
    for name in git(repository, "ls-tree", "-r", "--name-only", "HEAD", program + "/").decode().splitlines():
        if pathlib.Path(name).suffix not in SOURCES:
            continue
        try:
            text = git(repository, "show", f"HEAD:{name}")
        except subprocess.CalledProcessError:
            continue
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_bytes(text)


def compiled(repository, program):
    """PTX of each source of a program that compiles without further options."""
    modules = []
    with tempfile.TemporaryDirectory() as folder:
        take(repository, program, pathlib.Path(folder))
        root = pathlib.Path(folder) / program
        for source in sorted(root.rglob("*.cu")):
            ptx = source.with_suffix(".ptx")
            command = ["nvcc", "-std=c++17", "-O3", f"-arch={collect.ARCH}", "-ptx", "-w", f"-I{root}", f"-I{root}/include",
                       f"-I{root}/src", "-o", str(ptx), str(source)]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=LONGEST, cwd=source.parent)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
                continue
            name = program.split("/")[-1].removesuffix("-cuda") + "." + source.stem
            if ".entry" in ptx.read_text():
                modules.append((name, ptx.read_text()))
    return modules


def programs(arguments):
    repository = arguments.source
    if not pathlib.Path(repository).is_dir():
        repository = str(arguments.out / "repository")
        subprocess.run(["git", "clone", "--bare", "--depth", "1", arguments.source, repository], check=True)
    listing = git(repository, "ls-tree", "--name-only", "HEAD", "src/").decode().split()
    names = sorted(name for name in listing if name.endswith("-cuda"))
    chosen = random.Random(arguments.seed).sample(names, min(arguments.count, len(names)))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        modules = list(pool.map(lambda program: compiled(repository, program), chosen))
    for half, name in enumerate(("tuned", "unseen")):
        write(arguments.out / name, [m for program in modules[half::2] for m in program], arguments.jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    what = parser.add_subparsers(dest="what", required=True)
    files = what.add_parser("files")
    files.add_argument("out", type=pathlib.Path)
    files.add_argument("file", type=pathlib.Path, nargs="+")
    public = what.add_parser("programs")
    public.add_argument("out", type=pathlib.Path)
    public.add_argument("source")
    public.add_argument("--seed", type=int, default=1)
    public.add_argument("-n", "--count", type=int, default=100)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.what == "programs":
        programs(arguments)
    else:
        modules = [(path.name.removesuffix(".gz").removesuffix(".ptx"), text_of(path)) for path in arguments.file]
        write(arguments.out, modules, arguments.jobs)


if __name__ == "__main__":
    main()
