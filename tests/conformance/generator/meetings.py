# SPDX-License-Identifier: Apache-2.0
"""Cases of control: predicated execution, barriers and what blocks do with them."""
from generator.cases import case


def meetings():
    G = 'control'
    U = 'u32'
    case('pred.exec', G, '''mov.u32 %o0, %i0;
        setp.lt.s32 %p0, %i0, 0;
        setp.gt.u32 %p1, %i0, 1000;
        @%p0 add.u32 %o0, %o0, 7;
        @!%p0 sub.u32 %o0, %o0, 3;
        @%p1 xor.b32 %o0, %o0, 0xff;
        @!%p1 shl.b32 %o0, %o0, 1;
        and.pred %p2, %p0, %p1;
        @%p2 not.b32 %o0, %o0;''', [U], [U])
    case('pred.memory', G, '''setp.lt.s32 %p0, %i0, 0;
        st.global.b64 [%po], 1;
        @%p0 st.global.u32 [%po+4], %i0;
        mov.u32 %r0, 9;
        @!%p0 ld.global.u32 %r0, [%pi];
        ld.global.b64 %w0, [%po];
        cvt.u64.u32 %w1, %r0;
        add.u64 %o0, %w0, %w1;''', [U], ['u64'])
    case('pred.setp_chain', G, '''setp.lt.s32 %p0, %i0, 0;
        @%p0 setp.lt.s32 %p0, %i0, -100;
        setp.ne.and.u32 %p1|%p2, %i0, 5, %p0;
        mov.pred %o0, %p0;
        mov.pred %o1, %p1;
        mov.pred %o2, %p2;''', [U], ['pred'] * 3)
    # barriers (64 threads)
    sh = '.shared .align 8 .b8 sm[1024];\nmov.u64 %w0, sm;\nmul.wide.u32 %w1, %tx, 4;\nadd.u64 %w1, %w1, %w0;\n'
    rd = lambda x: f'xor.b32 %r0, %tx, {x};\nmul.wide.u32 %w2, %r0, 4;\nadd.u64 %w2, %w2, %w0;\nld.shared.u32 %o0, [%w2];'
    for b in ('bar.sync 0;', 'barrier.sync 0;', 'barrier.sync.aligned 0;', 'bar.sync 3, 64;', 'bar.cta.sync 1;', 'barrier.cta.sync.aligned 2, 64;', 'barrier.cta.sync 15;', 'barrier.cta.sync 5, 64;'):
        case('bar-' + b.rstrip(';').replace(' ', '_').replace(',', ''), G, sh + f'st.shared.u32 [%w1], %i0;\n{b}\n' + rd(63), [U], [U], n=64)
    case('bar.sync.reg', G, sh + 'mov.u32 %r5, 7;\nmov.u32 %r6, 64;\nst.shared.u32 [%w1], %i0;\nbar.sync %r5, %r6;\n' + rd(33), [U], [U], n=64)
    case('bar.sync.per_warp', G, sh + 'shr.u32 %r5, %tx, 5;\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [%w1], %i0;\nbarrier.sync %r5, 32;\n' + rd(31), [U], [U], n=64, note='a different named barrier for each warp')
    case('bar.arrive', G, sh + '''setp.lt.u32 %p0, %tx, 32;
        @!%p0 bra CONS;
        st.shared.u32 [%w1], %i0;
        bar.arrive 1, 64;
        mov.u32 %o0, 1;
        bra END;
        CONS:
        bar.sync 1, 64;
        ''' + rd(32) + '\nEND:\nadd.u32 %o0, %o0, 1;', [U], [U], n=64, note='warp 0 produces, warp 1 consumes')
    for v in ('bar', 'barrier', 'barrier.cta'):
        al = '.aligned' if v != 'bar' else ''
        case(f'{v}.red.popc', G, f'{v}.red.popc{al}.u32 %o0, 0, %i0;\n{v}.red.popc{al}.u32 %o1, 1, 64, !%i0;', ['pred'], [U, U], n=64)
        for o in ('and', 'or'):
            case(f'{v}.red.{o}', G, f'{v}.red.{o}{al}.pred %o0, 0, %i0;\n{v}.red.{o}{al}.pred %o1, 0, !%i0;\nsetp.lt.u32 %p0, %tx, 64;\n{v}.red.{o}{al}.pred %o2, 2, 64, %p0;', ['pred'], ['pred'] * 3, n=64)
    case('reduce_tree', G, sh + 'st.shared.u32 [%w1], %i0;\nbar.sync 0;\n' + ''.join(f'''setp.lt.u32 %p0, %tx, {s};
        @!%p0 bra S{s};
        ld.shared.u32 %r1, [%w1];
        ld.shared.u32 %r2, [%w1+{4 * s}];
        add.u32 %r1, %r1, %r2;
        st.shared.u32 [%w1], %r1;
        S{s}:
        bar.sync 0;
        ''' for s in (32, 16, 8, 4, 2, 1)) + 'ld.shared.u32 %o0, [sm];', [U], [U], n=64)
    case('scan_hillis', G, sh + 'st.shared.u32 [%w1], %i0;\nbar.sync 0;\n' + ''.join(f'''setp.ge.u32 %p0, %tx, {s};
        mov.u32 %r1, 0;
        @%p0 ld.shared.u32 %r1, [%w1+{-4 * s}];
        ld.shared.u32 %r2, [%w1];
        add.u32 %r2, %r1, %r2;
        bar.sync 0;
        st.shared.u32 [%w1], %r2;
        bar.sync 0;
        ''' for s in (1, 2, 4, 8, 16, 32)) + 'ld.shared.u32 %o0, [%w1];', [U], [U], n=64)
    case('bitonic_sort', G, sh + 'st.shared.u32 [%w1], %i0;\nbar.sync 0;\n' + ''.join(f'''xor.b32 %r0, %tx, {j};
        mul.wide.u32 %w2, %r0, 4;
        add.u64 %w2, %w2, %w0;
        ld.shared.u32 %r1, [%w1];
        ld.shared.u32 %r2, [%w2];
        bar.sync 0;
        setp.lt.u32 %p0, %tx, %r0;
        and.b32 %r3, %tx, {k};
        setp.eq.xor.u32 %p1, %r3, 0, %p0;
        min.u32 %r4, %r1, %r2;
        max.u32 %r5, %r1, %r2;
        selp.b32 %r1, %r5, %r4, %p1;
        st.shared.u32 [%w1], %r1;
        bar.sync 0;
        ''' for k in (2, 4, 8, 16, 32, 64) for j in (k // 2, k // 4, k // 8, k // 16, k // 32, k // 64) if j) + 'ld.shared.u32 %o0, [%w1];', [U], [U], n=64)
    case('uniform_loop_barrier', G, sh + '''st.shared.u32 [%w1], %i0;
        mov.u32 %r10, 0;
        LOOP:
        bar.sync 0;
        add.u32 %r0, %tx, 1;
        and.b32 %r0, %r0, 63;
        mul.wide.u32 %w2, %r0, 4;
        add.u64 %w2, %w2, %w0;
        ld.shared.u32 %r1, [%w2];
        bar.sync 0;
        mad.lo.u32 %r1, %r1, 3, %tx;
        st.shared.u32 [%w1], %r1;
        add.u32 %r10, %r10, 1;
        setp.lt.u32 %p0, %r10, 10;
        @%p0 bra LOOP;
        mov.u32 %o0, %r1;''', [U], [U], n=64)
    case('divergent_then_barrier', G, sh + '''and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 bra A;
        mul.lo.u32 %r1, %i0, 5;
        bra J;
        A:
        shr.u32 %r1, %i0, 2;
        J:
        st.shared.u32 [%w1], %r1;
        bar.sync 0;
        ''' + rd(17), [U], [U], n=64)
    case('histogram', G, sh + '''st.shared.u32 [%w1], 0;
        bar.sync 0;
        and.b32 %r0, %i0, 15;
        mul.wide.u32 %w2, %r0, 4;
        add.u64 %w2, %w2, %w0;
        red.shared.add.u32 [%w2], 1;
        bar.sync 0;
        ld.shared.u32 %o0, [%w1];''', [U], [U], n=64)
    case('fp_mandel', G, '''mov.f32 %f0, 0f00000000;
        mov.f32 %f1, 0f00000000;
        cvt.rn.f32.u32 %f2, %tx;
        fma.rn.f32 %f2, %f2, 0f3D000000, 0fBFC00000;
        cvt.rn.f32.u32 %f3, %i0;
        fma.rn.f32 %f3, %f3, 0f3C23D70A, 0fBF000000;
        mov.u32 %o0, 0;
        LOOP:
        mul.rn.f32 %f4, %f0, %f0;
        mul.rn.f32 %f5, %f1, %f1;
        add.rn.f32 %f6, %f4, %f5;
        setp.gt.f32 %p0, %f6, 0f40800000;
        @%p0 bra DONE;
        sub.rn.f32 %f7, %f4, %f5;
        add.rn.f32 %f7, %f7, %f2;
        add.rn.f32 %f8, %f0, %f0;
        fma.rn.f32 %f1, %f8, %f1, %f3;
        mov.f32 %f0, %f7;
        add.u32 %o0, %o0, 1;
        setp.lt.u32 %p1, %o0, 60;
        @%p1 bra LOOP;
        DONE:
        mov.b32 %o1, %f0;''', ['trip'], [U, 'f32'])
    case('scope.shadow', G, '''mov.u32 %r0, %i0;
        {
        .reg .u32 %inner;
        mov.u32 %inner, 5;
        add.u32 %r0, %r0, %inner;
        {
        .reg .u32 %inner2;
        mul.lo.u32 %inner2, %r0, 2;
        mov.u32 %r0, %inner2;
        }
        }
        mov.u32 %o0, %r0;''', [U], [U])
