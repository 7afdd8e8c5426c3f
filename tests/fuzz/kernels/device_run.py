#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the batches of `fuzz_kernels --emit FOLDER` with ptxas and runs them on this machine's GPU.

    device_run.py FOLDER [--ptxas PATH] [--driver PATH] [--jobs N]

Batches that ptxas refuses, or that break it, are compiled kernel by kernel. A kernel that fails takes its process with it; the others
go on in a new one. Kernels that differ are listed, what they left lies in FOLDER/bad (compare: fuzz_kernels --compare).
"""
import argparse
import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor


def ptxas(args, text, name):
    with open(name + '.ptx', 'w') as f:
        f.write(text)
    return subprocess.run([args.ptxas, '-arch=sm_90a', name + '.ptx', '-o', name + '.cubin'], capture_output=True, text=True)


def compile_batch(args, batch):
    """Names that stand in kernels.txt for the batch, by seed, and what was refused."""
    path = os.path.join(args.folder, batch)
    text = open(path + '.ptx').read()
    if ptxas(args, text, path).returncode == 0:
        return {}, []
    parts = re.split(r'(?m)^(?=// kernel )', text)
    names, refused = {}, []
    for piece in parts[1:]:
        seed = piece.split()[2][1:]
        run = ptxas(args, parts[0] + piece, f'{path}_{seed}')
        if run.returncode == 0:
            names[seed] = f'{batch}_{seed}'
        else:
            names[seed] = None
            refused.append(f'{seed}: ' + ((run.stderr + run.stdout).strip().split('\n')[0] or f'ptxas exits with {run.returncode}'))
    return names, refused


def main():
    p = argparse.ArgumentParser()
    p.add_argument('folder')
    p.add_argument('--ptxas', default='ptxas')
    p.add_argument('--driver', default='./device_driver')
    p.add_argument('--jobs', type=int, default=16)
    args = p.parse_args()
    os.makedirs(os.path.join(args.folder, 'bad'), exist_ok=True)
    index = os.path.join(args.folder, 'kernels.txt')
    lines = [line.split() for line in open(index)]
    begin = time.time()
    renamed, refused = {}, []
    with ThreadPoolExecutor(args.jobs) as pool:
        for names, messages in pool.map(lambda b: compile_batch(args, b), sorted({line[1] for line in lines})):
            renamed.update(names)
            refused += messages
    lines = [[line[0], renamed.get(line[0], line[1]), *line[2:]] for line in lines if renamed.get(line[0], line[1])]
    print(f'{len(lines)} kernels compiled in {time.time() - begin:.0f} s, {len(refused)} refused')
    print('\n'.join(refused[:40]))
    equal, differ, failed = 0, [], []
    begin = time.time()
    while True:
        with open(index, 'w') as f:
            f.writelines(' '.join(line) + '\n' for line in lines)
        run = subprocess.run([args.driver, args.folder], capture_output=True, text=True)
        done = re.findall(r'^(\S+): (\d+) equal', run.stdout, re.M)
        differ += re.findall(r'^(\d+) DIFFERS', run.stdout, re.M)
        lost = re.findall(r'^(\d+) FAILED (\d+)', run.stdout, re.M)
        failed += lost
        over = {batch for batch, _ in done}
        equal += int(done[-1][1]) if done else 0
        if run.returncode != 3:
            if run.returncode not in (0, 1):
                print('driver:', run.returncode, run.stderr[-500:])
            break
        lines = [line for line in lines if line[1] not in over and line[0] != lost[-1][0]]
        differ = [d for d in differ if any(line[0] == d for line in lines) is False]
    print(f'{equal} equal, {len(differ)} differ, {len(failed)} failed, {time.time() - begin:.0f} s')
    print('differ:', ' '.join(differ))
    print('failed:', ' '.join(f'{s}({c})' for s, c in failed))


main()
