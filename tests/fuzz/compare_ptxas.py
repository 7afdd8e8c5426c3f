#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes instructions from the table of forms, mutates them, and compares what gpuloom and NVIDIA's ptxas take.

    compare_ptxas.py GPULOOM PTXAS [SEED [LINES [TARGET]]]

Prints every line on which they disagree. Needs ptxas, so it is a tool and no test; `gpuloom isa` gives the forms.
"""
import random
import re
import subprocess
import sys
import tempfile

REGISTERS = {'b8': '%h1', 'u8': '%h1', 's8': '%h1', 'b16': '%h2', 'u16': '%h3', 's16': '%h4', 'f16': '%h5', 'bf16': '%h6', 'b32': '%r1', 'u32': '%r2',
             's32': '%r3', 'f16x2': '%r4', 'bf16x2': '%r5', 'tf32': '%r6', 'u16x2': '%r7', 's16x2': '%r8', 'b64': '%d1', 'u64': '%d2', 's64': '%d3',
             'f32': '%f1', 'f64': '%g1', 'f32x2': '%d4', 'pred': '%p1', 'b128': '%q1'}
CLASSES = ['%h1', '%r1', '%d1', '%f1', '%g1', '%p1', '%q1', '%u1', '%s1', '7', '-1', '1.5', '0f3f800000', '_', '{%r1, %r2}', '{%h1, %h2}', '%tid.x', '%w1']
HEAD = '''.version 9.0
.target {target}
.address_size 64
.shared .align 128 .b8 shm[1024];
.global .align 128 .b8 glo[1024];
.visible .entry k(.param .u64 par)
{{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b128 %q<9>;
.reg .u32 %u<9>; .reg .s32 %s<9>; .reg .u16 %w<9>; .reg .b64 %a<9>;
'''
SKIP = ('tcgen05', 'multimem', 'wgmma', 'mma', 'wmma', 'tex', 'tld4', 'txq', 'suld', 'sust', 'sured', 'suq', 'istypep', 'call', 'bra', 'brx', 'ret', 'exit',
        'alloca', 'stack', 'cp.async.bulk.tensor', 'cp.reduce.async.bulk.tensor', 'cp.async.bulk.prefetch.tensor', 'ldmatrix', 'stmatrix', 'trap', 'brkpt')


def forms(gpuloom):
    out, current = [], None
    for line in subprocess.run([gpuloom, 'isa'], capture_output=True, text=True).stdout.splitlines():
        if m := re.match(r'    ([a-z]\S*)(.*?)\s+\[PTX', line):
            current = (m[1], m[2].strip(), {})
            if not m[1].split('{')[0].startswith(SKIP):
                out.append(current)
        elif current and (m := re.match(r'        (\.\S+): (.*)', line)):
            current[2][m[1]] = re.findall(r'\.[^\s@,]+', re.sub(r'@\S+', '', m[2]))
    return out


def write(rng, form):
    opcode, operands, sets = form
    chosen = {}

    def value(name):
        if name in sets:
            chosen[name] = rng.choice(sets[name])
            return chosen[name]
        return name
    text = ''
    for part in re.findall(r'\{[^}]*\}|[^{]+', opcode):
        if part.startswith('{'):
            if rng.random() < 0.5:
                continue
            part = part[1:-1]
        # names of sets may hold "::"
        for token in re.findall(r'^[^.]+|\.[^.]+', part):
            text += value(token) if token.startswith('.') else token
    types = [t[1:] for t in re.findall(r'\.[a-z0-9]+', text) if t[1:] in REGISTERS]
    main = types[-1] if types else 'b32'
    if '.type' in chosen:
        main = chosen['.type'][1:]
    if rng.random() < 0.5:
        operands = re.sub(r'\{[^}]*\}', '', operands)
    operands = operands.replace('{', '').replace('}', '')
    width = next((int(v[2:]) for k, v in chosen.items() if re.fullmatch(r'\.v\d', v)), 1)

    def operand(o):
        o = o.strip()
        if o.startswith('#'):
            return rng.choice(['0', '1', '16'])
        if o.startswith('!'):
            return rng.choice(['!%p1', '%p1'])
        if o.startswith('['):
            space = 'shm' if '.shared' in text else 'glo' if '.global' in text else '%a1'
            return f'[{rng.choice([space, "%a1", "%a1+16"])}]'
        if '|' in o:
            return '|'.join(operand(x) for x in o.split('|'))
        m = re.fullmatch(r'([a-z]\w*)([*+]?)(?::([.\w:]+))?([*+]?)', o)
        if not m:
            return o
        t = m[3] or main
        t = chosen.get(t, t).lstrip('.')
        if m[1] in ('p', 'q') and not m[3]:
            t = 'pred'
        reg = REGISTERS.get(t, '%r1')
        if (m[2] or m[4]) and width > 1:
            return '{' + ', '.join([reg] * width) + '}'
        return reg
    args = [operand(o) for o in re.findall(r'(?:\[[^\]]*\]|[^,])+', operands)]
    return text, args


def mutate(rng, text, args, pool):
    kind = rng.randrange(6)
    if kind == 0 and args:
        args = list(args)
        args[rng.randrange(len(args))] = rng.choice(CLASSES)
    elif kind == 1:
        parts = re.findall(r'^[^.]+|\.[^.]+', text)
        if len(parts) > 2:
            del parts[rng.randrange(1, len(parts))]
        text = ''.join(parts)
    elif kind == 2:
        parts = re.findall(r'^[^.]+|\.[^.]+', text)
        parts.insert(rng.randrange(1, len(parts) + 1), rng.choice(pool))
        text = ''.join(parts)
    elif kind == 3 and len(args) > 1:
        args = args[:-1]
    elif kind == 4:
        args = args + [rng.choice(CLASSES)]
    return text, args


def refused(command, path, pattern):
    run = subprocess.run(command + [path], capture_output=True, text=True)
    return {int(m[1]): line for line in (run.stdout + run.stderr).splitlines() if (m := re.search(pattern, line))}, run


def main():
    gpuloom, ptxas = sys.argv[1], sys.argv[2]
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    lines, target = int(sys.argv[4]) if len(sys.argv) > 4 else 2000, sys.argv[5] if len(sys.argv) > 5 else 'sm_90a'
    table = forms(gpuloom)
    # ptxas overlooks the words of tensormap.replace, testp and others wherever they stand
    table_pool = [f for f in table if not f[0].startswith(('tensormap', 'testp'))]
    pool = sorted({v for f in table_pool for vs in f[2].values() for v in vs} | {'.ftz', '.sat', '.rn', '.cc', '.wide', '.sync', '.relu', '.noftz'})
    text = HEAD.format(target=target)
    base = text.count('\n') + 1
    body = []
    for _ in range(lines):
        op, args = write(rng, rng.choice(table))
        if rng.random() < 0.6:
            op, args = mutate(rng, op, args, pool)
        body.append(f'{op} {", ".join(args)};')
    agree, differ = 0, []
    for at in range(0, lines, 100):
        chunk = body[at:at + 100]
        # ptxas stops at the first kind of errors: lines that it refused are taken out until it takes the rest.
        theirs, ours = {}, {}
        for number in range(60):
            with tempfile.NamedTemporaryFile('w', suffix='.ptx') as f:
                f.write(text + '\n'.join('' if base + i in theirs else line for i, line in enumerate(chunk)) + '\nret;\n}\n')
                f.flush()
                if number == 0:
                    ours, _ = refused([gpuloom, 'check'], f.name, r'ptx:(\d+):')
                more, run = refused([ptxas, f'-arch={target}', '-o', '/dev/null'], f.name, r'line (\d+);? *(?:error|fatal)')
            if not more:
                break
            theirs.update(more)
        if run.returncode != 0:
            print('ptxas gives no line:', (run.stdout + run.stderr)[:300])
        for i, line in enumerate(chunk):
            a, b = theirs.get(base + i), ours.get(base + i)
            if bool(a) == bool(b):
                agree += 1
            else:
                differ.append((line, 'only ptxas refuses: ' + a.split('error')[-1].strip(' :') if a else 'only gpuloom refuses'))
    for line, why in differ:
        print(f'{line:70s} {why}')
    print(f'{agree} of {lines} lines agree, {len(differ)} differ')


main()
