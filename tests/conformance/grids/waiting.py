# SPDX-License-Identifier: Apache-2.0
"""Barriers of clusters, asynchronous copies and mbarriers from block to block."""
from frame import BITS, FILL, SIZES, SYNC, THREADS, ZERO, dump, emit, into


def barriers():
    pairs = [(a, w) for a in ('', '.release', '.relaxed') for w in ('', '.acquire')]
    n = 0
    for sem, acq in pairs:
        for al, wl in (('', ''), ('.aligned', '.aligned'), ('', '.aligned'), ('.aligned', '')):
            fence = '  fence.acq_rel.cluster;\n' if sem == '.relaxed' else ''
            body = '''  mov.u32 %r3, 0;
  cvt.u32.u64 %r4, %v0;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
round:
  mad.lo.u32 %r5, %r3, 512, %far;
  st.shared::cluster.u32 [%r5], %r4;
''' + fence + f'''  barrier.cluster.arrive{sem}{al};
  mul.lo.u32 %r6, %r4, 33;
  barrier.cluster.wait{acq}{wl};
  mad.lo.u32 %r5, %r3, 512, %cell;
  ld.shared.u32 %r7, [%r5];
  add.u32 %r4, %r6, %r7;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p0, %r3, 8;
  @%p0 bra round;
  cvt.u64.u32 %d10, %r4;
  st.global.u64 [%out], %d10;
'''
            # words of 16 bytes a thread, 512 a round: rounds overlap other threads' words only after the barrier
            body = body.replace(', 512,', ', 1024,').replace('setp.lt.u32 %p0, %r3, 8', 'setp.lt.u32 %p0, %r3, 7')
            emit(f'barrier_{n}', f'  // arrive{sem}{al}, wait{acq}{wl}\n' + body + SYNC, 1, loads=1, sizes=SIZES if n % 4 == 0 else [2, 5])
            n += 1
    # The second warp of odd blocks leaves before the barriers; threads that have left count as arrived.
    body = '''  and.b32 %r3, %rank, 1;
  shr.u32 %r4, %me, 5;
  and.b32 %r3, %r3, %r4;
  st.global.u64 [%out], %v0;
  setp.ne.u32 %p0, %r3, 0;
  @%p0 bra gone;
  st.shared.u64 [%cell], %v1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mapa.shared::cluster.u32 %r5, %cell, 0;
  ld.shared::cluster.u64 %d4, [%r5];
  st.global.u64 [%out], %d4;
  barrier.cluster.arrive;
  barrier.cluster.wait;
gone:
'''
    emit('barrier_exit', body, 1)
    # Divergent arrivals: half of each warp arrives first.
    body = '''  st.shared.u64 [%cell], %v0;
  and.b32 %r3, %me, 1;
  setp.eq.u32 %p0, %r3, 0;
  @%p0 bra even;
  barrier.cluster.arrive;
  add.u64 %v1, %v1, 1;
  bra both;
even:
  add.u64 %v1, %v1, 2;
  barrier.cluster.arrive;
both:
  barrier.cluster.wait;
  ld.shared::cluster.u64 %d4, [%far];
  add.u64 %d4, %d4, %v1;
  st.global.u64 [%out], %d4;
''' + SYNC
    emit('barrier_divergent', body, 1)


INIT = '''  setp.eq.u32 %p1, %me, 0;
  @%p1 mbarrier.init.shared.b64 [%bar], {count};
  @%p1 fence.mbarrier_init.release.cluster;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, [%bar], {tx};
'''
WAIT = '''wait:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%bar], 0;
  @!%p2 bra wait;
'''


def asynchronous():
    for t in ('b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64'):
        for n in (1, 2, 4):
            if n * BITS[t] > 128:
                continue
            parts = [into(t, i + 1, i) for i in range(n)]
            regs = ', '.join(p[0] for p in parts)
            vec = f'.v{n}' if n > 1 else ''
            body = ZERO + INIT.format(count=1, tx=THREADS * n * BITS[t] // 8) + SYNC + ''.join(c for _, c in parts)
            body += f'  st.async.shared::cluster.mbarrier::complete_tx::bytes{vec}.{t} [%far], {"{" + regs + "}" if n > 1 else regs}, [%farbar];\n'
            body += WAIT + dump(0) + SYNC
            emit(f'st_async_v{n}_{t}', body, 2)
    for op, t in [('inc', 'u32'), ('dec', 'u32'), ('min', 'u32'), ('min', 's32'), ('max', 'u32'), ('max', 's32'), ('and', 'b32'), ('or', 'b32'),
                  ('xor', 'b32'), ('add', 'u32'), ('add', 's32'), ('add', 'u64')]:
        value, code = into(t, 2, 2)
        body = FILL + INIT.format(count=1, tx=THREADS * BITS[t] // 8) + SYNC + code
        body += f'  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{t} [%far], {value}, [%farbar];\n'
        body += WAIT + dump(0) + SYNC
        emit(f'red_async_{op}_{t}', body, 2)
        # All to rank 0: what is left does not depend on the order.
        if op in ('inc', 'dec'):
            code = '  mov.u32 %r22, 100000;\n'
        body = ZERO + f'''  setp.eq.u32 %p1, %me, 0;
  mul.lo.u32 %r3, %size, {THREADS * BITS[t] // 8};
  @%p1 mbarrier.init.shared.b64 [%bar], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, [%bar], %r3;
  mapa.shared::cluster.u32 %r4, %r2, 0;
  mapa.shared::cluster.u32 %r5, %bar, 0;
''' + SYNC + code + f'''  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{t} [%r4], {value}, [%r5];
  setp.ne.u32 %p3, %rank, 0;
  @%p3 bra others;
''' + WAIT + 'others:\n' + SYNC + '  ld.shared::cluster.u64 %d10, [%r4];\n  st.global.u64 [%out], %d10;\n' + SYNC
        if op in ('min', 'and', 'dec'):
            body = body.replace('mov.b64 %d9, 0;', 'mov.b64 %d9, 0x0001ffff7fffffff;')
        emit(f'all_red_async_{op}_{t}', body, 1)
    for size in (16, 32, 48, 256, 1008, 1024):
        body = FILL + '  mov.b64 %d9, 0;\n  st.shared.v2.u64 [%cell + 1024], {%d9, %d9};\n' + INIT.format(count=1, tx=size) + SYNC
        body += f'''  @!%p1 bra sent;
  fence.proxy.async.shared::cta;
  add.u32 %r3, %far, 1024;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [%cell], {size}, [%farbar];
sent:
'''
        # the other threads' stores come before thread 0's copy through the cluster barrier
        body += WAIT + dump(0, '%cell + 1024', 0) + '''  ld.shared.u64 %d10, [%cell + 1024];
  ld.shared.u64 %d11, [%cell + 1032];
  st.global.u64 [%out], %d10;
  st.global.u64 [%out + 8], %d11;
''' + SYNC
        body = body.replace(SYNC, '  fence.proxy.async.shared::cta;\n' + SYNC, 1)
        emit(f'bulk_{size}', body, 2)
    for mask, name in ((0xffff, 'all'), (0x5555, 'even'), (2, 'one')):
        for size in (16, 512, 1024):
            body = ZERO + f'''  mov.u32 %r3, 1;
  shl.b32 %r3, %r3, %size;
  sub.u32 %r3, %r3, 1;
  and.b32 %r3, %r3, {mask};
  shr.u32 %r4, %r3, %rank;
  and.b32 %r4, %r4, 1;
  mul.lo.u32 %r5, %r4, {size};
  setp.eq.u32 %p1, %me, 0;
  @%p1 mbarrier.init.shared.b64 [%bar], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, [%bar], %r5;
  fence.proxy.async.shared::cta;
''' + SYNC + f'''  setp.eq.u32 %p4, %rank, 0;
  and.pred %p4, %p4, %p1;
  cvt.u16.u32 %h1, %r3;
  @%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%cell], [%in], {size}, [%bar], %h1;
''' + WAIT + dump(0) + SYNC
            emit(f'multicast_{name}_{size}', body, 2)
    # Every block fetches its part of a tile and gives it to all.
    body = ZERO + f'''  mul.lo.u32 %r5, %size, 256;
  setp.eq.u32 %p1, %me, 0;
  @%p1 mbarrier.init.shared.b64 [%bar], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, [%bar], %r5;
  fence.proxy.async.shared::cta;
  mov.u32 %r3, 1;
  shl.b32 %r3, %r3, %size;
  sub.u32 %r3, %r3, 1;
  cvt.u16.u32 %h1, %r3;
  shl.b32 %r4, %rank, 8;
  add.u32 %r4, %r4, %r2;
  mov.u64 %d3, map;
  cvta.param.u64 %d3, %d3;
  shl.b32 %r6, %rank, 2;
  mov.u32 %r7, 16;
''' + SYNC + '''  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%d3, {%r7, %r6}], [%bar], %h1;
''' + WAIT + '''  add.u32 %r8, %cell, 0;
  mov.b64 %d4, 0;
  mov.u32 %r9, 0;
sum:
  ld.shared.u64 %d5, [%r8];
  ld.shared.u64 %d6, [%r8 + 8];
  mad.lo.u64 %d4, %d4, 31, %d5;
  mad.lo.u64 %d4, %d4, 31, %d6;
  add.u32 %r8, %r8, 1024;
  add.u32 %r9, %r9, 1024;
  setp.lt.u32 %p5, %r9, %r5;
  @%p5 bra sum;
  st.global.u64 [%out], %d4;
''' + SYNC
    # sizes that fill whole kilobytes, so that every thread's words were copied
    emit('tensor_multicast', body, 1, sizes=[4, 8, 16])


def mbarriers():
    for sem in ('', '.release.cluster'):
        for count in ('', ', 3'):
            per = 3 if count else 1
            body = f'''  st.shared.u64 [%cell], %v0;
  setp.eq.u32 %p1, %me, 0;
  @%p1 mbarrier.init.shared.b64 [%bar], {THREADS * per};
  @%p1 fence.mbarrier_init.release.cluster;
''' + SYNC + f'''  st.shared::cluster.u64 [%far + 8], %v1;
  mbarrier.arrive{sem}.shared::cluster.b64 _, [%farbar]{count};
''' + WAIT + ('' if sem else SYNC) + dump(0) + SYNC
            emit(f'remote_arrive_{"release" if sem else "plain"}_{per}', body, 2)
    body = ZERO + f'''  setp.eq.u32 %p1, %me, 0;
  @%p1 mbarrier.init.shared.b64 [%bar], {THREADS};
  @%p1 fence.mbarrier_init.release.cluster;
''' + SYNC + f'''  mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%farbar], 8;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%far], %v1, [%farbar];
''' + WAIT + dump(0) + SYNC
    emit('remote_expect_tx', body, 2)
    # A token goes around the cluster: release and acquire at cluster scope, polled.
    body = ZERO + SYNC + '''  setp.ne.u32 %p1, %me, 0;
  @%p1 bra done;
  mov.u32 %r3, 0;
  mov.b64 %d4, 1;
  setp.ne.u32 %p3, %rank, 0;
lap:
  add.u32 %r5, %r3, 1;
  @%p3 bra poll;
  add.u64 %d4, %d4, %v0;
  st.shared::cluster.u64 [%far + 8], %d4;
  st.release.cluster.shared::cluster.u32 [%far], %r5;
poll:
  ld.acquire.cluster.shared::cluster.u32 %r4, [%cell];
  setp.ne.u32 %p2, %r4, %r5;
  @%p2 bra poll;
  ld.shared.u64 %d4, [%cell + 8];
  @!%p3 bra next;
  mad.lo.u64 %d4, %d4, 31, %v0;
  st.shared::cluster.u64 [%far + 8], %d4;
  st.release.cluster.shared::cluster.u32 [%far], %r5;
next:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 5;
  @%p2 bra lap;
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;
''' + dump(0)
    emit('token_ring', body, 2)
