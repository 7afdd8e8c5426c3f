#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether ptxas takes what the generator writes and gpuloom accepts.

    accept.py PTXAS BATCH.ptx...     (of `fuzz_kernels --emit`)

Prints each refusal once by its message and instruction, with a kernel that shows it, and writes BATCH.cubin of the kernels that
are taken. Exit status 1 where a kernel was refused.
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def split(text):
    """Head, and the pieces of the batch: each begins with a comment `// kernel NAME`."""
    parts = re.split(r'(?m)^(?=// kernel )', text)
    return parts[0], parts[1:]


def breaks(ptxas, path, text):
    with open(path + '.one', 'w') as f:
        f.write(text)
    return subprocess.run([ptxas, '-arch=sm_90a', path + '.one', '-o', path + '.one.cubin'], capture_output=True).returncode != 0


def try_all(ptxas, path):
    head, pieces = split(open(path).read())
    refused = []
    while pieces:
        with open(path + '.tried', 'w') as f:
            f.write(head + ''.join(pieces))
        run = subprocess.run([ptxas, '-arch=sm_90a', '-O3', path + '.tried', '-o', path[:-4] + '.cubin'], capture_output=True, text=True)
        if run.returncode == 0:
            break
        starts, line = [], head.count('\n') + 1
        for piece in pieces:
            starts.append(line)
            line += piece.count('\n')
        bad = {}
        for m in re.finditer(r'line (\d+); (?:error|fatal) +: (.*)', run.stdout + run.stderr):
            at = max(k for k, s in enumerate(starts) if s <= int(m[1]))
            bad.setdefault(at, (m[2], pieces[at].split('\n')[int(m[1]) - starts[at]].strip()))
        if not bad:  # ptxas itself broke: without the kernel that breaks it
            k = next((k for k, piece in enumerate(pieces) if breaks(ptxas, path, head + piece)), None)
            if k is None:
                return refused + [('?', (run.stdout + run.stderr)[:500], path)]
            bad[k] = (f'ptxas exits with {run.returncode}', pieces[k].split()[2])
        refused += [(pieces[k].split()[2], *v) for k, v in bad.items()]
        pieces = [p for k, p in enumerate(pieces) if k not in bad]
    return refused


def main():
    seen, count = {}, 0
    with ThreadPoolExecutor(2) as pool:
        for refused in pool.map(lambda path: try_all(sys.argv[1], path), sys.argv[2:]):
            for name, message, line in refused:
                count += 1
                key = (message, re.sub(r'^@!?%\w+ ', '', line).split(' ')[0])
                if key not in seen:
                    seen[key] = 1
                    print(f'{name}: {message}\n    {line}')
    print(f'{count} kernels refused')
    sys.exit(count > 0)


main()
