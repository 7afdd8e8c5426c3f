#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does arch/policy/l2_hash/h200.cpp give the slices that an H200 has?

    bench/silicon/probes/memory/hash.py

Reads h200_slices.csv.gz (`slices.cu map`): of 4,096 KiB in a row, and of each line of 256 KiB, the number of the group
that shares a slice. For each page of 2 MiB it looks for what the policy takes from the page's number. Then it says how
many lines the policy puts elsewhere. The probe itself errs where a group is met first: it takes the first line of it for
another group's."""

import collections
import gzip
import itertools
import os

EACH = 47  # slices of a partition
SUMS = (0b0111100101, 0b0011001010, 0b1100100110, 0b0111101000, 0b1110110101)
SECOND = 0b1111110100


def odd(bits):
    return bin(bits).count("1") & 1


PLACES = [sum(odd(n & s) << b for b, s in enumerate(SUMS)) for n in range(1024)]


def slice_of(line, flip, turned, behind, swapped):
    """Partition and slice; the last four are the page's."""
    block = (line >> 13 << 2 | line >> 10 & 3) & 1023
    partition = odd(line >> 12 & 0b010101011) ^ swapped[0]
    pair = ((PLACES[block] ^ turned) * 24 + 31) >> 5
    second = odd(block & SECOND) ^ line >> 8 & 1 ^ partition ^ swapped[1] ^ flip
    return partition, (2 * pair + second - 8 * (block >> 6) + behind) % EACH


def read():
    rows = collections.defaultdict(dict)
    here = os.path.dirname(os.path.abspath(__file__))
    with gzip.open(os.path.join(here, "h200_slices.csv.gz"), "rt") as lines:
        for line in lines:
            kind, offset, *rest = line.strip().split(",")
            if kind in ("kib", "line"):
                rows[kind][int(offset)] = int(rest[0])
    return rows


def agreement(groups, page, name):
    """Lines whose group is the one that their slice has most often, or has elsewhere."""
    found = collections.defaultdict(collections.Counter)
    for offset, group in groups.items():
        found[slice_of(offset, *page)][group] += 1
    return sum(c.most_common(1)[0][1] for c in found.values()) if len(found) == 2 * EACH else name


def of_second_page(groups, names, page):
    return sum(names.get(slice_of(o, *page)) == g for o, g in groups.items())


def main():
    rows = read()
    pages = [{o: g for o, g in rows["kib"].items() if o >> 21 == p} for p in range(2)]
    best = max(
        ((agreement(pages[0], (0, turned, 0, (0, 0)), 0), turned) for turned in range(32)),
        key=lambda x: x[0],
    )
    first = (0, best[1], 0, (0, 0))
    names = collections.defaultdict(collections.Counter)
    for offset, group in pages[0].items():
        names[slice_of(offset, *first)][group] += 1
    names = {place: c.most_common(1)[0][0] for place, c in names.items()}
    print(f"first page: {best[0]} of {len(pages[0])} KiB where the H200 has them, {len(set(names.values()))} slices")
    right, second = max(
        (of_second_page(pages[1], names, (flip, turned, behind, (swapped, 0))), (flip, turned, behind, swapped))
        for flip, turned, behind, swapped in itertools.product((0, 1), range(32), range(EACH), (0, 1))
    )
    print(f"second page: {right} of {len(pages[1])}, with what it takes from its number: {second}")
    lines = agreement(rows["line"], first, 0)
    print(f"lines of the first 256 KiB: {lines} of {len(rows['line'])}")


if __name__ == "__main__":
    main()
