#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one small suite of several: every K-th case of each.

    sample.py OUTDIR K SUITE...      SUITE: a folder that gen.py wrote, with the GPU's outputs.bin and status.tsv

Case ids get the folder's name in front; cases that the GPU refused are left out, and so are their kernels. Later suites start
at other cases than earlier ones. Writes cases.jsonl.gz, mNN.ptx.gz, inputs.bin.gz, outputs.bin.gz.
"""
import gzip
import json
import os
import re
import struct
import sys


def main():
    out, step, suites = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    os.makedirs(out, exist_ok=True)
    lines, inputs, outputs, modules = [], bytearray(), bytearray(), []

    def take(words, offset, count, to):
        at = len(to) // 8
        to += words[8 * offset:8 * (offset + count)]
        to += bytes(-len(to) % 256)  # 32 words
        return at

    for number, folder in enumerate(suites):
        name = os.path.basename(os.path.normpath(folder))
        bad = {tuple(l.split('\t')[:2]) for l in open(f'{folder}/status.tsv') if l.split('\t')[2] != 'ok'}
        cases = [json.loads(l) for l in open(f'{folder}/cases.jsonl')]
        ins, outs = open(f'{folder}/inputs.bin', 'rb').read(), open(f'{folder}/outputs.bin', 'rb').read()
        texts = {}
        for i, c in enumerate(cases):
            if i % step != number * step // len(suites) or (c['kernel'], c['module']) in bad:
                continue
            if c['module'] not in texts:
                text = open(f'{folder}/{c["module"]}').read()
                parts = re.split(r'(?m)^(?=// )', text)
                header = parts.pop(0) or parts.pop(0)
                kernels = {re.search(r'\.entry (\w+)', p)[1]: p for p in parts if '.entry ' in p}
                texts[c['module']] = (header, kernels, f'm{len(modules):02d}.ptx', [])
                modules.append(texts[c['module']])
            header, kernels, module, used = texts[c['module']]
            kernel = f's{number}{c["kernel"]}'
            used.append(re.sub(rf'\b{c["kernel"]}', kernel, kernels[c['kernel']]))
            n = c['n']
            # some `red` cases reduce to the words behind their outputs
            c.update(id=f'{name}:{c["id"]}', kernel=kernel, module=module, in_offset=take(ins, c['in_offset'], n * len(c['inputs']), inputs),
                     out_offset=take(outs, c['out_offset'], n * (len(c['outputs']) + 1), outputs))
            lines.append(json.dumps(c))
    write = lambda name, data: open(f'{out}/{name}.gz', 'wb').write(gzip.compress(data, 9, mtime=0))
    write('cases.jsonl', ('\n'.join(lines) + '\n').encode())
    write('inputs.bin', bytes(inputs))
    write('outputs.bin', bytes(outputs))
    for header, _, module, used in modules:
        write(module, (header + ''.join(used)).encode())
    print(len(lines), 'cases')


main()
