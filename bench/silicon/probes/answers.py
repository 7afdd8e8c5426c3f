#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what the probes answered: every FOLDER/*.csv.gz as rows with named columns.

    answers.py                     lists the answers, with the number of lines of each kind and their columns
    answers.py stores/h200.csv.gz  writes one as JSON, a line a row

An answer is CSV. Its first line names the columns, or columns.yaml does by kind of line. Where a line has more fields than there
are names, or where its last name ends with "...", the last name has the list of the rest.
"""
import csv
import fnmatch
import gzip
import json
import pathlib
import signal
import sys

try:
    import yaml
except ImportError:  # Debian has it with python3-distributed; it is not among what scripts/setup needs
    print("skipped: Python has no yaml here (pip install pyyaml)", file=sys.stderr)
    sys.exit(77)

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = yaml.safe_load((FOLDER / "columns.yaml").read_text(encoding="utf-8"))


def value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def row(names, fields):
    """A line as {name: value}."""
    values = [value(f) for f in fields]
    last = len(names) - 1
    if names[-1].endswith("...") or len(values) > len(names):
        values = values[:last] + [values[last:]]
    if len(values) != len(names):
        raise ValueError(f"{len(fields)} fields for the columns {', '.join(names)}: {','.join(fields)[:60]}")
    return {name.removesuffix("..."): v for name, v in zip(names, values)}


def read(name):
    """Rows of FOLDER/NAME, as (columns, row)."""
    kinds = KINDS.get(name, {})
    header = None
    with gzip.open(FOLDER / name, "rt", encoding="utf-8", newline="") as file:
        for fields in csv.reader(file):
            if not fields:
                continue
            kind = next((k for k in kinds if k != "*" and fnmatch.fnmatchcase(fields[0], k)), "*")
            names = kinds.get(kind, header)
            if names is None:
                header = fields
                continue
            yield tuple(names), row(names, fields)


def answers():
    return sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.csv.gz"))


def main():
    if len(sys.argv) > 1:
        for _, r in read(sys.argv[1]):
            print(json.dumps(r))
        return
    for name in answers():
        counts = {}
        for names, _ in read(name):
            counts[names] = counts.get(names, 0) + 1
        for names, count in counts.items():
            print(f"{name}: {count} lines: {', '.join(names)}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `answers.py ... | head` ends quietly
    main()
