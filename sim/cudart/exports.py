#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a source with every export that the given sources do not define: exports.py runtime|driver EXPORTS OUTPUT SOURCE...

For the driver API with a table of all by name as well. Arguments lie in registers that the caller owns, so a function without parameters
may stand for any that answers an error code.
"""
import re
import sys

INCLUDES = {"runtime": ["sim/cudart/process.h"], "driver": ["sim/cuda/driver.h", "sim/cuda/entry.h"]}
NAMESPACE = {"runtime": "gpuloom::cudart", "driver": "gpuloom::driver"}
PARAMETERS_OF_MACROS = {"NAME", "ASYNC", "CU"}


def defined(path):
    """Names that a source defines, by GPULOOM_CUDA or a macro that has it inside."""
    text = open(path, encoding="utf-8").read()
    names = set(re.findall(r"GPULOOM_CUDA\b[^;{=]*?\b(\w+)\(", text))
    names |= set(re.findall(r"^GPULOOM_(?:SAME|OF_DEVICE)\((\w+),", text, re.MULTILINE))
    for name, suffix in re.findall(r"^GPULOOM_(?:BOTH|SAME_BOTH)\((\w+),\s*(_\w+),", text, re.MULTILINE):
        names |= {name, name + suffix}
    for name, asynchronous in re.findall(r"^GPULOOM_(?:COPY|FILL|FILL_2D)\((\w+), (\w+),", text, re.MULTILINE):
        names |= {name, name + "_ptds", asynchronous, asynchronous + "_ptsz"}
    return names - PARAMETERS_OF_MACROS


def table(exports, ours):
    lines = [f'extern "C" int {name}();' for name in exports if name in ours]
    lines += ["extern const Entry kEntries[] = {"]
    lines += [f'    {{"{name}", reinterpret_cast<void*>(&{name})}},' for name in sorted(exports)]
    return lines + ["};", f"extern const size_t kEntryCount = {len(exports)};"]


def main():
    kind, exports = sys.argv[1], open(sys.argv[2], encoding="utf-8").read().split()
    ours = set().union(*(defined(path) for path in sys.argv[4:]))
    unknown = sorted(name for name in ours if name not in exports)
    if unknown:
        sys.exit("not among the exports: " + ", ".join(unknown))
    lines = ["// Made by sim/cudart/exports.py.", *(f'#include "{header}"' for header in INCLUDES[kind]), "", f"namespace {NAMESPACE[kind]} {{"]
    lines += [f'GPULOOM_CUDA int {name}() {{ return refuse("{name}"); }}' for name in exports if name not in ours]
    lines += table(exports, ours) if kind == "driver" else []
    lines += [f"}}  // namespace {NAMESPACE[kind]}", ""]
    open(sys.argv[3], "w", encoding="utf-8").write("\n".join(lines))


main()
