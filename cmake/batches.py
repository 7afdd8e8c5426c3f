# SPDX-License-Identifier: Apache-2.0
"""Which sources of a target are compiled as one (cmake/Levels.cmake, GPULOOM_BATCH).

usage: batches.py ROOT FOLDER TARGET SIZE LINES SOURCES...
Writes FOLDER/TARGET_<number>.cpp, which include the sources of one batch each; FOLDER/TARGET.txt, which lists them ("batch;source;source...",
without sources that stand with no other); and FOLDER/TARGET.d, what was read. A batch has at most SIZE sources. LINES: and at most so many
lines, of neighbours, so that a change is compiled soon; 0: as few batches as possible.

Sources stand together where what one keeps to itself, in unnamed namespaces and macros, has no name that the other declares
or takes from a header of this tree, and none of a function from elsewhere that the other calls; where their headers define no type twice;
and where no name gets a second meaning because the other uses a namespace whole. Names are found in the text.
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
TYPE_WITH_BODY = re.compile(r"\b(?:struct|class|enum)\s+(?:class\s+|struct\s+)?(\w+)\b(?!\s*<)[^;{}()]*$")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$")
NESTED = re.compile(r"\([^()]*\)")
ANGLES = re.compile(r"<[^<>()]*>")
CALLED = re.compile(r"(?<![\w.:>])(?<!->)([a-z]\w*)\s*\(")
USE_OF_MACRO = re.compile(r"[A-Z][A-Z\d_]{2,}$")
CONSTANT = re.compile(r"\b(k[A-Z]\w*)\s*(?:=[^=]|\[|\{)")
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
    """Names declared at the level of namespaces: {namespace: names}, None for unnamed ones; and "namespace::type" of types with a body."""
    scopes, text, names, types, begin = [], collections.defaultdict(list), collections.defaultdict(set), set(), 0
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
            body = TYPE_WITH_BODY.search(before)
            if inside and place is not None and body:
                types.add(f"{place}::{body.group(1)}")
            scopes.append(None if UNNAMED.search(before) else named.group(1) if named else "braces")
        begin = at + 1
    text[""].append(code[begin:])
    for place, pieces in text.items():
        for declaration in re.sub(r"(?m)^#.*$", "", ";".join(pieces)).split(";"):
            if re.match(r"\s*using [^=]*$", declaration):  # names of others
                continue
            head = re.sub(r"^\s*template\s*<[^()]*?>(?=\s*\w)", "", declaration).split(" = ")[0]
            found = TYPE.search(head) or FUNCTION.search(head)
            variables = [VARIABLE.search(part.split("=")[0].rstrip()) for part in without_lists(declaration).split(",")]
            names[place].update(f.group(1) for f in ([found] if found else variables) if f)
    return {place: {n for n in found - KEYWORDS if not USE_OF_MACRO.match(n)} for place, found in names.items()}, types


seen = set()  # headers of the tree that were read


@functools.lru_cache(None)
def header(root, name):
    """What a header of the tree declares, with what it includes, as (name, meaning); all its words; and types as (type, where it stands)."""
    path = root / name
    if not path.is_file():
        return frozenset(), frozenset(), frozenset()
    seen.add(name)
    text = path.read_text()
    code = NOT_CODE.sub(" ", text)
    declarations, bodies = declared(code)
    known = {(n, f"{place}::{n}") for place, names in declarations.items() for n in names}
    types = {(body, name) for body in bodies}
    known |= {(macro, "#define") for macro in MACRO.findall(code)}
    words = set(re.findall(r"\w+", code))
    for included in INCLUDE.findall(text):
        more_known, more_words, more_types = header(root, included)
        known |= more_known
        words |= more_words
        types |= more_types
    return frozenset(known), frozenset(words), frozenset(types)


class Source:
    def __init__(self, root, path):
        self.path = path
        text = pathlib.Path(path).read_text()
        self.lines = text.count("\n")
        code = NOT_CODE.sub(" ", text)
        self.words = set(re.findall(r"\w+", code))
        names, bodies = declared(code)
        self.types = {body: path for body in bodies}
        # Name -> what it means: whose it is, or what an alias stands for.
        self.own = {n: {path} for n in names.pop(None, ())}
        self.own.update({n: {path} for n in set(MACRO.findall(code)) - set(UNDEFINED.findall(code))})
        self.own.update({n: {meaning} for n, meaning in ALIAS.findall(code)})
        self.own.update({n: {"::".join(place.split("::")[-2:])} for place, n in TAKEN.findall(code)})
        self.known = collections.defaultdict(set)
        words = set()
        for included in INCLUDE.findall(text):
            known, of_header, types = header(root, included)
            words |= of_header
            self.types.update(types)
            for n, meaning in known:
                self.known[n].add(meaning)
        for place, here in names.items():
            for n in here:
                self.known[n].add(f"{place}::{n}")
        for n in set(CALLED.findall(code)) - words - set(re.findall(r"(\w+) = \[", code)):
            self.known[n].add("elsewhere")
        for n, meanings in self.own.items():
            self.known[n] |= meanings
        self.constants = set(CONSTANT.findall(code))
        self.opened = {place for names in OPENED.findall(code) for place in names.split("::")}
        self.used = {names.split("::")[-1] for names in USED.findall(code)}

    def hides_from(self, other, used):
        """`used`: namespaces that some source uses whole. What stands in others is found by its whole name alone."""
        found = None
        for name, meanings in self.own.items():
            others, known = other.own.get(name), other.known.get(name)
            if others is None and known is None:
                if name in other.constants:  # a local one, of which GCC would say that it shadows this one
                    return True
                continue
            found = found or self.opened | other.opened | used | {""}
            if len(meanings | (others or set()) | {m for m in known or () if "::" not in m or m.split("::")[0] in found}) > 1:
                return True
        return False

    def clashes_with(self, other, used):
        one_type_twice = any(other.types.get(body, place) != place for body, place in self.types.items())
        return one_type_twice or self.hides_from(other, used) or other.hides_from(self, used)


def blurs(sources):
    """Whether a name that stands in several namespaces means more than before to one of them, where all use theirs whole.

    The namespace may be used whole by one source, and the name come from the headers of another.
    """
    def meanings(known, used):
        return {m for m in known if m.split("::")[0] in used}

    used = set().union(*(s.used for s in sources))
    for name in set().union(*(s.unclear for s in sources)):
        both = meanings(set().union(*(s.known.get(name, set()) for s in sources)), used)
        if len(both) > 1 and any(name in s.unclear and both != meanings(s.known.get(name, set()), s.used) for s in sources):
            return True
    return False


def batches_of(sources, size, lines):
    used = set().union(*(s.used for s in sources))
    places = collections.defaultdict(set)
    for source in sources:
        for name, meanings in source.known.items():
            places[name] |= {m for m in meanings if "::" in m and m.split("::")[0] in used}
    unclear = {name for name, found in places.items() if len(found) > 1}
    for source in sources:
        source.unclear = source.words & unclear
    clashes = {s: {other for other in sources if other is not s and s.clashes_with(other, used)} for s in sources}
    # Neighbours, whose headers are the same; or those that stand with most others first, which gives fewer batches.
    order = sorted(sources, key=(lambda s: s.path) if lines else (lambda s: len(clashes[s])))
    batches = []
    for source in order:
        for batch in batches:
            fits = len(batch) < size and (not lines or sum(s.lines for s in batch) + source.lines <= lines)
            if fits and clashes[source].isdisjoint(batch) and not blurs([*batch, source]):
                batch.append(source)
                break
        else:
            batches.append([source])
    return [batch for batch in batches if len(batch) > 1]


def write(path, text):
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def main():
    root, folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    sources = [Source(root, path) for path in sys.argv[6:]]
    batches = batches_of(sources, int(sys.argv[4]), int(sys.argv[5]))
    folder.mkdir(parents=True, exist_ok=True)
    listing = folder / f"{target}.txt"
    names = [folder / f"{target}_{number}.cpp" for number in range(len(batches))]
    for name, batch in zip(names, batches):
        includes = "".join(f'#include "{pathlib.Path(s.path).relative_to(root)}"\n' for s in batch)
        write(name, "// Generated by cmake/batches.py.\n" + includes)  # without the place of the tree, for ccache
    for old in set(folder.glob(f"{target}_*.cpp")) - set(names):
        if old.stem[len(target) + 1:].isdigit():
            old.unlink()
    write(listing, "".join(f"{name};{';'.join(s.path for s in batch)}\n" for name, batch in zip(names, batches)))
    read = [path for path in sys.argv[6:]] + [str(root / name) for name in sorted(seen)]
    (folder / f"{target}.d").write_text(f"{listing}: " + " ".join(path.replace(" ", "\\ ") for path in read) + "\n")


if __name__ == "__main__":
    main()
