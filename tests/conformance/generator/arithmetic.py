# SPDX-License-Identifier: Apache-2.0
"""Groups of cases: integers, logic, carries, floats of 32 and 64 bits, halves."""
from generator.cases import case, op

RND = ['.rn', '.rz', '.rm', '.rp']
INTS = ['s16', 'u16', 's32', 'u32', 's64', 'u64']
WIDE = {'s16': 's32', 'u16': 'u32', 's32': 's64', 'u32': 'u64'}


def no_overflow_div(cols, r):
    pass


def fix_div(w):
    mn, m1 = 1 << (w - 1), (1 << w) - 1

    def f(cols, r):
        for i in range(len(cols[0])):
            if cols[1][i] == 0:
                cols[1][i] = 3
            if cols[0][i] == mn and cols[1][i] == m1:
                cols[1][i] = 7
    return f


def g_int():
    G = 'int'
    for t in INTS:
        w = int(t[1:])
        for o in ('add', 'sub', 'mul.lo', 'mul.hi'):
            op(f'{o}.{t}', G, [t, t], [t])
        for o in ('mad.lo', 'mad.hi'):
            op(f'{o}.{t}', G, [t, t, t], [t])
        op(f'sad.{t}', G, [t, t, t], [t])
        for o in ('div', 'rem'):
            op(f'{o}.{t}', G, [t, t + 'nz'], [t], fix=fix_div(w) if t[0] == 's' else None,
               note='b!=0 and not MIN/-1 (undefined)')
        for o in ('min', 'max'):
            op(f'{o}.{t}', G, [t, t], [t])
        if t[0] == 's':
            for o in ('abs', 'neg'):
                op(f'{o}.{t}', G, [t], [t])
        if t in WIDE:
            op(f'mul.wide.{t}', G, [t, t], [WIDE[t]])
            op(f'mad.wide.{t}', G, [t, t, WIDE[t]], [WIDE[t]])
    for o in ('add.sat.s32', 'sub.sat.s32', 'min.relu.s32', 'max.relu.s32'):
        op(o, G, ['s32', 's32'], ['s32'])
    op('mad.hi.sat.s32', G, ['s32'] * 3, ['s32'])
    for t in ('s32', 'u32'):
        for h in ('lo', 'hi'):
            op(f'mul24.{h}.{t}', G, [t, t], [t])
            op(f'mad24.{h}.{t}', G, [t, t, t], [t])
    op('mad24.hi.sat.s32', G, ['s32'] * 3, ['s32'])
    for t in ('s16x2', 'u16x2'):
        for o in ('add', 'sub', 'min', 'max'):  # sub is expected in rejected.txt
            op(f'{o}.{t}', G, [t, t], [t])
    for o in ('min.relu', 'max.relu'):
        op(f'{o}.s16x2', G, ['s16x2', 's16x2'], ['s16x2'])
    # bit counting
    for t in ('b32', 'b64'):
        for o in ('popc', 'clz'):
            op(f'{o}.{t}', G, [t], ['u32'])
        op(f'brev.{t}', G, [t], [t])
    for t in ('u32', 's32', 'u64', 's64'):
        op(f'bfind.{t}', G, [t], ['u32'])
        op(f'bfind.shiftamt.{t}', G, [t], ['u32'])
        op(f'bfe.{t}', G, [t, 'pos', 'pos'], [t])
        # immediate position / length
        for p, l in ((0, 8), (4, 12), (31, 1), (16, 16), (8, 0), (60, 10)):
            case(f'bfe.{t}.imm_{p}_{l}', G, f'bfe.{t} %o0, %i0, {p}, {l};', [t], [t])
    for t in ('b32', 'b64'):
        op(f'bfi.{t}', G, [t, t, 'pos', 'pos'], [t])
        for p, l in ((0, 8), (4, 12), (31, 1), (40, 20), (8, 0)):
            case(f'bfi.{t}.imm_{p}_{l}', G, f'bfi.{t} %o0, %i0, %i1, {p}, {l};', [t, t], [t])
    for m in ('clamp', 'wrap'):
        op(f'bmsk.{m}.b32', G, ['sh', 'sh'], ['b32'])
        for t in ('u32', 's32'):
            op(f'szext.{m}.{t}', G, [t, 'sh'], [t])
    op('fns.b32', G, ['b32', 'lane', 'fnsoff'], ['b32'])
    for a in ('u32', 's32'):
        for b in ('u32', 's32'):
            d = 's32' if 's32' in (a, b) else 'u32'
            op(f'dp4a.{a}.{b}', G, ['b32', 'b32', d], [d])
            for h in ('lo', 'hi'):
                op(f'dp2a.{h}.{a}.{b}', G, ['b32', 'b32', d], [d])


LUTS = [0x00, 0xFF, 0x80, 0xFE, 0x96, 0xE8, 0xCA, 0xD8, 0x6A, 0x1E, 0x3C, 0xF0, 0xCC, 0xAA, 0x0F, 0x55, 0x33, 0x7F, 0x01,
        0x69, 0xAC, 0xB8, 0x47, 0x29, 0x6F]


def g_logic():
    G = 'logic'
    for t in ('b16', 'b32', 'b64'):
        for o in ('and', 'or', 'xor'):
            op(f'{o}.{t}', G, [t, t], [t])
        for o in ('not', 'cnot'):
            op(f'{o}.{t}', G, [t], [t])
    for o in ('and', 'or', 'xor'):
        op(f'{o}.pred', G, ['pred', 'pred'], ['pred'])
    op('not.pred', G, ['pred'], ['pred'])
    op('mov.pred', G, ['pred'], ['pred'])
    for l in LUTS:
        case(f'lop3.b32.0x{l:02x}', G, f'lop3.b32 %o0, %i0, %i1, %i2, 0x{l:02x};', ['b32'] * 3, ['b32'])
    for bo in ('and', 'or'):
        for l in (0x80, 0x96, 0xFE, 0xCA, 0x40):
            case(f'lop3.{bo}.b32.0x{l:02x}', G, f'lop3.{bo}.b32 %o0|%o1, %i0, %i1, %i2, 0x{l:02x}, %i3;',
                 ['b32', 'b32', 'b32', 'pred'], ['b32', 'pred'])
            case(f'lop3.{bo}.b32.sink.0x{l:02x}', G, f'lop3.{bo}.b32 _|%o0, %i0, %i1, %i2, 0x{l:02x}, !%i3;',
                 ['b32', 'b32', 'b32', 'pred'], ['pred'])
    # lop3 on sparse inputs, so the predicate is not always true
    for bo in ('and', 'or'):
        case(f'lop3.{bo}.b32.sparse', G, f'lop3.{bo}.b32 %o0|%o1, %i0, %i1, %i2, 0x80, %i3;',
             ['small8', 'small8', 'small8', 'pred'], ['b32', 'pred'])
    for t in ('b16', 'b32', 'b64'):
        op(f'shl.{t}', G, [t, 'sh'], [t])
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64'):
        op(f'shr.{t}', G, [t, 'sh'], [t])
    for t in ('b16', 's16', 'b32', 's32', 'b64', 's64'):
        for s in (0, 1, 15, 16, 31, 32, 33, 63, 64, 100):
            if t[0] == 'b':
                case(f'shl.{t}.imm{s}', G, f'shl.{t} %o0, %i0, {s};', [t], [t])
            case(f'shr.{t}.imm{s}', G, f'shr.{t} %o0, %i0, {s};', [t], [t])
    for d in 'lr':
        for m in ('wrap', 'clamp'):
            op(f'shf.{d}.{m}.b32', G, ['b32', 'b32', 'sh'], ['b32'])
            for s in (0, 1, 31, 32, 33, 40):
                case(f'shf.{d}.{m}.b32.imm{s}', G, f'shf.{d}.{m}.b32 %o0, %i0, %i1, {s};', ['b32', 'b32'], ['b32'])
    op('prmt.b32', G, ['b32', 'b32', 'sel'], ['b32'])
    for m in ('f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'):
        op(f'prmt.b32.{m}', G, ['b32', 'b32', 'sel'], ['b32'])
    for s in (0x3210, 0x0123, 0x5410, 0x7632, 0x4440, 0x8888, 0xBA98, 0xFEDC, 0x7531, 0x9180):
        case(f'prmt.b32.imm_{s:04x}', G, f'prmt.b32 %o0, %i0, %i1, 0x{s:04x};', ['b32', 'b32'], ['b32'])


def g_carry():
    G = 'carry'
    for t in ('u32', 's32'):
        case(f'add.cc.{t}-64bit', G, f'add.cc.{t} %o0, %i0, %i2;\naddc.{t} %o1, %i1, %i3;', [t] * 4, [t] * 2)
        case(f'sub.cc.{t}-64bit', G, f'sub.cc.{t} %o0, %i0, %i2;\nsubc.{t} %o1, %i1, %i3;', [t] * 4, [t] * 2)
        case(f'add.cc.{t}-128bit', G, f'add.cc.{t} %o0, %i0, %i4;\naddc.cc.{t} %o1, %i1, %i5;\naddc.cc.{t} %o2, %i2, %i6;\n'
             f'addc.cc.{t} %o3, %i3, %i7;\naddc.{t} %o4, 0, 0;', [t] * 8, [t] * 5)
        case(f'sub.cc.{t}-128bit', G, f'sub.cc.{t} %o0, %i0, %i4;\nsubc.cc.{t} %o1, %i1, %i5;\nsubc.cc.{t} %o2, %i2, %i6;\n'
             f'subc.cc.{t} %o3, %i3, %i7;\nsubc.{t} %o4, 0, 0;', [t] * 8, [t] * 5)
    for t in ('u64', 's64'):
        case(f'add.cc.{t}-128bit', G, f'add.cc.{t} %o0, %i0, %i2;\naddc.cc.{t} %o1, %i1, %i3;\naddc.{t} %o2, 0, 0;', [t] * 4, [t] * 3)
        case(f'sub.cc.{t}-128bit', G, f'sub.cc.{t} %o0, %i0, %i2;\nsubc.cc.{t} %o1, %i1, %i3;\nsubc.{t} %o2, 0, 0;', [t] * 4, [t] * 3)
    for t in ('u32', 's32', 'u64', 's64'):
        mix = 'mixes the carry of an addition with the borrow of a subtraction: PTX does not say how they relate'
        for o in ('add', 'sub'):
            case(f'{o}.cc.{t}-out', G, f'{o}.cc.{t} %o0, %i0, %i1;\naddc.{t} %o1, 0, 0;', [t, t], [t, t], impl=o == 'sub',
                 note='flag captured with addc 0,0' + ('; ' + mix if o == 'sub' else ''))
            case(f'{o}.cc.{t}-outb', G, f'{o}.cc.{t} %o0, %i0, %i1;\nsubc.{t} %o1, 0, 0;', [t, t], [t, t], impl=o == 'add',
                 note='flag captured with subc 0,0' + ('; ' + mix if o == 'add' else ''))
            case(f'{o}c.cc.{t}-chain', G, f'{o}.cc.{t} %o2, %i2, %i1;\n{o}c.cc.{t} %o0, %i0, %i1;\n{o}c.{t} %o1, 0, 0;', [t] * 3, [t] * 3)
            other = 'sub' if o == 'add' else 'add'
            case(f'{other}.cc-{o}c.cc.{t}', G, f'{other}.cc.{t} %o2, %i2, %i1;\n{o}c.cc.{t} %o0, %i0, %i1;\n{o}c.{t} %o1, 0, 0;', [t] * 3, [t] * 3, impl=True, note=mix)
        for h in ('lo', 'hi'):
            case(f'mad.{h}.cc.{t}', G, f'mad.{h}.cc.{t} %o0, %i0, %i1, %i2;\naddc.{t} %o1, 0, 0;', [t] * 3, [t] * 2)
            case(f'madc.{h}.{t}', G, f'add.cc.{t} %o1, %i3, %i3;\nmadc.{h}.{t} %o0, %i0, %i1, %i2;', [t] * 4, [t] * 2)
            case(f'madc.{h}.cc.{t}', G, f'add.cc.{t} %o1, %i3, %i3;\nmadc.{h}.cc.{t} %o0, %i0, %i1, %i2;\naddc.{t} %o2, 0, 0;', [t] * 4, [t] * 3)
        case(f'mad.lo.cc-madc.hi.{t}', G, f'mad.lo.cc.{t} %o0, %i0, %i1, %i2;\nmadc.hi.{t} %o1, %i0, %i1, %i3;', [t] * 4, [t] * 2)
    # 64x64 -> 128 multiply with 32-bit limbs
    case('mul128.by32', G, '''mul.lo.u32 %o0, %i0, %i2;
        mul.hi.u32 %o1, %i0, %i2;
        mad.lo.cc.u32 %o1, %i1, %i2, %o1;
        madc.hi.u32 %o2, %i1, %i2, 0;
        mad.lo.cc.u32 %o1, %i0, %i3, %o1;
        madc.hi.cc.u32 %o2, %i0, %i3, %o2;
        addc.u32 %o3, 0, 0;
        mad.lo.cc.u32 %o2, %i1, %i3, %o2;
        madc.hi.u32 %o3, %i1, %i3, %o3;''', ['u32'] * 4, ['u32'] * 4)
    # carry flag survives intervening non-.cc instructions
    case('add.cc-survives', G, '''add.cc.u32 %o0, %i0, %i1;
        mul.lo.u32 %o2, %i0, %i1;
        xor.b32 %o3, %i0, %i1;
        add.u32 %o4, %i0, 1;
        addc.u32 %o1, %i0, 0;''', ['u32'] * 2, ['u32'] * 5)


def ftzsat(sat=True):
    for f in ('', '.ftz'):
        for s in (('', '.sat') if sat else ('',)):
            yield f + s


REL = lambda e, a=None: {'rel': 2.0 ** e} if a is None else {'rel': 2.0 ** e, 'abs': 2.0 ** a}


def g_float32():
    G = 'float32'
    T = 'f32'
    for o in ('add', 'sub', 'mul'):
        for r in [''] + RND:
            for fs in ftzsat():
                op(f'{o}{r}{fs}.f32', G, [T, T], [T])
    for o in ('fma', 'mad'):
        for r in RND:
            for fs in ftzsat():
                op(f'{o}{r}{fs}.f32', G, [T] * 3, [T])
    for f in ('', '.ftz'):
        for r in RND:
            op(f'div{r}{f}.f32', G, [T, T], [T])
            op(f'rcp{r}{f}.f32', G, [T], [T])
            op(f'sqrt{r}{f}.f32', G, ['f32pos'], [T])
        op(f'div.approx{f}.f32', G, ['f32norm', 'f32norm'], [T], compare={'ulp': 2}, id=f'div.approx{f}.f32.norm')
        op(f'div.approx{f}.f32', G, [T, T], [T], compare={'ulp': 2})
        op(f'div.full{f}.f32', G, [T, T], [T], compare={'ulp': 2})
        op(f'div.full{f}.f32', G, ['f32norm', 'f32norm'], [T], compare={'ulp': 2}, id=f'div.full{f}.f32.norm')
        op(f'rcp.approx{f}.f32', G, [T], [T], compare={'ulp': 1})
        op(f'sqrt.approx{f}.f32', G, ['f32pos'], [T], compare={'ulp': 2})
        op(f'rsqrt.approx{f}.f32', G, ['f32pos'], [T], compare={'ulp': 2})
        op(f'sin.approx{f}.f32', G, ['f32trig'], [T], compare=REL(-18, -20))
        op(f'cos.approx{f}.f32', G, ['f32trig'], [T], compare=REL(-18, -20))
        op(f'sin.approx{f}.f32', G, ['f32trigw'], [T], compare=REL(-12, -14), id=f'sin.approx{f}.f32.wide')
        op(f'cos.approx{f}.f32', G, ['f32trigw'], [T], compare=REL(-12, -14), id=f'cos.approx{f}.f32.wide')
        op(f'lg2.approx{f}.f32', G, ['f32pos'], [T], compare=REL(-21.5, -21.5))
        op(f'ex2.approx{f}.f32', G, ['f32exp'], [T], compare={'ulp': 2})
        op(f'abs{f}.f32', G, [T], [T])
        op(f'neg{f}.f32', G, [T], [T])
        for o in ('min', 'max'):
            for nn in ('', '.NaN'):
                for x in ('', '.xorsign.abs'):
                    op(f'{o}{f}{nn}{x}.f32', G, [T, T], [T])
    op('tanh.approx.f32', G, ['f32tanh'], [T], compare=REL(-10.9))
    op('copysign.f32', G, [T, T], [T])
    for p in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        for t in ('f32', 'f64'):
            op(f'testp.{p}.{t}', 'float32' if t == 'f32' else 'float64', [t], ['pred'])
    for f in ('', '.ftz'):  # operand order, negation and constants
        case(f'fma.rn{f}.f32.negimm', G, f'fma.rn{f}.f32 %o0, %i0, 0f3FC00000, 0fBF800000;', [T], [T])
        case(f'add{f}.f32.imm', G, f'add{f}.f32 %o0, %i0, 0f3DCCCCCD;', [T], [T])


def g_float64():
    G = 'float64'
    T = 'f64'
    for o in ('add', 'sub', 'mul'):
        for r in [''] + RND:
            op(f'{o}{r}.f64', G, [T, T], [T])
    for o in ('fma', 'mad'):
        for r in RND:
            op(f'{o}{r}.f64', G, [T] * 3, [T])
    for r in RND:
        op(f'div{r}.f64', G, [T, T], [T])
        op(f'rcp{r}.f64', G, [T], [T])
        op(f'sqrt{r}.f64', G, ['f64pos'], [T])
    op('rcp.approx.ftz.f64', G, [T], [T], compare=REL(-19))
    op('rsqrt.approx.ftz.f64', G, ['f64pos'], [T], compare=REL(-19))
    op('rsqrt.approx.f64', G, ['f64pos'], [T], compare=REL(-50))
    for o in ('min', 'max'):
        op(f'{o}.f64', G, [T, T], [T])
    op('abs.f64', G, [T], [T])
    op('neg.f64', G, [T], [T])
    op('copysign.f64', G, [T, T], [T])
    case('fma.rn.f64.imm', G, 'fma.rn.f64 %o0, %i0, 0d3FF8000000000000, 0dBFF0000000000000;', [T], [T])


def g_half():
    for t in ('f16', 'f16x2'):
        G = 'half'
        for o in ('add', 'sub', 'mul'):
            for r in ('', '.rn'):
                for fs in ftzsat():
                    op(f'{o}{r}{fs}.{t}', G, [t, t], [t])
        for fs in ('', '.ftz', '.sat', '.ftz.sat', '.relu', '.ftz.relu'):
            op(f'fma.rn{fs}.{t}', G, [t] * 3, [t])
        for fs in ('', '.relu'):
            op(f'fma.rn.oob{fs}.{t}', G, [t] * 3, [t])
        for f in ('', '.ftz'):
            op(f'neg{f}.{t}', G, [t], [t])
            op(f'abs{f}.{t}', G, [t], [t])
            for o in ('min', 'max'):
                for nn in ('', '.NaN'):
                    for x in ('', '.xorsign.abs'):
                        op(f'{o}{f}{nn}{x}.{t}', G, [t, t], [t])
        op(f'ex2.approx.{t}', G, [t + 'small'], [t], compare=REL(-9.8, -24))
        op(f'tanh.approx.{t}', G, [t + 'small'], [t], compare=REL(-9.5, -10.9))
    for t in ('bf16', 'bf16x2'):
        G = 'bf16'
        for o in ('add', 'sub', 'mul'):
            for r in ('', '.rn'):
                op(f'{o}{r}.{t}', G, [t, t], [t])
        for fs in ('', '.relu', '.oob', '.oob.relu'):
            op(f'fma.rn{fs}.{t}', G, [t] * 3, [t])
        op(f'neg.{t}', G, [t], [t])
        op(f'abs.{t}', G, [t], [t])
        for o in ('min', 'max'):
            for nn in ('', '.NaN'):
                for x in ('', '.xorsign.abs'):
                    op(f'{o}{nn}{x}.{t}', G, [t, t], [t])
        op(f'ex2.approx.ftz.{t}', G, [t + 'small'], [t], compare=REL(-7))
        op(f'tanh.approx.{t}', G, [t + 'small'], [t], compare=REL(-7, -8))
