# SPDX-License-Identifier: Apache-2.0
"""Groups of cases: conversions, comparisons, video instructions, moves."""
import random

from generator.values import WIDTH
from generator import cases
from generator.cases import case, op
from generator.arithmetic import INTS, RND

CI = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64']
CF = ['f16', 'bf16', 'f32', 'f64']


def g_cvt():
    G = 'cvt'
    for d in CI:
        for s in CI:
            op(f'cvt.{d}.{s}', G, [s], [d])
            op(f'cvt.sat.{d}.{s}', G, [s], [d])
    for d in CF:
        for s in CI:
            for r in RND:
                op(f'cvt{r}.{d}.{s}', G, [s], [d])
            if d in ('f16', 'f32', 'f64'):
                op(f'cvt.rn.sat.{d}.{s}', G, [s], [d])
    for d in CI:
        for s in CF:
            for r in ('.rni', '.rzi', '.rmi', '.rpi'):
                op(f'cvt{r}.{d}.{s}', G, [s + 'c'], [d])
                if s == 'f32':
                    op(f'cvt{r}.ftz.{d}.{s}', G, [s + 'c'], [d])
            op(f'cvt.rni.sat.{d}.{s}', G, [s + 'c'], [d])
            op(f'cvt.rzi.sat.{d}.{s}', G, [s + 'c'], [d])
            if s == 'f32':
                op(f'cvt.rzi.ftz.sat.{d}.{s}', G, [s + 'c'], [d])
    # float to float
    for d in CF:
        for s in CF:
            src = {'f32': 'f32n', 'f64': 'f64n'}.get(s, s)
            if d == s:
                for f in (('', '.ftz') if s == 'f32' else ('',)):
                    for r in ('', '.rni', '.rzi', '.rmi', '.rpi'):
                        for sa in ('', '.sat'):
                            op(f'cvt{r}{f}{sa}.{d}.{s}', G, [s + 'c'], [d])
                continue
            wd, ws = WIDTH[d], WIDTH[s]
            for f in (('', '.ftz') if 'f32' in (d, s) else ('',)):
                for sa in ('', '.sat'):
                    for r in ([''] if wd > ws else []) + RND:
                        op(f'cvt{r}{f}{sa}.{d}.{s}', G, [src], [d])
    for d in ('f16', 'bf16'):
        for r in ('.rn', '.rz'):
            for x in ('.relu', '.satfinite', '.relu.satfinite'):
                op(f'cvt{r}{x}.{d}.f32', G, ['f32n'], [d])
    for d in ('f16x2', 'bf16x2'):
        for r in ('.rn', '.rz'):
            for x in ('', '.relu', '.satfinite', '.relu.satfinite'):
                op(f'cvt{r}{x}.{d}.f32', G, ['f32n', 'f32n'], [d])
    for r in ('.rna', '.rn', '.rz'):
        for x in ('', '.satfinite', '.relu', '.satfinite.relu'):
            op(f'cvt{r}{x}.tf32.f32', G, ['f32n'], ['tf32'], nan='any')
    for d in ('u16', 's16'):
        op(f'cvt.pack.sat.{d}.s32', G, ['s32', 's32'], ['b32'])
    for d in ('u8', 's8', 'u4', 's4', 'u2', 's2'):
        op(f'cvt.pack.sat.{d}.s32.b32', G, ['s32', 's32', 'b32'], ['b32'])
        op(f'cvt.pack.sat.{d}.s32.b32', G, ['m32.s8', 'm32.s4', 'b32'], ['b32'], id=f'cvt.pack.sat.{d}.s32.b32.raw')
    # operands wider than the instruction type
    for d in ('u8', 's8', 'u16', 's16'):
        case(f'cvt.{d}.u32.wide_dst', G, f'cvt.{d}.u32 %r0, %i0;\nmov.b32 %o0, %r0;', ['u32'], ['u32'])
        case(f'cvt.u32.{d}.wide_src', G, f'cvt.u32.{d} %o0, %i0;', ['u32'], ['u32'])
        case(f'cvt.{d}.u64.wide_dst64', G, f'cvt.{d}.u64 %o0, %i0;', ['u64'], ['u64'])
    # fp8
    G = 'fp8'
    for e in ('e4m3x2', 'e5m2x2'):
        for x in ('', '.relu'):
            op(f'cvt.rn.satfinite{x}.{e}.f32', G, ['f32n', 'f32n'], [e])
            op(f'cvt.rn.satfinite{x}.{e}.f16x2', G, ['f16x2'], [e], n=2 * cases.DEFN)

            def exh(cols, r):
                for i in range(len(cols[0])):
                    cols[0][i] = ((2 * i) & 255) | ((2 * i + 1) & 255) << 8
            op(f'cvt.rn{x}.f16x2.{e}', G, [e], ['f16x2'], n=128, fix=exh, note='exhaustive over all 256 encodings')


CMPI = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
CMPU = CMPI + ['lo', 'ls', 'hi', 'hs']
CMPF = CMPI + ['equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']


def cmps(t):
    if t[0] == 'b' and t[1] != 'f':
        return ['eq', 'ne']
    if t[0] == 'u':
        return CMPU
    if t[0] == 's':
        return CMPI
    return CMPF


def g_compare():
    G = 'compare'
    types = ['b16', 'b32', 'b64'] + INTS + ['f32', 'f64', 'f16', 'bf16']
    for t in types:
        for c in cmps(t):
            op(f'setp.{c}.{t}', G, [t, t], ['pred'])
            if t in ('f32', 'f16'):
                op(f'setp.{c}.ftz.{t}', G, [t, t], ['pred'])
        for c in random.Random(t).sample(cmps(t), min(2, len(cmps(t)))) if t != 'f32' else ['lt', 'geu', 'num']:
            case(f'setp.{c}.{t}.pq', G, f'setp.{c}.{t} %o0|%o1, %i0, %i1;', [t, t], ['pred', 'pred'])
        for bo, c in (('and', cmps(t)[0]), ('or', cmps(t)[-1]), ('xor', cmps(t)[1])):
            case(f'setp.{c}.{bo}.{t}', G, f'setp.{c}.{bo}.{t} %o0, %i0, %i1, %i2;', [t, t, 'pred'], ['pred'])
            case(f'setp.{c}.{bo}.{t}.pq', G, f'setp.{c}.{bo}.{t} %o0|%o1, %i0, %i1, %i2;', [t, t, 'pred'], ['pred', 'pred'])
            if t in ('f16', 'bf16'):  # no second destination for these types
                case(f'setp.{c}.{bo}.{t}.not', G, f'setp.{c}.{bo}.{t} %o0, %i0, %i1, !%i2;', [t, t, 'pred'], ['pred'])
                continue
            case(f'setp.{c}.{bo}.{t}.notc', G, f'setp.{c}.{bo}.{t} %o0|%o1, %i0, %i1, !%i2;', [t, t, 'pred'], ['pred', 'pred'])
    for t in ('f16x2', 'bf16x2'):
        for c in CMPF:
            case(f'setp.{c}.{t}', G, f'setp.{c}.{t} %o0|%o1, %i0, %i1;', [t, t], ['pred', 'pred'])
            if t == 'f16x2':
                case(f'setp.{c}.ftz.{t}', G, f'setp.{c}.ftz.{t} %o0|%o1, %i0, %i1;', [t, t], ['pred', 'pred'])
        for bo in ('and', 'or', 'xor'):
            case(f'setp.lt.{bo}.{t}', G, f'setp.lt.{bo}.{t} %o0|%o1, %i0, %i1, %i2;', [t, t, 'pred'], ['pred', 'pred'])
    # set
    for d in ('u32', 's32', 'f32'):
        for t in ['b16', 'b32', 'b64'] + INTS + ['f32', 'f64']:
            cs = cmps(t) if (t == 'f32' or (d == 'u32')) else [cmps(t)[0], cmps(t)[-1], cmps(t)[len(cmps(t)) // 2]]
            for c in dict.fromkeys(cs):
                op(f'set.{c}.{d}.{t}', G, [t, t], [d])
                if t == 'f32' and d == 'u32':
                    op(f'set.{c}.ftz.{d}.{t}', G, [t, t], [d])
            for bo in ('and', 'or', 'xor'):
                c = cmps(t)[1]
                op(f'set.{c}.{bo}.{d}.{t}', G, [t, t, 'pred'], [d])
    for t in ('f16', 'bf16'):
        for d in (t, 'u16', 's16', 'u32', 's32'):
            for c in CMPF if d in (t,) else ('lt', 'neu', 'nan'):
                op(f'set.{c}.{d}.{t}', G, [t, t], [d])
            op(f'set.ge.and.{d}.{t}', G, [t, t, 'pred'], [d])
    for s in INTS + ['b16', 'b32', 'b64', 'f32', 'f64']:
        op(f'set.{cmps(s)[0]}.f16.{s}', G, [s, s], ['f16'])
        op(f'set.{cmps(s)[1]}.bf16.{s}', G, [s, s], ['bf16'])
    for t in ('f16x2', 'bf16x2'):
        for c in CMPF:
            op(f'set.{c}.{t}.{t}', G, [t, t], [t])
        op(f'set.lt.xor.{t}.{t}', G, [t, t, 'pred'], [t])
    op('set.lt.ftz.f16.f16', G, ['f16', 'f16'], ['f16'])
    op('set.ge.ftz.f16x2.f16x2', G, ['f16x2', 'f16x2'], ['f16x2'])
    for t in ['b16', 'b32', 'b64'] + INTS + ['f32', 'f64']:
        op(f'selp.{t}', G, [t, t, 'pred'], [t], nan=False)
        op(f'slct.{t}.s32', G, [t, t, 's32'], [t], nan=False)
        op(f'slct.{t}.f32', G, [t, t, 'f32'], [t], nan=False)
        op(f'slct.ftz.{t}.f32', G, [t, t, 'f32'], [t], nan=False)
    case('selp.b32.notp', G, 'not.pred %p0, %i2;\nselp.b32 %o0, %i0, %i1, %p0;', ['b32', 'b32', 'pred'], ['b32'])
    case('selp.b32.imm', G, 'selp.b32 %o0, 0x11, -3, %i0;', ['pred'], ['b32'])
    case('setp.imm', G, 'setp.gt.s32 %o0, %i0, -1;\nsetp.lo.u32 %o1, %i0, 0x80;\nsetp.ltu.f32 %o2, %i0, 0f3F800000;', ['b32'], ['pred'] * 3)


def g_video():
    G = 'video'
    rr = random.Random('video-select')
    SEL = ['.b0', '.b1', '.b2', '.b3', '.h0', '.h1']
    T2 = ['u32', 's32']

    def sel():
        return rr.choice([''] + SEL)
    for o in ('vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax'):
        for d in T2:
            for a in T2:
                for b in T2:
                    for sat in ('', '.sat'):
                        q = f'{o}.{d}.{a}.{b}{sat}'
                        op(q, G, [a, b], [d])
                    sa, sb = rr.choice(SEL), rr.choice(SEL)
                    sat = rr.choice(['', '.sat'])
                    q = f'{o}.{d}.{a}.{b}{sat}'
                    case(f'{q}{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb};', [a, b], [d])
                    for o2 in ('.add', '.min', '.max'):
                        sa, sb = sel(), sel()
                        sat = rr.choice(['', '.sat'])
                        q = f'{o}.{d}.{a}.{b}{sat}{o2}'
                        case(f'{q}-{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb}, %i2;', [a, b, d], [d])
        for ds in SEL:
            a, b, d = rr.choice(T2), rr.choice(T2), rr.choice(T2)
            sa, sb, sat = sel(), sel(), rr.choice(['', '.sat'])
            q = f'{o}.{d}.{a}.{b}{sat}'
            case(f'{q}.dsel{ds}', G, f'{q} %o0{ds}, %i0{sa}, %i1{sb}, %i2;', [a, b, d], [d])
    for o in ('vshl', 'vshr'):
        for d in T2:
            for a in T2:
                for m in ('.clamp', '.wrap'):
                    for sat in ('', '.sat'):
                        q = f'{o}.{d}.{a}.u32{sat}{m}'
                        op(q, G, [a, 'sh'], [d])
                    sa = rr.choice(SEL)
                    q = f'{o}.{d}.{a}.u32{m}'
                    case(f'{q}{sa}', G, f'{q} %o0, %i0{sa}, %i1.b0;', [a, 'sh'], [d])
                    o2 = rr.choice(['.add', '.min', '.max'])
                    case(f'{q}{o2}', G, f'{q}{o2} %o0, %i0{sel()}, %i1, %i2;', [a, 'sh', d], [d])
                    ds = rr.choice(SEL)
                    case(f'{q}.dsel{ds}', G, f'{q} %o0{ds}, %i0{sel()}, %i1, %i2;', [a, 'sh', d], [d])
    for d in T2:
        for a in T2:
            for b in T2:
                for x in ('', '.sat', '.shr7', '.shr15', '.sat.shr7', '.sat.shr15'):
                    q = f'vmad.{d}.{a}.{b}{x}'
                    op(q, G, [a, b, d], [d])
                sa, sb = rr.choice(SEL), rr.choice(SEL)
                q = f'vmad.{d}.{a}.{b}'
                case(f'{q}{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb}, %i2;', [a, b, d], [d])
                case(f'{q}.po', G, f'{q}.po %o0, %i0{sel()}, %i1{sel()}, %i2;'.replace(f'{q}.po', f'vmad.{d}.{a}.{b}.po'), [a, b, d], [d])
                case(f'{q}.nega', G, f'{q} %o0, -%i0, %i1, %i2;', [a, b, d], [d])
                case(f'{q}.negb', G, f'{q} %o0, %i0{sa}, -%i1{sb}, %i2;', [a, b, d], [d])
                case(f'{q}.negc', G, f'{q} %o0, %i0{sa}, %i1, -%i2;', [a, b, d], [d])
    for a in T2:
        for b in T2:
            for c in CMPI:
                q = f'vset.{a}.{b}.{c}'
                op(q, G, [a, b], ['u32'])
                sa, sb = rr.choice(SEL), rr.choice(SEL)
                case(f'{q}{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb};', [a, b], ['u32'])
            for o2 in ('.add', '.min', '.max'):
                q = f'vset.{a}.{b}.{rr.choice(CMPI)}{o2}'
                case(q, G, f'{q} %o0, %i0{sel()}, %i1{sel()}, %i2;', [a, b, 'u32'], ['u32'])
            ds = rr.choice(SEL)
            q = f'vset.{a}.{b}.{rr.choice(CMPI)}'
            case(f'{q}.dsel{ds}', G, f'{q} %o0{ds}, %i0{sel()}, %i1{sel()}, %i2;', [a, b, 'u32'], ['u32'])
    # SIMD
    for w in (2, 4):
        lanes = 2 if w == 2 else 4
        pre = 'h' if w == 2 else 'b'
        masks = ['.h0', '.h1', '.h10'] if w == 2 else ['.b0', '.b1', '.b2', '.b3', '.b10', '.b32', '.b310', '.b3210', '.b210', '.b20']

        def ssel():
            if rr.random() < .3:
                return ''
            return f'.{pre}' + ''.join(str(rr.randrange(2 * 2 if w == 2 else 8)) for _ in range(lanes))
        for o in ('vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax'):
            for d in T2:
                for a in T2:
                    for b in T2:
                        q = f'{o}{w}.{d}.{a}.{b}'
                        op(q, G, ['b32', 'b32', 'b32'], [d])
                        op(q + '.sat', G, ['b32', 'b32', 'b32'], [d])
                        op(q + '.add', G, ['b32', 'b32', 'b32'], [d])
                        sat = rr.choice(['', '.sat'])
                        m = rr.choice(masks)
                        case(f'{q}{sat}{m}-sel', G, f'{q}{sat} %o0{m}, %i0{ssel()}, %i1{ssel()}, %i2;', ['b32'] * 3, [d])
                        m = rr.choice(masks)
                        case(f'{q}.add{m}-sel', G, f'{q}.add %o0{m}, %i0{ssel()}, %i1{ssel()}, %i2;', ['b32'] * 3, [d])
        for a in T2:
            for b in T2:
                for c in CMPI:
                    q = f'vset{w}.{a}.{b}.{c}'
                    op(q, G, ['b32'] * 3, ['u32'])
                    m = rr.choice(masks)
                    add = rr.choice(['', '.add'])
                    case(f'{q}{add}{m}-sel', G, f'{q}{add} %o0{m}, %i0{ssel()}, %i1{ssel()}, %i2;', ['b32'] * 3, ['u32'])


def g_mov():
    G = 'mov'
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'):
        op(f'mov.{t}', G, [t], [t], nan=False)
    case('mov.b64.pack2', G, 'mov.b64 %o0, {%i0, %i1};', ['b32', 'b32'], ['b64'])
    case('mov.b64.unpack2', G, 'mov.b64 {%o0, %o1}, %i0;', ['b64'], ['b32', 'b32'])
    case('mov.b32.pack2', G, 'mov.b32 %o0, {%i0, %i1};', ['b16', 'b16'], ['b32'])
    case('mov.b32.unpack2', G, 'mov.b32 {%o0, %o1}, %i0;', ['b32'], ['b16', 'b16'])
    case('mov.b64.pack4', G, 'mov.b64 %o0, {%i0, %i1, %i2, %i3};', ['b16'] * 4, ['b64'])
    case('mov.b64.unpack4', G, 'mov.b64 {%o0, %o1, %o2, %o3}, %i0;', ['b64'], ['b16'] * 4)
    case('mov.b64.unpack_lo_sink', G, 'mov.b64 {%o0, _}, %i0;', ['b64'], ['b32'])
    case('mov.b64.unpack_hi_sink', G, 'mov.b64 {_, %o0}, %i0;', ['b64'], ['b32'])
    case('mov.b32.unpack_hi_sink', G, 'mov.b32 {_, %o0}, %i0;', ['b32'], ['b16'])
    case('mov.b128.pack_unpack', G, '.reg .b128 %q0;\nmov.b128 %q0, {%i0, %i1};\nmov.b128 {%o1, %o0}, %q0;', ['b64', 'b64'], ['b64', 'b64'])
    case('mov.b16.pack_b8', G, '.reg .b8 %b<4>;\ncvt.u8.u32 %b0, %i0;\ncvt.u8.u32 %b1, %i1;\nmov.b16 %o0, {%b0, %b1};', ['b8', 'b8'], ['b16'])
    case('mov.b32.pack_b8', G, '.reg .b8 %b<4>;\ncvt.u8.u32 %b0, %i0;\ncvt.u8.u32 %b1, %i1;\nmov.b32 %o0, {%b0, %b1, %b0, %b1};', ['b8', 'b8'], ['b32'])
    case('mov.b32.typed_regs', G, '.reg .f32 %ff;\n.reg .s32 %ss;\nmov.b32 %ff, %i0;\nadd.f32 %ff, %ff, 0f3F800000;\nmov.b32 %ss, %ff;\nmov.b32 %o0, %ss;', ['f32'], ['f32'])
    case('mov.vec.swizzle', G, '.reg .v2 .b32 %va;\nmov.v2.b32 %va, {%i0, %i1};\nadd.u32 %o0, %va.x, 1;\nadd.u32 %o1, %va.y, 2;', ['b32', 'b32'], ['b32', 'b32'])
    for s in ('tid.x', 'tid.y', 'tid.z', 'ntid.x', 'ntid.y', 'ntid.z', 'laneid', 'ctaid.x', 'ctaid.y', 'ctaid.z', 'nctaid.x',
              'nctaid.y', 'nctaid.z', 'lanemask_eq', 'lanemask_le', 'lanemask_lt', 'lanemask_ge', 'lanemask_gt', 'clusterid.x', 'clusterid.y', 'clusterid.z',
              'nclusterid.x', 'nclusterid.y', 'nclusterid.z', 'cluster_ctaid.x', 'cluster_ctaid.y', 'cluster_nctaid.x', 'cluster_nctaid.y', 'cluster_ctarank', 'cluster_nctarank',
              'dynamic_smem_size'):
        case(f'mov.u32.{s}', G, f'mov.u32 %o0, %{s};', [], ['u32'], n=64, impl='cluster' in s)
    case('mov.pred.is_explicit_cluster', G, 'mov.pred %o0, %is_explicit_cluster;', [], ['pred'], n=64)
    case('mov.v4.tid', G, '.reg .v4 .u32 %vv;\nmov.v4.u32 %vv, %tid;\nmov.u32 %o0, %vv.x;\nmov.u32 %o1, %vv.y;', [], ['u32', 'u32'], n=64)
    case('cvt.u64.laneid', G, 'cvt.u64.u32 %o0, %laneid;', [], ['u64'], n=64)
    # literal syntax
    G = 'literal'
    lits = [('dec', '123456789'), ('neg', '-42'), ('hex', '0xDEADBEEF'), ('hexU', '0xFFFFFFFFU'), ('oct', '0777'), ('bin', '0b101101'),
            ('expr', '(1<<5)+3'), ('exprneg', '-(7*3)'), ('exprcond', '(3 > 2 ? 17 : 19)'), ('exprnot', '~0x0F'), ('exprlnot', '!5'),
            ('expror', '0x10|0x02'), ('exprmod', '17 % 5'), ('exprdiv', '100/7'), ('exprshr', '0x80000000U>>4'), ('exprsshr', '-16>>2'),
            ('exprcast', '(.u64)-1 & 0xFFFF'), ('exprcmp', '5==5'), ('exprlogand', '5&&0'), ('exprlogor', '5||0'), ('exprxor', '0xFF^0x0F'),
            ('warpsz', 'WARP_SZ'), ('max', '4294967295'), ('min', '-2147483648')]
    for nme, l in lits:
        case(f'mov.u32.{nme}', G, f'mov.u32 %o0, {l};', [], ['u32'], n=64)
        case(f'add.s32.{nme}', G, f'add.s32 %o0, %i0, {l};', ['s32'], ['s32'])
        case(f'mov.u64.{nme}', G, f'mov.u64 %o0, {l};', [], ['u64'], n=64)
    for nme, l in [('hex', '0f3F9D70A4'), ('dec', '1.25'), ('exp', '1.5e10'), ('neg', '-3.5'), ('dhex', '0d3FF3AE147AE147AE'), ('negexp', '2.5E-3'), ('HEX', '0FC0490FDB'),
                   ('inf', '0f7F800000'), ('negzero', '0f80000000'), ('round', '0.1'), ('fexpr', '1.5+2.25'), ('fexprmul', '3.0*0.1'), ('fexprdiv', '1.0/3.0')]:
        case(f'mov.f32.{nme}', G, f'mov.f32 %o0, {l};', [], ['f32'], n=64)
        case(f'mov.f64.{nme}', G, f'mov.f64 %o0, {l};', [], ['f64'], n=64)
    for t, l in [('s16', '-5'), ('u16', '0xFFFF'), ('s64', '-5'), ('u64', '0xFFFFFFFFFFFFFFFF'), ('s64', '0x7FFFFFFFFFFFFFFF'), ('s32', '2147483647'), ('u64', '18446744073709551615'), ('s64', '-9223372036854775808')]:
        case(f'add.{t}.imm', G, f'add.{t} %o0, %i0, {l};', [t], [t])
        case(f'sub.{t}.imm', G, f'sub.{t} %o0, {l}, %i0;', [t], [t])
    case('mul.f64.imm', G, 'mul.f64 %o0, %i0, 0.1;', ['f64'], ['f64'])
    case('setp.f64.imm', G, 'setp.lt.f64 %o0, %i0, 1.0;', ['f64'], ['pred'])
