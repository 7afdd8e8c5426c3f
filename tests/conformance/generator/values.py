# SPDX-License-Identifier: Apache-2.0
"""Values of operands: encodings of floats, special values of each type, and the roles that a case's inputs have."""
import math
import struct

M8, M16, M32, M64 = 0xFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


def f32b(x):
    try:
        return struct.unpack('<I', struct.pack('<f', x))[0]
    except OverflowError:
        return 0x7F800000 if x > 0 else 0xFF800000


def b32f(b):
    return struct.unpack('<f', struct.pack('<I', b & M32))[0]


def f64b(x):
    return struct.unpack('<Q', struct.pack('<d', x))[0]


def b64f(b):
    return struct.unpack('<d', struct.pack('<Q', b & M64))[0]


def f16b(x):
    try:
        return struct.unpack('<H', struct.pack('<e', x))[0]
    except OverflowError:
        return 0x7C00 if x > 0 else 0xFC00


def bf16b(x):  # round to nearest even
    b = f32b(x)
    if (b & 0x7F800000) == 0x7F800000:
        return b >> 16
    return ((b + 0x7FFF + ((b >> 16) & 1)) >> 16) & M16


def int_specials(w):
    m = (1 << w) - 1
    v = [0, 1, m, 1 << (w - 1), (1 << (w - 1)) - 1, 2, m - 1, (1 << (w - 1)) + 1, (1 << (w - 1)) - 2,
         3, 7, 8, 0x55555555_55555555, 0xAAAAAAAA_AAAAAAAA, 0x7F, 0x80, 0xFF, 0x100, -128, -129, 10, 31, 32]
    if w > 16:
        v += [0x7FFF, 0x8000, 0xFFFF, 0x10000, -32768, -32769, 0x00FF00FF, 0xFF00FF00, 0x800000, 0xFFFFFF, 0x1000000]
    if w > 32:
        v += [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, -(1 << 31), -(1 << 31) - 1, 1 << 53, (1 << 53) + 1,
              (1 << 62), 0x0000FFFF_FFFF0000, 0xFFFFFFFF_00000000]
    return [x & m for x in v]


def int_random(w):
    m = (1 << w) - 1

    def g(r):
        k = r.random()
        if k < .45:
            return r.getrandbits(w)
        if k < .65:
            return r.randint(-20, 20) & m
        x = r.getrandbits(r.randint(1, w))
        if r.random() < .4:
            x = -x
        return x & m
    return g


F32_SPEC = [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FFFFFFF, 0x7FC00000, 0x7F800001,
            0xFFC12345, 0x00800000, 0x80800000, 0x007FFFFF, 0x807FFFFF, 0x00000001, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF,
            0x3F800001, 0x3F7FFFFF, 0x40000000, 0x3F000000, 0xBF000000, 0x3FC00000, 0xBFC00000, 0x4B800000, 0x4B7FFFFF,
            0x4B800001, 0x00400000, 0x00800001, 0x3EAAAAAB, 0x40490FDB, 0x40200000, 0xC0200000, 0x33800000, 0x34000000,
            0x7F000000, 0x00FFFFFF, 0x01000000, 0x3DCCCCCD, 0x477FE000, 0x477FF000, 0x1F800000, 0x5F800000]
F64_SPEC = [0, 1 << 63, f64b(1.), f64b(-1.), f64b(math.inf), f64b(-math.inf), 0x7FF8000000000000, 0xFFF8000012345678,
            0x7FF0000000000001, 0x7FFFFFFFFFFFFFFF, 0x0010000000000000, 0x8010000000000000, 0x000FFFFFFFFFFFFF, 1,
            0x8000000000000001, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF,
            f64b(2.), f64b(.5), f64b(-.5), f64b(1.5), f64b(-2.5), f64b(2.**53), f64b(2.**53 - 1), f64b(1 / 3), f64b(math.pi),
            f64b(2.**-53), f64b(2.**-52), f64b(2.**-537), f64b(2.**600), f64b(-2.**-1060), f64b(0.1), f64b(1e300)]
F16_SPEC = [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7FFF, 0x7E00, 0x7C01, 0xFE12, 0x0400, 0x8400, 0x03FF, 0x83FF, 1,
            0x8001, 0x7BFF, 0xFBFF, 0x3C01, 0x3BFF, 0x4000, 0x3800, 0xB800, 0x3E00, 0x6800, 0x6801, 0x6400, 0x4100,
            0xC100, 0x3555, 0x4248, 0x1400, 0x1000, 0x5BF8, 0x0200, 0x2E66]
BF16_SPEC = [0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FFF, 0x7FC0, 0x7F81, 0xFFC1, 0x0080, 0x8080, 0x007F, 0x807F, 1,
             0x8001, 0x7F7F, 0xFF7F, 0x3F81, 0x3F7F, 0x4000, 0x3F00, 0xBF00, 0x3FC0, 0x4380, 0x4381, 0x4300, 0x4020,
             0xC020, 0x3EAB, 0x4049, 0x3C00, 0x3B80, 0x7F00, 0x0100, 0x3DCD]


def f32_random(r):
    k = r.random()
    if k < .35:
        return r.getrandbits(32)
    if k < .75:
        return (r.getrandbits(1) << 31) | ((127 + r.randint(-10, 10)) << 23) | r.getrandbits(23)
    if k < .9:
        return f32b(float(r.randint(-100, 100)) / r.choice([1, 2, 4, 8]))
    return (r.getrandbits(1) << 31) | (r.randint(0, 24) << 23) | r.getrandbits(23)


def f64_random(r):
    k = r.random()
    if k < .35:
        return r.getrandbits(64)
    if k < .75:
        return (r.getrandbits(1) << 63) | ((1023 + r.randint(-20, 20)) << 52) | r.getrandbits(52)
    if k < .9:
        return f64b(float(r.randint(-100, 100)) / r.choice([1, 2, 4, 8]))
    return (r.getrandbits(1) << 63) | (r.randint(0, 50) << 52) | r.getrandbits(52)


def f16_random(r):
    k = r.random()
    if k < .5:
        return r.getrandbits(16)
    if k < .8:
        return (r.getrandbits(1) << 15) | ((15 + r.randint(-5, 5)) << 10) | r.getrandbits(10)
    return f16b(r.randint(-40, 40) / r.choice([1, 2, 4]))


def bf16_random(r):
    k = r.random()
    if k < .4:
        return r.getrandbits(16)
    if k < .8:
        return (r.getrandbits(1) << 15) | ((127 + r.randint(-8, 8)) << 7) | r.getrandbits(7)
    return bf16b(r.randint(-40, 40) / r.choice([1, 2, 4]))


# values of interest for float -> integer conversions
CVT_VALS = []
for _b in (0, 1, 2, 3, 4, 126, 127, 128, 254, 255, 256, 32766, 32767, 32768, 65534, 65535, 65536, 2**24 - 1, 2**31 - 1,
           2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**63, 2**64, 2**63 - 1024, 2**64 - 2048):
    for _d in (-.5, -.25, 0, .25, .5, .75):
        CVT_VALS += [_b + _d, -(_b + _d)]
CVT_VALS = sorted(set(float(x) for x in CVT_VALS))


def cvt_float(conv, rnd, hi):
    def g(r):
        k = r.random()
        if k < .45:
            return conv(r.choice(CVT_VALS))
        if k < .75:
            return conv(r.choice([-1, 1]) * r.random() * 2.0 ** r.randint(-4, hi))
        return rnd(r)
    return g


def pack2(g, w):
    return lambda r: g(r) | (g(r) << w)


def packn(g, w, n):
    def h(r):
        v = 0
        for i in range(n):
            v |= (g(r) & ((1 << w) - 1)) << (w * i)
        return v
    return h


def choice(vals):
    vals = list(vals)
    return lambda r: r.choice(vals)


SH = list(range(41)) + [63, 64, 65, 127, 255, 256, 0xFFFFFFFF, 0x80000000]
ROLES = {}


def role(name, typ, w, spec, rnd):
    ROLES[name] = (typ, w, spec, rnd)


for _w in (16, 32, 64):
    for _t in 'usb':
        role(f'{_t}{_w}', f'{_t}{_w}', _w, int_specials(_w), int_random(_w))
        role(f'{_t}{_w}nz', f'{_t}{_w}', _w, [x for x in int_specials(_w) if x],
             (lambda g: lambda r: g(r) or 1)(int_random(_w)))
for _t in 'us':  # 8-bit values sit in 32-bit registers (upper bits are junk on purpose)
    role(f'{_t}8', f'{_t}8', 32, int_specials(8) + [0x12345680, 0xFFFFFF7F], lambda r: r.getrandbits(32))
role('b8', 'b8', 32, int_specials(8), lambda r: r.getrandbits(8))
role('f32', 'f32', 32, F32_SPEC, f32_random)
role('f64', 'f64', 64, F64_SPEC, f64_random)
role('f16', 'f16', 16, F16_SPEC, f16_random)
role('bf16', 'bf16', 16, BF16_SPEC, bf16_random)


def _pairs(spec):
    n = len(spec)
    return [spec[i] | (spec[(i * 7 + 5) % n] << 16) for i in range(n)]


role('f16x2', 'f16x2', 32, _pairs(F16_SPEC), pack2(f16_random, 16))
role('bf16x2', 'bf16x2', 32, _pairs(BF16_SPEC), pack2(bf16_random, 16))
role('s16x2', 's16x2', 32, _pairs(int_specials(16)), pack2(int_random(16), 16))
role('u16x2', 'u16x2', 32, _pairs(int_specials(16)), pack2(int_random(16), 16))
role('tf32', 'tf32', 32, F32_SPEC, f32_random)
# conversion sources
_c = CVT_VALS
role('f32c', 'f32', 32, [f32b(x) for x in (.5, -.5, 1.5, -1.5, 2.5, -2.5, 127.5, 128.5, 255.5, -128.5, 32767.5, 65535.5,
                                          2.**31, -2.**31, 2.**32, 2.**63, 2.**64, -2.**63)] + F32_SPEC,
     cvt_float(f32b, f32_random, 66))
role('f64c', 'f64', 64, [f64b(x) for x in (.5, -.5, 1.5, -1.5, 2.5, -2.5, 127.5, 128.5, 255.5, -128.5, 32767.5, 65535.5,
                                          2147483647.5, 4294967295.5, -2147483648.5, 2.**31, -2.**31, 2.**32, 2.**63,
                                          2.**64, -2.**63)] + F64_SPEC, cvt_float(f64b, f64_random, 66))
role('f16c', 'f16', 16, [f16b(x) for x in (.5, -.5, 1.5, -1.5, 2.5, -2.5, 127.5, 128.5, 255.5, -128.5)] + F16_SPEC,
     cvt_float(f16b, f16_random, 17))
role('bf16c', 'bf16', 16, [bf16b(x) for x in (.5, -.5, 1.5, -1.5, 2.5, -2.5, 127.5, 128., 255., -128.)] + BF16_SPEC,
     cvt_float(bf16b, bf16_random, 66))
# narrowing sources: f32/f64 whose low mantissa bits sit near rounding boundaries of the destination
def _narrow32(r):
    keep = r.choice([10, 7, 3, 2])
    lo = 23 - keep
    m = r.getrandbits(keep) << lo
    m += r.choice([0, 1, (1 << (lo - 1)) - 1, 1 << (lo - 1), (1 << (lo - 1)) + 1, (1 << lo) - 1])
    e = 127 + r.choice([r.randint(-30, 20), r.randint(-10, 10), 15, -14, -15, -24, -25, 8, -6, -9, -10, -16, -17])
    return (r.getrandbits(1) << 31) | (e << 23) | (m & 0x7FFFFF)


def _narrow64(r):
    keep = r.choice([23, 10, 7])
    lo = 52 - keep
    m = r.getrandbits(keep) << lo
    m += r.choice([0, 1, (1 << (lo - 1)) - 1, 1 << (lo - 1), (1 << (lo - 1)) + 1, (1 << lo) - 1])
    e = 1023 + r.choice([r.randint(-150, 128), r.randint(-10, 10), 15, 127, 128, -14, -15, -24, -126, -127, -149, -150])
    return (r.getrandbits(1) << 63) | (e << 52) | (m & ((1 << 52) - 1))


role('f32n', 'f32', 32, F32_SPEC, lambda r: _narrow32(r) if r.random() < .7 else f32_random(r))
role('f64n', 'f64', 64, F64_SPEC, lambda r: _narrow64(r) if r.random() < .7 else f64_random(r))
# restricted ranges for approximations
role('f32trig', 'f32', 32, [0, 0x80000000, 0x3F800000, 0xBF800000, 0x40490FDB, 0xC0490FDB, 0x3FC90FDB, 0x7F800000,
                            0xFF800000, 0x7FFFFFFF, 1, 0x00800000, 0x3F000000, 0x3F060A92], lambda r: f32b(r.uniform(-6.28, 6.28)))
role('f32trigw', 'f32', 32, [f32b(x) for x in (10., -20., 100., 300., -314., 31.4159, 62.83)],
     lambda r: f32b(r.uniform(-314, 314)))
role('f32exp', 'f32', 32, F32_SPEC + [f32b(x) for x in (-126., -127., -149., -150., 127., 128., 10.5)],
     lambda r: f32b(r.uniform(-150, 130)) if r.random() < .7 else f32b(r.uniform(-2, 2)))
role('f32pos', 'f32', 32, F32_SPEC, lambda r: (r.randint(1, 254) << 23) | r.getrandbits(23) if r.random() < .6
     else ((127 + r.randint(-3, 3)) << 23) | r.getrandbits(23))
role('f64pos', 'f64', 64, F64_SPEC, lambda r: (r.randint(1, 2046) << 52) | r.getrandbits(52) if r.random() < .6
     else ((1023 + r.randint(-3, 3)) << 52) | r.getrandbits(52))
role('f32tanh', 'f32', 32, F32_SPEC, lambda r: f32b(r.uniform(-5, 5)))
role('f16small', 'f16', 16, F16_SPEC, lambda r: f16b(r.uniform(-8, 8)))
role('bf16small', 'bf16', 16, BF16_SPEC, lambda r: bf16b(r.uniform(-8, 8)))
role('f16x2small', 'f16x2', 32, _pairs(F16_SPEC), pack2(lambda r: f16b(r.uniform(-8, 8)), 16))
role('bf16x2small', 'bf16x2', 32, _pairs(BF16_SPEC), pack2(lambda r: bf16b(r.uniform(-8, 8)), 16))
# finite normals only (float atomics: denormal handling is target specific there)
def _f32norm(r):
    return (r.getrandbits(1) << 31) | ((127 + r.randint(-12, 12)) << 23) | r.getrandbits(23)


role('f32norm', 'f32', 32, [f32b(x) for x in (0., 1., -1., .5, 2., 1.5, 3., 100., -100.25, 1e10, -1e-5)], _f32norm)
role('f64norm', 'f64', 64, [f64b(x) for x in (0., 1., -1., .5, 2., 1.5, 3., 100., -100.25, 1e10, -1e-5)],
     lambda r: (r.getrandbits(1) << 63) | ((1023 + r.randint(-30, 30)) << 52) | r.getrandbits(52))
role('f16norm', 'f16', 16, [f16b(x) for x in (0., 1., -1., .5, 2., 1.5, 3., 100., -100.25)], lambda r: f16b(r.uniform(-100, 100)))
role('bf16norm', 'bf16', 16, [bf16b(x) for x in (0., 1., -1., .5, 2., 1.5, 3., 100.)], lambda r: bf16b(r.uniform(-100, 100)))
role('f16x2norm', 'f16x2', 32, [0x3C003C00, 0xBC003C00], pack2(lambda r: f16b(r.uniform(-100, 100)), 16))
role('bf16x2norm', 'bf16x2', 32, [0x3F803F80, 0xBF803F80], pack2(lambda r: bf16b(r.uniform(-100, 100)), 16))
# integer roles
role('sh', 'u32', 32, SH, lambda r: r.choice(SH) if r.random() < .5 else r.randint(0, 40))
role('pos', 'u32', 32, [0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255], lambda r: r.choice([r.randint(0, 40), r.randint(0, 70), 255, 128]))
role('lane', 'u32', 32, list(range(32)), lambda r: r.randint(0, 31))
role('lane40', 'u32', 32, list(range(40)), lambda r: r.randint(0, 39))
role('fnsoff', 's32', 32, [0, 1, -1 & M32, 2, -2 & M32, 31, 32, -32 & M32], lambda r: r.randint(-12, 12) & M32)
role('sel', 'u32', 32, [0x3210, 0x7654, 0x0123, 0xFEDC, 0x89AB, 0x5140, 0, 1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFF],
     lambda r: r.getrandbits(32) if r.random() < .3 else r.getrandbits(16))
role('pred', 'pred', 1, [0, 1], lambda r: r.getrandbits(1))
role('key4', 'b32', 32, [0, 1, 2, 3], lambda r: r.randint(0, 3))
role('key4w', 'b64', 64, [0, 1, 1 << 32, 0xFFFFFFFF], lambda r: r.choice([0, 1, 1 << 32, 0xFFFFFFFF]))
role('u32k', 'b32', 32, [0, 5], lambda r: r.choice([5, 5, 5, 9]))
role('trip', 'u32', 32, [0, 1, 2, 3, 5, 8, 13, 31, 32, 33, 50], lambda r: r.randint(0, 40))
role('trip1', 'u32', 32, [1, 2, 3, 5, 7, 27, 97], lambda r: r.randint(1, 200))
role('small8', 'u32', 32, list(range(8)), lambda r: r.randint(0, 7))
role('small12', 'u32', 32, list(range(13)), lambda r: r.randint(0, 12))
# fp8 sources
role('e4m3x2', 'e4m3x2', 16, [0x0080, 0x7F7E, 0xFFFE, 0x0801, 0x0700, 0x3838], lambda r: r.getrandbits(16))
role('e5m2x2', 'e5m2x2', 16, [0x0080, 0x7C7B, 0xFCFF, 0x0403, 0x0102, 0x3C3C], lambda r: r.getrandbits(16))
# matrix element roles (small integers, exact)
def _mi(r):
    return r.randint(-4, 4)


E4M3 = {0: 0, 1: 0x38, 2: 0x40, 3: 0x44, 4: 0x48}
E5M2 = {0: 0, 1: 0x3C, 2: 0x40, 3: 0x42, 4: 0x44}


def _e8(tab):
    def g(r):
        v = _mi(r)
        return tab[abs(v)] | (0x80 if v < 0 else 0)
    return g


MAT = {'f16': (16, lambda r: f16b(_mi(r))), 'bf16': (16, lambda r: bf16b(_mi(r))), 'tf32': (32, lambda r: f32b(_mi(r))),
       'f32': (32, lambda r: f32b(r.randint(-50, 50))), 'f64': (64, lambda r: f64b(_mi(r))),
       's8': (8, lambda r: r.choice([_mi(r), r.randint(-128, 127)]) & M8), 'u8': (8, lambda r: r.getrandbits(8)),
       's4': (4, lambda r: r.getrandbits(4)), 'u4': (4, lambda r: r.getrandbits(4)), 'b1': (1, lambda r: r.getrandbits(1)),
       's32': (32, lambda r: r.randint(-1000, 1000) & M32), 's32e': (32, lambda r: r.choice([0x7FFFFFFF, 0x80000000, 0x7FFFFF00, 0x80000100, 5])),
       'e4m3': (8, _e8(E4M3)), 'e5m2': (8, _e8(E5M2)),
       'f16acc': (16, lambda r: f16b(r.randint(-50, 50))),
       'f16r': (16, lambda r: f16b(r.gauss(0, 1))), 'bf16r': (16, lambda r: bf16b(r.gauss(0, 1))),
       'tf32r': (32, lambda r: f32b(r.gauss(0, 1)) & 0xFFFFE000), 'f32r': (32, lambda r: f32b(r.gauss(0, 1))),
       'f64r': (64, lambda r: f64b(r.gauss(0, 1))),
       'sp4': (4, choice([4, 8, 0xC, 9, 0xD, 0xE])), 'sp2': (4, choice([4, 0xE]))}
for _k, (_w, _g) in MAT.items():
    if _w <= 32:
        role('m32.' + _k, 'b32', 32, [], packn(_g, _w, 32 // _w))
    role('m64.' + _k, 'b64', 64, [], packn(_g, _w, 64 // _w))

# indices into the special value lists: inf-inf, 0*inf, signed zeros, NaN with number, denormals, overflow
SPECIAL_PAIRS = [(4, 5), (4, 4), (5, 4), (0, 4), (4, 1), (0, 1), (1, 0), (1, 1), (0, 0), (6, 2), (2, 6), (6, 8), (8, 3), (2, 3), (2, 2),
                 (16, 16), (16, 17), (14, 14), (14, 15), (10, 12), (10, 11), (12, 14), (16, 20)]

FLOATY = {'f32', 'f64', 'f16', 'bf16', 'f16x2', 'bf16x2', 'tf32', 'e4m3x2', 'e5m2x2'}
WIDTH = {'u8': 32, 's8': 32, 'b8': 32, 'u16': 16, 's16': 16, 'b16': 16, 'u32': 32, 's32': 32, 'b32': 32, 'u64': 64, 's64': 64,
         'b64': 64, 'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64, 'f16x2': 32, 'bf16x2': 32, 's16x2': 32, 'u16x2': 32,
         'tf32': 32, 'e4m3x2': 16, 'e5m2x2': 16, 'pred': 1}
