#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas what it makes of the same PTX for each target. Writes, by target, targets/tuned/sm_XX.csv.gz and
targets/unseen/sm_XX.csv.gz (registers, spilled bytes, shared memory and static instructions by opcode of each kernel) and
what its schedules show of the hardware: targets/latencies.csv.gz and targets/issue.csv.gz.

  targets.py                               ptxas and nvdisasm of the PATH: 7.5 and later
  targets.py --older FOLDER sm_70 sm_61    with the ptxas and nvdisasm in FOLDER (of CUDA 12) for these

The PTX is what bench/silicon has, with another `.target`. Kernels that want more than the target has are left out one by
one. A random half of the kernels is the unseen half: nobody tunes on it. `gpuloom score --static --target sm_XX`
compares both."""
import argparse
import collections
import csv
import gzip
import hashlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile

import collect
import schedules

HERE = pathlib.Path(__file__).resolve().parent
SILICON = HERE.parent
NEWER = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
SEED = "half 1"
OLDER_VERSION = "8.4"  # PTX that CUDA 12's ptxas reads
FOLDERS = (".", "algorithms", "applications", "benchmarks", "corner_cases", "libraries", "lowering", "ml")
BODY = re.compile(r"^\s*(?:\.(?:visible|weak|extern|common)\s+)*\.(?:entry|func)\b")
KERNELS = ("module", "kernel", "registers", "spilled_bytes", "shared_bytes", "opcodes")
FEW = 12  # pairs of which too few say nothing about a latency


def replace_rows(name, columns, targets, rows_of):
    """In targets/NAME, a table whose first column is the target: asks for the rows of these targets, for what stands there of them."""
    path = HERE / "targets" / name
    rows = [r for r in csv.reader(path.open())][1:] if path.exists() else []
    rows = [r for r in rows if r[0] not in targets]
    for target in targets:
        for row in rows_of(target):
            rows.append([target, *row])
            print(*rows[-1], file=sys.stderr)
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["target", *columns])
        table.writerows(rows)


def modules():
    """Name and text of each PTX file: `lowering/dense`."""
    for folder in FOLDERS:
        for path in sorted((SILICON / folder / "ptx").glob("*.ptx.gz")):
            stem = path.name.removesuffix(".ptx.gz")
            yield (stem if folder == "." else f"{folder}/{stem}"), gzip.decompress(path.read_bytes()).decode()


def is_unseen(module, kernel):
    return hashlib.sha256(f"{SEED} {module} {kernel}".encode()).digest()[0] % 2 == 1


def retargeted(ptx, target, older):
    ptx = re.sub(r"^\.target\s+sm_\w+", f".target {target}", ptx, flags=re.M)
    return re.sub(r"^\.version\s+\S+", f".version {OLDER_VERSION}", ptx, flags=re.M) if older else ptx


def bodies(lines):
    """First and last line of each function with a body."""
    found, first, depth = [], None, 0
    for number, line in enumerate(lines):
        text = line.split("//")[0]
        if first is None and BODY.match(text):
            first, depth = number, 0
        if first is None:
            continue
        depth += text.count("{") - text.count("}")
        if depth == 0 and ("}" in text or text.rstrip().endswith(";")):
            found.append((first, number))
            first = None
    return found


def without_errors(folder, ptx, target, ptxas):
    """ptxas's cubin and what it said, functions that it refuses taken out."""
    source, cubin = folder / "k.ptx", folder / "k.cubin"
    lines = ptx.splitlines()
    for _ in range(12):
        source.write_text("\n".join(lines) + "\n")
        done = subprocess.run([ptxas, "-O3", f"-arch={target}", "-v", "-o", str(cubin), str(source)],
                              capture_output=True, text=True)
        if done.returncode == 0:
            return cubin, done.stderr
        wrong = {int(n) - 1 for n in re.findall(r"line (\d+); (?:error|fatal)", done.stderr)}
        names = set(re.findall(r"(?:for|function|Entry function) '(\w+)'", done.stderr))
        hit = [(a, b) for a, b in bodies(lines)
               if any(a <= n <= b for n in wrong) or any(re.search(rf"\b{n}\b", lines[a]) for n in names)]
        if not hit:
            return None, done.stderr
        for a, b in hit:
            lines[a:b + 1] = [""] * (b + 1 - a)
        if not any(".entry" in line for line in lines):
            return None, "no kernel is left"
    return None, "too many errors"


def shared_bytes(log):
    """ptxas -v: static shared memory by kernel."""
    found, name = {}, None
    for line in log.splitlines():
        if m := re.search(r"Compiling entry function '([^']+)'", line):
            name = m[1]
        elif "Used" in line and name:
            m = re.search(r"(\d+) bytes smem", line)
            found[name] = int(m[1]) if m else 0
            name = None
    return found


def rows_of(module, ptx, target, tools, seen):
    """Rows of a module's kernels; adds to `seen` what the schedules of its tuned half show."""
    ptxas, nvdisasm = tools
    with tempfile.TemporaryDirectory() as folder:
        cubin, log = without_errors(pathlib.Path(folder), ptx, target, ptxas)
        if cubin is None:
            print(f"{target} {module}: {log.strip().splitlines()[:1]}", file=sys.stderr)
            return []
        text = subprocess.run([nvdisasm, "-c", "-hex", str(cubin)], check=True, capture_output=True, text=True).stdout
    blocks, used, shared = schedules.blocks_of(text), collect.registers(log), shared_bytes(log)
    for block in blocks:
        if not is_unseen(module, block.kernel):
            seen.add(block)
    rows = []
    for kernel, counts in sorted(schedules.opcodes(blocks).items()):
        if kernel not in used:
            continue
        registers, stores, loads = used[kernel]
        rows.append([module, kernel, registers, stores + loads, shared.get(kernel, 0),
                     " ".join(f"{opcode}:{n}" for opcode, n in sorted(counts.items()))])
    return rows


def write(path, header, rows):
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(out.getvalue().encode(), 9, mtime=0))


def latency_rows(target, seen):
    for (producer, kind, reader), apart in sorted(seen.apart.items()):
        if sum(apart.values()) < FEW:
            continue
        least = min(apart)
        yield [target, producer, kind, reader, least, apart[least], sum(apart.values())]


def issue_rows(target, seen):
    for opcode, facts in sorted(seen.facts.items()):
        again = seen.again.get(opcode, collections.Counter())
        least = min(again) if again else ""
        yield [target, opcode, facts["count"], *(facts[w] for w in ("scoreboard", "operands", "waits", "yields", "reuse")),
               least, again[least] if again else 0]


def kept(path, targets):
    """Rows of a table that are about other targets."""
    if not path.exists():
        return []
    rows = list(csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))[1:]
    return [row for row in rows if row[0] not in targets]


def tools_of(older=None):
    """ptxas and nvdisasm: those of the PATH, or of the folder `older` (CUDA 12's, for 5.0 to 7.2)."""
    return [str(older / tool) if older else tool for tool in ("ptxas", "nvdisasm")]


def older_of(description):
    """The folder of CUDA 12's ptxas and nvdisasm, for scripts that take nothing but that."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--older", type=pathlib.Path)
    return parser.parse_args().older


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--older", type=pathlib.Path, help="folder with ptxas and nvdisasm of CUDA 12")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "targets")
    arguments = parser.parse_args()
    targets = arguments.targets or list(NEWER)
    tools = tools_of(arguments.older)
    texts = list(modules())
    latencies, issue = kept(arguments.out / "latencies.csv.gz", targets), kept(arguments.out / "issue.csv.gz", targets)
    for target in targets:
        seen = schedules.Schedules()
        halves = ([], [])
        for module, ptx in texts:
            for row in rows_of(module, retargeted(ptx, target, arguments.older), target, tools, seen):
                halves[is_unseen(*row[:2])].append(row)
        for rows, name in zip(halves, ("tuned", "unseen")):
            write(arguments.out / name / f"{target}.csv.gz", KERNELS, rows)
            print(target, name, len(rows), "kernels")
        latencies += latency_rows(target, seen)
        issue += issue_rows(target, seen)
        write(arguments.out / "latencies.csv.gz",
              ["target", "producer", "result", "reader", "least", "times_least", "times"], latencies)
        write(arguments.out / "issue.csv.gz",
              ["target", "opcode", "count", "result_scoreboard", "operand_scoreboard", "waits", "yields", "reuse",
               "least_between", "times_least"], issue)


if __name__ == "__main__":
    main()
