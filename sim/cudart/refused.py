#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a source that defines every export which the given sources do not: refused.py EXPORTS OUTPUT SOURCE...

Arguments lie in registers that the caller owns, so a function without parameters may stand for any that answers a cudaError_t.
"""
import re
import sys


def defined(path):
    text = open(path, encoding="utf-8").read()
    names = set(re.findall(r"GPULOOM_CUDA\b[^;{=]*?\b(\w+)\(", text))
    for name, suffix in re.findall(r"GPULOOM_BOTH\((\w+),\s*(\w+),", text):
        names |= {name, name + suffix}
    return names


def main():
    exports = open(sys.argv[1], encoding="utf-8").read().split()
    ours = set().union(*(defined(path) for path in sys.argv[3:]))
    unknown = sorted(name for name in ours if name not in exports)
    if unknown:
        sys.exit("not among the exports: " + ", ".join(unknown))
    lines = ["// Made by sim/cudart/refused.py.", '#include "sim/cudart/process.h"', "", "namespace gpuloom::cudart {"]
    lines += [f'GPULOOM_CUDA int {name}() {{ return refuse("{name}"); }}' for name in exports if name not in ours]
    lines += ["}  // namespace gpuloom::cudart", ""]
    open(sys.argv[2], "w", encoding="utf-8").write("\n".join(lines))


main()
