# SPDX-License-Identifier: Apache-2.0
"""HeCBench: the CUDA version of each benchmark, with the arguments of its test (benchmarks.yaml), else of its Makefile's `run`.

How often a kernel is repeated becomes 1: the argument that the program's usage calls so, else the last of several. hecbench_sizes.yaml has smaller arguments where those of the test mean more work
than a functional simulation does in half a minute.
"""
import pathlib
import re
import shlex

import yaml

from program import Program

SIZES = pathlib.Path(__file__).with_name("hecbench_sizes.yaml")
ADDRESS = "https://github.com/zjin-lcf/HeCBench"
LIBRARIES = ("-lcublas", "-lcusparse", "-lcufft", "-lcurand", "-lcusolver", "-lcudnn", "-lnccl", "-lmpi", "-lnvToolsExt", "-lnvml", "-lgsl",
             "-lcusolver", "-lnvrtc", "-lboost")


def variable(text, name):
    found = re.search(rf"^{name}\s*[:?]?=\s*((?:.*\\\n)*.*)", text, re.MULTILINE)
    return found.group(1).replace("\\\n", " ").strip() if found else ""


def with_values(text, word):
    return re.sub(r"\$[({](\w+)[)}]", lambda m: variable(text, m.group(1)) or m.group(0), word)


def expanded(text, words):
    """The words with the Makefile's own variables in place of their names."""
    for _ in range(3):  # variables name others
        words = [part for word in words for part in shlex.split(with_values(text, word))]
    return words


def flags_of(text):
    """What the preprocessor and the language take from CFLAGS. A word stays out where a variable in it has no value in the Makefile."""
    text_of_flags = variable(text, "CFLAGS") + " " + " ".join(re.findall(r"^CFLAGS\s*\+=\s*(-[ID].*)", text, re.MULTILINE))
    for _ in range(3):  # variables name others
        text_of_flags = " ".join(with_values(text, word) for word in text_of_flags.split())
    words = re.sub(r"(?<!\S)-([ID])\s+(?=[^\s-])", r"-\1", text_of_flags).split()
    return [w for w in words if w.startswith(("-I", "-D", "-std", "--extended", "--expt", "-rdc", "-U")) and "$" not in w and "DEBUG" not in w]


def repeat_place(folder, arguments):
    """Which argument is the number of repetitions, by the usage that the program prints, else the last of several plain ones; None: none is."""
    for source in sorted(folder.glob("*.c*")):
        usage = re.search(r'[Uu]sage:?[^"]*', source.read_text(errors="replace"))
        words = re.findall(r"[<\[][^>\]]*[>\]]", usage.group(0)) if usage else []
        if len(words) == len(arguments) and words:
            return next((place for place, word in enumerate(words) if re.search(r"repeat|iteration|number of runs|\btimes\b", word)), None)
    plain = not any(a.startswith("-") for a in arguments)
    return len(arguments) - 1 if plain and len(arguments) > 1 else None


def run_line(text):
    """The folder and the arguments of the Makefile's first run."""
    recipe = re.search(r"^run:.*\n((?:\t.*\n?)+)", text.replace("\\\n", " "), re.MULTILINE)
    for line in recipe.group(1).splitlines() if recipe else []:
        try:
            words = shlex.split(line)
        except ValueError:  # an odd quote: nothing to go by
            continue
        at = next((i for i, w in enumerate(words) if re.match(r"\.\.?/|\S*\$\((?:program|EXE|BIN_)", w)), None)
        if at is not None:
            end = next((i for i, w in enumerate(words) if i > at and re.match(r"[;&|>]", w)), len(words))
            folder = words[words.index("cd") + 1] if "cd" in words[:at] else ""
            return folder, expanded(text, words[at + 1:end])
    return "", []


def arguments_of(text, facts, folder):
    """The folder it runs in, its arguments."""
    runs_in, arguments = run_line(text)
    if facts.get("test"):
        arguments = [str(a) for a in facts["test"].get("args", [])]
    place = repeat_place(folder, arguments)
    if place is not None and arguments[place].isdigit() and int(arguments[place]) > 1:
        arguments[place] = "1"
    return runs_in, arguments


def sources_of(text, folder):
    kinds = (".cu", ".cpp", ".cc", ".c")
    named = [s for s in variable(text, "source").split() if "$" not in s]
    # Without sources, the objects' names; some Makefiles name a source by another ending than its own.
    named = named or [o for o in variable(text, "obj").split() if o.endswith(".o")]
    sources = [next((str(pathlib.Path(s).with_suffix(k)) for k in (pathlib.Path(s).suffix, *kinds) if (folder / s).with_suffix(k).exists()), s) for s in named]
    here = sorted(f.name for f in folder.iterdir() if f.suffix in kinds)
    return sources or here or sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.suffix in kinds)


def programs(root):
    facts = yaml.safe_load((root / "benchmarks.yaml").read_text())
    smaller = yaml.safe_load(SIZES.read_text())
    for makefile in sorted((root / "src").glob("*-cuda/Makefile")):
        text = makefile.read_text(errors="replace")
        name = makefile.parent.name[:-len("-cuda")]
        p = Program(name, makefile.parent)
        p.sources = sources_of(text, makefile.parent)
        p.flags = flags_of(text)
        stream = re.search(r"-default-stream[ =](\S+)", text)
        p.flags += ["-default-stream", stream.group(1)] if stream else []
        p.flags += ["-Iinclude"] if (makefile.parent / "include").is_dir() else []
        p.flags += ["-O3"] if "OPTIMIZE" in text else []
        if re.search(r"(?<!\S)(?:-dc|-rdc=true|--device-c)(?!\S)", text) and "-rdc=true" not in p.flags:
            p.flags.append("-rdc=true")
        if "-fopenmp" in text:
            p.flags += ["-Xcompiler", "-fopenmp"]
        p.make_before = [["bunzip2", "-kf", f.name] for f in sorted(makefile.parent.glob("*.bz2"))]
        p.data_elsewhere = any(makefile.parent.glob("**/*.dvc"))
        used = [library for library in LIBRARIES if library in text]
        p.flags += [w for w in variable(text, "LDFLAGS").split() if w.startswith("-l") and w not in used]
        p.skip = f"needs {used[0][2:]}" if used else ""
        mine = facts.get(name, {})
        p.run_folder, p.arguments = arguments_of(text, mine, makefile.parent)
        size = smaller.get(name, p.arguments)
        size = size if isinstance(size, dict) else {"arguments": size}
        p.arguments = [str(a) for a in size["arguments"]]
        p.inputs = size.get("inputs", {})
        p.success = mine.get("test", {}).get("regex", "")
        yield p
