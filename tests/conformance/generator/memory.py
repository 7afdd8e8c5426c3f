# SPDX-License-Identifier: Apache-2.0
"""Groups of cases: loads, stores, copies, fences, mbarriers."""
from generator.cases import case

LDT = [('u8', 32), ('s8', 32), ('b8', 32), ('u16', 16), ('s16', 16), ('b16', 16), ('u32', 32), ('s32', 32), ('b32', 32), ('f32', 32),
       ('u64', 64), ('s64', 64), ('b64', 64), ('f64', 64)]
SIZE = {'8': 1, '16': 2, '32': 4, '64': 8}


def tsize(t):
    return int(t[1:]) // 8


def offsets(t):  # never past the lane's own 8 bytes
    return sorted(o for o in {0, tsize(t), 8 - tsize(t)} if o + tsize(t) <= 8)


def wide_out(t):
    return {'u8': 'u32', 's8': 's32', 'b8': 'b32'}.get(t, t)


ADDR = {  # space -> (declaration / setup leaving the lane's 16-byte aligned slot of 32 bytes in %w0)
    'shared': ('.shared .align 16 .b8 smem[$SZ];', 'mov.u64 %w0, smem;\nmul.wide.u32 %w1, %tx, 32;\nadd.u64 %w0, %w0, %w1;'),
    'local': ('.local .align 16 .b8 lmem[64];', 'mov.u64 %w0, lmem;\nadd.u64 %w0, %w0, 16;'),
}


def g_memory():
    G = 'memory'
    # global loads straight from the input words
    for t, w in LDT:
        for off in offsets(t):
            case(f'ld.global.{t}+{off}', G, f'ld.global.{t} %o0, [%pi+{off}];', ['b64'], [wide_out(t)], nan=False)
        if t in ('u8', 's8', 'u16', 's16', 'u32', 's32', 'b8', 'b16', 'b32'):  # destination wider than type
            case(f'ld.global.{t}.wide64', G, f'ld.global.{t} %o0, [%pi];', ['b64'], ['b64'])
            if t in ('u16', 's16'):
                case(f'ld.global.{t}.wide32', G, f'ld.global.{t} %o0, [%pi+2];', ['b64'], ['b32'])
            if t in ('u8', 's8'):
                case(f'ld.global.{t}.wide16', G, f'ld.global.{t} %o0, [%pi+3];', ['b64'], ['b16'])
    for t in ('u8', 's8', 'u16', 's16', 'u32', 'f32', 'b64', 'f64'):
        for v in (2, 4):
            if tsize(t) * v > 16:
                continue
            regs = ', '.join(f'%o{i}' for i in range(v))
            # 16-byte aligned lane address
            case(f'ld.global.v{v}.{t}', G, f'and.b32 %r0, %tx, 0xfffffffe;\nmul.wide.u32 %w0, %r0, 8;\nadd.u64 %w0, %bi, %w0;\nld.global.v{v}.{t} {{{regs}}}, [%w0];',
                 ['b64'], [wide_out(t)] * v, nan=False)
    for q in ('.ca', '.cg', '.cs', '.lu', '.cv', '.nc', '.L1::evict_last', '.L1::evict_first', '.L1::no_allocate', '.L1::evict_unchanged',
              '.L1::evict_normal', '.L2::64B', '.L2::128B', '.L2::256B', '.nc.L1::no_allocate.L2::128B', '.ca.nc', '.cg.nc'):
        for t in ('u32', 'b64', 's8'):
            qq = q.replace('.nc', '') if False else q
            name = f'ld.global{qq}.{t}'
            case(name, G, f'{name} %o0, [%pi];', ['b64'], [wide_out(t)], nan=False)
    for q in ('ld.volatile.global', 'ld.relaxed.cta.global', 'ld.relaxed.gpu.global', 'ld.relaxed.sys.global', 'ld.acquire.gpu.global',
              'ld.acquire.cta.global', 'ld.acquire.sys.global', 'ld.weak.global', 'ld.relaxed.cluster.global', 'ld.acquire.cluster.global',
              'ld.mmio.relaxed.sys.global', 'ldu.global'):
        for t in ('u32', 'u64', 's16'):
            case(f'{q}.{t}', G, f'{q}.{t} %o0, [%pi];', ['b64'], [t])
    case('ld.generic.u32', G, 'cvta.global.u64 %w0, %pi;\nld.u32 %o0, [%w0+4];', ['b64'], ['u32'])
    case('ld.generic.v2.f32', G, 'cvta.global.u64 %w0, %pi;\nld.v2.f32 {%o0, %o1}, [%w0];', ['b64'], ['f32', 'f32'], nan=False)
    case('ld.global.negoff', G, 'add.u64 %w0, %pi, 100;\nld.global.u32 %o0, [%w0+-96];', ['b64'], ['u32'])
    case('ld.global.v2.sink', G, 'ld.global.v2.u32 {_, %o0}, [%pi];', ['b64'], ['u32'])
    # stores into the output words themselves (partial widths leave the zeroed rest)
    for t, w in LDT:
        for off in sorted({0, 8 - tsize(t)}):
            rl = {'u8': 'b32', 's8': 'b32', 'b8': 'b32'}.get(t, t)
            case(f'st.global.{t}+{off}', G, f'st.global.b64 [%po], 0;\nst.global.{t} [%po+{off}], %i0;\nld.global.b64 %o0, [%po];', [rl], ['b64'])
    for q in ('.wb', '.cg', '.cs', '.wt', '.L1::evict_last', '.L1::no_allocate', '.L1::evict_first'):
        case(f'st.global{q}.u32', G, f'st.global.b64 [%po], 0;\nst.global{q}.u32 [%po+4], %i0;\nld.global.b64 %o0, [%po];', ['u32'], ['b64'])
    for q in ('st.volatile.global', 'st.relaxed.gpu.global', 'st.relaxed.cta.global', 'st.relaxed.sys.global', 'st.release.gpu.global',
              'st.release.cta.global', 'st.release.sys.global', 'st.weak.global', 'st.mmio.relaxed.sys.global'):
        case(f'{q}.u32', G, f'st.global.b64 [%po], 0;\n{q}.u32 [%po+4], %i0;\nld.global.b64 %o0, [%po];', ['u32'], ['b64'])
    case('st.generic.u16', G, 'st.global.b64 [%po], 0;\ncvta.global.u64 %w0, %po;\nst.u16 [%w0+2], %i0;\nld.global.b64 %o0, [%po];', ['u16'], ['b64'])
    # shared and local round trips: store the 64-bit word, load it back at every width
    for sp in ('shared', 'local'):
        decl, setup = ADDR[sp]
        n = 128
        for t, w in LDT:
            d = decl.replace('$SZ', str(64 * 32))
            outs, ld = [], ''
            for k, off in enumerate(offsets(t)):
                ld += f'ld.{sp}.{t} %o{k}, [%w0+{off}];\n'
                outs.append(wide_out(t))
            case(f'ld.{sp}.{t}', G, f'{d}\n{setup}\nst.{sp}.b64 [%w0], %i0;\n{ld}', ['b64'], outs, nan=False)
            rl = {'u8': 'b32', 's8': 'b32', 'b8': 'b32'}.get(t, t)
            off = 8 - tsize(t)
            case(f'st.{sp}.{t}', G, f'{d}\n{setup}\nst.{sp}.b64 [%w0], 0;\nst.{sp}.{t} [%w0+{off}], %i0;\nld.{sp}.b64 %o0, [%w0];', [rl], ['b64'])
        for t in ('u8', 'u16', 'u32', 'f32', 'u64', 'f64'):
            for v in (2, 4):
                if tsize(t) * v > 16:
                    continue
                regs = ', '.join(f'%o{i}' for i in range(v))
                d = decl.replace('$SZ', str(128 * 32))
                case(f'ld.{sp}.v{v}.{t}', G, f'{d}\n{setup}\nst.{sp}.b64 [%w0], %i0;\nst.{sp}.b64 [%w0+8], %i1;\nld.{sp}.v{v}.{t} {{{regs}}}, [%w0];',
                     ['b64', 'b64'], [wide_out(t)] * v, nan=False)
                rl = {'u8': 'b8'}.get(t, t)
                ir = ', '.join(f'%i{i}' for i in range(v))
                case(f'st.{sp}.v{v}.{t}', G, f'{d}\n{setup}\nst.{sp}.v2.b64 [%w0], {{0, 0}};\nst.{sp}.v{v}.{t} [%w0], {{{ir}}};\nld.{sp}.v2.b64 {{%o0, %o1}}, [%w0];',
                     [rl] * v, ['b64', 'b64'])
    d = '.shared .align 16 .b8 smem[4096];'
    for q in ('ld.volatile.shared', 'ld.relaxed.cta.shared', 'ld.acquire.cta.shared', 'ld.shared::cta', 'ld.weak.shared', 'ld.shared::cluster'):
        case(f'{q}.u32', G, f'{d}\n{ADDR["shared"][1]}\nst.shared.b64 [%w0], %i0;\n{q}.u32 %o0, [%w0+4];', ['b64'], ['u32'])
    for q in ('st.volatile.shared', 'st.relaxed.cta.shared', 'st.release.cta.shared', 'st.shared::cta', 'st.shared::cluster'):
        case(f'{q}.u32', G, f'{d}\n{ADDR["shared"][1]}\nst.shared.b64 [%w0], 0;\n{q}.u32 [%w0+4], %i0;\nld.shared.b64 %o0, [%w0];', ['u32'], ['b64'])
    case('ld.shared.addr32', G, f'{d}\nmov.u32 %r0, smem;\nmad.lo.u32 %r0, %tx, 16, %r0;\nst.shared.b64 [%r0], %i0;\nld.shared.u32 %o0, [%r0+4];', ['b64'], ['u32'])
    case('ld.shared.symbol_offset', G, f'{d}\nsetp.ne.u32 %p0, %tx, 0;\n@!%p0 st.shared.u32 [smem+20], 12345;\n@!%p0 st.shared.u32 [smem+24], 777;\nbar.sync 0;\nld.shared.u32 %o0, [smem+20];\nld.shared.u32 %o1, [smem+24];', [], ['u32', 'u32'], n=64)
    # generic addressing of each window
    for sp, dd in (('shared', d), ('local', '.local .align 16 .b8 lmem[64];')):
        st = ADDR[sp][1]
        case(f'generic.{sp}.u32', G, f'{dd}\n{st}\nst.{sp}.b64 [%w0], %i0;\ncvta.{sp}.u64 %w2, %w0;\nld.u32 %o0, [%w2+4];\nst.u32 [%w2], 99;\nld.{sp}.u32 %o1, [%w0];', ['b64'], ['u32', 'u32'])
    # const space
    pre = '.const .align 16 .b8 $K_c[64] = {' + ', '.join(str((i * 37 + 11) & 255) for i in range(64)) + '};'
    for t, w in LDT:
        for k in (1,):
            case(f'ld.const.{t}', G, f'and.b32 %r0, %tx, 7;\nmul.wide.u32 %w0, %r0, 8;\nmov.u64 %w1, $K_c;\nadd.u64 %w0, %w0, %w1;\nld.const.{t} %o0, [%w0];\nld.const.{t} %o1, [$K_c+16];', [], [wide_out(t)] * 2, prelude=pre, n=64, nan=False)
    for t in ('u32', 'f32', 'u64', 'u16', 's8'):
        v = 2 if t == 'u64' else 4
        regs = ', '.join(f'%o{i}' for i in range(v))
        case(f'ld.const.v{v}.{t}', G, f'and.b32 %r0, %tx, 3;\nmul.wide.u32 %w0, %r0, 16;\nmov.u64 %w1, $K_c;\nadd.u64 %w0, %w0, %w1;\nld.const.v{v}.{t} {{{regs}}}, [%w0];', [], [wide_out(t)] * v, prelude=pre, n=64, nan=False)
    # typed initialisers
    for t, init in (('u16', '1, 2, 0xFFFF, 4'), ('s32', '-1, 5, 0x7fffffff, -100'), ('f32', '1.5, -2.25, 0f40490FDB, 1e3'), ('f64', '1.5, 0.1, 0d4009F21F9F01B866, -3.0'),
                    ('u64', '1, 0xFFFFFFFFFFFFFFFF, 7, 9'), ('u8', '1, 255, 3, 200')):
        for sp in ('const', 'global'):
            case(f'{sp}.init.{t}', G, f'and.b32 %r0, %tx, 7;\nmul.wide.u32 %w0, %r0, {tsize(t)};\nmov.u64 %w1, $K_c;\nadd.u64 %w0, %w0, %w1;\nld.{sp}.{t} %o0, [%w0];', [], [wide_out(t)],
                 prelude=f'.{sp} .align 8 .{t} $K_c[8] = {{{init}}};', n=64, nan=False, note='elements without an initialiser are zero')
    case('global.init.2d', G, 'and.b32 %r0, %tx, 7;\nmul.wide.u32 %w0, %r0, 4;\nmov.u64 %w1, $K_c;\nadd.u64 %w0, %w0, %w1;\nld.global.u32 %o0, [%w0];', [], ['u32'],
         prelude='.global .align 4 .u32 $K_c[2][4] = {{1, 2, 3, 4}, {5, 6}};', n=64)
    case('global.init.ptr', G, 'ld.global.u64 %w0, [$K_p];\nld.u32 %o0, [%w0];\nld.global.u64 %w0, [$K_p+8];\nld.global.u32 %o1, [%w0];', [], ['u32', 'u32'],
         prelude='.global .align 4 .u32 $K_c[4] = {11, 22, 33, 44};\n.global .align 8 .u64 $K_p[2] = {generic($K_c), $K_c+8};', n=64)
    # .param space through calls: structures and vectors
    for t, w in (('u8', 8), ('s8', 8), ('u16', 16), ('s16', 16), ('u32', 32), ('s32', 32), ('f32', 32), ('u64', 64), ('f64', 64), ('b64', 64)):
        pre = f'''.func (.param .b64 rv) $K_f(.param .align 8 .b8 p[16])
            {{
            .reg .b64 %x, %y;
            .reg .b{max(16 if t[1:] == '16' else 32, w) if w != 16 else 16} %v;
            ld.param.{t} %v, [p+8];
            {'cvt.u64.u16 %x, %v;' if w == 16 else 'cvt.u64.u32 %x, %v;' if w <= 32 else 'mov.b64 %x, %v;'}
            ld.param.b64 %y, [p];
            xor.b64 %x, %x, %y;
            st.param.b64 [rv], %x;
            ret;
            }}'''
        case(f'ld.param.{t}', G, '''{
            .param .align 8 .b8 q[16];
            .param .b64 rr;
            st.param.b64 [q], %i0;
            st.param.b64 [q+8], %i1;
            call.uni (rr), $K_f, (q);
            ld.param.b64 %o0, [rr];
            }''', ['b64', 'b64'], ['b64'], prelude=pre)
    case('st.param.v4.u32', G, '''{
        .param .align 16 .b8 q[16];
        .param .align 16 .b8 rr[16];
        st.param.v4.b32 [q], {%i0, %i1, %i2, %i3};
        call.uni (rr), $K_f, (q);
        ld.param.v2.b64 {%o0, %o1}, [rr];
        }''', ['u32'] * 4, ['b64', 'b64'], prelude='''.func (.param .align 16 .b8 rv[16]) $K_f(.param .align 16 .b8 p[16])
        {
        .reg .b32 %a<4>;
        ld.param.v4.b32 {%a0, %a1, %a2, %a3}, [p];
        st.param.v4.b32 [rv], {%a3, %a2, %a1, %a0};
        ret;
        }''')
    # kernel parameters: address taken in generic form is sm_70+ / PTX 7.7 (cvta.param)
    case('ld.param.u32.kernel', G, 'ld.param.u32 %r0, [$K_in+4];\nld.param.u64 %w0, [$K_in];\nshr.u64 %w0, %w0, 32;\ncvt.u32.u64 %r1, %w0;\nsub.u32 %o0, %r0, %r1;', [], ['u32'], n=64)
    # isspacep / cvta
    dd = '.shared .align 8 .b8 smem[16];\n.local .align 8 .b8 lmem[16];'
    setup = '''mov.u64 %w0, smem;
        cvta.shared.u64 %w0, %w0;
        mov.u64 %w1, lmem;
        cvta.local.u64 %w1, %w1;
        st.local.u32 [lmem], %tx;
        st.shared.u32 [smem], 1;
        cvta.global.u64 %w2, %bi;
        mov.u64 %w3, $K_c;
        cvta.const.u64 %w3, %w3;'''
    for s in ('global', 'shared', 'local', 'const', 'shared::cta', 'shared::cluster', 'param'):
        b = '\n'.join(f'isspacep.{s} %o{k}, %w{k};' for k in range(4))
        case(f'isspacep.{s}', G, f'{dd}\n{setup}\n{b}', [], ['pred'] * 4, prelude='.const .align 4 .u32 $K_c = 5;', n=64,
             note='addresses: shared, local, global, const')
    for k, s in enumerate(('shared', 'local', 'global', 'const')):
        base = {'shared': 'smem', 'local': 'lmem', 'const': '$K_c'}.get(s)
        case(f'cvta.to.{s}', G, f'{dd}\n{setup}\ncvta.to.{s}.u64 %w4, %w{k};\n' + (f'mov.u64 %w5, {base};\nsub.u64 %o0, %w4, %w5;' if base else 'sub.u64 %o0, %w4, %bi;')
             + f'\nld.u32 %r5, [%w{k}];\nld.{s}.u32 %r6, [%w4];\nsetp.eq.u32 %o1, %r5, %r6;',
             ['b32'], ['u64', 'pred'], prelude='.const .align 4 .u32 $K_c = 5;', n=64)
    # prefetch and friends are no-ops for values
    for p in ('prefetch.global.L1 [%pi];', 'prefetch.global.L2 [%pi];', 'prefetchu.L1 [%w0];', 'prefetch.global.L2::evict_last [%pi];',
              'applypriority.global.L2::evict_normal [%w0], 128;', 'fence.sc.gpu;', 'fence.acq_rel.cta;', 'membar.gl;', 'membar.cta;', 'membar.sys;', 'fence.proxy.async;', 'fence.proxy.alias;',
              'fence.acq_rel.cluster;', 'griddepcontrol.wait;', 'griddepcontrol.launch_dependents;', 'cp.async.bulk.prefetch.L2.global [%bi], 64;', 'fence.proxy.async.global;', 'fence.sc.cta;', 'fence.acq_rel.sys;', 'fence.acquire.sync_restrict::shared::cluster.cluster;', 'fence.mbarrier_init.release.cluster;', 'nanosleep.u32 10;', 'pmevent 1;'):
        case('nop.' + p.split(' ')[0].rstrip(';'), G, f'cvta.global.u64 %w0, %bi;\n{p}\nadd.u32 %o0, %i0, 1;', ['u32'], ['u32'])
    case('createpolicy.ld', G, 'createpolicy.fractional.L2::evict_last.b64 %w0, 1.0;\nld.global.L2::cache_hint.u32 %o0, [%pi], %w0;', ['u32'], ['u32'])
    # alloca
    case('alloca', G, 'alloca.u64 %w0, 64;\nst.local.u64 [%w0], %i0;\nld.local.u32 %o0, [%w0+4];', ['u64'], ['u32'])
    case('stacksave', G, 'stacksave.u64 %w3;\nalloca.u64 %w0, 64;\nst.local.u64 [%w0], %i0;\nld.local.u64 %w1, [%w0];\nstackrestore.u64 %w3;\nadd.u64 %o0, %w1, 1;', ['u64'], ['u64'])
    # cp.async
    sm = '.shared .align 16 .b8 smem[4096];'
    for sz in (4, 8, 16):
        for pol in ('ca', 'cg') if sz == 16 else ('ca',):
            for src in dict.fromkeys((None, 0, 2, sz // 2)):
                b = f'''{sm}
                    mov.u64 %w0, smem;
                    mul.wide.u32 %w1, %tx, 16;
                    add.u64 %w0, %w0, %w1;
                    st.shared.v2.b64 [%w0], {{-1, -1}};
                    and.b32 %r0, %tx, 0xfffffffe;
                    mul.wide.u32 %w1, %r0, 8;
                    add.u64 %w1, %bi, %w1;
                    cp.async.{pol}.shared.global [%w0], [%w1], {sz}{'' if src is None else ', %d' % src};
                    cp.async.commit_group;
                    cp.async.wait_group 0;
                    ld.shared.v2.b64 {{%o0, %o1}}, [%w0];'''
                case(f'cp.async.{pol}.{sz}' + ('' if src is None else f'.src{src}'), G, b, ['b64'], ['b64', 'b64'])
    case('cp.async.wait_all', G, f'''{sm}
        mov.u64 %w0, smem;
        mul.wide.u32 %w1, %tx, 16;
        add.u64 %w0, %w0, %w1;
        cp.async.ca.shared.global [%w0], [%pi], 8;
        cp.async.wait_all;
        bar.sync 0;
        xor.b32 %r0, %tx, 63;
        mov.u64 %w0, smem;
        mul.wide.u32 %w1, %r0, 16;
        add.u64 %w0, %w0, %w1;
        ld.shared.b64 %o0, [%w0];''', ['b64'], ['b64'], n=64)
    # mbarrier and bulk copies
    G = 'async'
    mb = '.shared .align 8 .b64 mbar;\n.shared .align 128 .b8 smem[2048];'
    init = 'setp.eq.u32 %p0, %tx, 0;\n@%p0 mbarrier.init.shared::cta.b64 [mbar], $CNT;\nfence.proxy.async;\nbar.sync 0;\n'
    wait = '''mov.u32 %r30, 0;
        WAIT:
        mbarrier.try_wait.parity.shared::cta.b64 %p1, [mbar], 0;
        add.u32 %r30, %r30, 1;
        setp.gt.u32 %p10, %r30, 100000;
        @%p10 bra GIVEUP;
        @!%p1 bra WAIT;
        GIVEUP:
        '''
    case('mbarrier.arrive', G, mb + '\n' + init.replace('$CNT', '64') + '''mul.wide.u32 %w0, %tx, 8;
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        st.shared.b64 [%w0], %i0;
        mbarrier.arrive.shared::cta.b64 %w2, [mbar];
        ''' + wait + '''xor.b32 %r0, %tx, 63;
        mul.wide.u32 %w0, %r0, 8;
        add.u64 %w0, %w0, %w1;
        ld.shared.b64 %o0, [%w0];
        mov.pred %o1, %p1;''', ['b64'], ['b64', 'pred'], n=64)
    case('mbarrier.test_wait.state', G, mb + '\n' + init.replace('$CNT', '64') + '''mbarrier.arrive.shared::cta.b64 %w2, [mbar];
        mov.u32 %r30, 0;
        W2:
        mbarrier.test_wait.shared::cta.b64 %p1, [mbar], %w2;
        add.u32 %r30, %r30, 1;
        setp.gt.u32 %p10, %r30, 1000000;
        @%p10 bra W2END;
        @!%p1 bra W2;
        W2END:
        mov.pred %o0, %p1;''', ['b32'], ['pred'], n=64)
    case('mbarrier.pending_count', G, mb + '\n' + init.replace('$CNT', '100') + '''@%p0 mbarrier.arrive.shared::cta.b64 %w2, [mbar], 3;
        mov.u32 %r3, 0;
        @%p0 mbarrier.pending_count.b64 %r3, %w2;
        mov.u32 %o0, %r3;''', [], ['u32'], n=64)
    case('mbarrier.arrive_drop', G, mb + '\n' + init.replace('$CNT', '64') + '''mbarrier.arrive_drop.shared::cta.b64 %w2, [mbar];
        ''' + wait + 'mov.pred %o0, %p1;', [], ['pred'], n=64)
    case('mbarrier.inval_reinit', G, mb + '\n' + init.replace('$CNT', '64') + '''mbarrier.arrive.shared::cta.b64 %w2, [mbar];
        ''' + wait + '''bar.sync 0;
        @%p0 mbarrier.inval.shared::cta.b64 [mbar];
        bar.sync 0;
        @%p0 mbarrier.init.shared::cta.b64 [mbar], 64;
        bar.sync 0;
        mbarrier.test_wait.parity.shared::cta.b64 %o0, [mbar], 0;
        mbarrier.test_wait.parity.shared::cta.b64 %o1, [mbar], 1;''', [], ['pred', 'pred'], n=64)
    case('mbarrier.two_phases', G, mb + '\n' + init.replace('$CNT', '64') + '''mbarrier.arrive.shared::cta.b64 %w2, [mbar];
        ''' + wait + '''mbarrier.arrive.shared::cta.b64 %w2, [mbar];
        mov.u32 %r30, 0;
        W3:
        mbarrier.try_wait.parity.shared::cta.b64 %p1, [mbar], 1;
        add.u32 %r30, %r30, 1;
        setp.gt.u32 %p10, %r30, 100000;
        @%p10 bra W3END;
        @!%p1 bra W3;
        W3END:
        mov.pred %o0, %p1;''', [], ['pred'], n=64)
    case('cp.async.bulk.g2s', G, mb + '\n' + init.replace('$CNT', '1') + '''@!%p0 bra SKIP;
        mbarrier.arrive.expect_tx.shared::cta.b64 %w2, [mbar], 512;
        mov.u64 %w3, smem;
        cvta.global.u64 %w5, %bi;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%w3], [%bi], 512, [mbar];
        SKIP:
        ''' + wait + '''xor.b32 %r0, %tx, 5;
        mul.wide.u32 %w0, %r0, 8;
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        ld.shared.b64 %o0, [%w0];''', ['b64'], ['b64'], n=64)
    case('cp.async.bulk.s2g', G, mb + '''
        mul.wide.u32 %w0, %tx, 8;
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        st.shared.b64 [%w0], %i0;
        fence.proxy.async;
        bar.sync 0;
        setp.eq.u32 %p0, %tx, 0;
        @!%p0 bra SKIP;
        cp.async.bulk.global.shared::cta.bulk_group [%bo], [smem], 512;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        SKIP:
        bar.sync 0;
        ld.volatile.global.b64 %o0, [%po];
        not.b64 %o1, %o0;''', ['b64'], ['b64', 'b64'], n=64)
    for o, t, ini in (('add', 'u32', '0x500000007'), ('add', 's32', '0x500000007'), ('min', 's32', '0x500000007'), ('max', 'u32', '0x500000007'), ('inc', 'u32', '0x500000007'),
                       ('dec', 'u32', '0x500000007'), ('and', 'b32', '0xff00ff0000ffff00'), ('or', 'b32', '0xff00ff0000ffff00'), ('xor', 'b32', '0xff00ff0000ffff00'),
                       ('xor', 'b64', '0xff00ff0000ffff00'), ('add', 'u64', '0x500000007'), ('min', 's64', '7'), ('max', 'u64', '7'), ('add', 'f32', '0x3f8000003f800000'),
                       ('add', 'f64', '0x3ff0000000000000'), ('add.noftz', 'f16', '0x3C003C003C003C00'), ('add.noftz', 'bf16', '0x3F803F803F803F80'), ('min', 'f16', '0x3C003C003C003C00'), ('max', 'bf16', '0x3F803F803F803F80')):
        w = 64 if t.endswith('64') else 32
        rl = {'f32': 'm32.f32', 'f64': 'm64.f64', 'f16': 'm32.f16', 'bf16': 'm32.bf16'}.get(t, f'b{w}')
        case(f'cp.reduce.async.bulk.s2g.{o}.{t}', G, mb + f'''
        mul.wide.u32 %w0, %tx, {w // 8};
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        st.shared.b{w} [%w0], %i0;
        st.global.b64 [%po], {ini};
        fence.proxy.async;
        bar.sync 0;
        setp.eq.u32 %p0, %tx, 0;
        @!%p0 bra SKIP;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.{o}.{t} [%bo], [smem], 256;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        SKIP:
        bar.sync 0;
        ld.volatile.global.b64 %o0, [%po];''', [rl], ['b64'], n=64)
    case('cp.async.mbarrier.arrive.noinc', G, mb + '\n' + init.replace('$CNT', '64') + '''mul.wide.u32 %w0, %tx, 8;
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        cp.async.ca.shared.global [%w0], [%pi], 8;
        cp.async.mbarrier.arrive.noinc.shared::cta.b64 [mbar];
        ''' + wait + '''xor.b32 %r0, %tx, 63;
        mul.wide.u32 %w0, %r0, 8;
        add.u64 %w0, %w0, %w1;
        ld.shared.b64 %o0, [%w0];''', ['b64'], ['b64'], n=64)
    # clusters of one CTA
    case('mapa.shared', G, '.shared .align 8 .b8 smem[1024];\nmul.wide.u32 %w0, %tx, 8;\nmov.u64 %w1, smem;\nadd.u64 %w0, %w0, %w1;\nst.shared.b64 [%w0], %i0;\nmapa.shared::cluster.u64 %w2, %w0, 0;\nld.shared::cluster.b64 %o0, [%w2];', ['b64'], ['b64'])
    case('mapa.generic', G, '.shared .align 8 .b8 smem[1024];\nmul.wide.u32 %w0, %tx, 8;\nmov.u64 %w1, smem;\nadd.u64 %w0, %w0, %w1;\nst.shared.b64 [%w0], %i0;\ncvta.shared.u64 %w3, %w0;\nmapa.u64 %w2, %w3, 0;\nld.b64 %o0, [%w2];\ngetctarank.u64 %o1, %w2;', ['b64'], ['b64', 'u32'])
    case('getctarank.shared', G, '.shared .align 8 .b8 smem[1024];\nmov.u64 %w1, smem;\ngetctarank.shared::cluster.u64 %o0, %w1;\nadd.u32 %o0, %o0, %i0;', ['b32'], ['u32'])
    case('barrier.cluster', G, '.shared .align 8 .b8 smem[1024];\nmul.wide.u32 %w0, %tx, 8;\nmov.u64 %w1, smem;\nadd.u64 %w0, %w0, %w1;\nst.shared.b64 [%w0], %i0;\nbarrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nxor.b32 %r0, %tx, 63;\nmul.wide.u32 %w0, %r0, 8;\nadd.u64 %w0, %w0, %w1;\nld.shared.b64 %o0, [%w0];', ['b64'], ['b64'], n=64)
    case('st.async', G, mb + '\n' + init.replace('$CNT', '1') + '''@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %w2, [mbar], 512;
        bar.sync 0;
        mul.wide.u32 %w0, %tx, 8;
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        mapa.shared::cluster.u64 %w0, %w0, 0;
        mov.u64 %w4, mbar;
        mapa.shared::cluster.u64 %w4, %w4, 0;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%w0], %i0, [%w4];
        ''' + wait + '''xor.b32 %r0, %tx, 63;
        mul.wide.u32 %w0, %r0, 8;
        add.u64 %w0, %w0, %w1;
        ld.shared.b64 %o0, [%w0];''', ['b64'], ['b64'], n=64)
    case('red.async.add.u32', G, mb + '\n' + init.replace('$CNT', '1') + '''@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %w2, [mbar], 256;
        mul.wide.u32 %w0, %tx, 8;
        mov.u64 %w1, smem;
        add.u64 %w0, %w0, %w1;
        st.shared.b64 [%w0], 1000;
        bar.sync 0;
        mapa.shared::cluster.u64 %w3, %w0, 0;
        mov.u64 %w4, mbar;
        mapa.shared::cluster.u64 %w4, %w4, 0;
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%w3], %i0, [%w4];
        ''' + wait + '''ld.shared.b64 %o0, [%w0];''', ['b32'], ['b64'], n=64)
