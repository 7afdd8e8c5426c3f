#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes OUT/clusters.ptx and OUT/cases.txt: what blocks of a cluster do to each other's shared memory; and the cases of grids.cu.

cases.txt, one a line:  id module kernel grid block cluster cooperative words
  words: 64-bit words of output (from 0), which results.txt has a hash of. Every kernel takes
  (tensor map of `in`, out, in): in holds 64-bit words mix(i + 1), see probe.cpp.
A thread's values are in[thread * 16 + k]; its results go to out[thread * K + k].
"""
import os
import sys

KERNELS, CASES = [], []
THREADS = 64
BITS = {'b8': 8, 'u8': 8, 's8': 8, 'b16': 16, 'u16': 16, 's16': 16, 'b32': 32, 'u32': 32, 's32': 32, 'f32': 32, 'b64': 64,
        'u64': 64, 's64': 64, 'f64': 64, 'f16': 16, 'bf16': 16, 'f16x2': 32, 'bf16x2': 32, 'b128': 128}
SIZES = [2, 3, 4, 5, 8, 16]

HEAD = '''
.visible .entry {name}(.param .align 64 .b8 map[128], .param .u64 p_out, .param .u64 p_in)
{{
  .reg .pred %p<8>;
  .reg .b16 %h<12>;
  .reg .b32 %r<40>, %me, %rank, %size, %next, %cell, %far, %bar, %farbar;
  .reg .b64 %d<40>, %in, %out, %gfar, %v<16>;
  .reg .b128 %q<4>;
  .shared .align 128 .b8 mem[8192];
  .shared .align 8 .b64 mbar;
  ld.param.u64 %out, [p_out];
  ld.param.u64 %in, [p_in];
  cvta.to.global.u64 %out, %out;
  cvta.to.global.u64 %in, %in;
  mov.u32 %me, %tid.x;
  mov.u32 %rank, %cluster_ctarank;
  mov.u32 %size, %cluster_nctarank;
  mov.u32 %r0, %ctaid.x;
  mad.lo.u32 %r1, %r0, {threads}, %me;
  mul.wide.u32 %d0, %r1, 128;
  add.u64 %in, %in, %d0;
  mul.wide.u32 %d0, %r1, {stride};
  add.u64 %out, %out, %d0;
  add.u32 %next, %rank, 1;
  rem.u32 %next, %next, %size;
  mov.u32 %r2, mem;
  mad.lo.u32 %cell, %me, 16, %r2;
  mapa.shared::cluster.u32 %far, %cell, %next;
  cvt.u64.u32 %d1, %r2;
  cvta.shared.u64 %d1, %d1;
  mad.wide.u32 %d1, %me, 16, %d1;
  mapa.u64 %gfar, %d1, %next;
  mov.u32 %bar, mbar;
  mapa.shared::cluster.u32 %farbar, %bar, %next;
{loads}
{body}
  ret;
}}
'''
SYNC = '  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n'
NOTES = {}


def emit(name, body, words, loads=8, sizes=SIZES, clusters=2, block=THREADS):
    """words: 64-bit results a thread."""
    text = '\n'.join(f'  ld.global.u64 %v{k}, [%in + {8 * k}];' for k in range(loads))
    KERNELS.append(HEAD.format(name=name, threads=block, stride=8 * words, loads=text, body=body))
    for size in sizes:
        CASES.append(f'{name}.{size} clusters {name} {size * clusters},1,1 {block} {size},1,1 0 {words * block * size * clusters}')


def into(t, reg, k):
    """A register of type t from %v<k> (and <k+1>): (name, code)."""
    b = BITS[t]
    if b == 128:
        return f'%q{reg}', f'  mov.b128 %q{reg}, {{%v{k}, %v{k + 1}}};\n'
    if b == 64:
        return f'%d{20 + reg}', f'  mov.b64 %d{20 + reg}, %v{k};\n'
    if b == 32:
        return f'%r{20 + reg}', f'  cvt.u32.u64 %r{20 + reg}, %v{k};\n'
    return f'%h{reg}', f'  cvt.u16.u64 %h{reg}, %v{k};\n'


def result(t, reg, k):
    """Stores register reg of type t as word k (128 bits: k, k + 1)."""
    b = BITS[t]
    if b == 128:
        return f'  mov.b128 {{%d10, %d11}}, %q{reg};\n  st.global.u64 [%out + {8 * k}], %d10;\n  st.global.u64 [%out + {8 * k + 8}], %d11;\n'
    if b == 64:
        return f'  st.global.u64 [%out + {8 * k}], %d{20 + reg};\n'
    name = f'%r{20 + reg}' if b == 32 else f'%h{reg}'
    return f'  cvt.u64.u{max(b, 16)} %d10, {name};\n  st.global.u64 [%out + {8 * k}], %d10;\n'


def dump(k, at='%cell', words=2):
    return ''.join(f'  ld.shared.u64 %d10, [{at} + {8 * i}];\n  st.global.u64 [%out + {8 * (k + i)}], %d10;\n' for i in range(words))


FILL = '  st.shared.v2.u64 [%cell], {%v0, %v1};\n'
ZERO = '  mov.b64 %d9, 0;\n  st.shared.v2.u64 [%cell], {%d9, %d9};\n  st.shared.v2.u64 [%cell + 1024], {%d9, %d9};\n'
LD_TYPES = ['b8', 'u8', 's8', 'b16', 'u16', 's16', 'b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64', 'b128']


def loads_and_stores():
    for t in LD_TYPES:
        words = 2 if t == 'b128' else 1
        for space, far in (('.shared::cluster', '%far'), ('', '%gfar')):
            sem = {'': '', 'u32': '.relaxed.cluster', 's64': '.acquire.cluster', 'b16': '.volatile'}.get(t, '') if space else ''
            body = FILL + SYNC
            off = 0 if BITS[t] >= 64 else 4
            body += f'  ld{sem}{space}.{t} {into(t, 1, 0)[0]}, [{far} + {off if BITS[t] < 128 else 0}];\n'
            body += result(t, 1, 0) + SYNC
            if t in ('b8', 'u8', 's8'):  # a byte comes to a 16-bit register
                pass
            emit(f'ld_{t}_{"dsm" if space else "generic"}', body, words)
            reg, code = into(t, 2, 2)
            sem = sem.replace('acquire', 'release')
            body = ZERO + SYNC + code + f'  st{sem}{space}.{t} [{far} + {off if BITS[t] < 128 else 0}], {reg};\n' + SYNC + dump(0)
            emit(f'st_{t}_{"dsm" if space else "generic"}', body, 2)
    for n, t in ((2, 'u32'), (4, 'u32'), (2, 'u64'), (2, 'u16'), (4, 'u16'), (4, 'f32'), (2, 'f64')):
        regs = [into(t, i + 1, i)[0] for i in range(n)]
        body = FILL + SYNC + f'  ld.shared::cluster.v{n}.{t} {{{", ".join(regs)}}}, [%far];\n'
        body += ''.join(result(t, i + 1, i) for i in range(n)) + SYNC
        emit(f'ld_v{n}_{t}', body, n)
        parts = [into(t, i + 1, i) for i in range(n)]
        body = ZERO + SYNC + ''.join(c for _, c in parts) + f'  st.shared::cluster.v{n}.{t} [%far], {{{", ".join(regs)}}};\n' + SYNC + dump(0)
        emit(f'st_v{n}_{t}', body, 2)
    # Every rank's memory in turn, by a loop.
    body = FILL + SYNC + '''  mov.u32 %r3, 0;
  mov.b64 %d4, 0;
all:
  mapa.shared::cluster.u32 %r4, %cell, %r3;
  ld.shared::cluster.u64 %d5, [%r4];
  mad.lo.u64 %d4, %d4, 31, %d5;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p0, %r3, %size;
  @%p0 bra all;
  st.global.u64 [%out], %d4;
''' + SYNC
    emit('ld_all_ranks', body, 1)


ATOM = [('add', t) for t in ('u32', 's32', 'u64', 'f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2')]
ATOM += [(op, t) for op in ('min', 'max') for t in ('u32', 's32', 'u64', 's64')]
ATOM += [(op, t) for op in ('and', 'or', 'xor') for t in ('b32', 'b64')]
ATOM += [('exch', t) for t in ('b32', 'b64', 'b128')] + [('cas', t) for t in ('b16', 'b32', 'b64', 'b128')] + [('inc', 'u32'), ('dec', 'u32')]
SEMS = ['', '.relaxed.cluster', '.acq_rel.cluster', '.acquire.cta', '.release.gpu', '.acq_rel.sys', '.relaxed.cta']


def atomics():
    n = 0
    for op, t in ATOM:
        noftz = '.noftz' if t in ('f16', 'f16x2', 'bf16', 'bf16x2') else ''
        words = 2 if t == 'b128' else 1
        for space, far in (('.shared::cluster', '%far'), ('', '%gfar')):
            sem = SEMS[n % len(SEMS)]
            n += 1
            value, code = into(t, 2, 2)
            body = FILL + SYNC + code
            args = value
            if op == 'cas':  # every other thread compares with what is there: the next block's %v0
                body += f'''  add.u32 %r5, %r0, 1;
  sub.u32 %r6, %r0, %rank;
  add.u32 %r6, %r6, %next;
  mad.lo.u32 %r6, %r6, {THREADS}, %me;
  ld.param.u64 %d6, [p_in];
  mad.wide.u32 %d6, %r6, 128, %d6;
  ld.global.u64 %d7, [%d6];
  ld.global.u64 %d8, [%d6 + 8];
  and.b32 %r7, %me, 1;
  cvt.u64.u32 %d10, %r7;
  xor.b64 %v4, %d7, %d10;
  mov.b64 %v5, %d8;
'''
                compare, code = into(t, 3, 4)
                body += code
                args = f'{compare}, {value}'
            body += f'  atom{sem}{space}.{op}{noftz}.{t} {into(t, 1, 0)[0]}, [{far}], {args};\n'
            body += result(t, 1, 0) + SYNC + dump(words)
            emit(f'atom_{op}_{t}_{"dsm" if space else "generic"}', body, words + 2)
        if op in ('exch', 'cas'):
            continue
        value, code = into(t, 2, 2)
        sem = ['', '.relaxed.cluster', '.release.cluster'][n // 2 % 3]
        body = FILL + SYNC + code + f'  red{sem}.shared::cluster.{op}{noftz}.{t} [%far], {value};\n' + SYNC + dump(0)
        emit(f'red_{op}_{t}', body, 2)
    # All threads of the cluster at the words of rank 0.
    small = '  and.b64 %v2, %v2, 255;\n  and.b64 %v3, %v3, 1;\n'
    for op, t in ATOM:
        if op in ('exch', 'cas') or t in ('f16', 'bf16', 'f16x2', 'bf16x2'):
            continue
        if op in ('min', 'max', 'and', 'or', 'xor') and BITS[t] == 64:
            continue  # not atomic in another block's memory: ptxas makes a load, the operation and a store (README.md)
        value, code = into(t, 2, 2)
        if t == 'f32':
            code += '  cvt.rn.f32.u32 %r22, %r22;\n'
        if t == 'f64':
            code += '  cvt.rn.f64.u64 %d22, %d22;\n'
        if op in ('inc', 'dec'):
            code = '  mov.u32 %r22, 100000;\n'
        body = ZERO + '  mapa.shared::cluster.u32 %r3, %r2, 0;\n' + SYNC + (small if op == 'add' else '') + code
        if op in ('min', 'and'):
            body = body.replace(SYNC, '  mov.b64 %d9, 0x7fffffff7fffffff;\n  st.shared.u64 [%cell], %d9;\n' + SYNC)
        if op == 'dec':
            body = body.replace(SYNC, '  mov.b64 %d9, 0x00000000000186a0;\n  st.shared.u64 [%cell], %d9;\n' + SYNC)
        body += f'  atom.shared::cluster.{op}.{t} {into(t, 1, 0)[0]}, [%r3], {value};\n'
        if op in ('inc', 'dec'):  # all old values differ: their sum is known
            body += '  atom.shared::cluster.add.u32 %r9, [%r3 + 64], %r21;\n'
        body += SYNC + '  ld.shared::cluster.u64 %d10, [%r3];\n  st.global.u64 [%out], %d10;\n  ld.shared::cluster.u64 %d10, [%r3 + 64];\n  st.global.u64 [%out + 8], %d10;\n' + SYNC
        emit(f'all_{op}_{t}', body, 2)
    # Additions by compare and swap, and the invariant of exchanges.
    body = ZERO + '  mapa.shared::cluster.u32 %r3, %r2, 0;\n' + SYNC + small + '''  ld.relaxed.cluster.shared::cluster.u64 %d4, [%r3];
again:
  add.u64 %d5, %d4, %v2;
  atom.relaxed.cluster.shared::cluster.cas.b64 %d6, [%r3], %d4, %d5;
  setp.ne.u64 %p0, %d6, %d4;
  mov.b64 %d4, %d6;
  @%p0 bra again;
  atom.relaxed.cluster.shared::cluster.exch.b64 %d7, [%r3 + 16], %v2;
  red.relaxed.cluster.shared::cluster.add.u64 [%r3 + 32], %d7;
''' + SYNC + '''  ld.shared::cluster.u64 %d10, [%r3];
  ld.shared::cluster.u64 %d11, [%r3 + 16];
  ld.shared::cluster.u64 %d12, [%r3 + 32];
  add.u64 %d11, %d11, %d12;
  st.global.u64 [%out], %d10;
  st.global.u64 [%out + 8], %d11;
''' + SYNC
    emit('all_cas_exch', body, 2)


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


def addresses():
    body = ''
    k = 0
    body += '''  mov.u32 %r3, 0;
  mov.u64 %d2, mbar;
  cvta.shared.u64 %d2, %d2;
  mapa.u64 %d3, %d2, %next;
  mapa.shared::cluster.u32 %r4, %bar, %next;
  mapa.u64 %d4, %d2, 0;
  mapa.shared::cluster.u32 %r5, %bar, 0;
  mapa.u64 %d5, %d2, %rank;
  mapa.shared::cluster.u32 %r6, %bar, %rank;
  mapa.shared::cluster.u64 %d6, %d2, %next;
'''
    # differences only: the windows stand where the driver puts them
    body += '''  sub.u64 %d10, %d3, %d4;
  st.global.u64 [%out], %d10;
  sub.u32 %r10, %r4, %r5;
  cvt.u64.u32 %d10, %r10;
  st.global.u64 [%out + 8], %d10;
  and.b64 %d10, %d2, 0xffffff;
  and.b64 %d11, %d5, 0xffffff;
  sub.u64 %d10, %d10, %d11;
  st.global.u64 [%out + 16], %d10;
  getctarank.u64 %r10, %d3;
  getctarank.shared::cluster.u32 %r11, %r4;
  getctarank.u64 %r12, %d2;
  getctarank.shared::cluster.u32 %r13, %bar;
  getctarank.u64 %r14, %d5;
  mov.b64 %d10, {%r10, %r11};
  st.global.u64 [%out + 24], %d10;
  mov.b64 %d10, {%r12, %r13};
  st.global.u64 [%out + 32], %d10;
  cvt.u64.u32 %d10, %r14;
  st.global.u64 [%out + 40], %d10;
  mov.b64 %d20, 0;
'''
    body += '  ld.param.u64 %d7, [p_out];\n  .local .b64 loc;\n  mov.u64 %d8, loc;\n  cvta.local.u64 %d8, %d8;\n'
    bit = 0
    for address in ('%d2', '%d3', '%d4', '%d5', '%d7', '%d8'):
        for space in ('shared', 'shared::cta', 'shared::cluster', 'global', 'local', 'const'):
            body += f'''  isspacep.{space} %p0, {address};
  selp.u64 %d10, {1 << bit}, 0, %p0;
  or.b64 %d20, %d20, %d10;
'''
            bit += 1
    body += '  st.global.u64 [%out + 48], %d20;\n'
    # the 32-bit window is as the generic one
    body += '''  cvta.shared::cluster.u64 %d10, %d6;
  cvta.to.shared::cluster.u64 %d11, %d3;
  cvt.u64.u32 %d12, %r4;
  sub.u64 %d11, %d11, %d12;
  st.global.u64 [%out + 56], %d11;
''' + SYNC
    body = body.replace('  mapa.shared::cluster.u64 %d6, %d2, %next;\n', '').replace('  cvta.shared::cluster.u64 %d10, %d6;\n', '')
    emit('addresses', body, 8, loads=1)
    body = ''
    names = ['%cluster_ctaid.x', '%cluster_ctaid.y', '%cluster_ctaid.z', '%cluster_nctaid.x', '%cluster_nctaid.y', '%cluster_nctaid.z',
             '%clusterid.x', '%clusterid.y', '%clusterid.z', '%nclusterid.x', '%nclusterid.y', '%nclusterid.z', '%cluster_ctarank', '%cluster_nctarank',
             '%ctaid.x', '%ctaid.y', '%ctaid.z', '%nctaid.x', '%nctaid.y', '%nctaid.z']
    body = '''  mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %nctaid.y;
  mov.u32 %r5, %ctaid.y;
  mad.lo.u32 %r3, %r3, %r4, %r5;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r3, %r3, %r4, %r0;
  ld.param.u64 %out, [p_out];
  mad.wide.u32 %out, %r3, 168, %out;
  setp.ne.u32 %p0, %me, 0;
  @%p0 bra end;
'''
    for i, name in enumerate(names):
        body += f'  mov.u32 %r6, {name};\n  cvt.u64.u32 %d10, %r6;\n  st.global.u64 [%out + {8 * i}], %d10;\n'
    body += '''  mov.pred %p1, %is_explicit_cluster;
  selp.u64 %d10, 1, 0, %p1;
  st.global.u64 [%out + 160], %d10;
end:
'''
    KERNELS.append(HEAD.format(name='registers', threads=32, stride=0, loads='', body=body))
    for grid, cluster in (((4, 1, 1), (2, 1, 1)), ((4, 6, 2), (2, 3, 1)), ((4, 6, 2), (2, 1, 2)), ((6, 3, 4), (1, 3, 2)), ((2, 8, 1), (1, 8, 1)),
                          ((5, 2, 3), (5, 1, 1)), ((4, 4, 4), (2, 2, 2)), ((4, 4, 2), (4, 4, 1)), ((7, 2, 1), (7, 1, 1)), ((6, 1, 1), (6, 1, 1)),
                          ((12, 2, 1), (12, 1, 1)), ((3, 2, 1), (1, 1, 1))):
        g, c = (','.join(map(str, x)) for x in (grid, cluster))
        CASES.append(f'registers.{c} clusters registers {g} 32 {c} 0 {21 * grid[0] * grid[1] * grid[2]}')


def grids():
    """Cases of grids.cu; their outputs do not depend on the order of blocks."""
    for name, sizes, block, coop, words in (
            ('sync_phases', (2, 33, 132, 264), 64, 1, 1), ('sync_arrive_wait', (2, 33, 132, 264), 64, 1, 1),
            ('sync_twice_a_phase', (5, 132), 128, 1, 1), ('sync_reduce', (3, 132, 264), 64, 1, 1), ('sync_divergent', (4, 132), 64, 1, 1),
            ('counter_barrier', (2, 33, 132, 264), 64, 1, 1), ('sense_barrier', (2, 33, 132, 264), 64, 1, 1),
            ('tree_barrier', (4, 33, 132, 264), 64, 1, 1), ('flag_barrier', (4, 33, 132), 64, 1, 1), ('last_block', (1, 7, 500, 1500), 64, 0, 1),
            ('look_back', (1, 9, 500, 1500), 64, 0, 1), ('spin_lock', (2, 64, 300), 32, 0, 1), ('ticket_lock', (2, 40, 132), 32, 0, 1),
            ('work_queue', (2, 50, 264), 64, 0, 1), ('ring', (2, 33, 132), 32, 1, 1)):
        for size in sizes:
            CASES.append(f'{name}.{size} grids {name} {size},1,1 {block} 0,0,0 {coop} {words * block * size}')


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    loads_and_stores()
    atomics()
    barriers()
    asynchronous()
    mbarriers()
    addresses()
    grids()
    with open(os.path.join(out, 'clusters.ptx'), 'w') as f:
        f.write('// Written by gen.py.\n.version 8.4\n.target sm_90\n.address_size 64\n' + ''.join(KERNELS))
    with open(os.path.join(out, 'cases.txt'), 'w') as f:
        f.write('\n'.join(CASES) + '\n')
    print(len(KERNELS), 'kernels', len(CASES), 'cases')


main()
