#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py SUITE_DIR [OUTPUTS_BIN [STATUS_TSV]]

Plumbing check of a device run, with no simulator: reports failed cases and unwritten words, and recomputes with
independent Python arithmetic the cases whose meaning is simple enough (a few hundred of them).  A mismatch here means the harness
(offsets, widths, order) is wrong or an oracle below is; the device's value stays the golden one."""
import collections, json, math, os, re, struct, sys

POISON = 0xDEADBEEFDEADBEEF


def sx(x, w):
    x &= (1 << w) - 1
    return x - (1 << w) if x >> (w - 1) else x


def val(x, t):
    w = int(re.sub(r'\D', '', t))
    return sx(x, w) if t[0] == 's' else x & ((1 << w) - 1)


def f32(b):
    return struct.unpack('<f', struct.pack('<I', b & 0xFFFFFFFF))[0]


def f64(b):
    return struct.unpack('<d', struct.pack('<Q', b))[0]


def tof32(x):
    try:
        return struct.unpack('<I', struct.pack('<f', x))[0]
    except OverflowError:
        return 0x7F800000 if x > 0 else 0xFF800000


def tof64(x):
    return struct.unpack('<Q', struct.pack('<d', x))[0]


def tdiv(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


CMP = {'eq': lambda a, b: a == b, 'ne': lambda a, b: a != b, 'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b, 'gt': lambda a, b: a > b,
       'ge': lambda a, b: a >= b}
CMP.update(lo=CMP['lt'], ls=CMP['le'], hi=CMP['gt'], hs=CMP['ge'])


def fcmp(op, a, b):
    u = math.isnan(a) or math.isnan(b)
    if op == 'num':
        return not u
    if op == 'nan':
        return u
    if op.endswith('u') and op[:-1] in CMP:
        return u or CMP[op[:-1]](a, b)
    if op == 'ne':
        return not u and a != b
    return not u and CMP[op](a, b)


def oracle(c):
    """a function of one thread's input words giving the expected output words, or None"""
    i = c['id']
    m = re.fullmatch(r'(add|sub|mul\.lo|mul\.hi|mad\.lo|mad\.hi|sad|div|rem|min|max|abs|neg|mul\.wide|mad\.wide)\.([su])(16|32|64)', i)
    if m:
        o, s, w = m[1], m[2], int(m[3])
        t = s + m[3]
        M = (1 << w) - 1
        f = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul.lo': lambda a, b: a * b, 'mul.hi': lambda a, b: (a * b) >> w,
             'mad.lo': lambda a, b, d: a * b + d, 'mad.hi': lambda a, b, d: ((a * b) >> w) + d, 'sad': lambda a, b, d: abs(a - b) + d,
             'div': tdiv, 'rem': lambda a, b: a - b * tdiv(a, b), 'min': min, 'max': max, 'abs': abs, 'neg': lambda a: -a,
             'mul.wide': lambda a, b: a * b, 'mad.wide': lambda a, b, d: a * b + d}[o]
        if 'wide' in o:
            M = (1 << 2 * w) - 1
            return lambda *x: [f(*[val(v, t) for v in x[:2]], *[val(v, s + str(2 * w)) for v in x[2:]]) & M]
        return lambda *x: [f(*[val(v, t) for v in x]) & M]
    m = re.fullmatch(r'(and|or|xor|not|cnot|popc|clz|brev)\.b(16|32|64)', i)
    if m:
        w = int(m[2])
        M = (1 << w) - 1
        f = {'and': lambda a, b: a & b, 'or': lambda a, b: a | b, 'xor': lambda a, b: a ^ b, 'not': lambda a: ~a & M, 'cnot': lambda a: int(a == 0),
             'popc': lambda a: bin(a).count('1'), 'clz': lambda a: w - a.bit_length(), 'brev': lambda a: int(f'{a:0{w}b}'[::-1], 2)}[m[1]]
        return lambda *x: [f(*x)]
    m = re.fullmatch(r'(shl|shr)\.([bus])(16|32|64)', i)
    if m:
        w = int(m[3])
        M = (1 << w) - 1
        if m[1] == 'shl':
            return lambda a, b: [(a << min(b, w)) & M]
        return lambda a, b: [(val(a, m[2] + m[3]) >> min(b, w)) & M]
    m = re.fullmatch(r'lop3\.b32\.0x(..)', i)
    if m:
        lut = int(m[1], 16)
        return lambda a, b, d: [sum(((lut >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (d >> k & 1))) & 1) << k for k in range(32))]
    m = re.fullmatch(r'shf\.([lr])\.(wrap|clamp)\.b32', i)
    if m:
        def shf(a, b, s):
            n = s & 31 if m[2] == 'wrap' else min(s, 32)
            v = b << 32 | a
            return [((v << n) >> 32 if m[1] == 'l' else v >> n) & 0xFFFFFFFF]
        return shf
    if i == 'prmt.b32':
        def prmt(a, b, s):
            v = (b << 32 | a).to_bytes(8, 'little')
            r = 0
            for k in range(4):
                n = s >> 4 * k & 15
                x = v[n & 7]
                if n & 8:
                    x = 255 if x & 128 else 0
                r |= x << 8 * k
            return [r]
        return prmt
    m = re.fullmatch(r'setp\.(\w+)\.([bus])(16|32|64)', i)
    if m:
        t = m[2] + m[3]
        return lambda a, b: [int(CMP[m[1]](val(a, t), val(b, t)))]
    m = re.fullmatch(r'setp\.(\w+)\.f(32|64)', i)
    if m:
        g = f32 if m[2] == '32' else f64
        return lambda a, b: [int(fcmp(m[1], g(a), g(b)))]
    m = re.fullmatch(r'cvt(\.sat)?\.([us])(8|16|32|64)\.([us])(8|16|32|64)', i)
    if m:
        dw = int(m[3])
        ow = max(dw, 32) if dw == 8 else dw

        def cvt(a):
            v = val(a, m[4] + m[5])
            if m[1]:
                lo, hi = (-(1 << (dw - 1)), (1 << (dw - 1)) - 1) if m[2] == 's' else (0, (1 << dw) - 1)
                v = min(max(v, lo), hi)
            return [val(v, m[2] + m[3]) & ((1 << ow) - 1)]
        return cvt
    m = re.fullmatch(r'(add|sub|mul|div)\.rn\.f(32|64)', i)
    if m:
        g, h = (f32, tof32) if m[2] == '32' else (f64, tof64)

        def fl(a, b):
            x, y = g(a), g(b)
            if m[1] == 'add':
                r = x + y
            elif m[1] == 'sub':
                r = x - y
            elif m[1] == 'mul':
                r = x * y
            else:
                if y == 0:
                    if x == 0 or math.isnan(x):
                        return [h(math.nan)]
                    return [h(math.copysign(math.inf, x) * math.copysign(1, y))]
                r = x / y
                if m[2] == '32' and r != 0 and abs(r) < 2.0 ** -120:
                    return None  # double rounding near denormals
            return [h(r)]
        return fl
    m = re.fullmatch(r'dp4a\.([us])32\.([us])32', i)
    if m:
        return lambda a, b, d: [(d + sum(val(a >> 8 * k, m[1] + '8') * val(b >> 8 * k, m[2] + '8') for k in range(4))) & 0xFFFFFFFF]
    m = re.fullmatch(r'selp\.\w+', i)
    if m and len(c['inputs']) == 3:
        return lambda a, b, p: [a if p else b]
    m = re.fullmatch(r'ld\.(?:global|shared|local)\.([us])(8|16|32|64)', i) or re.fullmatch(r'ld\.global\.([us])(8|16|32|64)\+0', i)
    if m:
        w = int(m[2])
        ow = 32 if w == 8 else w
        s = w // 8
        offs = sorted(o for o in {0, s, 8 - s} if o + s <= 8) if '+' not in i else [0]
        return lambda a: [val(a >> 8 * o & ((1 << w) - 1), m[1] + m[2]) & ((1 << ow) - 1) for o in offs]
    return None


def isnan(b, t):
    if t == 'f32':
        return (b & 0x7FFFFFFF) > 0x7F800000
    if t == 'f64':
        return (b & ((1 << 63) - 1)) > (0x7FF << 52)
    return False


def main():
    d = sys.argv[1]
    outp = sys.argv[2] if len(sys.argv) > 2 else os.path.join(d, 'outputs.bin')
    stp = sys.argv[3] if len(sys.argv) > 3 else os.path.join(d, 'status.tsv')
    inp = open(os.path.join(d, 'inputs.bin'), 'rb').read()
    out = open(outp, 'rb').read()
    st = {}
    if os.path.exists(stp):
        for line in open(stp):
            f = line.rstrip('\n').split('\t')
            st[f[0]] = f
    n_ok = collections.Counter()
    bad = []
    for line in open(os.path.join(d, 'cases.jsonl')):
        c = json.loads(line)
        s = st.get(c['kernel'])
        if s and s[2] != 'ok':
            bad.append(f'{c["id"]} ({c["module"]} {c["kernel"]}): {s[2]} {s[6]}')
            continue
        n, no, ni = c['n'], len(c['outputs']), len(c['inputs'])
        o = struct.unpack_from(f'<{n * no}Q', out, 8 * c['out_offset'])
        a = struct.unpack_from(f'<{n * ni}Q', inp, 8 * c['in_offset'])
        if POISON in o:
            bad.append(f'{c["id"]}: {o.count(POISON)} unwritten words')
        n_ok['read'] += 1
        f = oracle(c)
        if not f:
            continue
        n_ok['recomputed'] += 1
        for t in range(n):
            e = f(*[a[k * n + t] for k in range(ni)])
            if e is None:
                continue
            got = [o[k * n + t] for k in range(no)]
            if got != e and not all(g == x or (isnan(g, ty) and isnan(x, ty)) for g, x, ty in zip(got, e, c['outputs'])):
                bad.append(f'{c["id"]} thread {t}: inputs {[hex(a[k * n + t]) for k in range(ni)]} gave {[hex(x) for x in got]}, recomputed {[hex(x) for x in e]}')
                break
    for b in bad:
        print(b)
    print(f'{n_ok["read"]} cases read, {n_ok["recomputed"]} recomputed, {len(bad)} complaints')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
