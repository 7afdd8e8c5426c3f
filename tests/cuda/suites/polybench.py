# SPDX-License-Identifier: Apache-2.0
"""PolyBench-GPU: the CUDA version of each program, with the smallest data set. Each compares its GPU's results with the host's."""
import re

from program import Program

ADDRESS = "https://github.com/sgrauerg/polybenchGpu"


def programs(root):
    for makefile in sorted((root / "CUDA").glob("*/Makefile")):
        sources = re.search(r"^CUFILES\s*:?=\s*(.*)", makefile.read_text(), re.MULTILINE)
        p = Program(makefile.parent.name, makefile.parent)
        p.sources = sources.group(1).split() if sources else [f.name for f in makefile.parent.glob("*.cu")]
        p.flags = ["-O3", "-DMINI_DATASET", "-DcudaThreadSynchronize=cudaDeviceSynchronize"]  # gone from CUDA 13
        p.proof = r"Non-Matching CPU-GPU Outputs.*: 0\b|Number of misses: 0\b"  # elements beyond its threshold
        yield p
