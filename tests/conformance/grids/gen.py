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

from frame import CASES, HEAD, KERNELS, SYNC, emit
from memory import atomics, loads_and_stores
from waiting import asynchronous, barriers, mbarriers


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
