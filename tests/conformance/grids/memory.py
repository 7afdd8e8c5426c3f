# SPDX-License-Identifier: Apache-2.0
"""Loads, stores and atomics in another block's shared memory."""
from frame import BITS, FILL, LD_TYPES, SYNC, THREADS, ZERO, dump, emit, into, result


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
