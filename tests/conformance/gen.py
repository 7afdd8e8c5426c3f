#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PTX conformance suite generator (self-contained, standard library only).

    gen.py [--seed S] [--n N] [--ptxas PATH] [--jobs J] [--no-cubin] OUTDIR

Writes OUTDIR/{cases.jsonl,cases.tsv,inputs.bin,mNN.ptx,mNN.cubin,rejected.txt,counts.txt}.
See README.md for the formats.
"""
import argparse, json, math, os, random, re, struct, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

# ----------------------------------------------------------------------------
# scalar helpers
# ----------------------------------------------------------------------------
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


# ----------------------------------------------------------------------------
# value generators.  Each role: (type name, register width, specials, random fn)
# ----------------------------------------------------------------------------
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

# ----------------------------------------------------------------------------
# case table
# ----------------------------------------------------------------------------
CASES = []
_ids = {}
DEFN = 64


class Case:
    pass


def case(id, group, body, ins, outs, compare='bits', nan=None, kind='scalar', n=None, prelude='', raw=False, note=None,
         fix=None, entry='', impl=False):
    k = _ids.get(id, 0) + 1
    _ids[id] = k
    c = Case()
    c.id = id if k == 1 else f'{id}_{k}'
    c.group, c.body, c.ins, c.outs = group, body, list(ins), list(outs)
    c.compare, c.kind, c.prelude, c.raw, c.note, c.fix, c.entry = compare, kind, prelude, raw, note, fix, entry
    if nan is None and any(o in FLOATY and not o.startswith('e') for o in c.outs):
        nan = 'any'
    c.nan = nan if nan else None
    if n is None:
        if kind == 'warp':
            n = 64
        elif group in ('atomic', 'memory', 'async', 'control'):  # layouts below assume 64 / 128 threads
            n = 64 if len(c.ins) < 2 else 128
        else:
            n = DEFN if len(c.ins) < 2 else 2 * DEFN
    c.n = n
    c.impl = impl
    CASES.append(c)
    return c


def op(ins_text, group, ins, outs, id=None, **kw):
    """single instruction: destination then sources in order"""
    ops = ', '.join([f'%o{i}' for i in range(len(outs))] + [f'%i{i}' for i in range(len(ins))])
    case(id or ins_text, group, f'{ins_text} {ops};', ins, outs, **kw)


def kernel_text(c, name):
    n = c.n
    L = [f'.visible .entry {name}(.param .u64 {name}_in, .param .u64 {name}_out){c.entry}', '{']
    L += ['.reg .b64 %bi, %bo, %pi, %po, %tl, %w<20>;', '.reg .b32 %tx, %r<40>;', '.reg .b16 %h<16>;', '.reg .pred %p<12>;',
          '.reg .f32 %f<12>;', '.reg .f64 %fd<8>;']
    for k, rl in enumerate(c.ins):
        w = ROLES[rl][1]
        L.append(f'.reg .{"pred" if w == 1 else "b%d" % w} %i{k};')
    for k, t in enumerate(c.outs):
        w = WIDTH[t]
        L.append(f'.reg .{"pred" if w == 1 else "b%d" % w} %o{k};')
    body = c.body.replace('$N', str(n)).replace('$K', name)
    decls, code = [], []
    for ln in body.split('\n'):
        s = ln.strip()
        if not s:
            continue
        (decls if s.startswith('.shared') or s.startswith('.local') or s.startswith('.reg') else code).append(s)
    L += decls
    L += [f'ld.param.u64 %bi, [{name}_in];', f'ld.param.u64 %bo, [{name}_out];',
          'cvta.to.global.u64 %bi, %bi;', 'cvta.to.global.u64 %bo, %bo;',
          'mov.u32 %tx, %tid.x;', 'mul.wide.u32 %tl, %tx, 8;', 'add.u64 %pi, %bi, %tl;', 'add.u64 %po, %bo, %tl;']
    if not c.raw:
        for k, rl in enumerate(c.ins):
            w = ROLES[rl][1]
            a = f'[%pi+{8 * k * n}]'
            if w == 64:
                L.append(f'ld.global.b64 %i{k}, {a};')
            else:
                L.append(f'ld.global.b64 %tl, {a};')
                L.append({1: f'setp.ne.u64 %i{k}, %tl, 0;', 16: f'cvt.u16.u64 %i{k}, %tl;', 32: f'cvt.u32.u64 %i{k}, %tl;'}[w])
    L += code
    if not c.raw:
        for k, t in enumerate(c.outs):
            w = WIDTH[t]
            a = f'[%po+{8 * k * n}]'
            if w == 64:
                L.append(f'st.global.b64 {a}, %o{k};')
            else:
                L.append({1: f'selp.u64 %tl, 1, 0, %o{k};', 16: f'cvt.u64.u16 %tl, %o{k};', 32: f'cvt.u64.u32 %tl, %o{k};'}[w])
                L.append(f'st.global.b64 {a}, %tl;')
    L += ['ret;', '}']
    pre = c.prelude.replace('$K', name).replace('$N', str(n)).strip()
    return (pre + '\n' if pre else '') + '\n'.join(L) + '\n'


def gen_inputs(c, seed):
    r = random.Random(f'{seed}:{c.id}')
    n = c.n
    cols = []
    ns = n // 3
    for rl in c.ins:
        typ, w, spec, rnd = ROLES[rl]
        col = []
        if spec:
            s = list(spec)
            if len(s) > ns or cols:
                r.shuffle(s)
            while len(col) < ns:
                col += s
            col = col[:ns]
        while len(col) < n:
            col.append(rnd(r))
        m = (1 << w) - 1
        cols.append([x & m for x in col])
    if c.kind == 'scalar' and len(cols) >= 2 and c.ins[0] == c.ins[1]:
        typ, w = ROLES[c.ins[0]][:2]
        for i in range(ns, n):
            if w > 1 and r.random() < .15:
                cols[1][i] = cols[0][i] ^ r.choice([0, 0, 1, 1 << (w - 1), 3])
        if len(cols) == 3 and c.ins[2] == c.ins[0] and typ in ('f32', 'f64'):
            for i in range(ns, n):
                if r.random() < .15:
                    f, b = (b32f, f32b) if typ == 'f32' else (b64f, f64b)
                    try:
                        v = -(f(cols[0][i]) * f(cols[1][i]))
                    except OverflowError:
                        continue
                    cols[2][i] = b(v) ^ r.choice([0, 0, 1])
    if c.kind == 'scalar' and len(cols) >= 2 and ROLES[c.ins[0]][0] in FLOATY and ROLES[c.ins[0]][0] == ROLES[c.ins[1]][0] \
            and not c.ins[0].endswith('norm') and c.ins[0] == c.ins[1]:
        # pairs of special values every two-operand float case sees
        spec = ROLES[c.ins[0]][2]
        if len(spec) > 20:
            for j, (x, y) in enumerate(SPECIAL_PAIRS):
                if ns + j < n:
                    cols[0][ns + j], cols[1][ns + j] = spec[x], spec[y]
                    if len(cols) > 2 and c.ins[2] == c.ins[0]:
                        cols[2][ns + j] = spec[r.choice([0, 1, 2, 4, 5, 6, 14, 16])]
    if c.fix:
        c.fix(cols, r)
    return cols

# ----------------------------------------------------------------------------
# groups
# ----------------------------------------------------------------------------
RND = ['.rn', '.rz', '.rm', '.rp']
INTS = ['s16', 'u16', 's32', 'u32', 's64', 'u64']
WIDE = {'s16': 's32', 'u16': 'u32', 's32': 's64', 'u32': 'u64'}


def no_overflow_div(cols, r):
    pass


def fix_div(w):
    mn, m1 = 1 << (w - 1), (1 << w) - 1

    def f(cols, r):
        for i in range(len(cols[0])):
            if cols[1][i] == 0:
                cols[1][i] = 3
            if cols[0][i] == mn and cols[1][i] == m1:
                cols[1][i] = 7
    return f


def g_int():
    G = 'int'
    for t in INTS:
        w = int(t[1:])
        for o in ('add', 'sub', 'mul.lo', 'mul.hi'):
            op(f'{o}.{t}', G, [t, t], [t])
        for o in ('mad.lo', 'mad.hi'):
            op(f'{o}.{t}', G, [t, t, t], [t])
        op(f'sad.{t}', G, [t, t, t], [t])
        for o in ('div', 'rem'):
            op(f'{o}.{t}', G, [t, t + 'nz'], [t], fix=fix_div(w) if t[0] == 's' else None,
               note='b!=0 and not MIN/-1 (undefined)')
        for o in ('min', 'max'):
            op(f'{o}.{t}', G, [t, t], [t])
        if t[0] == 's':
            for o in ('abs', 'neg'):
                op(f'{o}.{t}', G, [t], [t])
        if t in WIDE:
            op(f'mul.wide.{t}', G, [t, t], [WIDE[t]])
            op(f'mad.wide.{t}', G, [t, t, WIDE[t]], [WIDE[t]])
    for o in ('add.sat.s32', 'sub.sat.s32', 'min.relu.s32', 'max.relu.s32'):
        op(o, G, ['s32', 's32'], ['s32'])
    op('mad.hi.sat.s32', G, ['s32'] * 3, ['s32'])
    for t in ('s32', 'u32'):
        for h in ('lo', 'hi'):
            op(f'mul24.{h}.{t}', G, [t, t], [t])
            op(f'mad24.{h}.{t}', G, [t, t, t], [t])
    op('mad24.hi.sat.s32', G, ['s32'] * 3, ['s32'])
    for t in ('s16x2', 'u16x2'):
        for o in ('add', 'sub', 'min', 'max'):  # sub is expected in rejected.txt
            op(f'{o}.{t}', G, [t, t], [t])
    for o in ('min.relu', 'max.relu'):
        op(f'{o}.s16x2', G, ['s16x2', 's16x2'], ['s16x2'])
    # bit counting
    for t in ('b32', 'b64'):
        for o in ('popc', 'clz'):
            op(f'{o}.{t}', G, [t], ['u32'])
        op(f'brev.{t}', G, [t], [t])
    for t in ('u32', 's32', 'u64', 's64'):
        op(f'bfind.{t}', G, [t], ['u32'])
        op(f'bfind.shiftamt.{t}', G, [t], ['u32'])
        op(f'bfe.{t}', G, [t, 'pos', 'pos'], [t])
        # immediate position / length
        for p, l in ((0, 8), (4, 12), (31, 1), (16, 16), (8, 0), (60, 10)):
            case(f'bfe.{t}.imm_{p}_{l}', G, f'bfe.{t} %o0, %i0, {p}, {l};', [t], [t])
    for t in ('b32', 'b64'):
        op(f'bfi.{t}', G, [t, t, 'pos', 'pos'], [t])
        for p, l in ((0, 8), (4, 12), (31, 1), (40, 20), (8, 0)):
            case(f'bfi.{t}.imm_{p}_{l}', G, f'bfi.{t} %o0, %i0, %i1, {p}, {l};', [t, t], [t])
    for m in ('clamp', 'wrap'):
        op(f'bmsk.{m}.b32', G, ['sh', 'sh'], ['b32'])
        for t in ('u32', 's32'):
            op(f'szext.{m}.{t}', G, [t, 'sh'], [t])
    op('fns.b32', G, ['b32', 'lane', 'fnsoff'], ['b32'])
    for a in ('u32', 's32'):
        for b in ('u32', 's32'):
            d = 's32' if 's32' in (a, b) else 'u32'
            op(f'dp4a.{a}.{b}', G, ['b32', 'b32', d], [d])
            for h in ('lo', 'hi'):
                op(f'dp2a.{h}.{a}.{b}', G, ['b32', 'b32', d], [d])


LUTS = [0x00, 0xFF, 0x80, 0xFE, 0x96, 0xE8, 0xCA, 0xD8, 0x6A, 0x1E, 0x3C, 0xF0, 0xCC, 0xAA, 0x0F, 0x55, 0x33, 0x7F, 0x01,
        0x69, 0xAC, 0xB8, 0x47, 0x29, 0x6F]


def g_logic():
    G = 'logic'
    for t in ('b16', 'b32', 'b64'):
        for o in ('and', 'or', 'xor'):
            op(f'{o}.{t}', G, [t, t], [t])
        for o in ('not', 'cnot'):
            op(f'{o}.{t}', G, [t], [t])
    for o in ('and', 'or', 'xor'):
        op(f'{o}.pred', G, ['pred', 'pred'], ['pred'])
    op('not.pred', G, ['pred'], ['pred'])
    op('mov.pred', G, ['pred'], ['pred'])
    for l in LUTS:
        case(f'lop3.b32.0x{l:02x}', G, f'lop3.b32 %o0, %i0, %i1, %i2, 0x{l:02x};', ['b32'] * 3, ['b32'])
    for bo in ('and', 'or'):
        for l in (0x80, 0x96, 0xFE, 0xCA, 0x40):
            case(f'lop3.{bo}.b32.0x{l:02x}', G, f'lop3.{bo}.b32 %o0|%o1, %i0, %i1, %i2, 0x{l:02x}, %i3;',
                 ['b32', 'b32', 'b32', 'pred'], ['b32', 'pred'])
            case(f'lop3.{bo}.b32.sink.0x{l:02x}', G, f'lop3.{bo}.b32 _|%o0, %i0, %i1, %i2, 0x{l:02x}, !%i3;',
                 ['b32', 'b32', 'b32', 'pred'], ['pred'])
    # lop3 on sparse inputs, so the predicate is not always true
    for bo in ('and', 'or'):
        case(f'lop3.{bo}.b32.sparse', G, f'lop3.{bo}.b32 %o0|%o1, %i0, %i1, %i2, 0x80, %i3;',
             ['small8', 'small8', 'small8', 'pred'], ['b32', 'pred'])
    for t in ('b16', 'b32', 'b64'):
        op(f'shl.{t}', G, [t, 'sh'], [t])
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64'):
        op(f'shr.{t}', G, [t, 'sh'], [t])
    for t in ('b16', 's16', 'b32', 's32', 'b64', 's64'):
        for s in (0, 1, 15, 16, 31, 32, 33, 63, 64, 100):
            if t[0] == 'b':
                case(f'shl.{t}.imm{s}', G, f'shl.{t} %o0, %i0, {s};', [t], [t])
            case(f'shr.{t}.imm{s}', G, f'shr.{t} %o0, %i0, {s};', [t], [t])
    for d in 'lr':
        for m in ('wrap', 'clamp'):
            op(f'shf.{d}.{m}.b32', G, ['b32', 'b32', 'sh'], ['b32'])
            for s in (0, 1, 31, 32, 33, 40):
                case(f'shf.{d}.{m}.b32.imm{s}', G, f'shf.{d}.{m}.b32 %o0, %i0, %i1, {s};', ['b32', 'b32'], ['b32'])
    op('prmt.b32', G, ['b32', 'b32', 'sel'], ['b32'])
    for m in ('f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'):
        op(f'prmt.b32.{m}', G, ['b32', 'b32', 'sel'], ['b32'])
    for s in (0x3210, 0x0123, 0x5410, 0x7632, 0x4440, 0x8888, 0xBA98, 0xFEDC, 0x7531, 0x9180):
        case(f'prmt.b32.imm_{s:04x}', G, f'prmt.b32 %o0, %i0, %i1, 0x{s:04x};', ['b32', 'b32'], ['b32'])


def g_carry():
    G = 'carry'
    for t in ('u32', 's32'):
        case(f'add.cc.{t}-64bit', G, f'add.cc.{t} %o0, %i0, %i2;\naddc.{t} %o1, %i1, %i3;', [t] * 4, [t] * 2)
        case(f'sub.cc.{t}-64bit', G, f'sub.cc.{t} %o0, %i0, %i2;\nsubc.{t} %o1, %i1, %i3;', [t] * 4, [t] * 2)
        case(f'add.cc.{t}-128bit', G, f'add.cc.{t} %o0, %i0, %i4;\naddc.cc.{t} %o1, %i1, %i5;\naddc.cc.{t} %o2, %i2, %i6;\n'
             f'addc.cc.{t} %o3, %i3, %i7;\naddc.{t} %o4, 0, 0;', [t] * 8, [t] * 5)
        case(f'sub.cc.{t}-128bit', G, f'sub.cc.{t} %o0, %i0, %i4;\nsubc.cc.{t} %o1, %i1, %i5;\nsubc.cc.{t} %o2, %i2, %i6;\n'
             f'subc.cc.{t} %o3, %i3, %i7;\nsubc.{t} %o4, 0, 0;', [t] * 8, [t] * 5)
    for t in ('u64', 's64'):
        case(f'add.cc.{t}-128bit', G, f'add.cc.{t} %o0, %i0, %i2;\naddc.cc.{t} %o1, %i1, %i3;\naddc.{t} %o2, 0, 0;', [t] * 4, [t] * 3)
        case(f'sub.cc.{t}-128bit', G, f'sub.cc.{t} %o0, %i0, %i2;\nsubc.cc.{t} %o1, %i1, %i3;\nsubc.{t} %o2, 0, 0;', [t] * 4, [t] * 3)
    for t in ('u32', 's32', 'u64', 's64'):
        mix = 'mixes the carry of an addition with the borrow of a subtraction: PTX does not say how they relate'
        for o in ('add', 'sub'):
            case(f'{o}.cc.{t}-out', G, f'{o}.cc.{t} %o0, %i0, %i1;\naddc.{t} %o1, 0, 0;', [t, t], [t, t], impl=o == 'sub',
                 note='flag captured with addc 0,0' + ('; ' + mix if o == 'sub' else ''))
            case(f'{o}.cc.{t}-outb', G, f'{o}.cc.{t} %o0, %i0, %i1;\nsubc.{t} %o1, 0, 0;', [t, t], [t, t], impl=o == 'add',
                 note='flag captured with subc 0,0' + ('; ' + mix if o == 'add' else ''))
            case(f'{o}c.cc.{t}-chain', G, f'{o}.cc.{t} %o2, %i2, %i1;\n{o}c.cc.{t} %o0, %i0, %i1;\n{o}c.{t} %o1, 0, 0;', [t] * 3, [t] * 3)
            other = 'sub' if o == 'add' else 'add'
            case(f'{other}.cc-{o}c.cc.{t}', G, f'{other}.cc.{t} %o2, %i2, %i1;\n{o}c.cc.{t} %o0, %i0, %i1;\n{o}c.{t} %o1, 0, 0;', [t] * 3, [t] * 3, impl=True, note=mix)
        for h in ('lo', 'hi'):
            case(f'mad.{h}.cc.{t}', G, f'mad.{h}.cc.{t} %o0, %i0, %i1, %i2;\naddc.{t} %o1, 0, 0;', [t] * 3, [t] * 2)
            case(f'madc.{h}.{t}', G, f'add.cc.{t} %o1, %i3, %i3;\nmadc.{h}.{t} %o0, %i0, %i1, %i2;', [t] * 4, [t] * 2)
            case(f'madc.{h}.cc.{t}', G, f'add.cc.{t} %o1, %i3, %i3;\nmadc.{h}.cc.{t} %o0, %i0, %i1, %i2;\naddc.{t} %o2, 0, 0;', [t] * 4, [t] * 3)
        case(f'mad.lo.cc-madc.hi.{t}', G, f'mad.lo.cc.{t} %o0, %i0, %i1, %i2;\nmadc.hi.{t} %o1, %i0, %i1, %i3;', [t] * 4, [t] * 2)
    # 64x64 -> 128 multiply with 32-bit limbs
    case('mul128.by32', G, '''mul.lo.u32 %o0, %i0, %i2;
        mul.hi.u32 %o1, %i0, %i2;
        mad.lo.cc.u32 %o1, %i1, %i2, %o1;
        madc.hi.u32 %o2, %i1, %i2, 0;
        mad.lo.cc.u32 %o1, %i0, %i3, %o1;
        madc.hi.cc.u32 %o2, %i0, %i3, %o2;
        addc.u32 %o3, 0, 0;
        mad.lo.cc.u32 %o2, %i1, %i3, %o2;
        madc.hi.u32 %o3, %i1, %i3, %o3;''', ['u32'] * 4, ['u32'] * 4)
    # carry flag survives intervening non-.cc instructions
    case('add.cc-survives', G, '''add.cc.u32 %o0, %i0, %i1;
        mul.lo.u32 %o2, %i0, %i1;
        xor.b32 %o3, %i0, %i1;
        add.u32 %o4, %i0, 1;
        addc.u32 %o1, %i0, 0;''', ['u32'] * 2, ['u32'] * 5)


def ftzsat(sat=True):
    for f in ('', '.ftz'):
        for s in (('', '.sat') if sat else ('',)):
            yield f + s


REL = lambda e, a=None: {'rel': 2.0 ** e} if a is None else {'rel': 2.0 ** e, 'abs': 2.0 ** a}


def g_float32():
    G = 'float32'
    T = 'f32'
    for o in ('add', 'sub', 'mul'):
        for r in [''] + RND:
            for fs in ftzsat():
                op(f'{o}{r}{fs}.f32', G, [T, T], [T])
    for o in ('fma', 'mad'):
        for r in RND:
            for fs in ftzsat():
                op(f'{o}{r}{fs}.f32', G, [T] * 3, [T])
    for f in ('', '.ftz'):
        for r in RND:
            op(f'div{r}{f}.f32', G, [T, T], [T])
            op(f'rcp{r}{f}.f32', G, [T], [T])
            op(f'sqrt{r}{f}.f32', G, ['f32pos'], [T])
        op(f'div.approx{f}.f32', G, ['f32norm', 'f32norm'], [T], compare={'ulp': 2}, id=f'div.approx{f}.f32.norm')
        op(f'div.approx{f}.f32', G, [T, T], [T], compare={'ulp': 2})
        op(f'div.full{f}.f32', G, [T, T], [T], compare={'ulp': 2})
        op(f'div.full{f}.f32', G, ['f32norm', 'f32norm'], [T], compare={'ulp': 2}, id=f'div.full{f}.f32.norm')
        op(f'rcp.approx{f}.f32', G, [T], [T], compare={'ulp': 1})
        op(f'sqrt.approx{f}.f32', G, ['f32pos'], [T], compare={'ulp': 2})
        op(f'rsqrt.approx{f}.f32', G, ['f32pos'], [T], compare={'ulp': 2})
        op(f'sin.approx{f}.f32', G, ['f32trig'], [T], compare=REL(-18, -20))
        op(f'cos.approx{f}.f32', G, ['f32trig'], [T], compare=REL(-18, -20))
        op(f'sin.approx{f}.f32', G, ['f32trigw'], [T], compare=REL(-12, -14), id=f'sin.approx{f}.f32.wide')
        op(f'cos.approx{f}.f32', G, ['f32trigw'], [T], compare=REL(-12, -14), id=f'cos.approx{f}.f32.wide')
        op(f'lg2.approx{f}.f32', G, ['f32pos'], [T], compare=REL(-21.5, -21.5))
        op(f'ex2.approx{f}.f32', G, ['f32exp'], [T], compare={'ulp': 2})
        op(f'abs{f}.f32', G, [T], [T])
        op(f'neg{f}.f32', G, [T], [T])
        for o in ('min', 'max'):
            for nn in ('', '.NaN'):
                for x in ('', '.xorsign.abs'):
                    op(f'{o}{f}{nn}{x}.f32', G, [T, T], [T])
    op('tanh.approx.f32', G, ['f32tanh'], [T], compare=REL(-10.9))
    op('copysign.f32', G, [T, T], [T])
    for p in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        for t in ('f32', 'f64'):
            op(f'testp.{p}.{t}', 'float32' if t == 'f32' else 'float64', [t], ['pred'])
    for f in ('', '.ftz'):  # operand order, negation and constants
        case(f'fma.rn{f}.f32.negimm', G, f'fma.rn{f}.f32 %o0, %i0, 0f3FC00000, 0fBF800000;', [T], [T])
        case(f'add{f}.f32.imm', G, f'add{f}.f32 %o0, %i0, 0f3DCCCCCD;', [T], [T])


def g_float64():
    G = 'float64'
    T = 'f64'
    for o in ('add', 'sub', 'mul'):
        for r in [''] + RND:
            op(f'{o}{r}.f64', G, [T, T], [T])
    for o in ('fma', 'mad'):
        for r in RND:
            op(f'{o}{r}.f64', G, [T] * 3, [T])
    for r in RND:
        op(f'div{r}.f64', G, [T, T], [T])
        op(f'rcp{r}.f64', G, [T], [T])
        op(f'sqrt{r}.f64', G, ['f64pos'], [T])
    op('rcp.approx.ftz.f64', G, [T], [T], compare=REL(-19))
    op('rsqrt.approx.ftz.f64', G, ['f64pos'], [T], compare=REL(-19))
    op('rsqrt.approx.f64', G, ['f64pos'], [T], compare=REL(-50))
    for o in ('min', 'max'):
        op(f'{o}.f64', G, [T, T], [T])
    op('abs.f64', G, [T], [T])
    op('neg.f64', G, [T], [T])
    op('copysign.f64', G, [T, T], [T])
    case('fma.rn.f64.imm', G, 'fma.rn.f64 %o0, %i0, 0d3FF8000000000000, 0dBFF0000000000000;', [T], [T])


def g_half():
    for t in ('f16', 'f16x2'):
        G = 'half'
        for o in ('add', 'sub', 'mul'):
            for r in ('', '.rn'):
                for fs in ftzsat():
                    op(f'{o}{r}{fs}.{t}', G, [t, t], [t])
        for fs in ('', '.ftz', '.sat', '.ftz.sat', '.relu', '.ftz.relu'):
            op(f'fma.rn{fs}.{t}', G, [t] * 3, [t])
        for fs in ('', '.relu'):
            op(f'fma.rn.oob{fs}.{t}', G, [t] * 3, [t])
        for f in ('', '.ftz'):
            op(f'neg{f}.{t}', G, [t], [t])
            op(f'abs{f}.{t}', G, [t], [t])
            for o in ('min', 'max'):
                for nn in ('', '.NaN'):
                    for x in ('', '.xorsign.abs'):
                        op(f'{o}{f}{nn}{x}.{t}', G, [t, t], [t])
        op(f'ex2.approx.{t}', G, [t + 'small'], [t], compare=REL(-9.8, -24))
        op(f'tanh.approx.{t}', G, [t + 'small'], [t], compare=REL(-9.5, -10.9))
    for t in ('bf16', 'bf16x2'):
        G = 'bf16'
        for o in ('add', 'sub', 'mul'):
            for r in ('', '.rn'):
                op(f'{o}{r}.{t}', G, [t, t], [t])
        for fs in ('', '.relu', '.oob', '.oob.relu'):
            op(f'fma.rn{fs}.{t}', G, [t] * 3, [t])
        op(f'neg.{t}', G, [t], [t])
        op(f'abs.{t}', G, [t], [t])
        for o in ('min', 'max'):
            for nn in ('', '.NaN'):
                for x in ('', '.xorsign.abs'):
                    op(f'{o}{nn}{x}.{t}', G, [t, t], [t])
        op(f'ex2.approx.ftz.{t}', G, [t + 'small'], [t], compare=REL(-7))
        op(f'tanh.approx.{t}', G, [t + 'small'], [t], compare=REL(-7, -8))


CI = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64']
CF = ['f16', 'bf16', 'f32', 'f64']


def g_cvt():
    G = 'cvt'
    for d in CI:
        for s in CI:
            op(f'cvt.{d}.{s}', G, [s], [d])
            op(f'cvt.sat.{d}.{s}', G, [s], [d])
    for d in CF:
        for s in CI:
            for r in RND:
                op(f'cvt{r}.{d}.{s}', G, [s], [d])
            if d in ('f16', 'f32', 'f64'):
                op(f'cvt.rn.sat.{d}.{s}', G, [s], [d])
    for d in CI:
        for s in CF:
            for r in ('.rni', '.rzi', '.rmi', '.rpi'):
                op(f'cvt{r}.{d}.{s}', G, [s + 'c'], [d])
                if s == 'f32':
                    op(f'cvt{r}.ftz.{d}.{s}', G, [s + 'c'], [d])
            op(f'cvt.rni.sat.{d}.{s}', G, [s + 'c'], [d])
            op(f'cvt.rzi.sat.{d}.{s}', G, [s + 'c'], [d])
            if s == 'f32':
                op(f'cvt.rzi.ftz.sat.{d}.{s}', G, [s + 'c'], [d])
    # float to float
    for d in CF:
        for s in CF:
            src = {'f32': 'f32n', 'f64': 'f64n'}.get(s, s)
            if d == s:
                for f in (('', '.ftz') if s == 'f32' else ('',)):
                    for r in ('', '.rni', '.rzi', '.rmi', '.rpi'):
                        for sa in ('', '.sat'):
                            op(f'cvt{r}{f}{sa}.{d}.{s}', G, [s + 'c'], [d])
                continue
            wd, ws = WIDTH[d], WIDTH[s]
            for f in (('', '.ftz') if 'f32' in (d, s) else ('',)):
                for sa in ('', '.sat'):
                    for r in ([''] if wd > ws else []) + RND:
                        op(f'cvt{r}{f}{sa}.{d}.{s}', G, [src], [d])
    for d in ('f16', 'bf16'):
        for r in ('.rn', '.rz'):
            for x in ('.relu', '.satfinite', '.relu.satfinite'):
                op(f'cvt{r}{x}.{d}.f32', G, ['f32n'], [d])
    for d in ('f16x2', 'bf16x2'):
        for r in ('.rn', '.rz'):
            for x in ('', '.relu', '.satfinite', '.relu.satfinite'):
                op(f'cvt{r}{x}.{d}.f32', G, ['f32n', 'f32n'], [d])
    for r in ('.rna', '.rn', '.rz'):
        for x in ('', '.satfinite', '.relu', '.satfinite.relu'):
            op(f'cvt{r}{x}.tf32.f32', G, ['f32n'], ['tf32'], nan='any')
    for d in ('u16', 's16'):
        op(f'cvt.pack.sat.{d}.s32', G, ['s32', 's32'], ['b32'])
    for d in ('u8', 's8', 'u4', 's4', 'u2', 's2'):
        op(f'cvt.pack.sat.{d}.s32.b32', G, ['s32', 's32', 'b32'], ['b32'])
        op(f'cvt.pack.sat.{d}.s32.b32', G, ['m32.s8', 'm32.s4', 'b32'], ['b32'], id=f'cvt.pack.sat.{d}.s32.b32.raw')
    # operands wider than the instruction type
    for d in ('u8', 's8', 'u16', 's16'):
        case(f'cvt.{d}.u32.wide_dst', G, f'cvt.{d}.u32 %r0, %i0;\nmov.b32 %o0, %r0;', ['u32'], ['u32'])
        case(f'cvt.u32.{d}.wide_src', G, f'cvt.u32.{d} %o0, %i0;', ['u32'], ['u32'])
        case(f'cvt.{d}.u64.wide_dst64', G, f'cvt.{d}.u64 %o0, %i0;', ['u64'], ['u64'])
    # fp8
    G = 'fp8'
    for e in ('e4m3x2', 'e5m2x2'):
        for x in ('', '.relu'):
            op(f'cvt.rn.satfinite{x}.{e}.f32', G, ['f32n', 'f32n'], [e])
            op(f'cvt.rn.satfinite{x}.{e}.f16x2', G, ['f16x2'], [e], n=2 * DEFN)

            def exh(cols, r):
                for i in range(len(cols[0])):
                    cols[0][i] = ((2 * i) & 255) | ((2 * i + 1) & 255) << 8
            op(f'cvt.rn{x}.f16x2.{e}', G, [e], ['f16x2'], n=128, fix=exh, note='exhaustive over all 256 encodings')


CMPI = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
CMPU = CMPI + ['lo', 'ls', 'hi', 'hs']
CMPF = CMPI + ['equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']


def cmps(t):
    if t[0] == 'b' and t[1] != 'f':
        return ['eq', 'ne']
    if t[0] == 'u':
        return CMPU
    if t[0] == 's':
        return CMPI
    return CMPF


def g_compare():
    G = 'compare'
    types = ['b16', 'b32', 'b64'] + INTS + ['f32', 'f64', 'f16', 'bf16']
    for t in types:
        for c in cmps(t):
            op(f'setp.{c}.{t}', G, [t, t], ['pred'])
            if t in ('f32', 'f16'):
                op(f'setp.{c}.ftz.{t}', G, [t, t], ['pred'])
        for c in random.Random(t).sample(cmps(t), min(2, len(cmps(t)))) if t != 'f32' else ['lt', 'geu', 'num']:
            case(f'setp.{c}.{t}.pq', G, f'setp.{c}.{t} %o0|%o1, %i0, %i1;', [t, t], ['pred', 'pred'])
        for bo, c in (('and', cmps(t)[0]), ('or', cmps(t)[-1]), ('xor', cmps(t)[1])):
            case(f'setp.{c}.{bo}.{t}', G, f'setp.{c}.{bo}.{t} %o0, %i0, %i1, %i2;', [t, t, 'pred'], ['pred'])
            case(f'setp.{c}.{bo}.{t}.pq', G, f'setp.{c}.{bo}.{t} %o0|%o1, %i0, %i1, %i2;', [t, t, 'pred'], ['pred', 'pred'])
            if t in ('f16', 'bf16'):  # no second destination for these types
                case(f'setp.{c}.{bo}.{t}.not', G, f'setp.{c}.{bo}.{t} %o0, %i0, %i1, !%i2;', [t, t, 'pred'], ['pred'])
                continue
            case(f'setp.{c}.{bo}.{t}.notc', G, f'setp.{c}.{bo}.{t} %o0|%o1, %i0, %i1, !%i2;', [t, t, 'pred'], ['pred', 'pred'])
    for t in ('f16x2', 'bf16x2'):
        for c in CMPF:
            case(f'setp.{c}.{t}', G, f'setp.{c}.{t} %o0|%o1, %i0, %i1;', [t, t], ['pred', 'pred'])
            if t == 'f16x2':
                case(f'setp.{c}.ftz.{t}', G, f'setp.{c}.ftz.{t} %o0|%o1, %i0, %i1;', [t, t], ['pred', 'pred'])
        for bo in ('and', 'or', 'xor'):
            case(f'setp.lt.{bo}.{t}', G, f'setp.lt.{bo}.{t} %o0|%o1, %i0, %i1, %i2;', [t, t, 'pred'], ['pred', 'pred'])
    # set
    for d in ('u32', 's32', 'f32'):
        for t in ['b16', 'b32', 'b64'] + INTS + ['f32', 'f64']:
            cs = cmps(t) if (t == 'f32' or (d == 'u32')) else [cmps(t)[0], cmps(t)[-1], cmps(t)[len(cmps(t)) // 2]]
            for c in dict.fromkeys(cs):
                op(f'set.{c}.{d}.{t}', G, [t, t], [d])
                if t == 'f32' and d == 'u32':
                    op(f'set.{c}.ftz.{d}.{t}', G, [t, t], [d])
            for bo in ('and', 'or', 'xor'):
                c = cmps(t)[1]
                op(f'set.{c}.{bo}.{d}.{t}', G, [t, t, 'pred'], [d])
    for t in ('f16', 'bf16'):
        for d in (t, 'u16', 's16', 'u32', 's32'):
            for c in CMPF if d in (t,) else ('lt', 'neu', 'nan'):
                op(f'set.{c}.{d}.{t}', G, [t, t], [d])
            op(f'set.ge.and.{d}.{t}', G, [t, t, 'pred'], [d])
    for s in INTS + ['b16', 'b32', 'b64', 'f32', 'f64']:
        op(f'set.{cmps(s)[0]}.f16.{s}', G, [s, s], ['f16'])
        op(f'set.{cmps(s)[1]}.bf16.{s}', G, [s, s], ['bf16'])
    for t in ('f16x2', 'bf16x2'):
        for c in CMPF:
            op(f'set.{c}.{t}.{t}', G, [t, t], [t])
        op(f'set.lt.xor.{t}.{t}', G, [t, t, 'pred'], [t])
    op('set.lt.ftz.f16.f16', G, ['f16', 'f16'], ['f16'])
    op('set.ge.ftz.f16x2.f16x2', G, ['f16x2', 'f16x2'], ['f16x2'])
    for t in ['b16', 'b32', 'b64'] + INTS + ['f32', 'f64']:
        op(f'selp.{t}', G, [t, t, 'pred'], [t], nan=False)
        op(f'slct.{t}.s32', G, [t, t, 's32'], [t], nan=False)
        op(f'slct.{t}.f32', G, [t, t, 'f32'], [t], nan=False)
        op(f'slct.ftz.{t}.f32', G, [t, t, 'f32'], [t], nan=False)
    case('selp.b32.notp', G, 'not.pred %p0, %i2;\nselp.b32 %o0, %i0, %i1, %p0;', ['b32', 'b32', 'pred'], ['b32'])
    case('selp.b32.imm', G, 'selp.b32 %o0, 0x11, -3, %i0;', ['pred'], ['b32'])
    case('setp.imm', G, 'setp.gt.s32 %o0, %i0, -1;\nsetp.lo.u32 %o1, %i0, 0x80;\nsetp.ltu.f32 %o2, %i0, 0f3F800000;', ['b32'], ['pred'] * 3)


def g_video():
    G = 'video'
    rr = random.Random('video-select')
    SEL = ['.b0', '.b1', '.b2', '.b3', '.h0', '.h1']
    T2 = ['u32', 's32']

    def sel():
        return rr.choice([''] + SEL)
    for o in ('vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax'):
        for d in T2:
            for a in T2:
                for b in T2:
                    for sat in ('', '.sat'):
                        q = f'{o}.{d}.{a}.{b}{sat}'
                        op(q, G, [a, b], [d])
                    sa, sb = rr.choice(SEL), rr.choice(SEL)
                    sat = rr.choice(['', '.sat'])
                    q = f'{o}.{d}.{a}.{b}{sat}'
                    case(f'{q}{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb};', [a, b], [d])
                    for o2 in ('.add', '.min', '.max'):
                        sa, sb = sel(), sel()
                        sat = rr.choice(['', '.sat'])
                        q = f'{o}.{d}.{a}.{b}{sat}{o2}'
                        case(f'{q}-{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb}, %i2;', [a, b, d], [d])
        for ds in SEL:
            a, b, d = rr.choice(T2), rr.choice(T2), rr.choice(T2)
            sa, sb, sat = sel(), sel(), rr.choice(['', '.sat'])
            q = f'{o}.{d}.{a}.{b}{sat}'
            case(f'{q}.dsel{ds}', G, f'{q} %o0{ds}, %i0{sa}, %i1{sb}, %i2;', [a, b, d], [d])
    for o in ('vshl', 'vshr'):
        for d in T2:
            for a in T2:
                for m in ('.clamp', '.wrap'):
                    for sat in ('', '.sat'):
                        q = f'{o}.{d}.{a}.u32{sat}{m}'
                        op(q, G, [a, 'sh'], [d])
                    sa = rr.choice(SEL)
                    q = f'{o}.{d}.{a}.u32{m}'
                    case(f'{q}{sa}', G, f'{q} %o0, %i0{sa}, %i1.b0;', [a, 'sh'], [d])
                    o2 = rr.choice(['.add', '.min', '.max'])
                    case(f'{q}{o2}', G, f'{q}{o2} %o0, %i0{sel()}, %i1, %i2;', [a, 'sh', d], [d])
                    ds = rr.choice(SEL)
                    case(f'{q}.dsel{ds}', G, f'{q} %o0{ds}, %i0{sel()}, %i1, %i2;', [a, 'sh', d], [d])
    for d in T2:
        for a in T2:
            for b in T2:
                for x in ('', '.sat', '.shr7', '.shr15', '.sat.shr7', '.sat.shr15'):
                    q = f'vmad.{d}.{a}.{b}{x}'
                    op(q, G, [a, b, d], [d])
                sa, sb = rr.choice(SEL), rr.choice(SEL)
                q = f'vmad.{d}.{a}.{b}'
                case(f'{q}{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb}, %i2;', [a, b, d], [d])
                case(f'{q}.po', G, f'{q}.po %o0, %i0{sel()}, %i1{sel()}, %i2;'.replace(f'{q}.po', f'vmad.{d}.{a}.{b}.po'), [a, b, d], [d])
                case(f'{q}.nega', G, f'{q} %o0, -%i0, %i1, %i2;', [a, b, d], [d])
                case(f'{q}.negb', G, f'{q} %o0, %i0{sa}, -%i1{sb}, %i2;', [a, b, d], [d])
                case(f'{q}.negc', G, f'{q} %o0, %i0{sa}, %i1, -%i2;', [a, b, d], [d])
    for a in T2:
        for b in T2:
            for c in CMPI:
                q = f'vset.{a}.{b}.{c}'
                op(q, G, [a, b], ['u32'])
                sa, sb = rr.choice(SEL), rr.choice(SEL)
                case(f'{q}{sa}{sb}', G, f'{q} %o0, %i0{sa}, %i1{sb};', [a, b], ['u32'])
            for o2 in ('.add', '.min', '.max'):
                q = f'vset.{a}.{b}.{rr.choice(CMPI)}{o2}'
                case(q, G, f'{q} %o0, %i0{sel()}, %i1{sel()}, %i2;', [a, b, 'u32'], ['u32'])
            ds = rr.choice(SEL)
            q = f'vset.{a}.{b}.{rr.choice(CMPI)}'
            case(f'{q}.dsel{ds}', G, f'{q} %o0{ds}, %i0{sel()}, %i1{sel()}, %i2;', [a, b, 'u32'], ['u32'])
    # SIMD
    for w in (2, 4):
        lanes = 2 if w == 2 else 4
        pre = 'h' if w == 2 else 'b'
        masks = ['.h0', '.h1', '.h10'] if w == 2 else ['.b0', '.b1', '.b2', '.b3', '.b10', '.b32', '.b310', '.b3210', '.b210', '.b20']

        def ssel():
            if rr.random() < .3:
                return ''
            return f'.{pre}' + ''.join(str(rr.randrange(2 * 2 if w == 2 else 8)) for _ in range(lanes))
        for o in ('vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax'):
            for d in T2:
                for a in T2:
                    for b in T2:
                        q = f'{o}{w}.{d}.{a}.{b}'
                        op(q, G, ['b32', 'b32', 'b32'], [d])
                        op(q + '.sat', G, ['b32', 'b32', 'b32'], [d])
                        op(q + '.add', G, ['b32', 'b32', 'b32'], [d])
                        sat = rr.choice(['', '.sat'])
                        m = rr.choice(masks)
                        case(f'{q}{sat}{m}-sel', G, f'{q}{sat} %o0{m}, %i0{ssel()}, %i1{ssel()}, %i2;', ['b32'] * 3, [d])
                        m = rr.choice(masks)
                        case(f'{q}.add{m}-sel', G, f'{q}.add %o0{m}, %i0{ssel()}, %i1{ssel()}, %i2;', ['b32'] * 3, [d])
        for a in T2:
            for b in T2:
                for c in CMPI:
                    q = f'vset{w}.{a}.{b}.{c}'
                    op(q, G, ['b32'] * 3, ['u32'])
                    m = rr.choice(masks)
                    add = rr.choice(['', '.add'])
                    case(f'{q}{add}{m}-sel', G, f'{q}{add} %o0{m}, %i0{ssel()}, %i1{ssel()}, %i2;', ['b32'] * 3, ['u32'])


def g_mov():
    G = 'mov'
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'):
        op(f'mov.{t}', G, [t], [t], nan=False)
    case('mov.b64.pack2', G, 'mov.b64 %o0, {%i0, %i1};', ['b32', 'b32'], ['b64'])
    case('mov.b64.unpack2', G, 'mov.b64 {%o0, %o1}, %i0;', ['b64'], ['b32', 'b32'])
    case('mov.b32.pack2', G, 'mov.b32 %o0, {%i0, %i1};', ['b16', 'b16'], ['b32'])
    case('mov.b32.unpack2', G, 'mov.b32 {%o0, %o1}, %i0;', ['b32'], ['b16', 'b16'])
    case('mov.b64.pack4', G, 'mov.b64 %o0, {%i0, %i1, %i2, %i3};', ['b16'] * 4, ['b64'])
    case('mov.b64.unpack4', G, 'mov.b64 {%o0, %o1, %o2, %o3}, %i0;', ['b64'], ['b16'] * 4)
    case('mov.b64.unpack_lo_sink', G, 'mov.b64 {%o0, _}, %i0;', ['b64'], ['b32'])
    case('mov.b64.unpack_hi_sink', G, 'mov.b64 {_, %o0}, %i0;', ['b64'], ['b32'])
    case('mov.b32.unpack_hi_sink', G, 'mov.b32 {_, %o0}, %i0;', ['b32'], ['b16'])
    case('mov.b128.pack_unpack', G, '.reg .b128 %q0;\nmov.b128 %q0, {%i0, %i1};\nmov.b128 {%o1, %o0}, %q0;', ['b64', 'b64'], ['b64', 'b64'])
    case('mov.b16.pack_b8', G, '.reg .b8 %b<4>;\ncvt.u8.u32 %b0, %i0;\ncvt.u8.u32 %b1, %i1;\nmov.b16 %o0, {%b0, %b1};', ['b8', 'b8'], ['b16'])
    case('mov.b32.pack_b8', G, '.reg .b8 %b<4>;\ncvt.u8.u32 %b0, %i0;\ncvt.u8.u32 %b1, %i1;\nmov.b32 %o0, {%b0, %b1, %b0, %b1};', ['b8', 'b8'], ['b32'])
    case('mov.b32.typed_regs', G, '.reg .f32 %ff;\n.reg .s32 %ss;\nmov.b32 %ff, %i0;\nadd.f32 %ff, %ff, 0f3F800000;\nmov.b32 %ss, %ff;\nmov.b32 %o0, %ss;', ['f32'], ['f32'])
    case('mov.vec.swizzle', G, '.reg .v2 .b32 %va;\nmov.v2.b32 %va, {%i0, %i1};\nadd.u32 %o0, %va.x, 1;\nadd.u32 %o1, %va.y, 2;', ['b32', 'b32'], ['b32', 'b32'])
    for s in ('tid.x', 'tid.y', 'tid.z', 'ntid.x', 'ntid.y', 'ntid.z', 'laneid', 'ctaid.x', 'ctaid.y', 'ctaid.z', 'nctaid.x',
              'nctaid.y', 'nctaid.z', 'lanemask_eq', 'lanemask_le', 'lanemask_lt', 'lanemask_ge', 'lanemask_gt', 'clusterid.x', 'clusterid.y', 'clusterid.z',
              'nclusterid.x', 'nclusterid.y', 'nclusterid.z', 'cluster_ctaid.x', 'cluster_ctaid.y', 'cluster_nctaid.x', 'cluster_nctaid.y', 'cluster_ctarank', 'cluster_nctarank',
              'dynamic_smem_size'):
        case(f'mov.u32.{s}', G, f'mov.u32 %o0, %{s};', [], ['u32'], n=64, impl='cluster' in s)
    case('mov.pred.is_explicit_cluster', G, 'mov.pred %o0, %is_explicit_cluster;', [], ['pred'], n=64)
    case('mov.v4.tid', G, '.reg .v4 .u32 %vv;\nmov.v4.u32 %vv, %tid;\nmov.u32 %o0, %vv.x;\nmov.u32 %o1, %vv.y;', [], ['u32', 'u32'], n=64)
    case('cvt.u64.laneid', G, 'cvt.u64.u32 %o0, %laneid;', [], ['u64'], n=64)
    # literal syntax
    G = 'literal'
    lits = [('dec', '123456789'), ('neg', '-42'), ('hex', '0xDEADBEEF'), ('hexU', '0xFFFFFFFFU'), ('oct', '0777'), ('bin', '0b101101'),
            ('expr', '(1<<5)+3'), ('exprneg', '-(7*3)'), ('exprcond', '(3 > 2 ? 17 : 19)'), ('exprnot', '~0x0F'), ('exprlnot', '!5'),
            ('expror', '0x10|0x02'), ('exprmod', '17 % 5'), ('exprdiv', '100/7'), ('exprshr', '0x80000000U>>4'), ('exprsshr', '-16>>2'),
            ('exprcast', '(.u64)-1 & 0xFFFF'), ('exprcmp', '5==5'), ('exprlogand', '5&&0'), ('exprlogor', '5||0'), ('exprxor', '0xFF^0x0F'),
            ('warpsz', 'WARP_SZ'), ('max', '4294967295'), ('min', '-2147483648')]
    for nme, l in lits:
        case(f'mov.u32.{nme}', G, f'mov.u32 %o0, {l};', [], ['u32'], n=64)
        case(f'add.s32.{nme}', G, f'add.s32 %o0, %i0, {l};', ['s32'], ['s32'])
        case(f'mov.u64.{nme}', G, f'mov.u64 %o0, {l};', [], ['u64'], n=64)
    for nme, l in [('hex', '0f3F9D70A4'), ('dec', '1.25'), ('exp', '1.5e10'), ('neg', '-3.5'), ('dhex', '0d3FF3AE147AE147AE'), ('negexp', '2.5E-3'), ('HEX', '0FC0490FDB'),
                   ('inf', '0f7F800000'), ('negzero', '0f80000000'), ('round', '0.1'), ('fexpr', '1.5+2.25'), ('fexprmul', '3.0*0.1'), ('fexprdiv', '1.0/3.0')]:
        case(f'mov.f32.{nme}', G, f'mov.f32 %o0, {l};', [], ['f32'], n=64)
        case(f'mov.f64.{nme}', G, f'mov.f64 %o0, {l};', [], ['f64'], n=64)
    for t, l in [('s16', '-5'), ('u16', '0xFFFF'), ('s64', '-5'), ('u64', '0xFFFFFFFFFFFFFFFF'), ('s64', '0x7FFFFFFFFFFFFFFF'), ('s32', '2147483647'), ('u64', '18446744073709551615'), ('s64', '-9223372036854775808')]:
        case(f'add.{t}.imm', G, f'add.{t} %o0, %i0, {l};', [t], [t])
        case(f'sub.{t}.imm', G, f'sub.{t} %o0, {l}, %i0;', [t], [t])
    case('mul.f64.imm', G, 'mul.f64 %o0, %i0, 0.1;', ['f64'], ['f64'])
    case('setp.f64.imm', G, 'setp.lt.f64 %o0, %i0, 1.0;', ['f64'], ['pred'])


# ---------------------------------------------------------------- memory ----
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


# ---------------------------------------------------------------- warp ------
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


# ---------------------------------------------------------------- matrix ----
def g_matrix():
    G = 'matrix'
    W = dict(kind='warp', n=64)
    # ldmatrix: both warps fill 2 KiB of shared memory, each warp uses its own half
    fill = '''.shared .align 128 .b8 sm[2048];
        mov.u64 %w0, sm;
        mul.wide.u32 %w1, %tx, 32;
        add.u64 %w1, %w1, %w0;
        st.shared.v2.b64 [%w1], {%i0, %i1};
        st.shared.v2.b64 [%w1+16], {%i2, %i3};
        bar.sync 0;
        and.b32 %r0, %tx, 31;
        shr.u32 %r1, %tx, 5;
        mul.wide.u32 %w2, %r1, 1024;
        add.u64 %w2, %w2, %w0;
        mul.lo.u32 %r2, %r0, 7;
        and.b32 %r2, %r2, 31;
        mul.wide.u32 %w3, %r2, 16;
        add.u64 %w3, %w3, %w2;
        '''
    for x in (1, 2, 4):
        for tr in ('', '.trans'):
            regs = ', '.join(f'%o{k}' for k in range(x))
            for a in ('shared', 'shared::cta'):
                if a == 'shared::cta' and x != 2:
                    continue
                case(f'ldmatrix.x{x}{tr}.{a}', G, fill + f'ldmatrix.sync.aligned.m8n8.x{x}{tr}.{a}.b16 {{{regs}}}, [%w3];', ['b64'] * 4, ['b32'] * x, **W)
            rin = ', '.join(f'%i{k}' for k in range(x))
            st = '''.shared .align 128 .b8 sm[2048];
                mov.u64 %w0, sm;
                mul.wide.u32 %w1, %tx, 16;
                add.u64 %w1, %w1, %w0;
                st.shared.v2.b64 [%w1], {0, 0};
                bar.sync 0;
                and.b32 %r0, %tx, 31;
                shr.u32 %r1, %tx, 5;
                mul.wide.u32 %w2, %r1, 512;
                add.u64 %w2, %w2, %w0;
                mul.lo.u32 %r2, %r0, 5;
                and.b32 %r2, %r2, 31;
                mul.wide.u32 %w3, %r2, 16;
                add.u64 %w3, %w3, %w2;
                '''
            case(f'stmatrix.x{x}{tr}', G, st + f'stmatrix.sync.aligned.m8n8.x{x}{tr}.shared.b16 [%w3], {{{rin}}};\nbar.sync 0;\nld.shared.v2.b64 {{%o0, %o1}}, [%w1];', ['b32'] * x, ['b64', 'b64'], **W)
    case('movmatrix', G, 'movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;', ['b32'], ['b32'], **W)

    # mma.sync: (shape, layout, dtype, atype, btype, ctype, nD, nA, nB, nC, reg width, extra suffixes)
    def mma(q, roles, nd, ot, na, nb, nc, tail='', compare='bits', id=None, pre='', nan=None, ex_roles=(), swapneg=False):
        ra, rb, rc = roles
        k = 0
        d = ', '.join(f'%o{i}' for i in range(nd))
        a = ', '.join(f'%i{i}' for i in range(na))
        b = ', '.join(f'%i{i}' for i in range(na, na + nb))
        c = ', '.join(f'%i{i}' for i in range(na + nb, na + nb + nc))
        e = ''
        for j, _ in enumerate(ex_roles):
            e += f', %i{na + nb + nc + j}'
        case(id or q, G, f'{q} {{{d}}}, {{{a}}}, {{{b}}}, {{{c}}}{e}{tail};', [ra] * na + [rb] * nb + [rc] * nc + list(ex_roles), [ot] * nd,
             compare=compare, nan=nan if nan is not None else False, **W)

    P = 'mma.sync.aligned.'
    AC = {'f32': ('m32.f32', 'f32'), 'f16': ('m32.f16acc', 'b32')}
    for acc in ('f32', 'f16'):
        nacc = 4 if acc == 'f32' else 2
        rc, ot = AC[acc]
        mma(f'{P}m16n8k8.row.col.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), nacc, ot, 2, 1, nacc)
        mma(f'{P}m16n8k16.row.col.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), nacc, ot, 4, 2, nacc)
        for la in ('row', 'col'):
            for lb in ('row', 'col'):
                n8 = 8 if acc == 'f32' else 4
                mma(f'{P}m8n8k4.{la}.{lb}.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), n8, ot, 2, 2, n8)
    mma(f'{P}m8n8k4.row.col.f32.f16.f16.f16', ('m32.f16', 'm32.f16', 'm32.f16acc'), 8, 'f32', 2, 2, 4)
    mma(f'{P}m16n8k8.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 2, 1, 4)
    mma(f'{P}m16n8k16.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 4, 2, 4)
    mma(f'{P}m16n8k4.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 2, 1, 4)
    mma(f'{P}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 4, 2, 4)
    # random normal operands: rounding and accumulation order are implementation defined
    REALC = {'rel': 2e-3, 'abs': 2e-3}
    mma(f'{P}m16n8k16.row.col.f32.f16.f16.f32', ('m32.f16r', 'm32.f16r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare=REALC, id='mma.m16n8k16.f32.f16.real')
    mma(f'{P}m16n8k16.row.col.f16.f16.f16.f16', ('m32.f16r', 'm32.f16r', 'm32.f16r'), 2, 'b32', 4, 2, 2, compare={'rel': 1e-2, 'abs': 2e-2, 'as': 'f16x2'}, id='mma.m16n8k16.f16.f16.real')
    mma(f'{P}m16n8k16.row.col.f32.bf16.bf16.f32', ('m32.bf16r', 'm32.bf16r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare=REALC, id='mma.m16n8k16.f32.bf16.real')
    mma(f'{P}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.tf32r', 'm32.tf32r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare=REALC, id='mma.m16n8k8.f32.tf32.real')
    mma(f'{P}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.f32r', 'm32.f32r', 'm32.f32r'), 4, 'f32', 4, 2, 4, compare={'rel': 1e-2, 'abs': 1e-2}, id='mma.m16n8k8.f32.tf32.lowbits')
    # f64
    for q, na, nb, nc in (('m8n8k4', 1, 1, 2), ('m16n8k4', 2, 1, 4), ('m16n8k8', 4, 2, 4), ('m16n8k16', 8, 4, 4)):
        for r in ('', '.rn', '.rz', '.rm', '.rp'):
            # the result is exact for integers, so every rounding mode agrees
            mma(f'{P}{q}.row.col{r}.f64.f64.f64.f64', ('m64.f64',) * 3, nc, 'f64', na, nb, nc)
        mma(f'{P}{q}.row.col.f64.f64.f64.f64', ('m64.f64r',) * 3, nc, 'f64', na, nb, nc, compare={'rel': 1e-12, 'abs': 1e-12}, id=f'mma.{q}.f64.real')
    # integer
    for a in ('s8', 'u8'):
        for b in ('s8', 'u8'):
            for s in ('', '.satfinite'):
                rc = 'm32.s32' if not s else 'm32.s32e'
                mma(f'{P}m8n8k16.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 2, 's32', 1, 1, 2)
                mma(f'{P}m16n8k16.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 2, 1, 4)
                mma(f'{P}m16n8k32.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 4, 2, 4)
    for a in ('s4', 'u4'):
        for b in ('s4', 'u4'):
            for s in ('', '.satfinite'):
                rc = 'm32.s32' if not s else 'm32.s32e'
                mma(f'{P}m8n8k32.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 2, 's32', 1, 1, 2)
                mma(f'{P}m16n8k32.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 2, 1, 4)
                mma(f'{P}m16n8k64.row.col{s}.s32.{a}.{b}.s32', (f'm32.{a}', f'm32.{b}', rc), 4, 's32', 4, 2, 4)
    for o in ('xor', 'and'):
        mma(f'{P}m8n8k128.row.col.s32.b1.b1.s32.{o}.popc', ('m32.b1', 'm32.b1', 'm32.s32'), 2, 's32', 1, 1, 2)
        mma(f'{P}m16n8k128.row.col.s32.b1.b1.s32.{o}.popc', ('m32.b1', 'm32.b1', 'm32.s32'), 4, 's32', 2, 1, 4)
        mma(f'{P}m16n8k256.row.col.s32.b1.b1.s32.{o}.popc', ('m32.b1', 'm32.b1', 'm32.s32'), 4, 's32', 4, 2, 4)
    for a in ('e4m3', 'e5m2'):
        for b in ('e4m3', 'e5m2'):
            mma(f'{P}m16n8k32.row.col.f32.{a}.{b}.f32', (f'm32.{a}', f'm32.{b}', 'm32.f32'), 4, 'f32', 4, 2, 4)
            mma(f'{P}m16n8k16.row.col.f32.{a}.{b}.f32', (f'm32.{a}', f'm32.{b}', 'm32.f32'), 4, 'f32', 2, 1, 4)
            mma(f'{P}m16n8k32.row.col.f16.{a}.{b}.f16', (f'm32.{a}', f'm32.{b}', 'm32.f16acc'), 2, 'b32', 4, 2, 2)
            mma(f'{P}m16n8k16.row.col.f16.{a}.{b}.f16', (f'm32.{a}', f'm32.{b}', 'm32.f16acc'), 2, 'b32', 2, 1, 2)
    # sparse
    for sp in ('sp', 'sp::ordered_metadata'):
        Q = f'mma.{sp}.sync.aligned.'
        md = 'm32.sp4'
        for s in (0, 1, 2, 3):
            if s < 4:
                for acc in ('f32', 'f16'):
                    nacc = 4 if acc == 'f32' else 2
                    rc, ot = AC[acc]
                    mma(f'{Q}m16n8k16.row.col.{acc}.f16.f16.{acc}', ('m32.f16', 'm32.f16', rc), nacc, ot, 2, 2, nacc, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k16.{acc}.f16.sel{s}')
                mma(f'{Q}m16n8k16.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 2, 2, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k16.f32.bf16.sel{s}')
                mma(f'{Q}m16n8k8.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 2, 2, 4, ex_roles=('m32.sp2',), tail=f', 0x{s:x}', id=f'{Q}m16n8k8.f32.tf32.sel{s}')
            if s < 2:
                mma(f'{Q}m16n8k32.row.col.f32.f16.f16.f32', ('m32.f16', 'm32.f16', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k32.f32.f16.sel{s}')
                mma(f'{Q}m16n8k32.row.col.f32.bf16.bf16.f32', ('m32.bf16', 'm32.bf16', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k32.f32.bf16.sel{s}')
                mma(f'{Q}m16n8k16.row.col.f32.tf32.tf32.f32', ('m32.tf32', 'm32.tf32', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=('m32.sp2',), tail=f', 0x{s:x}', id=f'{Q}m16n8k16.f32.tf32.sel{s}')
                for a in ('s8', 'u8'):
                    mma(f'{Q}m16n8k32.row.col.s32.{a}.{a}.s32', (f'm32.{a}', f'm32.{a}', 'm32.s32'), 4, 's32', 2, 2, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k32.s32.{a}.sel{s}')
                mma(f'{Q}m16n8k64.row.col.s32.s4.u4.s32', ('m32.s4', 'm32.u4', 'm32.s32'), 4, 's32', 2, 2, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.s32.s4.u4.sel{s}')
            if s < 1:
                for a in ('s8', 'u8'):
                    mma(f'{Q}m16n8k64.row.col.s32.{a}.s8.s32', (f'm32.{a}', 'm32.s8', 'm32.s32'), 4, 's32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.s32.{a}.s8.sel{s}')
                mma(f'{Q}m16n8k64.row.col.satfinite.s32.s8.s8.s32', ('m32.s8', 'm32.s8', 'm32.s32e'), 4, 's32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.satfinite.s32.s8.s8.sel{s}')
                mma(f'{Q}m16n8k128.row.col.s32.u4.s4.s32', ('m32.u4', 'm32.s4', 'm32.s32'), 4, 's32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k128.s32.u4.s4.sel{s}')
                for a in ('e4m3', 'e5m2'):
                    mma(f'{Q}m16n8k64.row.col.f32.{a}.{a}.f32', (f'm32.{a}', f'm32.{a}', 'm32.f32'), 4, 'f32', 4, 4, 4, ex_roles=(md,), tail=f', 0x{s:x}', id=f'{Q}m16n8k64.f32.{a}.sel{s}')

    # wmma: one warp, matrices are memory images: operand words in order A, B, C; output D row major unless .col
    def wm(shape, at, bt, ct, dt, la, lb, lc, ld_, suffix='', elems=None, rnd=''):
        m, nn, k = (int(x) for x in re.match(r'm(\d+)n(\d+)k(\d+)', shape).groups())
        eb = {'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 'f64': 64, 's8': 8, 'u8': 8, 's32': 32, 's4': 4, 'u4': 4, 'b1': 1}
        wa, wb, wc, wd = m * k * eb[at] // 64, nn * k * eb[bt] // 64, m * nn * eb[ct] // 64, m * nn * eb[dt] // 64
        ka, kb, kc, kd = ((x + 31) // 32 for x in (wa, wb, wc, wd))
        frag = {'f16': 8, 'bf16': None}
        def nreg(mat, t):
            if t == 'f16' and mat in 'ab':
                return 8
            if t == 'f16':
                return 4
            if t == 'f32':
                return 8
            if t == 'bf16':
                return {('m16n16k16'): 4, 'm8n32k16': 2 if mat == 'a' else 8, 'm32n8k16': 8 if mat == 'a' else 2}[shape]
            if t == 'tf32':
                return 4
            if t == 'f64':
                return 1 if mat in 'ab' else 2
            if t in ('s8', 'u8'):
                return {'m16n16k16': 2, 'm8n32k16': 1 if mat == 'a' else 4, 'm32n8k16': 4 if mat == 'a' else 1}[shape]
            if t in ('s4', 'u4', 'b1'):
                return 1
            if t == 's32':
                return 8 if shape.startswith(('m16n16', 'm8n32', 'm32n8')) else 2
        na, nb, nc, nd = nreg('a', at), nreg('b', bt), nreg('c', ct), nreg('d', dt)
        rt = 'b64' if at == 'f64' else 'b32'
        A = ', '.join(f'%ra{i}' for i in range(na)); B = ', '.join(f'%rb{i}' for i in range(nb))
        C = ', '.join(f'%rc{i}' for i in range(nc)); D = ', '.join(f'%rd{i}' for i in range(nd))
        # element offsets in bytes of each matrix in the input block (32 words = 256 bytes per operand)
        oa, ob, oc = 0, 256 * ka, 256 * (ka + kb)
        lda = k if la == 'row' else m
        ldb = nn if lb == 'row' else k
        ldc = nn if lc == 'row' else m
        ldd = nn if ld_ == 'row' else m
        mm = f'wmma.mma{suffix}.sync.aligned.{la}.{lb}.{shape}{rnd}'
        if at == 'f16':
            tq = f'{dt}.{ct}'
        elif at in ('bf16', 'tf32', 'f64'):
            tq = f'{dt}.{at}.{bt}.{ct}'
        else:
            tq = f's32.{at}.{bt}.s32'
        sat = ''
        q = f'{mm}.{tq}'
        body = f'''.reg .{rt} %ra<{na}>, %rb<{nb}>, %rc<{nc}>, %rd<{nd}>;
            add.u64 %w0, %bi, {oa};
            add.u64 %w1, %bi, {ob};
            add.u64 %w2, %bi, {oc};
            wmma.load.a.sync.aligned.{la}.{shape}.global.{at} {{{A}}}, [%w0], {lda};
            wmma.load.b.sync.aligned.{lb}.{shape}.global.{bt} {{{B}}}, [%w1], {ldb};
            wmma.load.c.sync.aligned.{lc}.{shape}.global.{ct} {{{C}}}, [%w2], {ldc};
            {q} {{{D}}}, {{{A}}}, {{{B}}}, {{{C}}};
            wmma.store.d.sync.aligned.{ld_}.{shape}.global.{dt} [%bo], {{{D}}}, {ldd};'''
        rc = {'f16': 'm64.f16acc', 'f32': 'm64.f32', 'f64': 'm64.f64', 's32': 'm64.s32'}[ct]
        z = ''
        if kd * 32 > wd:
            # unused tail of the last output operand
            body = f'st.global.b64 [%po+{256 * (kd - 1)}], 0;\nbar.warp.sync -1;\n' + body
        case(f'{q}-{lc}.{ld_}', G, body, ['m64.' + at] * ka + ['m64.' + bt] * kb + [rc] * kc, ['b64'] * kd, kind='warp', n=32, raw=True, nan=False,
             note='inputs and outputs are memory images: A, B, C at operand boundaries (256 bytes each); D at the start of the output')
    for shape in ('m16n16k16', 'm32n8k16', 'm8n32k16'):
        for la in ('row', 'col'):
            for lb in ('row', 'col'):
                for ct in ('f16', 'f32'):
                    for dt in ('f16', 'f32'):
                        wm(shape, 'f16', 'f16', ct, dt, la, lb, 'row', 'row')
                wm(shape, 's8', 's8', 's32', 's32', la, lb, 'row', 'row')
                wm(shape, 'u8', 'u8', 's32', 's32', la, lb, 'row', 'col')
                wm(shape, 'bf16', 'bf16', 'f32', 'f32', la, lb, 'row', 'row')
        wm(shape, 'f16', 'f16', 'f32', 'f32', 'row', 'col', 'col', 'row')
        wm(shape, 'f16', 'f16', 'f16', 'f16', 'row', 'col', 'row', 'col')
        wm(shape, 's8', 's8', 's32', 's32', 'row', 'col', 'col', 'col')
    for la in ('row', 'col'):
        for lb in ('row', 'col'):
            wm('m16n16k8', 'tf32', 'tf32', 'f32', 'f32', la, lb, 'row', 'row')
            wm('m8n8k4', 'f64', 'f64', 'f64', 'f64', la, lb, 'row', 'row')
    for r in ('.rn', '.rz', '.rm', '.rp'):
        wm('m8n8k4', 'f64', 'f64', 'f64', 'f64', 'row', 'col', 'row', 'row', rnd=r)
    for t in ('s4', 'u4'):
        wm('m8n8k32', t, t, 's32', 's32', 'row', 'col', 'row', 'row')
        wm('m8n8k32', t, t, 's32', 's32', 'row', 'col', 'col', 'col')
    for o in ('.xor.popc', '.and.popc'):
        wm('m8n8k128', 'b1', 'b1', 's32', 's32', 'row', 'col', 'row', 'row', suffix=o)


# ---------------------------------------------------------------- control ---
def g_control():
    G = 'control'
    U = 'u32'
    case('if_else', G, '''and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 bra EVEN;
        mul.lo.u32 %o0, %i0, 3;
        bra.uni END;
        EVEN:
        shr.u32 %o0, %i0, 1;
        END:
        xor.b32 %o0, %o0, 0x5a;''', [U], [U])
    nest = 'mov.u32 %o0, 1;\n'

    def tree(d, path):
        if d == 4:
            return f'mad.lo.u32 %o0, %o0, {path + 3}, {path * 17};\n'
        return (f'and.b32 %r{d}, %i0, {1 << d};\nsetp.ne.u32 %p{d}, %r{d}, 0;\n@%p{d} bra T{d}_{path};\n'
                + tree(d + 1, path * 2) + f'bra J{d}_{path};\nT{d}_{path}:\n' + tree(d + 1, path * 2 + 1) + f'J{d}_{path}:\nadd.u32 %o0, %o0, {d};\n')
    case('if_nested4', G, nest + tree(0, 1), [U], [U])
    case('loop_trip', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        LOOP:
        setp.ge.u32 %p0, %r0, %i0;
        @%p0 bra DONE;
        mad.lo.u32 %o0, %o0, 5, %r0;
        add.u32 %r0, %r0, 1;
        bra LOOP;
        DONE:''' + '\nadd.u32 %o0, %o0, 0;', ['trip'], [U])
    case('loop_do_while', G, '''mov.u32 %o0, 1;
        mov.u32 %r0, %i0;
        LOOP:
        mul.lo.u32 %o0, %o0, 3;
        sub.u32 %r0, %r0, 1;
        setp.gt.s32 %p0, %r0, 0;
        @%p0 bra LOOP;''', ['trip'], [U])
    case('collatz', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, %i0;
        LOOP:
        setp.le.u32 %p0, %r0, 1;
        @%p0 bra DONE;
        and.b32 %r1, %r0, 1;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 shr.u32 %r0, %r0, 1;
        @!%p1 mad.lo.u32 %r0, %r0, 3, 1;
        add.u32 %o0, %o0, 1;
        bra LOOP;
        DONE:
        mov.u32 %o1, %r0;''', ['trip1'], [U, U])
    case('gcd', G, '''mov.u32 %r0, %i0;
        mov.u32 %r1, %i1;
        LOOP:
        setp.eq.u32 %p0, %r1, 0;
        @%p0 bra DONE;
        rem.u32 %r2, %r0, %r1;
        mov.u32 %r0, %r1;
        mov.u32 %r1, %r2;
        bra LOOP;
        DONE:
        mov.u32 %o0, %r0;''', ['u32', 'u32'], [U])
    case('crc32', G, '''not.b32 %r0, %i0;
        mov.u32 %r1, 0;
        LOOP:
        and.b32 %r2, %r0, 1;
        neg.s32 %r2, %r2;
        and.b32 %r2, %r2, 0xEDB88320;
        shr.u32 %r0, %r0, 1;
        xor.b32 %r0, %r0, %r2;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p0, %r1, 32;
        @%p0 bra LOOP;
        not.b32 %o0, %r0;''', [U], [U])
    case('loop_break_continue', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        HEAD:
        setp.ge.u32 %p0, %r0, 64;
        @%p0 bra OUT;
        add.u32 %r1, %r0, %i0;
        add.u32 %r0, %r0, 1;
        and.b32 %r2, %r1, 3;
        setp.eq.u32 %p1, %r2, 2;
        @%p1 bra HEAD;
        add.u32 %o0, %o0, %r1;
        rem.u32 %r3, %o0, 97;
        setp.eq.u32 %p2, %r3, 13;
        @%p2 bra OUT;
        bra HEAD;
        OUT:
        mov.u32 %o1, %r0;''', ['trip'], [U, U])
    case('loop_nested', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        OUTER:
        setp.ge.u32 %p0, %r0, %i0;
        @%p0 bra DONE;
        mov.u32 %r1, 0;
        INNER:
        setp.gt.u32 %p1, %r1, %r0;
        @%p1 bra ENDIN;
        mad.lo.u32 %o0, %o0, 31, %r1;
        add.u32 %r1, %r1, 1;
        bra INNER;
        ENDIN:
        add.u32 %r0, %r0, 1;
        bra OUTER;
        DONE:
        add.u32 %o0, %o0, %tx;''', ['small12'], [U])
    case('newton_isqrt', G, '''shr.u32 %r0, %i0, 1;
        add.u32 %r0, %r0, 1;
        setp.eq.u32 %p0, %i0, 0;
        mov.u32 %o0, 0;
        @%p0 bra END;
        LOOP:
        div.u32 %r1, %i0, %r0;
        add.u32 %r1, %r1, %r0;
        shr.u32 %r1, %r1, 1;
        setp.ge.u32 %p1, %r1, %r0;
        @%p1 bra FIN;
        mov.u32 %r0, %r1;
        bra LOOP;
        FIN:
        mov.u32 %o0, %r0;
        END:
        add.u32 %o0, %o0, 0;''', ['trip1'], [U])
    case('irreducible', G, '''mov.u32 %r0, 0;
        mov.u32 %o0, 7;
        and.b32 %r1, %i0, 1;
        setp.ne.u32 %p0, %r1, 0;
        @%p0 bra B;
        A:
        mad.lo.u32 %o0, %o0, 3, 1;
        add.u32 %r0, %r0, 1;
        B:
        xor.b32 %o0, %o0, %r0;
        add.u32 %r0, %r0, 1;
        setp.lt.u32 %p1, %r0, %i0;
        @%p1 bra A;''', ['trip'], [U])
    for sfx in ('', '.uni'):
        idx = 'and.b32 %r0, %i0, 3;' if not sfx else 'mov.u32 %r0, 2;'
        case(f'brx.idx{sfx}', G, f'''{idx}
            TGT: .branchtargets L0, L1, L2, L3;
            brx.idx{sfx} %r0, TGT;
            L0:
            mov.u32 %o0, 100;
            bra END;
            L1:
            mul.lo.u32 %o0, %i0, 7;
            bra END;
            L2:
            not.b32 %o0, %i0;
            bra END;
            L3:
            add.u32 %o0, %i0, 1000;
            END:
            add.u32 %o0, %o0, 1;''', [U], [U])
    case('brx.idx.fallthrough', G, '''and.b32 %r0, %i0, 7;
        mov.u32 %o0, 1;
        TGT: .branchtargets L0, L1, L2, L3, L4, L2, L1, END;
        brx.idx %r0, TGT;
        L0:
        add.u32 %o0, %o0, 3;
        L1:
        mul.lo.u32 %o0, %o0, 5;
        L2:
        xor.b32 %o0, %o0, 0x33;
        L3:
        shl.b32 %o0, %o0, 2;
        L4:
        sub.u32 %o0, %o0, 9;
        END:
        add.u32 %o0, %o0, %i0;''', [U], [U])
    case('brx.idx.loop_vm', G, '''mov.u32 %r1, %i0;
        mov.u32 %o0, 1;
        mov.u32 %r3, 0;
        TGT: .branchtargets L0, L1, L2, L3;
        NEXT:
        and.b32 %r0, %r1, 3;
        shr.u32 %r1, %r1, 2;
        add.u32 %r3, %r3, 1;
        setp.gt.u32 %p0, %r3, 16;
        @%p0 bra END;
        brx.idx %r0, TGT;
        L0:
        add.u32 %o0, %o0, 11;
        bra NEXT;
        L1:
        mul.lo.u32 %o0, %o0, 3;
        bra NEXT;
        L2:
        xor.b32 %o0, %o0, %r3;
        bra NEXT;
        L3:
        setp.gt.u32 %p1, %r3, 9;
        @!%p1 bra NEXT;
        END:
        add.u32 %o0, %o0, 0;''', [U], [U], note='little interpreter, lanes diverge every step')
    # calls
    f_addmul = '''.func (.param .b32 rv) $K_f(.param .b32 a, .param .b32 b)
        {
        .reg .b32 %x<4>;
        ld.param.b32 %x0, [a];
        ld.param.b32 %x1, [b];
        mad.lo.u32 %x2, %x0, %x1, 17;
        st.param.b32 [rv], %x2;
        ret;
        }'''
    call = '''{
        .param .b32 pa;
        .param .b32 pb;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        st.param.b32 [pb], %i1;
        CALLQ (pr), $K_f, (pa, pb);
        ld.param.b32 %o0, [pr];
        }'''
    case('call.uni', G, call.replace('CALLQ', 'call.uni'), [U, U], [U], prelude=f_addmul)
    case('call', G, call.replace('CALLQ', 'call'), [U, U], [U], prelude=f_addmul)
    case('call.reg_params', G, 'call.uni (%o0), $K_f, (%i0, %i1);', [U, U], [U], prelude='''.func (.reg .b32 rv) $K_f(.reg .b32 a, .reg .b32 b)
        {
        sub.u32 rv, a, b;
        ret;
        }''')
    case('call.alias', G, call.replace('CALLQ', 'call.uni').replace('$K_f', '$K_al'), [U, U], [U], prelude='.visible ' + f_addmul + '\n.visible .func (.param .b32 rv) $K_al(.param .b32 a, .param .b32 b);\n.alias $K_al, $K_f;')
    case('call.declared_first', G, call.replace('CALLQ', 'call.uni'), [U, U], [U], prelude=f_addmul.split('{')[0] + ';\n' + f_addmul)
    for e in ('.maxntid 1024, 1, 1', '.reqntid 128, 1, 1', '.maxntid 256, 1, 1 .minnctapersm 2', '.maxnreg 40', '.maxclusterrank 1', '.reqnctapercluster 1, 1, 1'):
        case('entry' + e.split(' ')[0], G, 'mad.lo.u32 %o0, %i0, %i1, 9;', [U, U], [U], entry=' ' + e)
    case('pragma.nounroll', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        LOOP:
        .pragma "nounroll";
        mad.lo.u32 %o0, %o0, 3, %i0;
        add.u32 %r0, %r0, 1;
        setp.lt.u32 %p0, %r0, 8;
        @%p0 bra LOOP;''', [U], [U])
    case('comments', G, '''/* block { comment */ add.u32 %o0, %i0, 1; // trailing ; comment
        /* multi
        line */
        xor.b32 %o0 , %o0,0x1 ;''', [U], [U])
    case('call.divergent', G, '''and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        mov.b32 %o0, 5;
        @%p0 bra SKIP;
        ''' + call.replace('CALLQ', 'call') + '\nSKIP:\nadd.u32 %o0, %o0, 1;', [U, U], [U], prelude=f_addmul)
    case('call.predicated', G, '''and.b32 %r0, %i0, 3;
        setp.eq.u32 %p0, %r0, 0;
        {
        .param .b32 pa;
        .param .b32 pb;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        st.param.b32 [pb], %i1;
        @%p0 call (pr), $K_f, (pa, pb);
        ld.param.b32 %r1, [pr];
        }
        selp.b32 %o0, %r1, 3, %p0;''', [U, U], [U], prelude=f_addmul)
    case('call.void_pointer', G, '''{
        .param .b64 pp;
        .local .align 4 .b32 lv;
        .reg .b64 %q;
        st.local.b32 [lv], %i0;
        mov.u64 %q, lv;
        cvta.local.u64 %q, %q;
        st.param.b64 [pp], %q;
        call.uni $K_f, (pp);
        ld.local.b32 %o0, [lv];
        }''', [U], [U], prelude='''.func $K_f(.param .b64 p)
        {
        .reg .b32 %x; .reg .b64 %y;
        ld.param.b64 %y, [p];
        ld.b32 %x, [%y];
        mad.lo.u32 %x, %x, %x, 1;
        st.b32 [%y], %x;
        ret;
        }''')
    case('call.nested', G, call.replace('CALLQ', 'call'), [U, U], [U], prelude='''.func (.param .b32 rv) $K_g(.param .b32 a)
        {
        .reg .b32 %x;
        ld.param.b32 %x, [a];
        not.b32 %x, %x;
        st.param.b32 [rv], %x;
        ret;
        }
        .func (.param .b32 rv) $K_f(.param .b32 a, .param .b32 b)
        {
        .reg .b32 %x<4>;
        ld.param.b32 %x0, [a];
        ld.param.b32 %x1, [b];
        {
        .param .b32 q; .param .b32 r;
        st.param.b32 [q], %x0;
        call (r), $K_g, (q);
        ld.param.b32 %x2, [r];
        }
        add.u32 %x2, %x2, %x1;
        st.param.b32 [rv], %x2;
        ret;
        }''')
    one = '''{
        .param .b32 pa;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        call (pr), $K_f, (pa);
        ld.param.b32 %o0, [pr];
        }'''

    def rec(base, step):
        return '.func (.param .b32 rv) $K_f(.param .b32 a)\n{\n.reg .b32 %x<8>; .reg .pred %p;\nld.param.b32 %x0, [a];\n' + base + '''
            @%p bra BASE;
            ''' + step + '''
            st.param.b32 [rv], %x1;
            ret;
            BASE:
            st.param.b32 [rv], %x0;
            ret;
            }'''
    sub = lambda dst, src: f'{{\n.param .b32 q; .param .b32 r;\nst.param.b32 [q], {src};\ncall (r), $K_f, (q);\nld.param.b32 {dst}, [r];\n}}'
    case('recursion.sum', G, one, ['small12'], [U], prelude=rec('setp.eq.u32 %p, %x0, 0;', 'sub.u32 %x2, %x0, 1;\n' + sub('%x3', '%x2') + '\nmad.lo.u32 %x1, %x3, 3, %x0;'))
    case('recursion.fib', G, one, ['small12'], [U], prelude=rec('setp.lt.u32 %p, %x0, 2;', 'sub.u32 %x2, %x0, 1;\n' + sub('%x3', '%x2') + '\nsub.u32 %x4, %x0, 2;\n' + sub('%x5', '%x4') + '\nadd.u32 %x1, %x3, %x5;'))
    case('recursion.mutual', G, one, ['small12'], [U], prelude='''.func (.param .b32 rv) $K_f(.param .b32 a);
        .func (.param .b32 rv) $K_g(.param .b32 a)
        {
        .reg .b32 %x<8>; .reg .pred %p;
        ld.param.b32 %x0, [a];
        setp.eq.u32 %p, %x0, 0;
        @%p bra BASE;
        sub.u32 %x2, %x0, 1;
        ''' + sub('%x3', '%x2') + '''
        mad.lo.u32 %x1, %x3, 2, 1;
        st.param.b32 [rv], %x1;
        ret;
        BASE:
        st.param.b32 [rv], 1000;
        ret;
        }
        .func (.param .b32 rv) $K_f(.param .b32 a)
        {
        .reg .b32 %x<8>; .reg .pred %p;
        ld.param.b32 %x0, [a];
        setp.eq.u32 %p, %x0, 0;
        @%p bra BASE;
        sub.u32 %x2, %x0, 1;
        ''' + sub('%x3', '%x2').replace('$K_f', '$K_g') + '''
        mad.lo.u32 %x1, %x3, 3, %x0;
        st.param.b32 [rv], %x1;
        ret;
        BASE:
        st.param.b32 [rv], 2000;
        ret;
        }''')
    fns = ''
    for j, e in enumerate(('add.u32 %x, %x, 100;', 'mul.lo.u32 %x, %x, 9;', 'not.b32 %x, %x;', 'brev.b32 %x, %x;')):
        fns += f'.func (.param .b32 rv) $K_f{j}(.param .b32 a)\n{{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n{e}\nst.param.b32 [rv], %x;\nret;\n}}\n'
    fns += '.global .align 8 .u64 $K_tab[4] = {$K_f0, $K_f1, $K_f2, $K_f3};\n'
    ind = '''{
        .param .b32 pa;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (pr), %w2, (pa), PROTO;
        ld.param.b32 %o0, [pr];
        }'''
    case('call.indirect.table', G, 'and.b32 %r0, %i0, 3;\nmul.wide.u32 %w0, %r0, 8;\nmov.u64 %w1, $K_tab;\nadd.u64 %w1, %w1, %w0;\nld.global.u64 %w2, [%w1];\n' + ind, [U], [U], prelude=fns, note='divergent indirect call')
    case('call.indirect.mov', G, 'mov.u64 %w2, $K_f1;\nmov.u64 %w3, $K_f2;\nand.b32 %r0, %i0, 1;\nsetp.eq.u32 %p0, %r0, 0;\nselp.u64 %w2, %w2, %w3, %p0;\n' + ind, [U], [U], prelude=fns)
    case('call.targets', G, 'mov.u64 %w2, $K_f1;\nmov.u64 %w3, $K_f2;\nand.b32 %r0, %i0, 1;\nsetp.eq.u32 %p0, %r0, 0;\nselp.u64 %w2, %w2, %w3, %p0;\n' +
         ind.replace('PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);', 'PROTO: .calltargets $K_f1, $K_f2;'), [U], [U], prelude=fns)
    case('ret.predicated', G, one, [U], [U], prelude='''.func (.param .b32 rv) $K_f(.param .b32 a)
        {
        .reg .b32 %x; .reg .pred %p;
        ld.param.b32 %x, [a];
        st.param.b32 [rv], 1;
        setp.lt.s32 %p, %x, 0;
        @%p ret;
        st.param.b32 [rv], 2;
        setp.gt.u32 %p, %x, 100;
        @%p ret.uni;
        st.param.b32 [rv], 3;
        ret;
        }'''.replace('@%p ret.uni', '@%p ret'))
    case('exit.early', G, '''st.global.b64 [%po], 77;
        and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 exit;
        mul.lo.u32 %o0, %i0, 3;''', [U], [U], note='lanes that exit leave 77')
    case('ret.early', G, '''st.global.b64 [%po], 78;
        setp.gt.u32 %p0, %tx, 20;
        @%p0 ret;
        mul.lo.u32 %o0, %i0, 3;''', [U], [U], note='lanes that return leave 78')
    # predicated execution
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


# ----------------------------------------------------------------------------
# assembling and filtering
# ----------------------------------------------------------------------------
VERSIONS = ['8.0', '8.2', '8.3', '8.4', '8.6', '8.7', '8.8', '9.0']
HEADER = '.version {v}\n.target sm_90\n.address_size 64\n\n'


def run_ptxas(ptxas, text, tmp, tag, opt=None, out=None):
    p = os.path.join(tmp, tag + '.ptx')
    with open(p, 'w') as f:
        f.write(text)
    cmd = [ptxas, '-arch=sm_90', p, '-o', out or os.devnull]
    if opt is not None:
        cmd.insert(1, opt)
    if out is None:
        cmd = [ptxas] + ([opt] if opt else []) + ['-arch=sm_90', p, '-o', os.path.join(tmp, tag + '.cubin')]
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return r.returncode, r.stdout


def filter_cases(cases, version, ptxas, tmp, jobs, chunk=60):
    """returns (accepted, {case: message})"""
    names = {id(c): f'k{i:05d}' for i, c in enumerate(cases)}
    bad = {}

    def one(ci, part):
        part = list(part)
        tries = 0
        while part:
            tries += 1
            text = HEADER.format(v=version)
            line = text.count('\n') + 1
            spans = []
            for c in part:
                t = kernel_text(c, names[id(c)]) + '\n'
                n = t.count('\n')
                spans.append((line, line + n - 1, c))
                line += n
                text += t
            rc, out = run_ptxas(ptxas, text, tmp, f'f{version.replace(".", "_")}_{ci}', '-O1')
            if rc == 0:
                return part
            hit = {}
            for m in re.finditer(r'line (\d+)[;,]?\s*(?:error|fatal)\s*:\s*(.*)', out):
                ln = int(m.group(1))
                for a, b, c in spans:
                    if a <= ln <= b:
                        hit.setdefault(id(c), (c, m.group(2).strip()))
            if not hit:
                for m in re.finditer(r"(k\d{5})", out):
                    for a, b, c in spans:
                        if names[id(c)] == m.group(1):
                            hit.setdefault(id(c), (c, out.strip()[-300:]))
            if not hit:  # bisect
                if len(part) == 1:
                    bad[id(part[0])] = out.strip()[-300:] or f'ptxas exit status {rc}'
                    return []
                h = len(part) // 2
                return one(f'{ci}a', part[:h]) + one(f'{ci}b', part[h:])
            for k, (c, msg) in hit.items():
                bad[k] = msg
            part = [c for c in part if id(c) not in hit]
        return part
    parts = [cases[i:i + chunk] for i in range(0, len(cases), chunk)]
    with ThreadPoolExecutor(jobs) as ex:
        list(ex.map(lambda t: one(*t), enumerate(parts)))
    return [c for c in cases if id(c) not in bad], bad


def main():
    global DEFN
    ap = argparse.ArgumentParser()
    ap.add_argument('outdir')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--n', type=int, default=64)
    ap.add_argument('--ptxas', default='ptxas')
    ap.add_argument('--jobs', type=int, default=2)
    ap.add_argument('--per-module', type=int, default=100)
    ap.add_argument('--no-cubin', action='store_true')
    ap.add_argument('--only', default='')
    a = ap.parse_args()
    DEFN = a.n
    for g in (g_int, g_logic, g_carry, g_float32, g_float64, g_half, g_cvt, g_compare, g_video, g_mov, g_memory, g_warp, g_atomic, g_matrix, g_control):
        if not a.only or g.__name__[2:] in a.only.split(','):
            g()
    os.makedirs(a.outdir, exist_ok=True)
    for f in os.listdir(a.outdir):
        if re.fullmatch(r'm\d\d\.(ptx|cubin)', f):
            os.remove(os.path.join(a.outdir, f))
    todo = list(CASES)
    print(f'{len(todo)} candidate cases')
    order = {id(c): i for i, c in enumerate(CASES)}
    last = {}
    with tempfile.TemporaryDirectory() as tmp:
        for v in VERSIONS:
            ok, bad = filter_cases(todo, v, a.ptxas, tmp, a.jobs)
            for c in ok:
                c.version = v
            last.update({k: m for k, m in bad.items()})
            todo = [c for c in todo if id(c) in bad]
            print(f'.version {v}: {len(ok)} accepted, {len(todo)} left', flush=True)
        rejected = [(c, last[id(c)]) for c in todo]
        rej = {id(c) for c in todo}
        good = [c for c in CASES if id(c) not in rej]
        # modules: one PTX version each, in case order
        mods = []
        final_rejects = []
        for v in VERSIONS:
            cs = [c for c in good if c.version == v]
            for i in range(0, len(cs), a.per_module):
                mods.append((v, cs[i:i + a.per_module]))
        kn = 0
        jobs = []
        for mi, (v, cs) in enumerate(mods):
            for c in cs:
                c.kernel = f'c{kn:04d}'
                c.module = f'm{mi:02d}.ptx'
                kn += 1

        def build(mi):
            v, cs = mods[mi]
            dropped = []
            while True:
                text = HEADER.format(v=v) + '\n'.join(f'// {c.id}\n' + kernel_text(c, c.kernel) for c in cs)
                cub = os.path.join(a.outdir, f'm{mi:02d}.cubin')
                rc, out = run_ptxas(a.ptxas, text, tmp, f'fin{mi}', None, cub)
                if rc == 0:
                    warn = [x for x in out.split('\n') if x.strip() and 'sp::ordered_metadata' not in x]
                    break
                badk = set(re.findall(r'c\d{4}', out))
                keep = [c for c in cs if c.kernel not in badk]
                if len(keep) == len(cs):  # not attributable: test one at a time
                    keep = []
                    for c in cs:
                        rc1, o1 = run_ptxas(a.ptxas, HEADER.format(v=v) + kernel_text(c, c.kernel), tmp, f'one{mi}', None, os.path.join(tmp, f'one{mi}.cubin'))
                        if rc1 == 0:
                            keep.append(c)
                        else:
                            dropped.append((c, o1.strip()[-300:]))
                else:
                    dropped += [(c, out.strip()[-300:]) for c in cs if c.kernel in badk]
                cs = keep
            if a.no_cubin:
                os.remove(cub)
            with open(os.path.join(a.outdir, f'm{mi:02d}.ptx'), 'w') as f:
                f.write(text)
            mods[mi] = (v, cs)
            for x in warn:
                print(f'm{mi:02d}: {x}')
            return dropped
        with ThreadPoolExecutor(a.jobs) as ex:
            for d in ex.map(build, range(len(mods))):
                rejected += d
    inoff = outoff = 0
    blob = bytearray()
    counts = {}
    jl = open(os.path.join(a.outdir, 'cases.jsonl'), 'w')
    tv = open(os.path.join(a.outdir, 'cases.tsv'), 'w')
    for v, cs in mods:
        for c in cs:
            cols = gen_inputs(c, a.seed)
            rec = {'id': c.id, 'group': c.group, 'kernel': c.kernel, 'module': c.module, 'kind': c.kind,
                   'inputs': [ROLES[r][0] for r in c.ins], 'roles': c.ins, 'outputs': c.outs, 'compare': c.compare}
            if c.nan:
                rec['nan'] = c.nan
            if c.raw:
                rec['raw'] = True
            if c.impl:
                rec['impl'] = True
            if c.note:
                rec['note'] = c.note
            rec.update({'ptx_version': v, 'in_offset': inoff, 'out_offset': outoff, 'n': c.n})
            jl.write(json.dumps(rec) + '\n')
            tv.write('\t'.join(str(x) for x in (c.kernel, c.module, c.n, len(c.ins), len(c.outs), inoff, outoff)) + '\n')
            for col in cols:
                assert len(col) == c.n
                blob += struct.pack(f'<{c.n}Q', *col)
            inoff += len(cols) * c.n
            pad = -inoff % 32
            blob += b'\0' * (8 * pad)
            inoff += pad
            outoff += len(c.outs) * c.n
            outoff += -outoff % 32
            counts[c.group] = counts.get(c.group, 0) + 1
    jl.close()
    tv.close()
    with open(os.path.join(a.outdir, 'inputs.bin'), 'wb') as f:
        f.write(blob)
    with open(os.path.join(a.outdir, 'rejected.txt'), 'w') as f:
        for c, m in sorted(rejected, key=lambda t: order[id(t[0])]):
            f.write(f'{c.group}\t{c.id}\t{" ".join(m.split())}\n')
    with open(os.path.join(a.outdir, 'counts.txt'), 'w') as f:
        for g in sorted(counts):
            f.write(f'{g}\t{counts[g]}\n')
        f.write(f'total\t{sum(counts.values())}\nmodules\t{len(mods)}\nrejected\t{len(rejected)}\ninput_words\t{inoff}\noutput_words\t{outoff}\n')
    print(open(os.path.join(a.outdir, 'counts.txt')).read())


if __name__ == '__main__':
    main()
