#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts kernels of an --emit folder together with what a GPU left, for tests/fuzz/kernels/device.

    keep.py FOLDER SEED... > h200.ptx     (then gzip -9n)

Of a kernel that differed, FOLDER/bad/SEED.bin has the GPU's memory; of the others kernels.txt has the hash, which the GPU's was equal to.
"""
import os
import re
import sys


def hash_of(data):
    h = 0xcbf29ce484222325
    for at in range(0, len(data) - 7, 8):
        h = (h ^ int.from_bytes(data[at:at + 8], 'little')) * 0x100000001b3 & 0xffffffffffffffff
    return h


def main():
    folder, wanted = sys.argv[1], set(sys.argv[2:])
    for line in open(os.path.join(folder, 'kernels.txt')):
        seed, batch, grid, x, y, shared, offset, arguments, result = line.split()
        if seed not in wanted:
            continue
        bad = os.path.join(folder, 'bad', seed + '.bin')
        if os.path.exists(bad):
            result = f'{hash_of(open(bad, "rb").read()):016x}'
        head, *pieces = re.split(r'(?m)^(?=// kernel )', open(os.path.join(folder, batch + '.ptx')).read())
        piece = next(p for p in pieces if p.split()[2] == 'k' + seed)
        print(f'// launch k{seed} grid {grid} block {x} {y} shared {shared} input {offset} arguments {arguments}')
        print(f'// result {result}')
        print(head + re.sub(r'(?m)^ +', '', piece), end='')


main()
