#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the tree that a compiler does not enforce.

Includes point down only; yaml-cpp, SystemC, CLI11 and pybind11 stay where they belong; every source begins with its licence line;
headers say #pragma once; no unfinished marks; links between pages lead somewhere, and paths that pages and comments name exist; the version is
the same everywhere; clang-format leaves files as they are (where clang-format is installed).
Prints every violation as file:line: reason; exit status 1 when there is any.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

ARCH_CONFIG = ["arch/gpu_config.h", "arch/ideal.h", "arch/lowering_config.h", "arch/policy_window.h", "arch/types.h", *[f"arch/{unit}/config.h" for unit in ("dram", "gpc", "host", "l2", "noc", "sm")],
               "arch/policy", "ptx/machine/lowering_profile.h", "ptx/machine/machine_program.h", "ptx/isa/table/op_class.h", "base"]
ARCH_BASE = [*ARCH_CONFIG, "arch/stall_reason.h", "arch/systemc", "base", "traces"]
ARCH_ON = ["ptx/ir", "ptx/isa/table", "ptx/exec", "ptx/machine"]

# Level of a path prefix (longest match counts) and the prefixes it may include.
MAY_INCLUDE = {
    "base": ["base"],
    "sim/memory": ["sim/memory", "base", "ptx/exec/memory_view.h"],
    "ptx/numeric": ["ptx/numeric"],
    "ptx/ir": ["ptx/ir", "ptx/isa/table/op_class.h", "base"],
    "ptx/target": ["ptx/target.h", "ptx/ir", "base"],
    "ptx/lex": ["ptx/lex", "base", "ptx/ir"],
    "ptx/isa/table": ["ptx/isa/table", "ptx/ir", "ptx/target.h", "base"],
    "ptx/parse": ["ptx/parse", "ptx/lex", "ptx/isa/table", "ptx/ir", "ptx/target.h", "base"],
    "ptx/exec": ["ptx/exec", "ptx/isa/table", "ptx/ir", "ptx/numeric", "base"],
    "ptx/isa": ["ptx/isa", "ptx/exec", "ptx/ir", "ptx/numeric", "base"],
    "ptx/passes": ["ptx/passes", "ptx/isa", "ptx/exec", "ptx/ir", "ptx/numeric", "ptx/target.h", "base"],
    "ptx/machine": ["ptx/machine", "ptx/target.h", "ptx/passes", "ptx/isa/table", "ptx/isa/compare/mask_function.h", "ptx/exec", "ptx/ir", "base"],
    "arch/systemc": ["arch/systemc", "base"],
    "sim/report": ["sim/report", "base"],
    "traces": ["traces", "base"],
    # Inside arch: the configuration of all units, the SystemC skin, then the units from the memory up to the whole GPU.
    "arch/gpu_config": ARCH_CONFIG,
    "arch/ideal": ARCH_CONFIG,
    "arch/lowering_config": ARCH_CONFIG,
    "arch/types": ["arch/types.h"],
    "arch/policy_window": ["arch/policy_window.h"],
    "arch/stall_reason": ["arch/stall_reason.h"],
    **{f"arch/{unit}/config": ARCH_CONFIG for unit in ("dram", "gpc", "host", "l2", "noc", "sm")},
    "arch/noc": ["arch/noc", *ARCH_BASE],
    "arch/dram": ["arch/dram", "arch/noc", *ARCH_BASE],
    "arch/l2": ["arch/l2", "arch/noc", *ARCH_BASE],
    "arch/sm": ["arch/sm", "arch/noc", "arch/simulation.h", *ARCH_BASE, *ARCH_ON],
    "arch/policy": ["arch/policy", "base"],
    "arch/gpc": ["arch/gpc", "arch/sm", *ARCH_BASE, *ARCH_ON],
    "arch/host": ["arch/host", "arch/gpc", "arch/sm", *ARCH_BASE, *ARCH_ON],
    "arch/gpu": ["arch/gpu", "arch/host", "arch/gpc", "arch/sm", "arch/l2", "arch/dram", "arch/noc", "arch/simulation.h", *ARCH_BASE, *ARCH_ON],
    "arch/simulation": ["arch/simulation.h", "arch/gpu", *ARCH_BASE, *ARCH_ON],
    "sim/frontend": ["sim/frontend", "ptx/target.h", "sim/memory", "base"],
    "sim/runtime": ["sim/frontend", "sim/runtime", "traces", "sim/report", "sim/memory", "base", "arch/systemc", "arch", "ptx"],
    "sim/streams": ["sim/streams", "sim/runtime", "sim/report", "sim/memory", "base", "arch", "ptx"],
    "sim/api": ["sim/api", "sim/streams", "sim/frontend", "traces", "sim/runtime", "sim/report", "sim/memory", "base", "arch", "ptx"],
    "sim/host": ["sim/host", "sim/streams", "sim/api", "sim/frontend", "sim/runtime", "sim/report", "sim/memory", "base", "arch", "ptx"],
    "sim/cuda": ["sim/cuda", "sim/cudart", "sim/host", "sim/streams", "sim/frontend", "sim/runtime", "sim/memory", "base", "arch", "ptx"],
    "sim/nvml": ["sim/nvml", "sim/cudart", "sim/host", "base"],
    "sim/cudart": ["sim/cudart", "sim/cuda", "sim/host", "sim/streams", "sim/frontend", "sim/runtime", "sim/memory", "base", "arch", "ptx"],
    "sim/python": ["sim/python", "sim/api", "sim/streams", "sim/runtime", "sim/report", "sim/memory", "base", "arch", "ptx"],
    "bench/validation": ["bench/validation", "sim", "base", "arch", "ptx"],
    "sim/cli": ["sim", "base", "arch", "ptx", "traces"],
}
ONLY_IN = {  # third-party header: folders (or files) that may include it
    "systemc": ["arch/systemc/"],
    "tlm": ["arch/systemc/"],
    "yaml-cpp/": ["base/config/"],
    "CLI/": ["sim/cli/", "bench/validation/"],
    "pybind11/": ["sim/python/"],
}


def tracked(patterns):
    out = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in out.stdout.split("\n") if line and (ROOT / line).exists()]


def level_of(path):
    best = ""
    for prefix in MAY_INCLUDE:
        if path.startswith(prefix + "/") or path.startswith(prefix + "."):
            if len(prefix) > len(best):
                best = prefix
    return best


def allowed(level, included):
    return any(included == p or included.startswith(p + "/") for p in MAY_INCLUDE[level])


def check_includes(path, lines, problems):
    level = level_of(path)
    for number, line in enumerate(lines, 1):
        found = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if not found:
            continue
        quoted, name = found.group(1) == '"', found.group(2)
        if not quoted:
            for prefix, places in ONLY_IN.items():
                if name.startswith(prefix) and not any(path.startswith(p) for p in places):
                    problems.append(f"{path}:{number}: <{name}> belongs in {', '.join(places)} only")
        elif level and not path.endswith("_test.cpp") and not allowed(level, name):
            problems.append(f"{path}:{number}: {level} may not include \"{name}\" (includes point down only)")


def check_text(path, lines, problems):
    if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(lines[:2]):
        problems.append(f"{path}:1: the first line names the licence: SPDX-License-Identifier: Apache-2.0")
    if path.endswith(".h") and "#pragma once" not in lines:
        problems.append(f"{path}:1: header without #pragma once")
    for number, line in enumerate(lines, 1):
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and not path.endswith("check_tree.py"):
            problems.append(f"{path}:{number}: unfinished work is refused loudly or written down elsewhere, not marked in the source")


def check_links(problems):
    """Links of a page to files of the tree lead somewhere."""
    for path in tracked(["*.md"]):
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").split("\n"), 1):
            for target in re.findall(r"\]\(([\w./-]+)(?:#[^)]*)?\)", line):
                if not (ROOT / path).parent.joinpath(target).exists():
                    problems.append(f"{path}:{number}: the link to {target} leads nowhere")


TOP = "arch|base|bench|cmake|configs|docs|ptx|scripts|sim|tests|traces"
# Named, and rightly not in the tree: what a recipe adds, what is no longer, what another project has, what a sweep's directory holds.
NOT_HERE = {"arch/policy/scheduler/youngest.cpp", "sim/cli/where_command.h", "sim/cli/where_command.cpp", "configs/gpu/l40s.yaml", "sim/base",
            "configs/DIGEST.yaml", "configs/HBM2_8Gb_x128.ini", "inputs/", "results/", "failed/", "logs/", "saved/", "plots/"}
ENDINGS = ["", ".gz", ".h", ".cpp", ".py", ".md", ".yaml", ".cu", ".inc", "_test.cpp"]


def braces(path):
    """window.{h,cpp} -> window.h, window.cpp"""
    found = re.match(r"(.*)\{([^}]*)\}(.*)$", path)
    return [found.group(1) + one + found.group(3) for one in found.group(2).split(",")] if found else [path]


def there(path, folder):
    """A file or folder of this name in the tree, from the root or from the page's folder; its ending may be left out."""
    if path in NOT_HERE:
        return True
    for base in (ROOT, ROOT / folder):
        if any((base / (path.rstrip("/") + ending)).exists() for ending in ENDINGS):
            return True
        if "*" in path and any(base.glob(path.rstrip("/"))):
            return True
    return False


def check_paths(sources, problems):
    """What looks like a path of the tree in a page's backticks or in a comment exists."""
    names = {pathlib.PurePath(path).name for path in tracked([])}
    for page in tracked(["*.md"]):
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, line in enumerate(text.split("\n"), 1):
            for word in re.findall(r"`([\w./{},*-]+)`", line):
                rooted = re.match(rf"({TOP})/", word) and not word.startswith("sim/python/gpuloom/_native/_core.")
                folder = re.fullmatch(r"[\w-]+(/[\w-]+)*/", word)
                source = re.fullmatch(r"[\w{},]+\.(h|cpp|inc)", word)
                if source and all(one in names for one in braces(word)):
                    continue
                if (rooted or folder or source) and not all(there(one, pathlib.PurePath(page).parent) for one in braces(word)):
                    problems.append(f"{page}:{number}: there is no {word} in the tree")
    others = [path for path in tracked(["*.py", "*.yaml", "*.cmake", "CMakeLists.txt"]) if "/corpus/" not in path and not path.startswith("tests/fuzz/")]
    for path in [*sources, *others]:
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").split("\n"), 1):
            comment = re.search(r"(?://|#) (.*)$", line)
            for word in re.findall(rf"(?<![\w/.<-])((?:(?:{TOP})/[\w/]*\w(?:\.\w+)?)|[A-Z]+\.md)\b(?![<*{{-])", comment.group(1) if comment else ""):
                if not there(word, pathlib.PurePath(path).parent):
                    problems.append(f"{path}:{number}: the comment names {word}, which is not in the tree")


def check_version(problems):
    """One version, in the places that packagers, users and readers look at."""
    places = {"CMakeLists.txt": r"project\(gpuloom VERSION ([\d.]+)", "pyproject.toml": r'^version = "([\d.]+)"', "CITATION.cff": r"^version: ([\d.]+)",
              "CHANGELOG.md": r"^## ([\d.]+)"}
    found = {place: re.search(pattern, (ROOT / place).read_text(encoding="utf-8"), re.M).group(1) for place, pattern in places.items()}
    if len(set(found.values())) != 1:
        problems.append("CMakeLists.txt:1: versions differ: " + ", ".join(f"{place} says {version}" for place, version in found.items()))


def check_format(files, problems):
    tool = shutil.which("clang-format")
    if not tool:
        print("clang-format is not installed: format not checked")
        return
    for start in range(0, len(files), 50):
        out = subprocess.run([tool, "--dry-run", *files[start:start + 50]], cwd=ROOT, capture_output=True, text=True)
        seen = set()
        for line in out.stderr.split("\n"):
            found = re.match(r"(?:\./)?([^:]+):(\d+):\d+: warning: code should be clang-formatted", line)
            if found and found.group(1) not in seen:
                seen.add(found.group(1))
                problems.append(f"{os.path.relpath(found.group(1), ROOT) if found.group(1).startswith('/') else found.group(1)}:"
                                f"{found.group(2)}: not as clang-format leaves it")


def main():
    sources = tracked(["*.cpp", "*.h"])
    problems = []
    for path in sources:
        lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
        check_includes(path, lines, problems)
        check_text(path, lines, problems)
    check_links(problems)
    check_paths(sources, problems)
    check_version(problems)
    check_format(sources, problems)
    for problem in problems:
        print(problem)
    print(f"{len(sources)} sources checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
