# SPDX-License-Identifier: Apache-2.0
"""Kernels as modules, and what ptxas rejects."""
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from generator.cases import kernel_text

VERSIONS = ['8.0', '8.2', '8.3', '8.4', '8.6', '8.7', '8.8', '9.0']
HEADER = '.version {v}\n.target sm_90\n.address_size 64\n\n'


def run_ptxas(ptxas, text, tmp, tag, opt=None, out=None):
    p = os.path.join(tmp, tag + '.ptx')
    with open(p, 'w') as f:
        f.write(text)
    cmd = [ptxas, '-arch=sm_90', p, '-o', out or os.devnull]
    if opt is not None:
        cmd.insert(1, opt)
    if out is None:
        cmd = [ptxas] + ([opt] if opt else []) + ['-arch=sm_90', p, '-o', os.path.join(tmp, tag + '.cubin')]
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return r.returncode, r.stdout


def filter_cases(cases, version, ptxas, tmp, jobs, chunk=60):
    """returns (accepted, {case: message})"""
    names = {id(c): f'k{i:05d}' for i, c in enumerate(cases)}
    bad = {}

    def one(ci, part):
        part = list(part)
        tries = 0
        while part:
            tries += 1
            text = HEADER.format(v=version)
            line = text.count('\n') + 1
            spans = []
            for c in part:
                t = kernel_text(c, names[id(c)]) + '\n'
                n = t.count('\n')
                spans.append((line, line + n - 1, c))
                line += n
                text += t
            rc, out = run_ptxas(ptxas, text, tmp, f'f{version.replace(".", "_")}_{ci}', '-O1')
            if rc == 0:
                return part
            hit = {}
            for m in re.finditer(r'line (\d+)[;,]?\s*(?:error|fatal)\s*:\s*(.*)', out):
                ln = int(m.group(1))
                for a, b, c in spans:
                    if a <= ln <= b:
                        hit.setdefault(id(c), (c, m.group(2).strip()))
            if not hit:
                for m in re.finditer(r"(k\d{5})", out):
                    for a, b, c in spans:
                        if names[id(c)] == m.group(1):
                            hit.setdefault(id(c), (c, out.strip()[-300:]))
            if not hit:  # bisect
                if len(part) == 1:
                    bad[id(part[0])] = out.strip()[-300:] or f'ptxas exit status {rc}'
                    return []
                h = len(part) // 2
                return one(f'{ci}a', part[:h]) + one(f'{ci}b', part[h:])
            for k, (c, msg) in hit.items():
                bad[k] = msg
            part = [c for c in part if id(c) not in hit]
        return part
    parts = [cases[i:i + chunk] for i in range(0, len(cases), chunk)]
    with ThreadPoolExecutor(jobs) as ex:
        list(ex.map(lambda t: one(*t), enumerate(parts)))
    return [c for c in cases if id(c) not in bad], bad
