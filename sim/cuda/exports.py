#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a source with every export that the given sources do not define, and a table of all: exports.py EXPORTS OUTPUT SOURCE...

Arguments lie in registers that the caller owns, so a function without parameters may stand for any that answers a CUresult.
"""
import re
import sys


def defined(path):
    text = open(path, encoding="utf-8").read()
    names = set(re.findall(r"GPULOOM_CUDA int (\w+)\(", text))
    names |= set(re.findall(r"^GPULOOM_(?:SAME|OF_DEVICE)\((\w+),", text, re.MULTILINE))
    for name, suffix in re.findall(r"^GPULOOM_(?:BOTH|SAME_BOTH)\((\w+),\s*(_\w+),", text, re.MULTILINE):
        names |= {name, name + suffix}
    for macro in ("COPY", "FILL", "FILL_2D"):
        for name, asynchronous in re.findall(rf"^GPULOOM_{macro}\((\w+), (\w+),", text, re.MULTILINE):
            names |= {name, name + "_ptds", asynchronous, asynchronous + "_ptsz"}
    return names - {"NAME", "ASYNC", "CU"}


def main():
    exports = open(sys.argv[1], encoding="utf-8").read().split()
    ours = set().union(*(defined(path) for path in sys.argv[3:]))
    unknown = sorted(name for name in ours if name not in exports)
    if unknown:
        sys.exit("not among the exports: " + ", ".join(unknown))
    lines = ["// Made by sim/cuda/exports.py.", '#include "sim/cuda/driver.h"', '#include "sim/cuda/entry.h"', "", "namespace gpuloom::driver {"]
    lines += [f'GPULOOM_CUDA int {name}() {{ return refuse("{name}"); }}' for name in exports if name not in ours]
    lines += [f'extern "C" int {name}();' for name in exports if name in ours]
    lines += ["extern const Entry kEntries[] = {"]
    lines += [f'    {{"{name}", reinterpret_cast<void*>(&{name})}},' for name in sorted(exports)]
    lines += ["};", f"extern const size_t kEntryCount = {len(exports)};", "}  // namespace gpuloom::driver", ""]
    open(sys.argv[2], "w", encoding="utf-8").write("\n".join(lines))


main()
