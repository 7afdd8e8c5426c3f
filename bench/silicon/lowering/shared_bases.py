#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas where it reads the begin of the block's shared window, and a special register, that the PTX names in several places, and
how long it keeps them. Writes targets/shared_bases.csv: by target and variant, in the order of the code, reads, stores to shared memory that
need what was read, and branches. LongLoops of ptx/passes and home_of_read of ptx/machine follow from it.

  shared_bases.py [sm_75 ...]   ptxas and nvdisasm of the PATH"""
import re
import sys

import collect
from special_reads import HEAD, LOAD, branch, loop
from targets import NEWER

# What is asked for, and how SASS reads it (the window begins where the block's rank in its cluster says, from 9.0 on).
ASKED = {"window": ("ring", "SR_CgaCtaId"), "thread": ("%tid.x", "SR_TID.X")}


def store(value="%r20"):
    return f" mov.u32 %r30,ASKED; mad.lo.s32 %r31,{value},8,%r30; st.shared.u32 [%r31],{value};"


def turns(body, n=1):
    """A loop that is not unrolled."""
    return loop(body, n).replace(f"LOOP{n}:", f'LOOP{n}: .pragma "nounroll";', 1)


def side(n):
    """A store that some lanes make."""
    return branch(n).replace(LOAD, LOAD + store("%r40"))


FIRST = store("%r3") + " bar.sync 0;"
INNER = ' mov.u32 %r52,0; I: .pragma "nounroll"; {} add.s32 %r52,%r52,1; setp.lt.s32 %p3,%r52,%r3; @%p3 bra I;'
LEAVE = LOAD + "setp.lt.u32 %p4,%r20,%r40; @%p4 bra END1;"

VARIANTS = {
    "first; behind a branch": FIRST + branch() + store(),
    "first; behind a loop": FIRST + turns("") + store(),
    "first; behind a loop with a branch": FIRST + turns(branch()) + store(),
    "first; behind a loop with a way out": FIRST + turns(LEAVE) + store(),
    "first; behind a loop in a loop": FIRST + turns(INNER.format("st.global.u32 [%rd4+68],%r52;")) + store(),
    "first; twice behind a loop with a branch": FIRST + turns(branch()) + store() + branch(2) + store("%r3"),
    "first; behind each of two loops with branches": FIRST + turns(branch()) + store() + turns(branch(2), 2) + store("%r3"),
    "first; in a loop": FIRST + turns(store()),
    "first; in a loop with a branch, in front of it": FIRST + turns(store() + branch()),
    "first; in a loop with a branch, behind it": FIRST + turns(branch() + store()),
    "first; in a loop with a branch, on its side": FIRST + turns(side(1)),
    "first; in a loop, on the sides of two branches": FIRST + turns(side(1) + side(2)),
    "first; in a loop, on a side and behind it": FIRST + turns(side(1) + store()),
    "first; in a loop with a way out, behind it": FIRST + turns(LEAVE + store()),
    "first; in a loop in a loop": FIRST + turns(INNER.format(store("%r52"))),
    "first; in a loop around a loop, and in that": FIRST + turns(store() + INNER.format(store("%r52"))),
    "first; in a loop around a loop, behind that": FIRST + turns(INNER.format("st.global.u32 [%rd4+68],%r52;") + store()),
    "in a loop with a branch, behind it": turns(branch() + store()),
    "in a loop, on the sides of two branches": turns(side(1) + side(2)),
    "in two loops": turns(store()) + turns(store(), 2),
}


def order(variant, target, asked):
    name, read = ASKED[asked]
    head = HEAD.replace(".visible .entry k", ".extern .shared .align 16 .b8 ring[];\n.visible .entry k")
    text = collect.disassembly_of(head, VARIANTS[variant].replace("ASKED", name), target)
    found = []
    for op, operands in re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\d\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*)", text):
        if op in ("S2R", "S2UR") and re.search(rf"\b{re.escape(read)}\b", operands):
            found.append("read")
        elif op.startswith("STS"):
            found.append("store")
        elif op == "BRA" and found and found[-1] != "branch":
            found.append("branch")
    return " ".join(found)


def main():
    targets = sys.argv[1:] or NEWER
    collect.write_answers("shared_bases.csv", list(ASKED), targets, VARIANTS, lambda v, t: [order(v, t, asked) for asked in ASKED])


if __name__ == "__main__":
    main()
