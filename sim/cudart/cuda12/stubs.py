#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes libcudart.so.12's exports: stubs.py EXPORTS EXPORTS_OF_13 OUTPUT FUNCTIONS.

A name that FUNCTIONS defines is that function; one of CUDA 13 goes there, a `_v2` or `_v3` whose meaning CUDA 13 gives to the plain name
goes to that; what is left, and what changed in a way that nobody has written yet, answers cudaErrorNotSupported.
"""
import re
import sys

# CUDA 13 has other parameters, and refuses them as well.
REFUSED = {"cudaMemcpyBatchAsync", "cudaMemcpyBatchAsync_ptsz", "cudaMemcpy3DBatchAsync", "cudaMemcpy3DBatchAsync_ptsz",
           "cudaGetDeviceProperties"}  # of CUDA 11's structure: the header of CUDA 12 means _v2
JUMP = """  .globl gpuloom_12_{name}
  .type gpuloom_12_{name}, %function
gpuloom_12_{name}:
  " GPULOOM_JUMP "{target}" GPULOOM_PLT "
"""


def main():
    exports, newer = (open(path, encoding="utf-8").read().split() for path in sys.argv[1:3])
    ours = set(re.findall(r"^GPULOOM_CUDA12\((\w+)", open(sys.argv[4], encoding="utf-8").read(), re.MULTILINE))
    unknown = sorted(ours - set(exports))
    if unknown:
        sys.exit("not among the exports: " + ", ".join(unknown))
    refused, stubs = [], []
    for name in exports:
        plain = re.sub(r"_v[23](?=$|_ptsz$|_ptds$)", "", name)
        target = name if name in newer else plain
        if name in ours:
            continue
        if name in REFUSED or target not in newer:
            refused.append(name)
        else:
            stubs.append(JUMP.format(name=name, target=target).replace("\n", "\\n\"\n\""))
    text = ["// Made by sim/cudart/cuda12/stubs.py.", "#include <cstdio>",
            "#if defined(__x86_64__)", '#define GPULOOM_JUMP "jmp "', '#define GPULOOM_PLT "@PLT"',
            "#elif defined(__aarch64__)", '#define GPULOOM_JUMP "b "', '#define GPULOOM_PLT ""', "#endif",
            "namespace {", "int refuse(const char* name) {",
            '  std::fprintf(stderr, "gpuloom: %s of CUDA 12 is not supported: it answers cudaErrorNotSupported\\n", name);', "  return 801;", "}", "}  // namespace"]
    text += [f'extern "C" int gpuloom_12_{name}() {{ return refuse("{name}"); }}' for name in refused]
    text += ['asm("' + "".join(stubs) + '");']
    text += [f'asm(".symver gpuloom_12_{name}, {name}@libcudart.so.12");' for name in exports if name not in ours]
    open(sys.argv[3], "w", encoding="utf-8").write("\n".join(text) + "\n")


main()
