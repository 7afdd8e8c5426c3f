#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes OUT/kernels.ptx and OUT/cases.txt: litmus tests of the PTX memory model.

A test is a few threads ("roles") that access the same few words, and outcomes that the model forbids (PTX ISA 8:
memory consistency model). Each is written in several flavours (how the accesses are ordered) and scopes, and runs in
four placements: roles in lanes of a warp, in warps of a block, in blocks of a cluster, in other blocks.

cases.txt, one a line:  test flavour scope space placement kernel roles regs final forbidden
  regs       results a run; final: words of memory (x y z = 0 1 2) whose last value is appended to them
  forbidden  outcomes that must not appear: results separated by commas ("*": any), alternatives by "|"; "-": none
"""
import os
import sys

X, Y, Z = 0, 1, 2


def W(loc, v): return ('W', loc, v)        # a write that carries data, or whose order does not matter
def Wr(loc, v): return ('Wr', loc, v)      # a write that releases
def R(loc, r): return ('R', loc, r)
def Ra(loc, r): return ('Ra', loc, r)      # a read that acquires
def A(loc, r): return ('A', loc, r)        # a relaxed atomic addition of 1
def D(loc, v): return ('D', loc, v)        # data: weak where the flavour orders by other means
def Rd(loc, r): return ('Rd', loc, r)
F = ('F',)                                 # where flavours with fences have one


# name: (roles, registers, final locations, forbidden by class)
# classes: always; coh: all accesses strong; acq: release and acquire patterns; sc: fence.sc between the accesses
TESTS = {
    'MP':    ([[D(X, 1), F, Wr(Y, 1)], [Ra(Y, 0), F, Rd(X, 1)]], 2, [], {'acq': '1,0'}),
    'SB':    ([[W(X, 1), F, R(Y, 0)], [W(Y, 1), F, R(X, 1)]], 2, [], {'sc': '0,0'}),
    'LB':    ([[Ra(X, 0), F, Wr(Y, 1)], [Ra(Y, 1), F, Wr(X, 1)]], 2, [], {'acq': '1,1'}),
    'IRIW':  ([[W(X, 1)], [W(Y, 1)], [Ra(X, 0), F, R(Y, 1)], [Ra(Y, 2), F, R(X, 3)]], 4, [], {'sc': '1,0,1,0'}),
    'WRC':   ([[W(X, 1)], [R(X, 0), F, Wr(Y, 1)], [Ra(Y, 1), F, R(X, 2)]], 3, [], {'acq': '1,1,0'}),
    'RWC':   ([[W(X, 1)], [Ra(X, 0), F, R(Y, 1)], [W(Y, 1), F, R(X, 2)]], 3, [], {'sc': '1,0,0'}),
    'ISA2':  ([[D(X, 1), F, Wr(Y, 1)], [Ra(Y, 0), F, Wr(Z, 1)], [Ra(Z, 1), F, Rd(X, 2)]], 3, [], {'acq': '1,1,0'}),
    'S':     ([[W(X, 2), F, Wr(Y, 1)], [Ra(Y, 0), F, W(X, 1)]], 1, [X], {'acq': '1,2'}),
    'R':     ([[W(X, 1), F, W(Y, 1)], [W(Y, 2), F, R(X, 0)]], 1, [Y], {'sc': '0,2'}),
    '2+2W':  ([[W(X, 1), F, W(Y, 2)], [W(Y, 1), F, W(X, 2)]], 0, [X, Y], {'sc': '1,1'}),
    'RELSEQ': ([[D(X, 1), F, Wr(Y, 1)], [A(Y, 0)], [Ra(Y, 1), F, Rd(X, 2)]], 3, [], {'acq': '1,2,0'}),
    'ATOM':  ([[A(X, 0)], [A(X, 1)]], 2, [X], {'atom': '0,0,*|1,1,*|*,*,1|*,*,0'}),
    'CoRR':  ([[W(X, 1)], [R(X, 0), R(X, 1)]], 2, [], {'coh': '1,0'}),
    'CoRR2': ([[W(X, 1)], [W(X, 2)], [R(X, 0), R(X, 1)], [R(X, 2), R(X, 3)]], 4, [], {'coh': '1,2,2,1|2,1,1,2'}),
    'CoWW':  ([[W(X, 1), W(X, 2)]], 0, [X], {'always': '1|0'}),
    'CoRW1': ([[R(X, 0), W(X, 1)]], 1, [X], {'always': '1,*|*,0'}),
    'CoRW2': ([[R(X, 0), W(X, 1)], [W(X, 2)]], 1, [X], {'always': '1,*', 'coh': '2,2'}),
    'CoWR':  ([[W(X, 1), R(X, 0)], [W(X, 2)]], 1, [X], {'always': '0,*', 'coh': '2,1'}),
}
COHERENCE = [t for t in TESTS if t.startswith('Co')]
ALL_SCOPES = ['cta', 'cluster', 'gpu', 'sys']


def flavours(test):
    """(flavour, scope, classes that it enforces where the scope covers the roles)"""
    if test == 'ATOM':
        return [(f, s, {'atom'}) for f in ('relaxed', 'atom') for s in ALL_SCOPES]
    out = [('weak', '-', set()), ('volatile', 'sys', {'coh'})]
    out += [('relaxed', s, {'coh'}) for s in ALL_SCOPES]
    if test in COHERENCE:
        out += [(f, s, set()) for f in ('strong_weak', 'weak_strong', 'release_weak') for s in ('cta', 'gpu')]
        out += [('acqrel', s, {'coh'}) for s in ('cluster', 'gpu')]
        return out
    strong = {'coh', 'acq'}
    out += [('acqrel', s, strong) for s in ALL_SCOPES]
    out += [('fence_acqrel', s, strong) for s in ('cta', 'gpu')]
    out += [('fence_sc', s, strong | {'sc'}) for s in ALL_SCOPES]
    out += [('atom', s, strong) for s in ALL_SCOPES]
    out += [('membar', s, strong | {'sc'}) for s in ('cta', 'gpu', 'sys')]
    return out


def access(kind, flavour, scope, space):
    """The instruction of a read or write: (opcode, is it atom)."""
    sp = '.shared::cluster' if space == 'shared' else '.global'
    read = kind in ('R', 'Ra', 'Rd')
    op = 'ld' if read else 'st'
    data = kind in ('D', 'Rd')
    if flavour in ('weak',):
        return f'{op}.weak{sp}.u32'
    if flavour in ('volatile', 'membar'):
        return f'{op}.volatile{sp}.u32'
    if flavour == 'strong_weak':
        return f'ld.weak{sp}.u32' if read else f'st.relaxed.{scope}{sp}.u32'
    if flavour == 'weak_strong':
        return f'ld.relaxed.{scope}{sp}.u32' if read else f'st.weak{sp}.u32'
    if flavour == 'release_weak':
        return f'ld.weak{sp}.u32' if read else f'st.release.{scope}{sp}.u32'
    if data and flavour != 'relaxed':
        return f'{op}.weak{sp}.u32'
    if flavour == 'acqrel' and kind == 'Ra':
        return f'ld.acquire.{scope}{sp}.u32'
    if flavour == 'acqrel' and kind == 'Wr':
        return f'st.release.{scope}{sp}.u32'
    if flavour == 'atom' and kind == 'Ra':
        return f'atom.acquire.{scope}{sp}.add.u32'
    if flavour == 'atom' and kind == 'Wr':
        return f'atom.release.{scope}{sp}.exch.b32'
    return f'{op}.relaxed.{scope}{sp}.u32'


def role_code(role, flavour, scope, space):
    lines, written = [], []
    sp = '.shared::cluster' if space == 'shared' else '.global'
    addr = '%s' if space == 'shared' else '%a'
    for op in role:
        if op[0] == 'F':
            lines += {'fence_acqrel': [f'fence.acq_rel.{scope};'], 'fence_sc': [f'fence.sc.{scope};'],
                      'membar': [f'membar.{ {"gpu": "gl"}.get(scope, scope)};']}.get(flavour, [])
            continue
        kind, loc, v = op
        at = f'[{addr}{loc}]'
        if kind == 'A':
            sem = 'acq_rel' if flavour == 'atom' else 'relaxed'
            s = scope if scope != '-' else 'gpu'
            lines.append(f'atom.{sem}.{s}{sp}.add.u32 %o{v}, {at}, 1;')
            written.append(v)
            continue
        text = access(kind, flavour, scope, space)
        if kind in ('R', 'Ra', 'Rd'):
            lines.append(f'{text} %o{v}, {at}{", 0" if text.startswith("atom") else ""};')
            written.append(v)
        elif text.startswith('atom'):
            lines.append(f'{text} %t, {at}, {v};')
        else:
            lines.append(f'{text} {at}, {v};')
    return lines, written


KERNEL = '''
// {title}
.visible .entry {name}(.param .u64 p_mem, .param .u64 p_out, .param .u64 p_sync, .param .u32 p_iters,
                       .param .u32 p_instances, .param .u32 p_placement)
{{
  .reg .pred %p<8>;
  .reg .b32 %r<20>, %o<4>, %t, %role, %inst, %local, %it, %s<3>;
  .reg .b64 %d<12>, %a<3>;
{declare}
  ld.param.u64 %d0, [p_mem];
  ld.param.u64 %d1, [p_out];
  ld.param.u64 %d2, [p_sync];
  ld.param.u32 %r0, [p_iters];
  ld.param.u32 %r1, [p_instances];
  ld.param.u32 %r2, [p_placement];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  and.b32 %r5, %r3, 31;
  shr.u32 %r6, %r3, 5;
  // lanes: role lane & 3, instance (block * 4 + warp) * 8 + lane / 4
  and.b32 %role, %r5, 3;
  shr.u32 %r7, %r5, 2;
  mad.lo.u32 %local, %r6, 8, %r7;
  mad.lo.u32 %inst, %r4, 32, %local;
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra placed;
  // warps: role warp, instance block * 32 + lane
  mov.u32 %role, %r6;
  mov.u32 %local, %r5;
  mad.lo.u32 %inst, %r4, 32, %r5;
  setp.eq.u32 %p0, %r2, 1;
  @%p0 bra placed;
  // blocks (of a cluster of four, or not): role block & 3, instance block / 4 * 32 + lane
  and.b32 %role, %r4, 3;
  shr.u32 %r7, %r4, 2;
  mad.lo.u32 %inst, %r7, 32, %r5;
placed:
{setup}
  mul.wide.u32 %d3, %inst, 4;
  add.u64 %d4, %d2, %d3;                       // the instance's counter
  mul.lo.u32 %r8, %r0, %r1;
  mul.wide.u32 %d5, %r8, 4;                    // from x to y to z
  add.u64 %a0, %d0, %d3;
  add.u64 %a1, %a0, %d5;
  add.u64 %a2, %a1, %d5;
  mul.wide.u32 %d6, %r1, 4;                    // from an iteration to the next
  mul.wide.u32 %d7, %inst, 16;
  add.u64 %d8, %d1, %d7;                       // results: four words an instance and iteration
  mul.wide.u32 %d9, %r1, 16;
  mov.u32 %it, 0;
  mov.u32 %r9, {roles};
  setp.ge.u32 %p1, %role, {roles};
  @%p1 bra done;
  setp.eq.u32 %p7, %r0, 0;
  @%p7 bra done;
loop:
  ld.global.u32 %r10, [%a0];                   // the L1 has old copies
  ld.global.u32 %r11, [%a1];
  ld.global.u32 %r12, [%a2];
  or.b32 %r10, %r10, %r11;
  or.b32 %r10, %r10, %r12;
  shr.u32 %r10, %r10, 31;                      // 0, which ptxas does not know
  add.u32 %r10, %r10, 1;
  atom.relaxed.gpu.global.add.u32 %t, [%d4], %r10;
spin:
  ld.relaxed.gpu.global.u32 %t, [%d4];
  setp.lt.u32 %p2, %t, %r9;
  @%p2 bra spin;
  add.u32 %r9, %r9, {roles};
  // a few cycles that differ by iteration and role
  mad.lo.u32 %r13, %it, 0x9e3779b1, %role;
  mul.lo.u32 %r13, %r13, 0x85ebca6b;
  shr.u32 %r13, %r13, 27;
jitter:
  setp.eq.u32 %p3, %r13, 0;
  @%p3 bra go;
  sub.u32 %r13, %r13, 1;
  bra jitter;
go:
  mov.b32 %o0, 0;
  mov.b32 %o1, 0;
  mov.b32 %o2, 0;
  mov.b32 %o3, 0;
{body}
joined:
  add.u64 %a0, %a0, %d6;
  add.u64 %a1, %a1, %d6;
  add.u64 %a2, %a2, %d6;
{step}
  add.u64 %d8, %d8, %d9;
  add.u32 %it, %it, 1;
  setp.lt.u32 %p4, %it, %r0;
  @%p4 bra loop;
done:
{finish}
  ret;
}}
'''

# Shared words: of the block of rank 0, 32 iterations of 32 instances of three words; copied to memory at the end.
SHARED_DECLARE = '  .shared .align 16 .b32 words[3072];'
SHARED_SETUP = '''  mov.u32 %r14, words;
  shl.b32 %r15, %r3, 2;
  add.u32 %r15, %r15, %r14;
  mov.u32 %r16, %ntid.x;
  mov.u32 %r17, %r3;
clear:
  st.shared.u32 [%r15], 0;
  mad.lo.u32 %r15, %r16, 4, %r15;
  add.u32 %r17, %r17, %r16;
  setp.lt.u32 %p5, %r17, 3072;
  @%p5 bra clear;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mapa.shared::cluster.u32 %r14, %r14, 0;
  mad.lo.u32 %s0, %local, 4, %r14;
  add.u32 %s1, %s0, 4096;
  add.u32 %s2, %s1, 4096;'''
SHARED_STEP = '''  add.u32 %s0, %s0, 128;
  add.u32 %s1, %s1, 128;
  add.u32 %s2, %s2, 128;'''
SHARED_FINISH = '''  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.ne.u32 %p6, %role, 0;
  @%p6 bra out;
  mad.lo.u32 %s0, %local, 4, %r14;
  add.u64 %a0, %d0, %d3;
  mov.u32 %it, 0;
copy:
  ld.shared::cluster.u32 %r10, [%s0];
  ld.shared::cluster.u32 %r11, [%s0 + 4096];
  ld.shared::cluster.u32 %r12, [%s0 + 8192];
  add.u64 %a1, %a0, %d5;
  add.u64 %a2, %a1, %d5;
  st.global.u32 [%a0], %r10;
  st.global.u32 [%a1], %r11;
  st.global.u32 [%a2], %r12;
  add.u32 %s0, %s0, 128;
  add.u64 %a0, %a0, %d6;
  add.u32 %it, %it, 1;
  setp.lt.u32 %p6, %it, %r0;
  @%p6 bra copy;
out:
  barrier.cluster.arrive;
  barrier.cluster.wait;'''


def kernel(name, title, roles, flavour, scope, space):
    body = []
    for i, role in enumerate(roles):
        body.append(f'  setp.eq.u32 %p3, %role, {i};')
        body.append(f'  @%p3 bra role{i};')
    body.append('  bra joined;')
    for i, role in enumerate(roles):
        lines, written = role_code(role, flavour, scope, space)
        body.append(f'role{i}:')
        body += ['  ' + line for line in lines]
        body += [f'  st.global.u32 [%d8 + {4 * r}], %o{r};' for r in written]
        body.append('  bra joined;')
    shared = space == 'shared'
    return KERNEL.format(name=name, title=title, roles=len(roles), body='\n'.join(body),
                         declare=SHARED_DECLARE if shared else '', setup=SHARED_SETUP if shared else '',
                         step=SHARED_STEP if shared else '', finish=SHARED_FINISH if shared else '')


COVERS = {'lane': ALL_SCOPES, 'warp': ALL_SCOPES, 'cluster': ['cluster', 'gpu', 'sys'], 'block': ['gpu', 'sys']}


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    ptx = ['// Written by gen.py.', '.version 8.0', '.target sm_90', '.address_size 64']
    cases = []
    n = 0
    for test, (roles, regs, final, forbidden) in TESTS.items():
        for space in ('global', 'shared'):
            if space == 'shared' and test not in ('MP', 'SB', 'LB', 'IRIW', 'S', 'CoRR', 'CoWR', 'ATOM'):
                continue
            for flavour, scope, classes in flavours(test):
                if space == 'shared' and (scope in ('gpu', 'sys') and flavour not in ('volatile', 'membar')):
                    continue
                name = f'l{n:03d}'
                n += 1
                ptx.append(kernel(name, f'{test} {flavour} {scope} {space}', roles, flavour, scope, space))
                for placement in ('lane', 'warp', 'cluster', 'block'):
                    if space == 'shared' and placement == 'block':
                        continue
                    covered = scope in COVERS[placement]
                    # Orders need a scope that covers the roles; a thread's own order at one place needs nothing.
                    bad = [forbidden[c] for c in forbidden if c == 'always' or (covered and c in classes)]
                    cases.append(f'{test} {flavour} {scope} {space} {placement} {name} {len(roles)} {regs} '
                                 f'{"".join("xyz"[f] for f in final) or "-"} {"|".join(bad) or "-"}')
    open(os.path.join(out, 'kernels.ptx'), 'w').write('\n'.join(ptx))
    open(os.path.join(out, 'cases.txt'), 'w').write('\n'.join(cases) + '\n')
    print(n, 'kernels', len(cases), 'cases')


main()
