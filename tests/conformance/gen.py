#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PTX conformance suite generator (self-contained, standard library only).

    gen.py [--seed S] [--n N] [--ptxas PATH] [--jobs J] [--no-cubin] OUTDIR

Writes OUTDIR/{cases.jsonl,cases.tsv,inputs.bin,mNN.ptx,mNN.cubin,rejected.txt,counts.txt}.
See README.md for the formats.
"""
import json
import os
import re
import struct
import tempfile
import argparse
from concurrent.futures import ThreadPoolExecutor

from generator import cases
from generator.values import ROLES
from generator.cases import CASES, gen_inputs, kernel_text
from generator.arithmetic import g_carry, g_float32, g_float64, g_half, g_int, g_logic
from generator.conversion import g_compare, g_cvt, g_mov, g_video
from generator.memory import g_memory
from generator.exchange import g_atomic, g_warp
from generator.matrix import g_matrix
from generator.control import g_control
from generator.assemble import HEADER, VERSIONS, filter_cases, run_ptxas


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('outdir')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--n', type=int, default=64)
    ap.add_argument('--ptxas', default='ptxas')
    ap.add_argument('--jobs', type=int, default=2)
    ap.add_argument('--per-module', type=int, default=100)
    ap.add_argument('--no-cubin', action='store_true')
    ap.add_argument('--only', default='')
    a = ap.parse_args()
    cases.DEFN = a.n
    for g in (g_int, g_logic, g_carry, g_float32, g_float64, g_half, g_cvt, g_compare, g_video, g_mov, g_memory, g_warp, g_atomic, g_matrix, g_control):
        if not a.only or g.__name__[2:] in a.only.split(','):
            g()
    os.makedirs(a.outdir, exist_ok=True)
    for f in os.listdir(a.outdir):
        if re.fullmatch(r'm\d\d\.(ptx|cubin)', f):
            os.remove(os.path.join(a.outdir, f))
    todo = list(CASES)
    print(f'{len(todo)} candidate cases')
    order = {id(c): i for i, c in enumerate(CASES)}
    last = {}
    with tempfile.TemporaryDirectory() as tmp:
        for v in VERSIONS:
            ok, bad = filter_cases(todo, v, a.ptxas, tmp, a.jobs)
            for c in ok:
                c.version = v
            last.update({k: m for k, m in bad.items()})
            todo = [c for c in todo if id(c) in bad]
            print(f'.version {v}: {len(ok)} accepted, {len(todo)} left', flush=True)
        rejected = [(c, last[id(c)]) for c in todo]
        rej = {id(c) for c in todo}
        good = [c for c in CASES if id(c) not in rej]
        # modules: one PTX version each, in case order
        mods = []
        final_rejects = []
        for v in VERSIONS:
            cs = [c for c in good if c.version == v]
            for i in range(0, len(cs), a.per_module):
                mods.append((v, cs[i:i + a.per_module]))
        kn = 0
        jobs = []
        for mi, (v, cs) in enumerate(mods):
            for c in cs:
                c.kernel = f'c{kn:04d}'
                c.module = f'm{mi:02d}.ptx'
                kn += 1

        def build(mi):
            v, cs = mods[mi]
            dropped = []
            while True:
                text = HEADER.format(v=v) + '\n'.join(f'// {c.id}\n' + kernel_text(c, c.kernel) for c in cs)
                cub = os.path.join(a.outdir, f'm{mi:02d}.cubin')
                rc, out = run_ptxas(a.ptxas, text, tmp, f'fin{mi}', None, cub)
                if rc == 0:
                    warn = [x for x in out.split('\n') if x.strip() and 'sp::ordered_metadata' not in x]
                    break
                badk = set(re.findall(r'c\d{4}', out))
                keep = [c for c in cs if c.kernel not in badk]
                if len(keep) == len(cs):  # not attributable: test one at a time
                    keep = []
                    for c in cs:
                        rc1, o1 = run_ptxas(a.ptxas, HEADER.format(v=v) + kernel_text(c, c.kernel), tmp, f'one{mi}', None, os.path.join(tmp, f'one{mi}.cubin'))
                        if rc1 == 0:
                            keep.append(c)
                        else:
                            dropped.append((c, o1.strip()[-300:]))
                else:
                    dropped += [(c, out.strip()[-300:]) for c in cs if c.kernel in badk]
                cs = keep
            if a.no_cubin:
                os.remove(cub)
            with open(os.path.join(a.outdir, f'm{mi:02d}.ptx'), 'w') as f:
                f.write(text)
            mods[mi] = (v, cs)
            for x in warn:
                print(f'm{mi:02d}: {x}')
            return dropped
        with ThreadPoolExecutor(a.jobs) as ex:
            for d in ex.map(build, range(len(mods))):
                rejected += d
    inoff = outoff = 0
    blob = bytearray()
    counts = {}
    jl = open(os.path.join(a.outdir, 'cases.jsonl'), 'w')
    tv = open(os.path.join(a.outdir, 'cases.tsv'), 'w')
    for v, cs in mods:
        for c in cs:
            cols = gen_inputs(c, a.seed)
            rec = {'id': c.id, 'group': c.group, 'kernel': c.kernel, 'module': c.module, 'kind': c.kind,
                   'inputs': [ROLES[r][0] for r in c.ins], 'roles': c.ins, 'outputs': c.outs, 'compare': c.compare}
            if c.nan:
                rec['nan'] = c.nan
            if c.raw:
                rec['raw'] = True
            if c.impl:
                rec['impl'] = True
            if c.note:
                rec['note'] = c.note
            rec.update({'ptx_version': v, 'in_offset': inoff, 'out_offset': outoff, 'n': c.n})
            jl.write(json.dumps(rec) + '\n')
            tv.write('\t'.join(str(x) for x in (c.kernel, c.module, c.n, len(c.ins), len(c.outs), inoff, outoff)) + '\n')
            for col in cols:
                assert len(col) == c.n
                blob += struct.pack(f'<{c.n}Q', *col)
            inoff += len(cols) * c.n
            pad = -inoff % 32
            blob += b'\0' * (8 * pad)
            inoff += pad
            outoff += len(c.outs) * c.n
            outoff += -outoff % 32
            counts[c.group] = counts.get(c.group, 0) + 1
    jl.close()
    tv.close()
    with open(os.path.join(a.outdir, 'inputs.bin'), 'wb') as f:
        f.write(blob)
    with open(os.path.join(a.outdir, 'rejected.txt'), 'w') as f:
        for c, m in sorted(rejected, key=lambda t: order[id(t[0])]):
            f.write(f'{c.group}\t{c.id}\t{" ".join(m.split())}\n')
    with open(os.path.join(a.outdir, 'counts.txt'), 'w') as f:
        for g in sorted(counts):
            f.write(f'{g}\t{counts[g]}\n')
        f.write(f'total\t{sum(counts.values())}\nmodules\t{len(mods)}\nrejected\t{len(rejected)}\ninput_words\t{inoff}\noutput_words\t{outoff}\n')
    print(open(os.path.join(a.outdir, 'counts.txt')).read())


if __name__ == '__main__':
    main()
