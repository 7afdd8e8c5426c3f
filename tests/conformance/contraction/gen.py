#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random little programs of mul, add, sub and fma, to see which products ptxas contracts (format of tests/conformance).

    gen.py OUTDIR [SEED [COUNT]]     writes OUTDIR/{cases.jsonl,cases.tsv,inputs.bin,mNN.ptx}

Operands have full random significands, so that a fused multiply-add shows in the last bits. Groups: `line` straight code,
`guard` guarded instructions, `block` uses in other blocks, `loop` products inside and outside of loops.
"""
import json
import os
import random
import struct
import sys

THREADS, PER_MODULE, INPUTS = 64, 60, 5
TYPES = {'f32': ('f', 32), 'f64': ('d', 64), 'f16': ('h', 16), 'bf16': ('h', 16), 'f16x2': ('r', 32), 'bf16x2': ('r', 32)}


def operand(rng, t):
    """A significand of random bits, exponents near each other."""
    def half(bias, bits):
        return rng.getrandbits(1) << 15 | (bias + rng.randint(-2, 2)) << bits | rng.getrandbits(bits)
    if t == 'f32':
        return rng.getrandbits(1) << 31 | (127 + rng.randint(-3, 3)) << 23 | rng.getrandbits(23)
    if t == 'f64':
        return rng.getrandbits(1) << 63 | (1023 + rng.randint(-3, 3)) << 52 | rng.getrandbits(52)
    bias, bits = (15, 10) if t.startswith('f16') else (127, 7)
    low = half(bias, bits)
    return low | half(bias, bits) << 16 if t.endswith('x2') else low


class Program:
    def __init__(self, rng, t, group):
        self.rng, self.t, self.group = rng, t, group
        self.letter, self.bits = TYPES[t]
        self.values = [f'%x{i}' for i in range(INPUTS)]
        self.products, self.lines, self.labels = [], [], 0
        # a program is mostly of one kind
        self.ftz = '.ftz' if t in ('f32', 'f16', 'f16x2') and rng.random() < 0.25 else ''

    def new(self):
        name = f'%x{len(self.values)}'
        self.values.append(name)
        return name

    def modifiers(self, op):
        r, t = self.rng, self.t
        ftz = self.ftz if r.random() < 0.9 else ('.ftz' if not self.ftz and t in ('f32', 'f16', 'f16x2') else '')
        sat = '.sat' if t in ('f32', 'f16', 'f16x2') and r.random() < 0.07 else ''
        rnd = '.rn' if op == 'fma' or r.random() < 0.1 else ''
        if t == 'f64' and op == 'fma':
            return '.rn'
        if t in ('f32', 'f64') and rnd and op != 'fma' and r.random() < 0.3:
            rnd = r.choice(['.rz', '.rm', '.rp'])
        if t == 'f64':
            return rnd
        return rnd + ftz + sat

    def pick(self):
        r = self.rng
        if self.products and r.random() < 0.45:
            return r.choice(self.products[-3:])
        return r.choice(self.values[-6:] if r.random() < 0.5 else self.values)

    def statement(self, guard='', to=None):
        r = self.rng
        op = r.choices(['mul', 'add', 'sub', 'fma', 'neg', 'mov'], [40, 33, 17, 4, 4, 2])[0]
        args = [self.pick() for _ in range({'fma': 3, 'neg': 1, 'mov': 1}.get(op, 2))]
        if op == 'mul':
            args = [r.choice(self.values[:INPUTS + 2]) for _ in range(2)]
        to = to or self.new()
        if op == 'mov':
            self.lines.append(f'{guard}mov.b{self.bits} {to}, {args[0]};')
            return
        mods = '' if op == 'neg' else self.modifiers(op)
        if self.t.startswith('bf16') and op == 'fma':
            mods = '.rn'
        elif self.t.startswith('bf16'):
            mods = '.rn' if '.rn' in mods else ''
        self.lines.append(f'{guard}{op}{mods}.{self.t} {to}, {", ".join(args)};')
        if op == 'mul':
            self.products.append(to)

    def some(self, low, high, **k):
        for _ in range(self.rng.randint(low, high)):
            self.statement(**k)

    def build(self):
        r, g = self.rng, self.group
        if g == 'line':
            self.some(3, 9)
        elif g == 'guard':
            self.some(2, 4)
            for _ in range(r.randint(1, 3)):
                # a guarded write to a value that is there already
                self.statement(guard=r.choice(['@%p0 ', '@!%p0 ', '@%p1 ']), to=r.choice(self.values[INPUTS:]))
                self.some(1, 2)
        elif g == 'block':
            self.some(2, 4)
            out = self.new()
            self.lines.append(f'mov.b{self.bits} {out}, %x0;')
            self.lines.append('@%p0 bra other;')
            before = list(self.values)
            self.some(1, 3)
            self.lines += [f'mov.b{self.bits} {out}, {self.values[-1]};', 'bra joined;' if r.random() < 0.5 else 'add.u32 %i, %i, 0;', 'other:']
            taken, self.values = self.values, before
            self.values = before + [f'%x{len(taken)}'] if False else list(before)
            while len(self.values) < len(taken):
                self.values.append(r.choice(before))
            self.products = [p for p in self.products if p in before]
            self.some(1, 3)
            self.lines += [f'add.{self.t} {out}, {out}, {self.pick()};', 'joined:']
            self.values = before
            self.count = 40
            self.products = [p for p in self.products if p in before]
            last = f'%y0'
            self.lines.append(f'add.{self.t} {last}, {out}, {self.pick()};')
            self.values = before + [last]
        else:
            self.some(1, 3)
            self.lines += ['mov.u32 %i, 0;', 'again:']
            acc = r.choice(self.values[INPUTS:])
            n = len(self.values)
            self.some(1, 4)
            self.statement(to=acc)
            self.lines += ['add.u32 %i, %i, 1;', 'setp.lt.u32 %p2, %i, %n;', '@%p2 bra again;']
            self.some(0, 2)
        outs = [self.values[-1]] + r.sample(self.values[INPUTS:], min(len(self.values) - INPUTS, r.choice([0, 0, 1, 2])))
        return list(dict.fromkeys(outs))


def kernel(name, case_id, p, outs):
    t, letter, bits = p.t, p.letter, p.bits
    text = [f'\n// {case_id}\n.entry {name}(.param .u64 in, .param .u64 out)\n{{']
    text.append(f'.reg .b{bits} %x<40>, %y<4>;\n.reg .b64 %in, %out, %w;\n.reg .b32 %me, %i, %n;\n.reg .pred %p<4>;')
    text.append('mov.u32 %me, %tid.x;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmad.wide.u32 %in, %me, 8, %in;\n'
                'mad.wide.u32 %out, %me, 8, %out;\nand.b32 %i, %me, 1;\nsetp.eq.u32 %p0, %i, 0;\nand.b32 %i, %me, 6;\n'
                'setp.gt.u32 %p1, %i, 2;\nand.b32 %n, %me, 3;')
    for k in range(40 if p.group == 'block' else len(p.values)):
        if k < INPUTS:
            text.append(f'ld.global.b{bits} %x{k}, [%in+{8 * THREADS * k}];')
    # values that a path leaves out are the first input
    for k in range(INPUTS, 40):
        if any(f'%x{k}' in line.replace(',', ' ').replace(';', ' ').split() for line in p.lines) or f'%x{k}' in outs:
            text.append(f'mov.b{bits} %x{k}, %x{k % INPUTS};')
    text += p.lines
    for k, o in enumerate(outs):
        if bits == 64:
            text.append(f'st.global.b64 [%out+{8 * THREADS * k}], {o};')
        else:
            text.append(f'cvt.u64.u{bits} %w, {o};\nst.global.b64 [%out+{8 * THREADS * k}], %w;')
    return '\n'.join(text) + '\nret;\n}\n'


def main():
    out, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 600
    os.makedirs(out, exist_ok=True)
    rng = random.Random(seed)
    lines, table, inputs, modules, at_out = [], [], bytearray(), [], 0
    starts = {}
    for t in TYPES:  # one block of inputs a type
        starts[t] = len(inputs) // 8
        inputs += b''.join(struct.pack('<Q', operand(rng, t)) for _ in range(INPUTS * THREADS))
    for i in range(count):
        t = rng.choices(list(TYPES), [40, 15, 15, 10, 10, 10])[0]
        group = rng.choices(['line', 'guard', 'block', 'loop'], [55, 15, 15, 15])[0]
        p = Program(rng, t, group)
        outs = p.build()
        if i % PER_MODULE == 0:
            modules.append('.version 8.6\n.target sm_90\n.address_size 64\n')
        name, module, case_id = f'c{i:04d}', f'm{len(modules) - 1:02d}.ptx', f'{group}.{t}.{seed}.{i}'
        modules[-1] += kernel(name, case_id, p, outs)
        lines.append(json.dumps({'id': case_id, 'group': group, 'kernel': name, 'module': module, 'kind': 'scalar', 'inputs': [t] * INPUTS,
                                 'outputs': [t] * len(outs), 'compare': 'bits', 'in_offset': starts[t], 'out_offset': at_out, 'n': THREADS}))
        table.append(f'{name} {module} {THREADS} {INPUTS} {len(outs)} {starts[t]} {at_out}')
        at_out += THREADS * len(outs)
    for i, text in enumerate(modules):
        open(f'{out}/m{i:02d}.ptx', 'w').write(text)
    open(f'{out}/cases.jsonl', 'w').write('\n'.join(lines) + '\n')
    open(f'{out}/cases.tsv', 'w').write('\n'.join(table) + '\n')
    open(f'{out}/inputs.bin', 'wb').write(bytes(inputs))
    print(count, 'cases', at_out, 'words')


main()
