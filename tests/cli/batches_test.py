# SPDX-License-Identifier: Apache-2.0
"""Which sources cmake/batches.py lets be compiled as one. usage: batches_test.py TREE"""
import pathlib
import subprocess
import sys
import tempfile

TREE = pathlib.Path(sys.argv[1])
SOURCES = {
    "one.cpp": '#include "shared.h"\nnamespace { int helper() { return 1; } }\nint one() { return helper(); }\n',
    "two.cpp": '#include "shared.h"\nnamespace { int other() { return 2; } }\nint two() { return other(); }\n',
    "three.cpp": '#include "shared.h"\nint three() { return 3; }\n',
}


class Folder:
    def __init__(self, path):
        self.root = pathlib.Path(path)
        self.change("shared.h", "#pragma once\nint shared();\n")
        for name, text in SOURCES.items():
            self.change(name, text)

    def change(self, name, text):
        (self.root / name).write_text(text)

    def batches(self, size=12, lines=1500):
        """Names of the sources of each batch, as the listing has them."""
        command = [sys.executable, TREE / "cmake/batches.py", self.root, self.root / "out", "target", str(size), str(lines)]
        subprocess.run(command + [self.root / name for name in SOURCES], check=True)
        lists = [line.split(";") for line in (self.root / "out/target.txt").read_text().splitlines()]
        for batch, *sources in lists:
            expected = "".join(f'#include "{pathlib.Path(s).name}"\n' for s in sources)
            assert pathlib.Path(batch).read_text().endswith(expected), f"{batch} does not include what the listing says"
        return [[pathlib.Path(s).stem for s in sources] for _, *sources in lists]


def expect(found, expected, sentence):
    assert found == expected, f"{sentence}: {found} instead of {expected}"


with tempfile.TemporaryDirectory() as path:
    folder = Folder(path)
    expect(folder.batches(), [["one", "three", "two"]], "sources without a name in common are one batch")
    expect(folder.batches(size=2), [["one", "three"]], "a batch has at most so many sources, and one that is left over stands alone")
    expect(folder.batches(lines=5), [["one", "three"]], "a batch has at most so many lines")
    assert not (folder.root / "out/target_1.cpp").exists(), "a batch that is no more has no file"
    assert path not in (folder.root / "out/target_0.cpp").read_text(), "a batch does not say where the tree lies: ccache shares it with clones"
    folder.change("two.cpp", SOURCES["two.cpp"].replace("other", "helper"))
    expect(folder.batches(), [["one", "three"]], "sources that keep the same name to themselves stand apart")
    folder.change("two.cpp", SOURCES["two.cpp"] + "namespace { constexpr int kOwn = 2; }\n")
    folder.change("three.cpp", SOURCES["three.cpp"].replace("return 3", "constexpr int kOwn = 3; return kOwn"))
    expect(folder.batches(), [["one", "three"]], "a constant within a function must not shadow one of another source")
    folder.change("two.cpp", SOURCES["two.cpp"])
    folder.change("three.cpp", SOURCES["three.cpp"])
    folder.change("shared.h", "#pragma once\nint shared();\nnamespace tree { int other(); }\n")
    expect(folder.batches(), [["one", "three", "two"]], "a name in a namespace that nobody opens hides nothing")
    folder.change("shared.h", "#pragma once\nint shared();\nint other();\n")
    expect(folder.batches(), [["one", "three"]], "a source's own name must not stand in a header that the others read")
    assert str(folder.root / "shared.h") in (folder.root / "out/target.d").read_text(), "a changed header makes the batches be looked at again"
    folder.change("shared.h", "#pragma once\nint shared();\n")
    folder.change("ours.h", "#pragma once\nnamespace tree { struct Fill {}; }\n")
    folder.change("theirs.h", "#pragma once\nnamespace host { struct Fill {}; }\n")
    folder.change("one.cpp", '#include "ours.h"\nusing namespace tree;\nFill one() { return {}; }\n')
    folder.change("two.cpp", "namespace host {}\nusing namespace host;\nint two() { return 2; }\n")
    folder.change("three.cpp", '#include "theirs.h"\nint three() { return 3; }\n')
    expect(folder.batches(), [["one", "three"]], "a name that one uses must not get a second meaning by a namespace that another opens and a third one's header")
