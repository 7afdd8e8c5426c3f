# SPDX-License-Identifier: Apache-2.0
"""What the kernels of clusters have in common: names, values in and out."""

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
