# SPDX-License-Identifier: Apache-2.0
"""Groups of cases: what lanes of a warp exchange, atomics."""
from generator.values import FLOATY, WIDTH
from generator.cases import case


def g_warp():
    G = 'warp'
    W = dict(kind='warp')
    c0 = {'up': [0, 0x1000, 0x1800, 0x1C00, 0x1E00], 'down': [0x1F, 0x100F | 0x1F, 0x181F, 0x1C1F, 0x1E1F, 0x10],
          'bfly': [0x1F, 0x101F, 0x181F, 0x1C1F, 0x0F], 'idx': [0x1F, 0x101F, 0x181F, 0x1C1F, 0x1E1F, 0x07]}
    for m in ('up', 'down', 'bfly', 'idx'):
        for b in (0, 1, 2, 3, 5, 8, 16, 31):
            for c in (c0[m] if b in (1, 2, 5, 16) else c0[m][:2]):
                case(f'shfl.sync.{m}.b32.{b}.{c:x}', G, f'shfl.sync.{m}.b32 %o0|%o1, %i0, {b}, 0x{c:x}, 0xffffffff;', ['b32'], ['b32', 'pred'], **W)
        case(f'shfl.sync.{m}.b32.nopred', G, f'shfl.sync.{m}.b32 %o0, %i0, 4, {c0[m][0]}, -1;', ['b32'], ['b32'], **W)
        # per-lane source operands
        for c in c0[m]:
            case(f'shfl.sync.{m}.b32.var.{c:x}', G, f'shfl.sync.{m}.b32 %o0|%o1, %i0, %i1, 0x{c:x}, 0xffffffff;', ['b32', 'lane40'], ['b32', 'pred'], n=64, **W)
    # half warp masks, taken in divergent code; sources stay inside the mask
    for mask, cond in ((0x0000FFFF, 'setp.lt.u32 %p0, %r0, 16;'), (0xFFFF0000, 'setp.ge.u32 %p0, %r0, 16;'), (0x55555555, 'and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;'),
                       (0x000000FF, 'setp.lt.u32 %p0, %r0, 8;'), (0xF0F0F0F0, 'and.b32 %r1, %r0, 4;\nsetp.ne.u32 %p0, %r1, 0;')):
        pre = f'mov.u32 %r0, %laneid;\n{cond}\nmov.b32 %o0, 0xabcd;\nmov.pred %o1, 0;\n' if False else f'mov.u32 %r0, %laneid;\n{cond}\nmov.b32 %o0, 0xabcd;\n'
        x = {0x55555555: 2}.get(mask, 1)
        case(f'shfl.sync.bfly.mask{mask:08x}', G, pre + f'@!%p0 bra SKIP;\nshfl.sync.bfly.b32 %o0, %i0, {x}, 0x1f, 0x{mask:x};\nSKIP:\nbar.warp.sync -1;', ['b32'], ['b32'], **W)
        for v in ('all', 'any', 'uni'):
            case(f'vote.sync.{v}.mask{mask:08x}', G, pre + f'setp.ne.u32 %p2, 0, 0;\n@!%p0 bra SKIP;\nvote.sync.{v}.pred %p2, %i1, 0x{mask:x};\nSKIP:\nbar.warp.sync -1;\nselp.b32 %o0, 1, %o0, %p2;', ['b32', 'pred'], ['b32'], **W)
        case(f'vote.sync.ballot.mask{mask:08x}', G, pre + f'@!%p0 bra SKIP;\nvote.sync.ballot.b32 %o0, %i1, 0x{mask:x};\nSKIP:\nbar.warp.sync -1;', ['b32', 'pred'], ['b32'], **W)
        case(f'match.any.sync.b32.mask{mask:08x}', G, pre + f'@!%p0 bra SKIP;\nmatch.any.sync.b32 %o0, %i0, 0x{mask:x};\nSKIP:\nbar.warp.sync -1;', ['key4'], ['b32'], **W)
        for o in ('add.u32', 'min.s32', 'max.u32', 'xor.b32', 'and.b32', 'or.b32'):
            case(f'redux.sync.{o}.mask{mask:08x}', G, pre + f'@!%p0 bra SKIP;\nredux.sync.{o} %o0, %i0, 0x{mask:x};\nSKIP:\nbar.warp.sync -1;', ['b32'], ['b32'], **W)
        case(f'activemask.mask{mask:08x}', G, pre + f'@!%p0 bra SKIP;\nactivemask.b32 %o0;\nSKIP:\nbar.warp.sync -1;', ['b32'], ['b32'],
             impl=True, note='natural divergence; formally activemask is not guaranteed to see the whole path', **W)
        case(f'elect.sync.mask{mask:08x}', G, pre + f'setp.ne.u32 %p2, 0, 0;\n@!%p0 bra SKIP;\nelect.sync %r5|%p2, 0x{mask:x};\nmov.b32 %o0, %r5;\nSKIP:\nbar.warp.sync -1;\nselp.b32 %o1, 1, 0, %p2;', ['b32'], ['b32', 'b32'], **W)
    for v in ('all', 'any', 'uni'):
        case(f'vote.sync.{v}', G, f'vote.sync.{v}.pred %o0, %i0, 0xffffffff;\nvote.sync.{v}.pred %o1, !%i0, 0xffffffff;', ['pred'], ['pred', 'pred'], **W)

        def same(cols, r):
            for i in range(len(cols[0])):
                cols[0][i] = 1 if i < 32 else 0
        case(f'vote.sync.{v}.uniform', G, f'vote.sync.{v}.pred %o0, %i0, 0xffffffff;\nvote.sync.{v}.pred %o1, !%i0, 0xffffffff;', ['pred'], ['pred', 'pred'], fix=same, **W)
    case('vote.sync.ballot', G, 'vote.sync.ballot.b32 %o0, %i0, 0xffffffff;\nvote.sync.ballot.b32 %o1, !%i0, -1;', ['pred'], ['b32', 'b32'], **W)
    case('match.any.sync.b32', G, 'match.any.sync.b32 %o0, %i0, 0xffffffff;', ['key4'], ['b32'], **W)
    case('match.any.sync.b64', G, 'match.any.sync.b64 %o0, %i0, 0xffffffff;', ['key4w'], ['b32'], **W)

    def ksame(cols, r):
        for i in range(32, len(cols[0])):
            cols[0][i] = 77
    for t, rl in (('b32', 'key4'), ('b64', 'key4w')):
        case(f'match.all.sync.{t}', G, f'match.all.sync.{t} %o0|%o1, %i0, 0xffffffff;', [rl], ['b32', 'pred'], fix=ksame, note='warp 1 all equal', **W)
    for o in ('add.u32', 'add.s32', 'min.u32', 'min.s32', 'max.u32', 'max.s32', 'and.b32', 'or.b32', 'xor.b32'):
        case(f'redux.sync.{o}', G, f'redux.sync.{o} %o0, %i0, 0xffffffff;', ['b32'], ['b32'], **W)
    case('activemask.full', G, 'activemask.b32 %o0;\nadd.u32 %o0, %o0, %i0;', ['b32'], ['b32'], **W)
    case('elect.sync', G, 'elect.sync %o0|%o1, 0xffffffff;', ['b32'], ['b32', 'pred'], **W)
    case('activemask.loop', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        LOOP:
        setp.ge.u32 %p0, %r0, %i0;
        @%p0 bra DONE;
        activemask.b32 %r1;
        xor.b32 %o0, %o0, %r1;
        add.u32 %r0, %r0, 1;
        bra LOOP;
        DONE:
        bar.warp.sync 0xffffffff;''', ['small8'], ['u32'], note='natural divergence', impl=True, **W)
    case('bar.warp.sync', G, '''.shared .align 8 .b8 sm[512];
        mov.u64 %w0, sm;
        mul.wide.u32 %w1, %tx, 8;
        add.u64 %w1, %w0, %w1;
        st.shared.b64 [%w1], %i0;
        bar.warp.sync 0xffffffff;
        xor.b32 %r0, %tx, 31;
        mul.wide.u32 %w1, %r0, 8;
        add.u64 %w1, %w0, %w1;
        ld.shared.b64 %o0, [%w1];''', ['b64'], ['b64'], **W)
    # reductions and scans built from shuffles
    case('shfl.reduce.add', G, '\n'.join(f'shfl.sync.bfly.b32 %r0, %i0, {s}, 0x1f, -1;\nadd.u32 %i0, %i0, %r0;' for s in (16, 8, 4, 2, 1)) + '\nmov.u32 %o0, %i0;', ['b32'], ['b32'], **W)
    case('shfl.scan.add', G, '\n'.join(f'shfl.sync.up.b32 %r0|%p0, %i0, {s}, 0, -1;\n@%p0 add.u32 %i0, %i0, %r0;' for s in (1, 2, 4, 8, 16)) + '\nmov.u32 %o0, %i0;', ['b32'], ['b32'], **W)
    # legacy forms are not available on sm_70+: expected in rejected.txt
    case('shfl.up.b32.legacy', G, 'shfl.up.b32 %o0, %i0, 1, 0;', ['b32'], ['b32'], **W)
    case('vote.all.legacy', G, 'vote.all.pred %o0, %i0;', ['pred'], ['pred'], **W)


# ---------------------------------------------------------------- atomics ---
ATOMS = [('add', 'u32'), ('add', 's32'), ('add', 'u64'), ('add', 'f32'), ('add', 'f64'), ('add.noftz', 'f16'), ('add.noftz', 'f16x2'),
         ('add.noftz', 'bf16'), ('add.noftz', 'bf16x2'), ('min', 'u32'), ('min', 's32'), ('min', 'u64'), ('min', 's64'), ('max', 'u32'), ('max', 's32'),
         ('max', 'u64'), ('max', 's64'), ('and', 'b32'), ('and', 'b64'), ('or', 'b32'), ('or', 'b64'), ('xor', 'b32'), ('xor', 'b64'), ('inc', 'u32'),
         ('dec', 'u32'), ('exch', 'b32'), ('exch', 'b64'), ('cas', 'b32'), ('cas', 'b64'), ('cas', 'b16')]


def g_atomic():
    G = 'atomic'
    for sp in ('shared', 'global', ''):
        for o, t in ATOMS:
            w = WIDTH[t]
            rl = {'f32': 'f32norm', 'f64': 'f64norm', 'f16': 'f16norm', 'bf16': 'bf16norm', 'f16x2': 'f16x2norm', 'bf16x2': 'bf16x2norm'}.get(t, t)
            if o in ('inc', 'dec'):
                rl = 'small12'
            cas = o == 'cas'

            def half_equal(cols, r):
                for i in range(0, len(cols[0]), 2):
                    cols[1][i] = cols[0][i]
            ins = [rl, rl] + ([rl] if cas else [])
            src = '%i1, %i2' if cas else '%i1'
            if sp == 'shared':
                setup = '.shared .align 16 .b8 sm[1024];\nmov.u64 %w0, sm;\nmul.wide.u32 %w1, %tx, 8;\nadd.u64 %w0, %w0, %w1;'
                s = '.shared'
            else:
                setup = f'add.u64 %w0, %po, {8 * 128};'
                if sp == '':
                    setup += '\ncvta.global.u64 %w0, %w0;'
                s = '.global' if sp else ''
            base = f'{setup}\nst{s}.b64 [%w0], 0;\nst{s}.b{w} [%w0], %i0;\n'
            sid = s or '.generic'
            case(f'atom{sid}.{o}.{t}', G, base + f'atom{s}.{o}.{t} %o0, [%w0], {src};\nld{s}.b64 %o1, [%w0];', ins, [t, 'b64'], fix=half_equal if cas else None,
                 note='outputs: returned old value, memory word after')
            if o not in ('exch', 'cas'):
                case(f'red{sid}.{o}.{t}', G, base + f'red{s}.{o}.{t} [%w0], {src};\nld{s}.b64 %o0, [%w0];', ins, ['b64'], nan='any' if t in FLOATY else None)
    for sem in ('.relaxed', '.acquire', '.release', '.acq_rel'):
        for sc in ('.cta', '.gpu', '.sys', '.cluster'):
            q = f'atom{sem}{sc}.global.add.u32'
            case(q, G, f'st.global.b64 [%po+1024], 0;\nst.global.u32 [%po+1024], %i0;\n{q} %o0, [%po+1024], %i1;\nld.global.b64 %o1, [%po+1024];', ['u32', 'u32'], ['u32', 'b64'])
    for sc in ('.cta', '.gpu', '.sys'):
        q = f'red.relaxed{sc}.global.max.s32'
        case(q, G, f'st.global.b64 [%po], 0;\nst.global.u32 [%po], %i0;\n{q} [%po], %i1;\nld.global.b64 %o0, [%po];', ['s32', 's32'], ['b64'])
        q = f'atom{sc}.shared.cas.b32'
        case(q, G, f'.shared .align 8 .b8 sm[1024];\nmov.u64 %w0, sm;\nmul.wide.u32 %w1, %tx, 8;\nadd.u64 %w0, %w0, %w1;\nst.shared.u32 [%w0], %i0;\n{q} %o0, [%w0], 5, %i1;\nld.shared.u32 %o1, [%w0];', ['u32k', 'u32'], ['u32', 'u32'])
    case('atom.shared::cluster.add.u32', G, '.shared .align 8 .b8 sm[1024];\nmov.u64 %w0, sm;\nmul.wide.u32 %w1, %tx, 8;\nadd.u64 %w0, %w0, %w1;\nst.shared.u32 [%w0], %i0;\nmapa.shared::cluster.u64 %w2, %w0, 0;\natom.shared::cluster.add.u32 %o0, [%w2], %i1;\nld.shared.u32 %o1, [%w0];', ['u32', 'u32'], ['u32', 'u32'])
    # 128-bit
    al = 'and.b32 %r9, %tx, 1;\nsetp.eq.u32 %p5, %r9, 0;\nst.global.b64 [%po+2048], %i0;\nbar.sync 0;\n'
    case('atom.global.exch.b128', G, '.reg .b128 %q<4>;\nand.b32 %r9, %tx, 1;\nsetp.ne.u32 %p5, %r9, 0;\nst.global.b64 [%po+2048], %i0;\nbar.sync 0;\nmov.b64 %o0, 0;\nmov.b64 %o1, 0;\n@%p5 bra SKIP;\nmov.b128 %q0, {%i1, %i0};\natom.global.exch.b128 %q1, [%po+2048], %q0;\nmov.b128 {%o0, %o1}, %q1;\nSKIP:\nbar.sync 0;\nld.global.b64 %o2, [%po+2048];', ['b64', 'b64'], ['b64'] * 3)
    case('atom.global.cas.b128', G, '.reg .b128 %q<4>;\nand.b32 %r9, %tx, 1;\nsetp.ne.u32 %p5, %r9, 0;\nst.global.b64 [%po+2048], %i0;\nbar.sync 0;\nmov.b64 %o0, 0;\nmov.b64 %o1, 0;\n@%p5 bra SKIP;\nld.global.v2.b64 {%w3, %w4}, [%po+2048];\nand.b64 %w5, %i1, 1;\nadd.u64 %w4, %w4, %w5;\nmov.b128 %q0, {%w3, %w4};\nmov.b128 %q2, {%i1, %i0};\natom.global.cas.b128 %q1, [%po+2048], %q0, %q2;\nmov.b128 {%o0, %o1}, %q1;\nSKIP:\nbar.sync 0;\nld.global.b64 %o2, [%po+2048];', ['b64', 'b64'], ['b64'] * 3)
    # vector atomics (global, 16-byte slots on even lanes)
    for v, t, o in ((2, 'f32', 'add'), (4, 'f32', 'add'), (2, 'f16', 'add.noftz'), (4, 'f16', 'add.noftz'), (8, 'f16', 'add.noftz'), (2, 'bf16', 'add.noftz'),
                    (2, 'f16x2', 'add.noftz'), (4, 'bf16x2', 'add.noftz'), (2, 'f16', 'min.noftz'), (2, 'bf16', 'max.noftz'), (2, 'f16x2', 'max.noftz'), (4, 'bf16x2', 'min.noftz')):
        rl = t + 'norm'
        ir = ', '.join(f'%i{k}' for k in range(v))
        orr = ', '.join(f'%o{k}' for k in range(v))
        off = v * 128 * 8
        pre = f'and.b32 %r9, %tx, 1;\nsetp.ne.u32 %p5, %r9, 0;\nst.global.b64 [%po+{off}], 0x3C003C003C003C00;\nbar.sync 0;\n' + '\n'.join(f'mov.b{WIDTH[t]} %o{k}, 0;' for k in range(v)) + '\n@%p5 bra SKIP;\n'
        case(f'atom.global.v{v}.{t}.{o}', G, pre + f'atom.global.v{v}.{t}.{o} {{{orr}}}, [%po+{off}], {{{ir}}};\nSKIP:\nbar.sync 0;\nld.global.b64 %o{v}, [%po+{off}];', [rl] * v, [t] * v + ['b64'], n=128)
        pre = f'and.b32 %r9, %tx, 1;\nsetp.ne.u32 %p5, %r9, 0;\nst.global.b64 [%po], 0x3C003C003C003C00;\nbar.sync 0;\n@%p5 bra SKIP;\n'
        case(f'red.global.v{v}.{t}.{o}', G, pre + f'red.global.v{v}.{t}.{o} [%po], {{{ir}}};\nSKIP:\nbar.sync 0;\nld.global.b64 %o0, [%po];', [rl] * v, ['b64'], n=128, nan='any')
    # contended, order-insensitive
    for sp in ('shared', 'global'):
        for o, t in (('add', 'u32'), ('add', 'u64'), ('min', 's32'), ('max', 'u64'), ('and', 'b32'), ('or', 'b64'), ('xor', 'b32'), ('inc', 'u32'), ('dec', 'u32'), ('add', 'f32'), ('add.noftz', 'f16x2'), ('add', 'f64')):
            w = WIDTH[t]
            rl = {'f32': 'm32.f32', 'f16x2': 'm32.f16', 'f64': 'm64.f64'}.get(t, t)
            arg = '%i0' if o not in ('inc', 'dec') else '1000'
            setup = ('.shared .align 8 .b8 sm[64];\nmov.u64 %w0, sm;' if sp == 'shared' else 'add.u64 %w0, %bo, 0;')
            init = {'min': '0x7fffffff', 'and': '0xffffffff', 'dec': '500'}.get(o, '0')
            b = f'''{setup}
                setp.eq.u32 %p0, %tx, 0;
                @%p0 st.{sp}.b64 [%w0], {init};
                bar.sync 0;
                red.{sp}.{o}.{t} [%w0], {arg};
                bar.sync 0;
                ld.volatile.{sp}.b64 %o0, [%w0];
                bar.sync 0;'''
            case(f'red.{sp}.{o}.{t}.contended', G, b, [rl], ['b64'], n=64, note='every thread outputs the final word; float inputs are small integers so the order does not matter')
        case(f'atom.{sp}.add.ticket', G, f'''.shared .align 8 .b8 sm[1024];
            .shared .align 8 .b8 seen[1024];
            {'mov.u64 %w0, sm;' if sp == 'shared' else 'add.u64 %w0, %bo, 0;'}
            setp.eq.u32 %p0, %tx, 0;
            @%p0 st.{sp}.b64 [%w0], 0;
            mov.u64 %w1, seen;
            mul.wide.u32 %w2, %tx, 4;
            add.u64 %w2, %w2, %w1;
            st.shared.u32 [%w2], 0;
            bar.sync 0;
            atom.{sp}.add.u32 %r0, [%w0], 1;
            mul.wide.u32 %w3, %r0, 4;
            add.u64 %w3, %w3, %w1;
            st.shared.u32 [%w3], 7;
            bar.sync 0;
            ld.shared.u32 %o0, [%w2];
            add.u32 %o0, %o0, %i0;''', ['u32'], ['u32'], n=64, note='tickets are a permutation')
        case(f'atom.{sp}.cas.spin', G, f'''.shared .align 8 .b8 sm[64];
            {'mov.u64 %w0, sm;' if sp == 'shared' else 'add.u64 %w0, %bo, 0;'}
            setp.eq.u32 %p0, %tx, 0;
            @%p0 st.{sp}.b64 [%w0], 0;
            bar.sync 0;
            ld.volatile.{sp}.u32 %r0, [%w0];
            RETRY:
            add.u32 %r1, %r0, %i0;
            atom.{sp}.cas.b32 %r2, [%w0], %r0, %r1;
            setp.ne.u32 %p1, %r2, %r0;
            mov.u32 %r0, %r2;
            @%p1 bra RETRY;
            bar.sync 0;
            ld.volatile.{sp}.u32 %o0, [%w0];
            bar.sync 0;''', ['u32'], ['u32'], n=64, note='cas retry loop; final sum')
        case(f'atom.{sp}.exch.lock', G, f'''.shared .align 8 .b8 sm[64];
            {'mov.u64 %w0, sm;' if sp == 'shared' else 'add.u64 %w0, %bo, 0;'}
            setp.eq.u32 %p0, %tx, 0;
            @%p0 st.{sp}.b64 [%w0], 0;
            bar.sync 0;
            LOCK:
            atom.{sp}.exch.b32 %r0, [%w0], 1;
            setp.ne.u32 %p1, %r0, 0;
            @%p1 bra NEXT;
            membar.gl;
            ld.volatile.{sp}.u32 %r1, [%w0+4];
            add.u32 %r1, %r1, %i0;
            st.volatile.{sp}.u32 [%w0+4], %r1;
            membar.gl;
            atom.{sp}.exch.b32 %r2, [%w0], 0;
            NEXT:
            @%p1 bra LOCK;
            bar.sync 0;
            ld.volatile.{sp}.u32 %o0, [%w0+4];
            bar.sync 0;''', ['u32'], ['u32'], n=64, note='spin lock, critical section inside the loop')
