# SPDX-License-Identifier: Apache-2.0
"""HeCBench: the CUDA version of each benchmark, with the arguments of its test (benchmarks.yaml), else of its Makefile's `run`.

How often a kernel is repeated becomes 1: the argument that the program's usage calls so, else the last of several.
"""
import re
import shlex

import yaml

from program import Program

ADDRESS = "https://github.com/zjin-lcf/HeCBench"
LIBRARIES = ("-lcublas", "-lcusparse", "-lcufft", "-lcurand", "-lcusolver", "-lcudnn", "-lnccl", "-lmpi", "-lnvToolsExt", "-lnvml", "-lgsl",
             "-lcusolver", "-lnvrtc", "-lboost")


def variable(text, name):
    found = re.search(rf"^{name}\s*:?=\s*((?:.*\\\n)*.*)", text, re.MULTILINE)
    return found.group(1).replace("\\\n", " ").strip() if found else ""


def repeat_place(folder):
    """Which argument is the number of repetitions, by the usage that the program prints; None: it does not say."""
    for source in sorted(folder.glob("*.c*")):
        usage = re.search(r'[Uu]sage:?[^"]*', source.read_text(errors="replace"))
        words = re.findall(r"[<\[][^>\]]*[>\]]", usage.group(0)) if usage else []
        for place, word in enumerate(words):
            if re.search(r"repeat|iteration|number of runs|\btimes\b", word):
                return place
    return None


def arguments_of(text, facts, folder):
    arguments = [str(a) for a in facts.get("test", {}).get("args", [])]
    if not facts.get("test"):
        run = re.search(r"^run:.*\n\t(.*)", text, re.MULTILINE)
        try:
            words = shlex.split(run.group(1)) if run else []
        except ValueError:  # a line that goes on, or an odd quote: nothing to go by
            words = []
        at = next((i for i, w in enumerate(words) if "program" in w), None)
        arguments = words[at + 1:] if at is not None else []
    place = repeat_place(folder)
    if place is None and len(arguments) > 1:
        place = len(arguments) - 1
    if place is not None and place < len(arguments) and arguments[place].isdigit() and int(arguments[place]) > 1:
        arguments[place] = "1"
    return arguments


def programs(root):
    facts = yaml.safe_load((root / "benchmarks.yaml").read_text())
    for makefile in sorted((root / "src").glob("*-cuda/Makefile")):
        text = makefile.read_text(errors="replace")
        name = makefile.parent.name[:-len("-cuda")]
        p = Program(name, makefile.parent)
        sources = variable(text, "source").split()
        p.sources = [s for s in sources if "$" not in s] or sorted(f.name for f in makefile.parent.iterdir() if f.suffix in (".cu", ".cpp", ".cc", ".c"))
        words = (variable(text, "CFLAGS") + " " + " ".join(re.findall(r"^CFLAGS\s*\+=\s*(-[ID].*)", text, re.MULTILINE))).split()
        p.flags = [w for w in words if w.startswith(("-I", "-D", "-std", "--extended", "--expt", "-rdc", "--default", "-U"))
                   and "$" not in w and "DEBUG" not in w]
        p.flags += ["-O3"] if "OPTIMIZE" in text else []
        if "-fopenmp" in text:
            p.flags += ["-Xcompiler", "-fopenmp"]
        p.data_elsewhere = any(makefile.parent.glob("**/*.dvc"))
        used = [library for library in LIBRARIES if library in text]
        p.flags += [w for w in variable(text, "LDFLAGS").split() if w.startswith("-l") and w not in used]
        p.skip = f"needs {used[0][2:]}" if used else ""
        mine = facts.get(name, {})
        p.arguments = arguments_of(text, mine, makefile.parent)
        p.success = mine.get("test", {}).get("regex", "")
        yield p
