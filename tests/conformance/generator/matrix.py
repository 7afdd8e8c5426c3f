# SPDX-License-Identifier: Apache-2.0
"""Groups of cases: matrix loads and products."""
import re

from generator.cases import case


def g_matrix():
    G = 'matrix'
    W = dict(kind='warp', n=64)
    # ldmatrix: both warps fill 2 KiB of shared memory, each warp uses its own half
    fill = '''.shared .align 128 .b8 sm[2048];
        mov.u64 %w0, sm;
        mul.wide.u32 %w1, %tx, 32;
        add.u64 %w1, %w1, %w0;
        st.shared.v2.b64 [%w1], {%i0, %i1};
        st.shared.v2.b64 [%w1+16], {%i2, %i3};
        bar.sync 0;
        and.b32 %r0, %tx, 31;
        shr.u32 %r1, %tx, 5;
        mul.wide.u32 %w2, %r1, 1024;
        add.u64 %w2, %w2, %w0;
        mul.lo.u32 %r2, %r0, 7;
        and.b32 %r2, %r2, 31;
        mul.wide.u32 %w3, %r2, 16;
        add.u64 %w3, %w3, %w2;
        '''
    for x in (1, 2, 4):
        for tr in ('', '.trans'):
            regs = ', '.join(f'%o{k}' for k in range(x))
            for a in ('shared', 'shared::cta'):
                if a == 'shared::cta' and x != 2:
                    continue
                case(f'ldmatrix.x{x}{tr}.{a}', G, fill + f'ldmatrix.sync.aligned.m8n8.x{x}{tr}.{a}.b16 {{{regs}}}, [%w3];', ['b64'] * 4, ['b32'] * x, **W)
            rin = ', '.join(f'%i{k}' for k in range(x))
            st = '''.shared .align 128 .b8 sm[2048];
                mov.u64 %w0, sm;
                mul.wide.u32 %w1, %tx, 16;
                add.u64 %w1, %w1, %w0;
                st.shared.v2.b64 [%w1], {0, 0};
                bar.sync 0;
                and.b32 %r0, %tx, 31;
                shr.u32 %r1, %tx, 5;
                mul.wide.u32 %w2, %r1, 512;
                add.u64 %w2, %w2, %w0;
                mul.lo.u32 %r2, %r0, 5;
                and.b32 %r2, %r2, 31;
                mul.wide.u32 %w3, %r2, 16;
                add.u64 %w3, %w3, %w2;
                '''
            case(f'stmatrix.x{x}{tr}', G, st + f'stmatrix.sync.aligned.m8n8.x{x}{tr}.shared.b16 [%w3], {{{rin}}};\nbar.sync 0;\nld.shared.v2.b64 {{%o0, %o1}}, [%w1];', ['b32'] * x, ['b64', 'b64'], **W)
    case('movmatrix', G, 'movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;', ['b32'], ['b32'], **W)

    # mma.sync: (shape, layout, dtype, atype, btype, ctype, nD, nA, nB, nC, reg width, extra suffixes)
    def mma(q, roles, nd, ot, na, nb, nc, tail='', compare='bits', id=None, pre='', nan=None, ex_roles=(), swapneg=False):
        ra, rb, rc = roles
        k = 0
        d = ', '.join(f'%o{i}' for i in range(nd))
        a = ', '.join(f'%i{i}' for i in range(na))
        b = ', '.join(f'%i{i}' for i in range(na, na + nb))
        c = ', '.join(f'%i{i}' for i in range(na + nb, na + nb + nc))
        e = ''
        for j, _ in enumerate(ex_roles):
            e += f', %i{na + nb + nc + j}'
        case(id or q, G, f'{q} {{{d}}}, {{{a}}}, {{{b}}}, {{{c}}}{e}{tail};', [ra] * na + [rb] * nb + [rc] * nc + list(ex_roles), [ot] * nd,
             compare=compare, nan=nan if nan is not None else False, **W)

    P = 'mma.sync.aligned.'
    AC = {'f32': ('m32.f32', 'f32'), 'f16': ('m32.f16acc', 'b32')}
    for acc in ('f32', 'f16'):
        nacc = 4 if acc == 'f32' else 2
        rc, ot = AC[acc]
        mma(f'{P}m16n8k8.row.col.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), nacc, ot, 2, 1, nacc)
        mma(f'{P}m16n8k16.row.col.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), nacc, ot, 4, 2, nacc)
        for la in ('row', 'col'):
            for lb in ('row', 'col'):
                n8 = 8 if acc == 'f32' else 4
                mma(f'{P}m8n8k4.{la}.{lb}.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), n8, ot, 2, 2, n8)
    mma(f'{P}m8n8k4.row.col.f32.f16.f16.f16', ('m32.f16', 'm32.f16', 'm32.f16acc'), 8, 'f32', 2, 2, 4)
    mma(f'{P}m16n8k8.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 2, 1, 4)
    mma(f'{P}m16n8k16.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 4, 2, 4)
    mma(f'{P}m16n8k4.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 2, 1, 4)
    mma(f'{P}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 4, 2, 4)
    # random normal operands: rounding and accumulation order are implementation defined
    REALC = {'rel': 2e-3, 'abs': 2e-3}
    mma(f'{P}m16n8k16.row.col.f32.f16.f16.f32', ('m32.f16r', 'm32.f16r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare=REALC, id='mma.m16n8k16.f32.f16.real')
    mma(f'{P}m16n8k16.row.col.f16.f16.f16.f16', ('m32.f16r', 'm32.f16r', 'm32.f16r'), 2, 'b32', 4, 2, 2, compare={'rel': 1e-2, 'abs': 2e-2, 'as': 'f16x2'}, id='mma.m16n8k16.f16.f16.real')
    mma(f'{P}m16n8k16.row.col.f32.bf16.bf16.f32', ('m32.bf16r', 'm32.bf16r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare=REALC, id='mma.m16n8k16.f32.bf16.real')
    mma(f'{P}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.tf32r', 'm32.tf32r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare=REALC, id='mma.m16n8k8.f32.tf32.real')
    mma(f'{P}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.f32r', 'm32.f32r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare={'rel': 1e-2, 'abs': 1e-2}, id='mma.m16n8k8.f32.tf32.lowbits')
    # f64
    for q, na, nb, nc in (('m8n8k4', 1, 1, 2), ('m16n8k4', 2, 1, 4), ('m16n8k8', 4, 2, 4), ('m16n8k16', 8, 4, 4)):
        for r in ('', '.rn', '.rz', '.rm', '.rp'):
            # the result is exact for integers, so every rounding mode agrees
            mma(f'{P}{q}.row.col{r}.f64.f64.f64.f64', ('m64.f64',) * 3, nc, 'f64', na, nb, nc)
        mma(f'{P}{q}.row.col.f64.f64.f64.f64', ('m64.f64r',) * 3, nc, 'f64', na, nb, nc, compare={'rel': 1e-12, 'abs': 1e-12}, id=f'mma.{q}.f64.real')
    # integer
    for a in ('s8', 'u8'):
        for b in ('s8', 'u8'):
            for s in ('', '.satfinite'):
                rc = 'm32.s32' if not s else 'm32.s32e'
                mma(f'{P}m8n8k16.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 2, 's32', 1, 1, 2)
                mma(f'{P}m16n8k16.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 2, 1, 4)
                mma(f'{P}m16n8k32.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 4, 2, 4)
    for a in ('s4', 'u4'):
        for b in ('s4', 'u4'):
            for s in ('', '.satfinite'):
                rc = 'm32.s32' if not s else 'm32.s32e'
                mma(f'{P}m8n8k32.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 2, 's32', 1, 1, 2)
                mma(f'{P}m16n8k32.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 2, 1, 4)
                mma(f'{P}m16n8k64.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 4, 2, 4)
    for o in ('xor', 'and'):
        mma(f'{P}m8n8k128.row.col.s32.b1.b1.s32.{o}.popc', ('m32.b1', 'm32.b1', 'm32.s32'), 2, 's32', 1, 1, 2)
        mma(f'{P}m16n8k128.row.col.s32.b1.b1.s32.{o}.popc', ('m32.b1', 'm32.b1', 'm32.s32'), 4, 's32', 2, 1, 4)
        mma(f'{P}m16n8k256.row.col.s32.b1.b1.s32.{o}.popc', ('m32.b1', 'm32.b1', 'm32.s32'), 4, 's32', 4, 2, 4)
    for a in ('e4m3', 'e5m2'):
        for b in ('e4m3', 'e5m2'):
            mma(f'{P}m16n8k32.row.col.f32.{a}.{b}.f32', (f'm32.{a}', f'm32.{b}', 'm32.f32'), 4, 'f32', 4, 2, 4)
            mma(f'{P}m16n8k16.row.col.f32.{a}.{b}.f32', (f'm32.{a}', f'm32.{b}', 'm32.f32'), 4, 'f32', 2, 1, 4)
            mma(f'{P}m16n8k32.row.col.f16.{a}.{b}.f16', (f'm32.{a}', f'm32.{b}', 'm32.f16acc'), 2, 'b32', 4, 2, 2)
            mma(f'{P}m16n8k16.row.col.f16.{a}.{b}.f16', (f'm32.{a}', f'm32.{b}', 'm32.f16acc'), 2, 'b32', 2, 1, 2)
    # sparse
    for sp in ('sp', 'sp::ordered_metadata'):
        Q = f'mma.{sp}.sync.aligned.'
        md = 'm32.sp4'
        for s in (0, 1, 2, 3):
            if s < 4:
                for acc in ('f32', 'f16'):
                    nacc = 4 if acc == 'f32' else 2
                    rc, ot = AC[acc]
                    mma(f'{Q}m16n8k16.row.col.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), nacc, ot, 2, 2, nacc, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k16.{acc}.f16.sel{s}')
                mma(f'{Q}m16n8k16.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 2, 2, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k16.f32.bf16.sel{s}')
                mma(f'{Q}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 2, 2, 4, ex_roles=('m32.sp2',), tail=f', 0x{s:x}', id=f'{Q}m16n8k8.f32.tf32.sel{s}')
            if s < 2:
                mma(f'{Q}m16n8k32.row.col.f32.f16.f16.f32', ('m32.f16', 'm32.f16', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k32.f32.f16.sel{s}')
                mma(f'{Q}m16n8k32.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k32.f32.bf16.sel{s}')
                mma(f'{Q}m16n8k16.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=('m32.sp2',), tail=f', 0x{s:x}', id=f'{Q}m16n8k16.f32.tf32.sel{s}')
                for a in ('s8', 'u8'):
                    mma(f'{Q}m16n8k32.row.col.s32.{a}.{a}.s32', (f'm32.{a}', f'm32.{a}', 'm32.s32'), 4, 's32', 2, 2, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k32.s32.{a}.sel{s}')
                mma(f'{Q}m16n8k64.row.col.s32.s4.u4.s32', ('m32.s4', 'm32.u4', 'm32.s32'), 4, 's32', 2, 2, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.s32.s4.u4.sel{s}')
            if s < 1:
                for a in ('s8', 'u8'):
                    mma(f'{Q}m16n8k64.row.col.s32.{a}.s8.s32', (f'm32.{a}', 'm32.s8', 'm32.s32'), 4, 's32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.s32.{a}.s8.sel{s}')
                mma(f'{Q}m16n8k64.row.col.satfinite.s32.s8.s8.s32', ('m32.s8', 'm32.s8', 'm32.s32e'), 4, 's32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.satfinite.s32.s8.s8.sel{s}')
                mma(f'{Q}m16n8k128.row.col.s32.u4.s4.s32', ('m32.u4', 'm32.s4', 'm32.s32'), 4, 's32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k128.s32.u4.s4.sel{s}')
                for a in ('e4m3', 'e5m2'):
                    mma(f'{Q}m16n8k64.row.col.f32.{a}.{a}.f32', (f'm32.{a}', f'm32.{a}', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.f32.{a}.sel{s}')

    # wmma: one warp, matrices are memory images: operand words in order A, B, C; output D row major unless .col
    def wm(shape, at, bt, ct, dt, la, lb, lc, ld_, suffix='', elems=None, rnd=''):
        m, nn, k = (int(x) for x in re.match(r'm(\d+)n(\d+)k(\d+)', shape).groups())
        eb = {'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 'f64': 64, 's8': 8, 'u8': 8, 's32': 32, 's4': 4, 'u4': 4, 'b1': 1}
        wa, wb, wc, wd = m * k * eb[at] // 64, nn * k * eb[bt] // 64, m * nn * eb[ct] // 64, m * nn * eb[dt] // 64
        ka, kb, kc, kd = ((x + 31) // 32 for x in (wa, wb, wc, wd))
        frag = {'f16': 8, 'bf16': None}
        def nreg(mat, t):
            if t == 'f16' and mat in 'ab':
                return 8
            if t == 'f16':
                return 4
            if t == 'f32':
                return 8
            if t == 'bf16':
                return {('m16n16k16'): 4, 'm8n32k16': 2 if mat == 'a' else 8, 'm32n8k16': 8 if mat == 'a' else 2}[shape]
            if t == 'tf32':
                return 4
            if t == 'f64':
                return 1 if mat in 'ab' else 2
            if t in ('s8', 'u8'):
                return {'m16n16k16': 2, 'm8n32k16': 1 if mat == 'a' else 4, 'm32n8k16': 4 if mat == 'a' else 1}[shape]
            if t in ('s4', 'u4', 'b1'):
                return 1
            if t == 's32':
                return 8 if shape.startswith(('m16n16', 'm8n32', 'm32n8')) else 2
        na, nb, nc, nd = nreg('a', at), nreg('b', bt), nreg('c', ct), nreg('d', dt)
        rt = 'b64' if at == 'f64' else 'b32'
        A = ', '.join(f'%ra{i}' for i in range(na)); B = ', '.join(f'%rb{i}' for i in range(nb))
        C = ', '.join(f'%rc{i}' for i in range(nc)); D = ', '.join(f'%rd{i}' for i in range(nd))
        # element offsets in bytes of each matrix in the input block (32 words = 256 bytes per operand)
        oa, ob, oc = 0, 256 * ka, 256 * (ka + kb)
        lda = k if la == 'row' else m
        ldb = nn if lb == 'row' else k
        ldc = nn if lc == 'row' else m
        ldd = nn if ld_ == 'row' else m
        mm = f'wmma.mma{suffix}.sync.aligned.{la}.{lb}.{shape}{rnd}'
        if at == 'f16':
            tq = f'{dt}.{ct}'
        elif at in ('bf16', 'tf32', 'f64'):
            tq = f'{dt}.{at}.{bt}.{ct}'
        else:
            tq = f's32.{at}.{bt}.s32'
        sat = ''
        q = f'{mm}.{tq}'
        body = f'''.reg .{rt} %ra<{na}>, %rb<{nb}>, %rc<{nc}>, %rd<{nd}>;
            add.u64 %w0, %bi, {oa};
            add.u64 %w1, %bi, {ob};
            add.u64 %w2, %bi, {oc};
            wmma.load.a.sync.aligned.{la}.{shape}.global.{at} {{{A}}}, [%w0], {lda};
            wmma.load.b.sync.aligned.{lb}.{shape}.global.{bt} {{{B}}}, [%w1], {ldb};
            wmma.load.c.sync.aligned.{lc}.{shape}.global.{ct} {{{C}}}, [%w2], {ldc};
            {q} {{{D}}}, {{{A}}}, {{{B}}}, {{{C}}};
            wmma.store.d.sync.aligned.{ld_}.{shape}.global.{dt} [%bo], {{{D}}}, {ldd};'''
        rc = {'f16': 'm64.f16acc', 'f32': 'm64.f32', 'f64': 'm64.f64', 's32': 'm64.s32'}[ct]
        z = ''
        if kd * 32 > wd:
            # unused tail of the last output operand
            body = f'st.global.b64 [%po+{256 * (kd - 1)}], 0;\nbar.warp.sync -1;\n' + body
        case(f'{q}-{lc}.{ld_}', G, body, ['m64.' + at] * ka + ['m64.' + bt] * kb + [rc] * kc, ['b64'] * kd, kind='warp', n=32, raw=True, nan=False,
             note='inputs and outputs are memory images: A, B, C at operand boundaries (256 bytes each); D at the start of the output')
    for shape in ('m16n16k16', 'm32n8k16', 'm8n32k16'):
        for la in ('row', 'col'):
            for lb in ('row', 'col'):
                for ct in ('f16', 'f32'):
                    for dt in ('f16', 'f32'):
                        wm(shape, 'f16', 'f16', ct, dt, la, lb, 'row', 'row')
                wm(shape, 's8', 's8', 's32', 's32', la, lb, 'row', 'row')
                wm(shape, 'u8', 'u8', 's32', 's32', la, lb, 'row', 'col')
                wm(shape, 'bf16', 'bf16', 'f32', 'f32', la, lb, 'row', 'row')
        wm(shape, 'f16', 'f16', 'f32', 'f32', 'row', 'col', 'col', 'row')
        wm(shape, 'f16', 'f16', 'f16', 'f16', 'row', 'col', 'row', 'col')
        wm(shape, 's8', 's8', 's32', 's32', 'row', 'col', 'col', 'col')
    for la in ('row', 'col'):
        for lb in ('row', 'col'):
            wm('m16n16k8', 'tf32', 'tf32', 'f32', 'f32', la, lb, 'row', 'row')
            wm('m8n8k4', 'f64', 'f64', 'f64', 'f64', la, lb, 'row', 'row')
    for r in ('.rn', '.rz', '.rm', '.rp'):
        wm('m8n8k4', 'f64', 'f64', 'f64', 'f64', 'row', 'col', 'row', 'row', rnd=r)
    for t in ('s4', 'u4'):
        wm('m8n8k32', t, t, 's32', 's32', 'row', 'col', 'row', 'row')
        wm('m8n8k32', t, t, 's32', 's32', 'row', 'col', 'col', 'col')
    for o in ('.xor.popc', '.and.popc'):
        wm('m8n8k128', 'b1', 'b1', 's32', 's32', 'row', 'col', 'row', 'row', suffix=o)
