#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what readers stumble over: long sentences of pages, and turns of phrase that are not plain English, in pages, comments and messages.

usage: scripts/check_english.py [--words N] [FILE...]

A sentence of more than N words (25) is listed with its length; so is "is no X" (write "is not an X", or "has no X"). Text between
backticks counts as one word, numbers as none: it is not a list of measured values that makes a sentence hard to read. A cell of a table
that only lists things by commas or semicolons is not a sentence. Code blocks and generated pages are left out. Exit status 1 where
something is listed. A README has to begin with what its folder is for.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = ("SCORE.md", "FIRST.md", "CALIBRATION.md", "SPLITS.md", "COVERAGE.md")
PHRASE = re.compile(r"\b(?:(?<!there )(?<!There )(?:is|are|was|were|be)) no (?!longer|more\b|less\b|later|earlier|closer|other|better|slower|sooner|faster|one\b)\w+")
WORD = re.compile(r"\S*[A-Za-z]\S*")
LISTED = 8  # words of a thing in a list
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def tracked(patterns):
    out = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in out.stdout.split("\n") if line and (ROOT / line).exists()]


def blocks(text):
    """Paragraphs, list items and table cells of a page, each with the line on which it begins and whether it is a cell."""
    code, begun, words = False, 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.lstrip().startswith("```"):
            code = not code
        plain = "" if code or line.lstrip().startswith(("```", "#", "<!--")) or line.startswith("    ") and not words else line.strip()
        table = plain.startswith("|")
        item = re.match(r"([-*]|\d+\.) ", plain)
        if words and (not plain or table or item):
            yield begun, " ".join(words), False
            words = []
        if table:
            for cell in re.split(r"(?<!\\)\|", plain.strip("|")):
                yield number, cell.strip(), True
        elif plain:
            if not words:
                begun = number
            words.append(plain)


def sentences(text):
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.split(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!al\.)\s+(?=[A-Z(*\"\[])", text)


def words_of(sentence, cell):
    """How long a sentence is; in a cell that lists things, how long the longest of them is."""
    parts = re.split(r"[,;:()]", sentence) if cell else [sentence]
    longest = max(len(WORD.findall(part)) for part in parts)
    return longest if longest <= LISTED else len(WORD.findall(sentence))


def check_page(path, most, found):
    for number, text, cell in blocks((ROOT / path).read_text(encoding="utf-8")):
        for sentence in sentences(text):
            count = words_of(sentence, cell)
            if count > most:
                found.append(f"{path}:{number}: {count} words: {sentence[:100]} ...")
            for phrase in PHRASE.findall(sentence):
                found.append(f"{path}:{number}: '{phrase}': {sentence[:100]}")


def check_opening(path, found):
    """A README begins with what its folder is for."""
    if not path.endswith("/README.md"):
        return
    lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
    first = next((line for line in lines[1:] if line.strip()), "")
    if not re.match(r"(This|These) .*\b(folder|study|set|page|pages)\b|This study |Question: ", first):
        found.append(f"{path}: begin with what the folder is for: 'This folder ...'")


def check_source(path, found):
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").split("\n"), 1):
        comment = re.search(r"//(.*)$", line)
        for text in [*STRING.findall(line), comment.group(1) if comment else ""]:
            for phrase in PHRASE.findall(text):
                found.append(f"{path}:{number}: '{phrase}': {text.strip()[:100]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--words", type=int, default=25, help="most words of a sentence")
    parser.add_argument("files", nargs="*", help="pages or sources; all unless said")
    a = parser.parse_args()
    files = a.files or tracked(["*.md", "*.h", "*.cpp"])
    found = []
    for path in files:
        if path.endswith(".md") and not path.endswith(GENERATED):
            check_page(path, a.words, found)
            check_opening(path, found)
        elif path.endswith((".h", ".cpp")):
            check_source(path, found)
    print("\n".join(found + [f"{len(found)} places"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
