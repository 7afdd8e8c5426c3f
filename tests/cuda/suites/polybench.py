# SPDX-License-Identifier: Apache-2.0
"""PolyBench-GPU: the CUDA version of each program. Each compares its GPU's results with the host's.

The smallest of its own data sets has 2048 rows for some, so sizes are set by the macros that its headers leave to the user.
"""
import re

from program import Program

ADDRESS = "https://github.com/sgrauerg/polybenchGpu"
ROWS, STEPS = 256, 20  # at most


def sizes(folder):
    """A header with every size that the program's own has for its smallest data set. It comes after CUDA's headers, which use such names themselves."""
    text = "".join(f.read_text(errors="replace") for f in sorted(folder.glob("*.cuh")))
    smallest = re.search(r"ifdef MINI_DATASET(.*?)#\s*endif", text, re.DOTALL)
    macros = dict(re.findall(r"define\s+(\w+)\s+(\d+)", smallest.group(1))) if smallest else {}
    # A header whose N the user has set defines no size.
    macros = {"N": str(ROWS), **macros} if macros else {}
    lines = ["#include <cuda_runtime.h>", "#include <cuda.h>", "#include <cmath>", "#include <cstdio>", "#include <cstdlib>"]
    lines += [f"#define {name} {min(int(size), STEPS if name.startswith('T') else ROWS)}" for name, size in macros.items()]
    header = folder / "smaller_sizes.h"
    header.write_text("\n".join(lines) + "\n")
    return ["--pre-include", header.name]


def programs(root):
    for makefile in sorted((root / "CUDA").glob("*/Makefile")):
        sources = re.search(r"^CUFILES\s*:?=\s*(.*)", makefile.read_text(), re.MULTILINE)
        p = Program(makefile.parent.name, makefile.parent)
        p.sources = sources.group(1).split() if sources else [f.name for f in makefile.parent.glob("*.cu")]
        p.flags = ["-O3", *sizes(makefile.parent), "-DcudaThreadSynchronize=cudaDeviceSynchronize"]  # gone from CUDA 13
        p.proof = r"Non-Matching CPU-GPU Outputs.*: 0\b|Number of misses: 0\b"  # elements beyond its threshold
        yield p
