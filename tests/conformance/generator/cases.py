# SPDX-License-Identifier: Apache-2.0
"""The table of cases, each as a kernel of its own and with its inputs."""
import random

from generator.values import FLOATY, ROLES, SPECIAL_PAIRS, WIDTH, b32f, b64f, f32b, f64b

CASES = []
_ids = {}
DEFN = 64


class Case:
    pass


def case(id, group, body, ins, outs, compare='bits', nan=None, kind='scalar', n=None, prelude='', raw=False, note=None,
         fix=None, entry='', impl=False):
    k = _ids.get(id, 0) + 1
    _ids[id] = k
    c = Case()
    c.id = id if k == 1 else f'{id}_{k}'
    c.group, c.body, c.ins, c.outs = group, body, list(ins), list(outs)
    c.compare, c.kind, c.prelude, c.raw, c.note, c.fix, c.entry = compare, kind, prelude, raw, note, fix, entry
    if nan is None and any(o in FLOATY and not o.startswith('e') for o in c.outs):
        nan = 'any'
    c.nan = nan if nan else None
    if n is None:
        if kind == 'warp':
            n = 64
        elif group in ('atomic', 'memory', 'async', 'control'):  # layouts below assume 64 / 128 threads
            n = 64 if len(c.ins) < 2 else 128
        else:
            n = DEFN if len(c.ins) < 2 else 2 * DEFN
    c.n = n
    c.impl = impl
    CASES.append(c)
    return c


def op(ins_text, group, ins, outs, id=None, **kw):
    """single instruction: destination then sources in order"""
    ops = ', '.join([f'%o{i}' for i in range(len(outs))] + [f'%i{i}' for i in range(len(ins))])
    case(id or ins_text, group, f'{ins_text} {ops};', ins, outs, **kw)


def kernel_text(c, name):
    n = c.n
    L = [f'.visible .entry {name}(.param .u64 {name}_in, .param .u64 {name}_out){c.entry}', '{']
    L += ['.reg .b64 %bi, %bo, %pi, %po, %tl, %w<20>;', '.reg .b32 %tx, %r<40>;', '.reg .b16 %h<16>;', '.reg .pred %p<12>;',
          '.reg .f32 %f<12>;', '.reg .f64 %fd<8>;']
    for k, rl in enumerate(c.ins):
        w = ROLES[rl][1]
        L.append(f'.reg .{"pred" if w == 1 else "b%d" % w} %i{k};')
    for k, t in enumerate(c.outs):
        w = WIDTH[t]
        L.append(f'.reg .{"pred" if w == 1 else "b%d" % w} %o{k};')
    body = c.body.replace('$N', str(n)).replace('$K', name)
    decls, code = [], []
    for ln in body.split('\n'):
        s = ln.strip()
        if not s:
            continue
        (decls if s.startswith('.shared') or s.startswith('.local') or s.startswith('.reg') else code).append(s)
    L += decls
    L += [f'ld.param.u64 %bi, [{name}_in];', f'ld.param.u64 %bo, [{name}_out];',
          'cvta.to.global.u64 %bi, %bi;', 'cvta.to.global.u64 %bo, %bo;',
          'mov.u32 %tx, %tid.x;', 'mul.wide.u32 %tl, %tx, 8;', 'add.u64 %pi, %bi, %tl;', 'add.u64 %po, %bo, %tl;']
    if not c.raw:
        for k, rl in enumerate(c.ins):
            w = ROLES[rl][1]
            a = f'[%pi+{8 * k * n}]'
            if w == 64:
                L.append(f'ld.global.b64 %i{k}, {a};')
            else:
                L.append(f'ld.global.b64 %tl, {a};')
                L.append({1: f'setp.ne.u64 %i{k}, %tl, 0;', 16: f'cvt.u16.u64 %i{k}, %tl;', 32: f'cvt.u32.u64 %i{k}, %tl;'}[w])
    L += code
    if not c.raw:
        for k, t in enumerate(c.outs):
            w = WIDTH[t]
            a = f'[%po+{8 * k * n}]'
            if w == 64:
                L.append(f'st.global.b64 {a}, %o{k};')
            else:
                L.append({1: f'selp.u64 %tl, 1, 0, %o{k};', 16: f'cvt.u64.u16 %tl, %o{k};', 32: f'cvt.u64.u32 %tl, %o{k};'}[w])
                L.append(f'st.global.b64 {a}, %tl;')
    L += ['ret;', '}']
    pre = c.prelude.replace('$K', name).replace('$N', str(n)).strip()
    return (pre + '\n' if pre else '') + '\n'.join(L) + '\n'


def gen_inputs(c, seed):
    r = random.Random(f'{seed}:{c.id}')
    n = c.n
    cols = []
    ns = n // 3
    for rl in c.ins:
        typ, w, spec, rnd = ROLES[rl]
        col = []
        if spec:
            s = list(spec)
            if len(s) > ns or cols:
                r.shuffle(s)
            while len(col) < ns:
                col += s
            col = col[:ns]
        while len(col) < n:
            col.append(rnd(r))
        m = (1 << w) - 1
        cols.append([x & m for x in col])
    if c.kind == 'scalar' and len(cols) >= 2 and c.ins[0] == c.ins[1]:
        typ, w = ROLES[c.ins[0]][:2]
        for i in range(ns, n):
            if w > 1 and r.random() < .15:
                cols[1][i] = cols[0][i] ^ r.choice([0, 0, 1, 1 << (w - 1), 3])
        if len(cols) == 3 and c.ins[2] == c.ins[0] and typ in ('f32', 'f64'):
            for i in range(ns, n):
                if r.random() < .15:
                    f, b = (b32f, f32b) if typ == 'f32' else (b64f, f64b)
                    try:
                        v = -(f(cols[0][i]) * f(cols[1][i]))
                    except OverflowError:
                        continue
                    cols[2][i] = b(v) ^ r.choice([0, 0, 1])
    if c.kind == 'scalar' and len(cols) >= 2 and ROLES[c.ins[0]][0] in FLOATY and ROLES[c.ins[0]][0] == ROLES[c.ins[1]][0] \
            and not c.ins[0].endswith('norm') and c.ins[0] == c.ins[1]:
        # pairs of special values every two-operand float case sees
        spec = ROLES[c.ins[0]][2]
        if len(spec) > 20:
            for j, (x, y) in enumerate(SPECIAL_PAIRS):
                if ns + j < n:
                    cols[0][ns + j], cols[1][ns + j] = spec[x], spec[y]
                    if len(cols) > 2 and c.ins[2] == c.ins[0]:
                        cols[2][ns + j] = spec[r.choice([0, 1, 2, 4, 5, 6, 14, 16])]
    if c.fix:
        c.fix(cols, r)
    return cols
