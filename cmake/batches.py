# SPDX-License-Identifier: Apache-2.0
"""Which sources of a target are compiled as one (cmake/Levels.cmake, GPULOOM_BATCH).

usage: batches.py ROOT SIZE SOURCES...    prints "batch source" lines; a source that stands with no other has none.

Sources stand together where what one keeps to itself, in unnamed namespaces and macros, has no name that the other declares
or takes from a header of this tree, and none of a function from elsewhere that the other calls. Names are found in the text.
"""
import collections
import functools
import pathlib
import re
import sys

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
MACRO = re.compile(r"^#define (\w+)", re.M)
UNDEFINED = re.compile(r"^#undef (\w+)", re.M)
UNNAMED = re.compile(r"\bnamespace\s*$")
NAMED = re.compile(r"\bnamespace\s+(?:\w+::)*(\w+)\s*$")
PLAIN_ENUM = re.compile(r"\benum\b(?!\s+(?:class|struct))[^;{}()]*$")
TYPE = re.compile(r"\b(?:struct|class|enum|using(?=\s+\w+ =)|concept)\s+(?:class\s+|struct\s+)?(\w+)")
FUNCTION = re.compile(r"(\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$")
NESTED = re.compile(r"\([^()]*\)")
ANGLES = re.compile(r"<[^<>()]*>")
CALLED = re.compile(r"(?<![\w.:>])(?<!->)([a-z]\w*)\s*\(")
KEYWORDS = frozenset("if for while switch return sizeof requires decltype noexcept const operator catch explicit template namespace static_assert int".split())
ALIAS = re.compile(r"\b(?:using|namespace) (\w+) = ([^;]+);")
TAKEN = re.compile(r"^using ([\w:]+::(\w+));", re.M)
OPENED = re.compile(r"\bnamespace ((?:\w+::)*\w+) *\{")
USED = re.compile(r"\busing namespace ([\w:]+);")


def without_lists(text):
    """Without what stands in brackets and angles, whose commas separate no declarations."""
    for pattern in (NESTED, NESTED, ANGLES, ANGLES, ANGLES):
        text = pattern.sub("", text)
    return text


def declared(code):
    """Names declared at the level of namespaces: {namespace: names}, None for unnamed ones."""
    scopes, text, names, begin = [], collections.defaultdict(list), collections.defaultdict(set), 0
    for brace in re.finditer(r"[{}]", code):
        at, inside = brace.start(), "braces" not in scopes
        place = None if None in scopes else (scopes or [""])[-1]
        if inside:
            text[place].append(code[begin:at])
        if brace.group() == "}":
            if scopes:
                scopes.pop()
        else:
            before = code[max(0, at - 120):at]
            named = NAMED.search(before)
            if inside and PLAIN_ENUM.search(before):
                names[place].update(re.findall(r"(?:^|,)\s*(\w+)", code[at + 1:code.index("}", at)]))
            scopes.append(None if UNNAMED.search(before) else named.group(1) if named else "braces")
        begin = at + 1
    for place, pieces in text.items():
        for declaration in ";".join(pieces).split(";"):
            if re.match(r"\s*using [^=]*$", declaration):  # names of others
                continue
            head = re.sub(r"^\s*template\s*<[^()]*?>(?=\s*\w)", "", declaration).split(" = ")[0]
            found = TYPE.search(head) or FUNCTION.search(head)
            variables = [VARIABLE.search(part.split("=")[0].rstrip()) for part in without_lists(declaration).split(",")]
            names[place].update(f.group(1) for f in ([found] if found else variables) if f)
    return {place: found - KEYWORDS for place, found in names.items()}


@functools.lru_cache(None)
def header(root, name):
    """What a header of the tree declares, with what it includes, as (name, meaning); and all its words."""
    path = root / name
    if not path.is_file():
        return frozenset(), frozenset()
    text = path.read_text()
    code = NOT_CODE.sub(" ", text)
    known = {(n, f"{place}::{n}") for place, names in declared(code).items() for n in names}
    known |= {(macro, "#define") for macro in MACRO.findall(code)}
    words = set(re.findall(r"\w+", code))
    for included in INCLUDE.findall(text):
        more_known, more_words = header(root, included)
        known |= more_known
        words |= more_words
    return frozenset(known), frozenset(words)


class Source:
    def __init__(self, root, path):
        self.path = path
        text = pathlib.Path(path).read_text()
        code = NOT_CODE.sub(" ", text)
        names = declared(code)
        # Name -> what it means: whose it is, or what an alias stands for.
        self.own = {n: {path} for n in names.pop(None, ())}
        self.own.update({n: {path} for n in set(MACRO.findall(code)) - set(UNDEFINED.findall(code))})
        self.own.update({n: {meaning} for n, meaning in ALIAS.findall(code)})
        self.own.update({n: {"::".join(place.split("::")[-2:])} for place, n in TAKEN.findall(code)})
        self.known = collections.defaultdict(set)
        words = set()
        for included in INCLUDE.findall(text):
            known, of_header = header(root, included)
            words |= of_header
            for n, meaning in known:
                self.known[n].add(meaning)
        for place, here in names.items():
            for n in here:
                self.known[n].add(f"{place}::{n}")
        for n in set(CALLED.findall(code)) - words - set(re.findall(r"(\w+) = \[", code)):
            self.known[n].add("elsewhere")
        for n, meanings in self.own.items():
            self.known[n] |= meanings
        self.opened = {place for names in OPENED.findall(code) for place in names.split("::")}
        self.used = {names.split("::")[-1] for names in USED.findall(code)}

    def hides_from(self, other, used):
        """`used`: namespaces that some source uses whole. What stands in others is found by its whole name alone."""
        found = self.opened | other.opened | used | {""}

        def of(name):
            return other.own.get(name, set()) | {m for m in other.known.get(name, ()) if "::" not in m or m.split("::")[0] in found}

        return any(len(meanings | of(name)) > 1 for name, meanings in self.own.items())

    def clashes_with(self, other, used):
        return self.hides_from(other, used) or other.hides_from(self, used)


def main():
    root, size = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    sources = [Source(root, path) for path in sys.argv[3:]]
    used = set().union(*(s.used for s in sources))
    clashes = {s: {other for other in sources if other is not s and s.clashes_with(other, used)} for s in sources}
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
