# SPDX-License-Identifier: Apache-2.0
"""Which sources of a target are compiled as one (cmake/Levels.cmake, GPULOOM_BATCH).

usage: batches.py ROOT SIZE SOURCES...    prints "batch source" lines; a source that stands with no other has none.

Sources stand together where what one keeps to itself, in unnamed namespaces and macros, has no name that the other declares
or takes from a header of this tree, and none of a function from elsewhere that the other calls. Names are found in the text.
"""
import functools
import pathlib
import re
import sys

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
MACRO = re.compile(r"^#define (\w+)", re.M)
UNDEFINED = re.compile(r"^#undef (\w+)", re.M)
UNNAMED = re.compile(r"\bnamespace\s*$")
NAMED = re.compile(r"\bnamespace\s+[\w:]+\s*$")
PLAIN_ENUM = re.compile(r"\benum\b(?!\s+(?:class|struct))[^;{}()]*$")
TYPE = re.compile(r"\b(?:struct|class|enum|using|concept)\s+(?:class\s+|struct\s+)?(\w+)")
FUNCTION = re.compile(r"(\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$")
NESTED = re.compile(r"\([^()]*\)")
CALLED = re.compile(r"(?<![\w.:>])(?<!->)([a-z]\w*)\s*\(")
KEYWORDS = frozenset("if for while switch return sizeof requires decltype noexcept const operator catch explicit template namespace static_assert int".split())
ALIAS = re.compile(r"\busing (\w+) = ([^;]+);")
USED = re.compile(r"\busing (?:namespace )?[\w:]+;")


def names_at_namespaces(code):
    """Names declared at the level of namespaces: of unnamed ones, and of others."""
    own, others = set(), set()
    open_scopes, pieces, begin = [], {True: [], False: []}, 0
    for at in (m.start() for m in re.finditer(r"[{}]", code)):
        scopes_only = all(kind in ("unnamed", "named") for kind in open_scopes)
        if scopes_only:
            pieces["unnamed" in open_scopes].append(code[begin:at] + ("{" if code[at] == "{" else ";"))
        if code[at] == "}":
            if open_scopes:
                open_scopes.pop()
        else:
            before = code[max(0, at - 120):at]
            if UNNAMED.search(before):
                open_scopes.append("unnamed")
            elif NAMED.search(before):
                open_scopes.append("named")
            else:
                if scopes_only and PLAIN_ENUM.search(before):
                    found = re.findall(r"(?:^|,)\s*(\w+)", code[at + 1:code.index("}", at)])
                    (own if "unnamed" in open_scopes else others).update(found)
                open_scopes.append("braces")
        begin = at + 1
    for unnamed, names in ((True, own), (False, others)):
        for declaration in re.split(r"[;{]", "".join(pieces[unnamed])):
            declared = re.sub(r"^\s*template\s*<[^()]*?>(?=\s*\w)", "", declaration).split(" = ")[0]
            found = TYPE.search(declared) or FUNCTION.search(declared)
            variables = [VARIABLE.search(part.split("=")[0].rstrip()) for part in NESTED.sub("", NESTED.sub("", declaration)).split(",")]
            names.update(f.group(1) for f in ([found] if found else variables) if f)
    return own - KEYWORDS, others - KEYWORDS


@functools.lru_cache(None)
def header(root, name):
    """What a header of the tree declares, with what it includes, and all its words."""
    path = root / name
    if not path.is_file():
        return frozenset(), frozenset()
    text = path.read_text()
    code = USED.sub(" ", NOT_CODE.sub(" ", text))
    own, others = names_at_namespaces(code)
    declared, words = own | others | set(MACRO.findall(code)), set(re.findall(r"\w+", code))
    for included in INCLUDE.findall(text):
        more_declared, more_words = header(root, included)
        declared |= more_declared
        words |= more_words
    return frozenset(declared), frozenset(words)


class Source:
    def __init__(self, root, path):
        self.path = path
        text = pathlib.Path(path).read_text()
        code = USED.sub(" ", NOT_CODE.sub(" ", text))
        self.aliases = dict(ALIAS.findall(code))
        self.own, self.known = names_at_namespaces(code)
        self.own |= set(MACRO.findall(code)) - set(UNDEFINED.findall(code))
        self.known |= self.own
        words = set()
        for included in INCLUDE.findall(text):
            declared, of_header = header(root, included)
            self.known |= declared
            words |= of_header
        self.known |= set(CALLED.findall(code)) - words - set(re.findall(r"(\w+) = \[", code))

    def clashes_with(self, other):
        common = (self.own & other.known) | (other.own & self.known)
        return any(name not in self.aliases or self.aliases[name] != other.aliases.get(name) for name in common)


def main():
    root, size = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    sources = [Source(root, path) for path in sys.argv[3:]]
    clashes = {s: {other for other in sources if other is not s and s.clashes_with(other)} for s in sources}
    batches = []
    for source in sorted(sources, key=lambda s: len(clashes[s])):  # those that stand with most others first: fewer batches
        for batch in batches:
            if len(batch) < size and clashes[source].isdisjoint(batch):
                batch.append(source)
                break
        else:
            batches.append([source])
    for number, batch in enumerate(b for b in batches if len(b) > 1):
        for source in batch:
            print(number, source.path)


if __name__ == "__main__":
    main()
