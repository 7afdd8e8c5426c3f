#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a kernel's cycles go, here and on a GPU: reads the clock at each barrier and around each wait for copies or matrix groups.

  phases.py make FOLDER CASE...     the cases with clocks in their PTX, a buffer `phases` as a further argument: a suite in FOLDER
  jobs.py FOLDER/jobs --suite FOLDER; launcher FOLDER/jobs/jobs.txt --dump FOLDER/gpu     on the GPU; below ncu the caches are cold
  phases.py run FOLDER              the same here, with the gpuloom of the PATH
  phases.py compare FOLDER          by case the median over blocks of the cycles from each clock to the next, of thread 0
"""
import argparse
import gzip
import json
import re
import statistics
import struct
import subprocess
from pathlib import Path

from jobs import npy_data

ML = Path(__file__).resolve().parent
CLOCKS = 256  # a block's at most
MARK = "\n\tmov.u32 %phc, %clock;\n\t@%php st.global.u32 [%pha], %phc;\n\tadd.s64 %pha, %pha, 4;\n"
BEGIN = f"""
	.reg .pred %php; .reg .b32 %phc, %phd, %phe; .reg .b64 %pha, %phb;
	ld.param.u64 %pha, [phases];
	mov.u32 %phc, %ctaid.x; mov.u32 %phd, %ctaid.y; mov.u32 %phe, %nctaid.x; mad.lo.u32 %phc, %phd, %phe, %phc;
	mov.u32 %phd, %ctaid.z; mul.lo.u32 %phd, %phd, %phe; mov.u32 %phe, %nctaid.y; mad.lo.u32 %phc, %phd, %phe, %phc;
	mul.wide.u32 %phb, %phc, {4 * CLOCKS}; add.s64 %pha, %pha, %phb;
	mov.u32 %phd, %tid.x; setp.eq.u32 %php, %phd, 0;
"""
BEFORE = re.compile(r"cp\.async\.wait_|wgmma\.wait_group|\bret;")
AFTER = re.compile(r"^(bar|barrier)\.(cta\.)?sync|wgmma\.wait_group")
DECLARES = re.compile(r"$|//|\.(reg|local|shared|loc|pragma)\b|\$L__func")


def closed(text, at, opening, closing):
    """Where the bracket at `at` closes."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == opening) - (text[end] == closing)
        if depth == 0:
            return end
    raise ValueError("a bracket stays open")


def with_clocks(ptx, kernel):
    params = re.search(rf"\.entry\s+{re.escape(kernel)}\(", ptx).end() - 1
    params_end = closed(ptx, params, "(", ")")
    body = ptx.index("{", params_end)
    body_end = closed(ptx, body, "{", "}")
    lines, begun = [], False
    for line in ptx[body + 1:body_end].split("\n"):
        words = line.strip()
        if not begun and not DECLARES.match(words):
            lines.append(BEGIN + MARK)
            begun = True
        if begun and BEFORE.search(words):
            lines.append(MARK)
        lines.append(line)
        if begun and AFTER.search(words):
            lines.append(MARK)
    head = ptx[:params_end].rstrip() + ",\n\t.param .u64 phases\n)"
    return head + ptx[params_end + 1:body + 1] + "\n".join(lines) + ptx[body_end:]


def make(folder, names):
    (folder / "ptx").mkdir(parents=True, exist_ok=True)
    cases = {c["name"]: c for c in json.load(open(ML / "cases.json"))}
    made = []
    for name in names:
        case = dict(cases[name], module=name)
        ptx = gzip.open(ML / "ptx" / f"{cases[name]['module']}.ptx.gz", "rt").read()
        with gzip.open(folder / "ptx" / f"{name}.ptx.gz", "wt") as out:
            out.write(with_clocks(ptx, case["kernel"]))
        x, y, z = case["grid"]
        case["buffers"] = dict(case["buffers"], phases={"type": "u32", "count": CLOCKS * x * y * z, "init": "zero", "output": True})
        case["args"] = case["args"] + [{"buffer": "phases"}]
        made.append(case)
    json.dump(made, open(folder / "cases.json", "w"))
    (folder / "suite.yaml").write_bytes((ML / "suite.yaml").read_bytes())
    if not (folder / "data").exists():
        (folder / "data").symlink_to(ML / "data")


def run(folder):
    (folder / "here").mkdir(exist_ok=True)
    for case in json.load(open(folder / "cases.json")):
        subprocess.run(["gpuloom", "run", "-q", "--suite", folder, "--case", case["name"], "--save", f"phases={folder}/here/{case['name']}.npy"], check=True)


def words_of(path):
    data = npy_data(path) if path.suffix == ".npy" else path.read_bytes()
    return struct.unpack(f"<{len(data) // 4}I", data)


def phases(path):
    """Cycles from each clock to the next, by block."""
    words, blocks = words_of(path), []
    for at in range(0, len(words), CLOCKS):
        clocks = [w for w in words[at:at + CLOCKS] if w != 0]
        blocks.append([(b - a) % 2**32 for a, b in zip(clocks, clocks[1:])])
    return blocks


def compare(folder):
    for case in json.load(open(folder / "cases.json")):
        name = case["name"]
        gpu, here = phases(folder / "gpu" / f"{name}.phases"), phases(folder / "here" / f"{name}.npy")
        most = max(map(len, here))
        print(f"{name}: {sum(len(b) == most for b in here)} of {len(here)} blocks")
        for side, blocks in (("GPU ", gpu), ("here", here)):
            whole = [b for b in blocks if len(b) == most]
            medians = [statistics.median(b[k] for b in whole) for k in range(most)] if whole else []
            print(f"  {side} {' '.join(f'{m:.0f}' for m in medians)}; in all {sum(medians):.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "run", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.what == "make":
        make(folder, options.cases)
    else:
        {"run": run, "compare": compare}[options.what](folder)


if __name__ == "__main__":
    main()
