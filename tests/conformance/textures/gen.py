#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes *.ptx and cases.txt: what probe.cpp runs on a GPU and texture_silicon_test.cpp in gpuloom.

One case a line, key=value. kernel; kind of the resource (1d 2d 3d a1d a2d cube acube), place (array linear pitch), extents
w h d and levels (0: no mipmaps) as the driver's descriptors have them; fmt and ch; data (case_file.h has the patterns);
the fields of CUDA_TEXTURE_DESC: addr linear read_int norm srgb aniso miplinear bias minlod maxlod b0..b3 notri seamless;
n fetches, whose input words c0, c1, ... come from generators (case_file.h). Words: 0-3 coordinates in the instruction's
order, 4 level of detail, 5-7 and 8-10 derivatives, 11 reference of a depth compare, 12-14 offsets; 8-11 data of a surface
store.
"""
import random

from kernels import KERNELS, OFFSETS, query, suld, sured, sust, tex, tld4

random.seed(20261121)
CASES = []

ORDER = ["module", "kernel", "kind", "place", "w", "h", "d", "levels", "fmt", "ch", "data", "seed", "n", "addr", "linear", "read_int", "norm", "srgb",
         "notri", "seamless", "aniso", "miplinear", "bias", "minlod", "maxlod", "b0", "b1", "b2", "b3"]


def case(kernel, kind, fmt="f32", ch=1, w=16, h=0, d=0, n=256, data="random", **more):
    assert kernel in KERNELS, kernel
    fields = dict(module=module_of(kernel), kernel=kernel, kind=kind, fmt=fmt, ch=ch, w=w, h=h, d=d, n=n, data=data, seed=more.pop("seed", len(CASES) + 1), **more)
    keys = ORDER + [f"c{k}" for k in range(16)]
    assert all(k in keys for k in fields), fields
    CASES.append(" ".join(f"{k}={fields[k]}" for k in keys if k in fields))


SIZES = {"1d": dict(w=37), "2d": dict(w=21, h=13), "3d": dict(w=11, h=9, d=7), "a1d": dict(w=19, d=5), "a2d": dict(w=17, h=12, d=4),
         "cube": dict(w=8, h=8, d=6), "acube": dict(w=8, h=8, d=18)}
AXES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}


def fetches(kind, how, norm, sizes=None):
    """Generators of the coordinates: how is f (random), e and g (near edges), x (special), i (integers)."""
    sizes = sizes or SIZES[kind]
    first = 1 if kind[0] == "a" else 0
    out = {"c0": f"i:-2:{sizes['d'] + 2}"} if first else {}
    if kind == "acube":
        out = {"c0": "i:0:2"}
    for axis in range(AXES[kind]):
        extent = [sizes["w"], sizes.get("h", 0), sizes.get("d", 0)][axis] if "cube" not in kind else 1
        key = f"c{first + axis}"
        if "cube" in kind:
            out[key] = {"f": "f:-1:1", "e": "g:2:0.25", "g": "g:4:0.125", "x": "x", "i": "i:-1:1"}[how]
        elif how == "f":
            out[key] = "f:-1.5:2.5" if norm else f"f:{-extent / 2}:{extent * 1.5}"
        elif how in "eg":
            out[key] = f"{how}:{extent}:{repr(1 / extent) if norm else 1}"
        elif how == "i":
            out[key] = f"i:-3:{extent + 3}"
        else:
            out[key] = "x"
    return out


def characterise():
    """Cases from which the arithmetic was inferred."""
    # Conversion of every value.
    for fmt in ("u8", "s8", "u16", "s16", "f16"):
        width = 256 if fmt.endswith("8") else 32768
        for srgb in ((0, 1) if fmt == "u8" else (0,)):
            data = "wide" if fmt == "f16" else "index"
            case(tex("1d", ctype="s32"), "1d", fmt, 1, w=width, n=width, data=data, srgb=srgb, c0=f"i:0:{width - 1}")
            case(tex("1d"), "1d", fmt, 1, w=width, n=width if width == 256 else 16384, data=data, srgb=srgb, c0=f"s:0.5:1:1:{width}")
    # Weight of a fraction in one dimension.
    t1, t2, t3 = tex("1d"), tex("2d"), tex("3d")
    for w, base, step in ((2, 0.5, 2**-13), (2, 0.5 - 2**-6, 2**-18), (64, 40.5, 2**-13), (4096, 4000.5, 2**-11), (32768, 30000.5, 2**-9)):
        case(t1, "1d", w=w, n=8192, data="hots:2" if w > 2 else "hot:1", linear=1, c0=f"s:{base!r}:{step!r}:1:8192")
    for w in (2, 3, 7, 16, 37, 100, 257, 1000, 4095):
        case(t1, "1d", w=w, n=4096, data="index", linear=1, norm=1, addr="clamp,clamp,clamp", c0="f:0:1")
        case(t1, "1d", w=w, n=4096, data="index", linear=0, norm=1, addr="clamp,clamp,clamp", c0=f"g:{w}:{1 / w!r}")
        case(t1, "1d", w=w, n=2048, data="index", linear=1, norm=1, addr="wrap,wrap,wrap", c0="f:-40:40")
        case(t1, "1d", w=w, n=2048, data="index", linear=0, norm=1, addr="mirror,wrap,wrap", c0="f:-40:40")
    # Products of weights.
    for hot in range(4):
        case(t2, "2d", w=2, h=2, n=65536 if hot == 3 else 4096, data=f"hot:{hot}", linear=1,
             **({"c0": "s:0.5:0.00390625:1:256", "c1": "s:0.5:0.00390625:256:256"} if hot == 3 else {"c0": "f:0.5:1.5", "c1": "f:0.5:1.5"}))
    for hot in range(8):
        case(t3, "3d", w=2, h=2, d=2, n=8192, data=f"hot:{hot}", linear=1, c0="f:0.5:1.5", c1="f:0.5:1.5", c2="f:0.5:1.5")
    # Sums.
    for fmt in ("f32", "f16", "u8", "s8", "u16", "s16"):
        for data in ("random", "wide") if fmt[0] == "f" else ("random",):
            for kind, kernel, size in (("1d", t1, dict(w=512)), ("2d", t2, dict(w=64, h=64)), ("3d", t3, dict(w=16, h=16, d=16))):
                case(kernel, kind, fmt, 1, n=8192, data=data, linear=1, **fetches(kind, "f", 0, size), **size)
    case(t2, "2d", "u8", 4, w=64, h=64, n=4096, linear=1, srgb=1, **fetches("2d", "f", 0, dict(w=64, h=64)))
    case(t1, "1d", "u8", 1, w=256, n=16384, data="index", linear=1, srgb=1, c0="f:0:256")
    # Level of detail: fractions, bias, clamps, "trilinear optimisation".
    lv = tex("1d", "level")
    for notri in (0, 1):
        case(lv, "1d", w=32, levels=5, n=8192, data="level", linear=1, miplinear=1, norm=1, maxlod=10, notri=notri, c0="k:0.5", c4="s:-0.5:0.0006103515625:1:8192")
    for w in (32, 1):
        pass
    case(lv, "1d", w=32, levels=5, n=4096, data="level", linear=0, miplinear=0, norm=1, maxlod=10, c0="k:0.5", c4="s:-0.5:0.001220703125:1:4096")
    case(lv, "1d", w=32, levels=5, n=4096, data="level", linear=0, miplinear=1, norm=1, maxlod=10, notri=1, c0="k:0.5", c4="s:0.99:0.00000762939453125:1:4096")
    for bias, lo, hi in ((0.3, 0, 10), (-0.7, 0.25, 3.1), (1.00390625, 0, 2.5), (0.001, 0.3, 0.3), (16, 0, 10), (0, 2, 1)):
        case(lv, "1d", w=32, levels=5, n=1024, data="level", linear=1, miplinear=1, norm=1, minlod=lo, maxlod=hi, bias=bias, notri=1, c0="k:0.5", c4="f:-1:5")
    lv2, lv3 = tex("2d", "level"), tex("3d", "level")
    for fmt in ("f32", "u8", "f16", "u16"):
        case(lv2, "2d", fmt, 1, w=64, h=64, levels=7, n=8192, linear=1, miplinear=1, norm=1, maxlod=10, notri=1, c0="f:0:1", c1="f:0:1", c4="f:0:6")
    case(lv3, "3d", w=16, h=16, d=16, levels=5, n=8192, linear=1, miplinear=1, norm=1, maxlod=10, notri=1, c0="f:0:1", c1="f:0:1", c2="f:0:1", c4="f:0:4")
    case(lv, "1d", w=64, levels=7, n=8192, linear=1, miplinear=1, norm=1, maxlod=10, notri=1, c0="f:0:1", c4="f:0:6")
    case(lv, "1d", w=64, levels=7, n=4096, linear=0, miplinear=1, norm=1, maxlod=10, notri=1, c0="f:0:1", c4="f:0:6")
    # Derivatives.
    g1, g2, g3, gc = tex("1d", "grad"), tex("2d", "grad"), tex("3d", "grad"), tex("cube", "grad")
    for aniso in (0, 1, 4, 16):
        mip = dict(data="level", linear=1, miplinear=1, norm=1, maxlod=12, notri=1, aniso=aniso)
        case(g1, "1d", w=1024, levels=11, n=4096, c0="k:0.5", c5="m:-11:0", c8="m:-11:0", **mip)
        case(g2, "2d", w=1024, h=1024, levels=11, n=4096, c0="k:0.5", c1="k:0.5", c5="m:-11:0", c6="n:0", c8="n:0", c9="m:-11:0", **mip)
        case(g2, "2d", w=1024, h=1024, levels=11, n=8192, c0="k:0.5", c1="k:0.5", c5="m:-11:0", c6="m:-11:0", c8="m:-11:0", c9="m:-11:0", **mip)
        case(g2, "2d", w=1024, h=256, levels=11, n=4096, c0="k:0.5", c1="k:0.5", c5="m:-11:0", c6="m:-11:0", c8="n:0", c9="n:0", **mip)
    mip = dict(data="level", linear=1, miplinear=1, norm=1, maxlod=12, notri=1)
    case(g1, "1d", w=1024, levels=11, n=16384, c0="k:0.5", c5="s:0.000976562:0.000000059604644775390625:1:65536", c8="n:0", **mip)
    case(g3, "3d", w=64, h=64, d=64, levels=7, n=8192, c0="k:0.5", c1="k:0.5", c2="k:0.5", c5="m:-7:0", c6="m:-7:0", c7="m:-7:0", c8="m:-7:0", c9="m:-7:0",
         c10="m:-7:0", **mip)
    case(gc, "cube", w=256, h=256, d=6, levels=9, n=8192, c0="f:-1:1", c1="f:-1:1", c2="f:-1:1", c5="m:-9:0", c6="m:-9:0", c7="m:-9:0", c8="m:-9:0", c9="m:-9:0",
         c10="m:-9:0", **mip)
    # Cube: faces and the coordinates on them.
    tc = tex("cube")
    case(tc, "cube", w=64, h=64, d=6, n=8192, data="index", norm=1, c0="f:-1:1", c1="f:-1:1", c2="f:-1:1")
    for seamless in (0, 1):
        case(tc, "cube", w=64, h=64, d=6, n=8192, data="index", norm=1, linear=1, seamless=seamless, c0="f:-1:1", c1="f:-1:1", c2="f:-1:1")
        case(tc, "cube", w=2, h=2, d=6, n=8192, data="index", norm=1, linear=1, seamless=seamless, c0="f:-1:1", c1="f:-1:1", c2="f:-1:1")
        case(tc, "cube", w=1, h=1, d=6, n=4096, data="index", norm=1, linear=1, seamless=seamless, c0="f:-1:1", c1="f:-1:1", c2="f:-1:1")


def geometries():
    """Geometries x addressing x filter x formats x normalised, random and edge coordinates."""
    formats = [("f32", 1), ("f32", 4), ("f32", 2), ("u8", 4), ("u8", 1), ("s8", 2), ("u16", 2), ("s16", 4), ("f16", 4), ("f16", 1), ("u32", 1), ("s32", 2), ("u32", 4)]
    turn = 0
    for kind in SIZES:
        kernel = tex(kind)
        for norm in (0, 1):
            if norm == 0 and "cube" in kind:
                continue
            for addr in ("wrap", "clamp", "mirror", "border"):
                for linear in (0, 1):
                    for how in "fegx":
                        if how == "x" and "cube" in kind:
                            continue
                        fmt, ch = formats[turn % len(formats)]
                        turn += 1
                        if linear and fmt[1:] == "32" and fmt[0] != "f":
                            fmt = "f32"
                        read_int = int(fmt[0] != "f" and (fmt[1:] == "32" or (not linear and turn % 3 == 0)))
                        use = tex(kind, dtype="s32" if fmt[0] == "s" else "u32") if read_int else kernel
                        case(use, kind, fmt, ch, n=192, addr=f"{addr},{addr},{addr}", linear=linear, norm=norm, read_int=read_int,
                             b0=0.25, b1=-0.5, b2=3.75, b3=1, **SIZES[kind], **fetches(kind, how, norm))
    for kind in ("2d", "3d", "a2d"):  # a mode each axis
        for addr in ("wrap,clamp,border", "mirror,border,clamp", "border,mirror,wrap", "clamp,wrap,mirror"):
            for linear in (0, 1):
                case(tex(kind), kind, "f32", 4, n=192, addr=addr, linear=linear, norm=1, b0=0.1, b1=300, b2=-1e-30, b3=2, **SIZES[kind], **fetches(kind, "f", 1))
    # Integer coordinates, from arrays and linear memory.
    for kind in ("1d", "2d", "3d", "a1d", "a2d"):
        for addr in ("clamp", "border", "wrap", "mirror"):
            case(tex(kind, ctype="s32"), kind, "f32", 2, n=192, addr=f"{addr},{addr},{addr}", b0=5, b1=6, b2=7, b3=8, **SIZES[kind], **fetches(kind, "i", 0))
            case(tex(kind, dtype="u32", ctype="s32"), kind, "u16", 1, n=96, read_int=1, addr=f"{addr},{addr},{addr}", b0=5, **SIZES[kind], **fetches(kind, "i", 0))
    for fmt, ch in formats:
        case(tex("1d", ctype="s32", dtype="f32" if fmt[0] == "f" else "s32"), "1d", fmt, ch, place="linear", w=100, n=256, read_int=int(fmt[0] != "f"), c0="i:-5:110")
        case(tex("1d", ctype="s32"), "1d", fmt, ch, place="linear", w=100, n=256, read_int=int(fmt[0] != "f"), norm=0, c0="i:0:99")
        case(tex("1d"), "1d", fmt, ch, place="linear", w=100, n=128, read_int=int(fmt[0] != "f"), norm=0, c0="f:-3:105")
        case(tex("2d"), "2d", fmt, ch, place="pitch", w=20, h=11, n=256, read_int=int(fmt[0] != "f" and fmt[1:] == "32"), linear=int(fmt[1:] != "32" or fmt[0] == "f"),
             norm=1, addr="wrap,mirror,clamp", **fetches("2d", "f", 1, dict(w=20, h=11)))
        case(tex("2d"), "2d", fmt, ch, place="pitch", w=20, h=11, n=256, read_int=int(fmt[0] != "f" and fmt[1:] == "32"), addr="border,clamp,clamp", b0=9, b3=4,
             **fetches("2d", "f", 0, dict(w=20, h=11)))
    # Normalised read of u8 and s8 from linear memory (read mode normalised float).
    for fmt in ("u8", "s8", "u16", "s16"):
        case(tex("1d", ctype="s32"), "1d", fmt, 4, place="linear", w=100, n=128, read_int=0, c0="i:-5:110")
    # Types of the result.
    for fmt, read_int in (("f32", 0), ("f16", 0), ("u8", 0), ("s8", 0), ("u16", 0), ("u8", 1), ("s8", 1), ("u16", 1), ("s16", 1), ("u32", 1), ("s32", 1)):
        for dtype in ("f32", "u32", "s32", "f16", "f16x2"):
            case(tex("2d", dtype=dtype), "2d", fmt, 4, n=96, read_int=read_int, data="wide" if fmt[0] == "f" else "random", linear=int(dtype == "f16" and fmt[0] == "f"),
                 **SIZES["2d"], **fetches("2d", "f", 0))
    case(tex("1d", dtype="f16"), "1d", "f32", 1, w=4096, n=4096, data="wide", c0="s:0.5:1:1:4096")
    # Offsets, levels, residence, depth compare.
    for kind in OFFSETS:
        for lod in ("", "base", "level", "grad"):
            for linear in (0, 1):
                case(tex(kind, lod, offset=True), kind, n=128, linear=linear, norm=1, addr="wrap,clamp,mirror", levels=3, maxlod=5, miplinear=linear, notri=1,
                     c12="i:-8:7", c13="i:-8:7", c14="i:-8:7", c4="f:0:2", c5="m:-5:-1", c6="m:-5:-1", c7="m:-5:-1", c8="m:-5:-1", c9="m:-5:-1", c10="m:-5:-1",
                     **SIZES[kind], **fetches(kind, "f", 1))
    case(tex("2d", offset=True), "2d", n=128, c12="i:-40:40", c13="i:-40:40", addr="border,border,border", b0=-1, **SIZES["2d"], **fetches("2d", "f", 0))
    case(tex("2d", ctype="s32", offset=True), "2d", n=128, c12="i:-8:7", c13="i:-8:7", **SIZES["2d"], **fetches("2d", "i", 0))
    for kind in SIZES:
        case(tex(kind, resident=True), kind, n=64, norm=1, addr="border,border,border", **SIZES[kind], **fetches(kind, "f", 1))
        if kind != "3d":
            case(tex(kind, compare=True), kind, n=64, norm=1, c11="f:-1:1", **SIZES[kind], **fetches(kind, "f", 1))
        for lod in ("", "base", "level", "grad"):
            for miplinear in (0, 1):
                for notri in (0, 1):
                    case(tex(kind, lod), kind, n=128, norm=1, linear=miplinear, miplinear=miplinear, notri=notri, levels=3, minlod=0, maxlod=8, bias=0.25, addr="wrap,clamp,mirror",
                         c4="f:-1:4", c5="m:-5:-1", c6="m:-5:-1", c7="m:-5:-1", c8="m:-5:-1", c9="m:-5:-1", c10="m:-5:-1", **SIZES[kind], **fetches(kind, "f", 1))
        case(tex(kind), kind, n=64, norm=1, levels=3, minlod=1.5, maxlod=8, miplinear=1, linear=1, notri=1, **SIZES[kind], **fetches(kind, "f", 1))
    case(tex("2d", "level"), "2d", n=64, norm=1, c4="x", levels=4, maxlod=9, miplinear=1, linear=1, data="level", **SIZES["2d"], **fetches("2d", "f", 1))
    # Borders with bits in the low half, for integers that are read as they are.
    for fmt in ("u8", "s8", "u16", "s16"):
        case(tex("2d", dtype="u32"), "2d", fmt, 4, n=64, read_int=1, addr="border,border,border", b0=1e-40, b1=1.00001, b2=-3.3, b3=0.3, **SIZES["2d"],
             **fetches("2d", "f", 0))


def gathers():
    for geom in ("2d", "a2d", "cube", "acube"):
        for comp in "rgba":
            for norm in (0, 1) if "cube" not in geom else (1,):
                for how in "feg":
                    fmt, ch = random.choice([("f32", 4), ("f32", 1), ("u8", 4), ("u16", 2), ("f16", 4), ("s8", 4), ("s16", 1)])
                    addr = random.choice(["wrap,clamp,clamp", "clamp,mirror,clamp", "mirror,wrap,clamp", "border,border,clamp", "clamp,clamp,clamp"])
                    case(tld4(comp, geom), geom, fmt, ch, n=128, norm=norm, linear=random.randint(0, 1), addr=addr, b0=1.5, b1=2.5, b2=3.5, b3=4.5, **SIZES[geom],
                         **fetches(geom, how, norm))
    for dtype, fmt in (("u32", "u8"), ("s32", "s16"), ("u32", "u32"), ("s32", "s32")):
        case(tld4("g", "2d", dtype), "2d", fmt, 4, n=128, read_int=1, **SIZES["2d"], **fetches("2d", "f", 0))
    for geom in ("2d", "a2d"):
        case(tld4("r", geom, offset=True), geom, "f32", 1, n=128, c12="i:-8:7", c13="i:-8:7", **SIZES[geom], **fetches(geom, "f", 0))
        case(tld4("r", geom, offset=True), geom, "f32", 1, n=128, c12="i:-40:40", c13="i:-40:40", addr="wrap,wrap,wrap", norm=1, **SIZES[geom], **fetches(geom, "f", 1))
        case(tld4("r", geom, resident=True), geom, "f32", 1, n=128, **SIZES[geom], **fetches(geom, "f", 0))
    case(tld4("r", "2d"), "2d", "u8", 4, n=128, srgb=1, **SIZES["2d"], **fetches("2d", "f", 0))
    case(tld4("r", "2d"), "2d", "f32", 1, n=128, **SIZES["2d"], **fetches("2d", "x", 0))


def surfaces():
    bytes_of = {"u8": 1, "u16": 2, "u32": 4, "f32": 4, "f16": 2, "s32": 4, "s8": 1, "s16": 2}

    def at(kind, size, inside, texel):
        sizes = SIZES[kind]
        first = 1 if kind[0] == "a" else 0
        out = {}
        if first:
            out["c0"] = f"i:0:{sizes['d'] - 1}" if inside else f"i:-1:{sizes['d'] + 1}"
        extents = [sizes["w"], sizes.get("h", 0), sizes.get("d", 0)]
        for axis in range(AXES[kind]):
            margin = 0 if inside else 3
            extent = extents[axis]
            out[f"c{first + axis}"] = f"i:{-margin}:{extent - 1 + margin}"
        return out

    # x counts bytes: the generators give whole numbers, so x is any byte and misaligned ones show what happens.
    for kind in ("1d", "2d", "3d", "a1d", "a2d"):
        for fmt, ch, vec, bits in (("u8", 1, "", 8), ("u8", 4, "", 32), ("u16", 1, "", 16), ("u32", 1, "", 32), ("f32", 4, "v4", 32), ("u32", 2, "v2", 32), ("u32", 2, "", 64),
                                   ("u32", 4, "v2", 64), ("u16", 4, "v4", 16), ("u8", 4, "v4", 8), ("u8", 2, "v2", 8), ("u16", 2, "v2", 16), ("f16", 4, "", 64)):
            texel = bytes_of[fmt] * ch
            for mode in ("trap", "clamp", "zero"):
                where = at(kind, None, mode == "trap", texel)
                key = "c1" if kind[0] == "a" else "c0"
                lo, hi = (int(v) for v in where[key].split(":")[1:])
                for aligned in (1, 0) if kind == "2d" and mode != "trap" and (fmt, bits) in (("u8", 32), ("f32", 32)) else (1,):
                    where[key] = f"w:{lo}:{hi}:{texel}" if aligned else f"i:{lo * texel}:{hi * texel}"
                    case(suld(kind, vec, bits, mode), kind, fmt, ch, n=128, **SIZES[kind], **where)
                    if mode != "clamp":
                        case(sust(kind, vec, bits, mode), kind, fmt, ch, n=1, c8="i:0:0xffffffff", c9="i:0:0xffffffff", c10="i:0:0xffffffff", c11="i:0:0xffffffff",
                             **SIZES[kind], **where)
                    # the same words from every thread: the order does not matter
                    case(sust(kind, vec, bits, mode), kind, fmt, ch, n=24, c8="n:0x01020304", c9="n:0x05060708", c10="n:0x090a0b0c", c11="n:0x0d0e0f10",
                         **SIZES[kind], **where)
    # An access of another size than the texel.
    for fmt, ch, vec, bits in (("u8", 4, "", 8), ("u32", 1, "", 8), ("u32", 1, "", 16), ("u8", 1, "", 32), ("u32", 4, "", 32), ("u16", 2, "", 32), ("u16", 1, "v2", 16)):
        for mode in ("clamp", "zero"):
            case(suld("2d", vec, bits, mode), "2d", fmt, ch, n=128, **SIZES["2d"], c0="i:-8:100", c1="i:-2:14")
            case(sust("2d", vec, bits, mode), "2d", fmt, ch, n=24, c8="n:0x01020304", c9="n:0x05060708", **SIZES["2d"], c0="i:-8:100", c1="i:-2:14")
    # Formatted stores: x counts texels.
    for kind in ("1d", "2d", "3d"):
        for fmt, ch in (("u8", 4), ("s8", 4), ("u16", 2), ("s16", 4), ("u32", 1), ("s32", 2), ("f16", 4), ("f32", 1), ("f32", 4), ("f16", 1), ("u8", 1)):
            for mode in ("clamp", "zero") if kind == "2d" else ("zero",):
                where = at(kind, None, False, 1)
                for word in ("0x01020304", "0x3f800000", "0xbf000000", "0x477fff00", "0x00000111", "0xffffff70"):
                    if word != "0x01020304" and (kind != "2d" or mode != "zero"):
                        continue
                    case(sust(kind, "v4", 32, mode, True), kind, fmt, ch, n=32, c8=f"n:{word}", c9="n:0x40490fdb", c10="n:0x00000042", c11="n:0x3e800000", **SIZES[kind],
                         **where)
    # Reductions.
    for kind in ("1d", "2d", "3d"):
        for op, ctype in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"), ("and", "b32"), ("or", "b32"),
                          ("min", "u64"), ("max", "s64"), ("and", "b64") if False else ("max", "u64")):
            for mode in ("clamp", "zero") if kind == "2d" else ("zero",):
                texel = 8 if ctype.endswith("64") else 4
                where = at(kind, None, False, texel)
                lo, hi = (int(v) for v in where["c0"].split(":")[1:])
                where["c0"] = f"w:{lo}:{hi}:{texel}"
                case(sured(op, kind, ctype, mode), kind, "u32", texel // 4, n=256, c8="i:0:0xffffffff", c9="i:0:0xffffffff", **SIZES[kind], **where)
        for op in ("add", "min", "max", "and", "or"):
            case(sured(op, kind, "b32", "zero", True), kind, "u32", 1, n=256, c8="i:0:0xffffffff", **SIZES[kind], **at(kind, None, False, 1))
            case(sured(op, kind, "b32", "zero", True), kind, "s32", 1, n=256, c8="i:0:0xffffffff", **SIZES[kind], **at(kind, None, False, 1))
    # Out of bounds traps.
    case(suld("2d", "", 32, "trap"), "2d", "u32", 1, n=1, c0="n:400", c1="n:3", **SIZES["2d"])
    case(sust("2d", "", 32, "trap"), "2d", "u32", 1, n=1, c0="n:0", c1="n:13", **SIZES["2d"])
    case(suld("a2d", "", 32, "trap"), "a2d", "u32", 1, n=1, c0="n:4", c1="n:0", c2="n:0", **SIZES["a2d"])


def queries():
    # The others (formats, modes, array sizes) read a table of texture references, which CUDA 13 has no longer: the driver loads
    # those of surfaces not at all, and those of textures end in CUDA's error 999.
    for row, what in enumerate(("width", "height", "depth")):
        for column, kind in enumerate(SIZES):
            case(query("txq", what), kind, "u8" if kind == "2d" else "f32", 4 if kind == "2d" else 1, n=1, norm=1, linear=1,
                 levels=0 if kind == "2d" else 3, maxlod=4, **SIZES[kind])
            case(query("txq", what, True), kind, n=8, norm=1, levels=3, maxlod=4, c4="i:-1:5", seed=1791 + 7 * row + column, **SIZES[kind])
    case(query("txq", "width"), "1d", place="linear", w=100, n=1)
    case(query("txq", "height"), "2d", place="pitch", w=20, h=11, n=1)
    for what in ("width", "height", "depth"):
        for kind in ("1d", "2d", "3d", "a1d", "a2d", "cube"):
            case(query("suq", what), kind, "s16" if kind == "2d" else "f32", 4 if kind == "2d" else 1, n=1, **SIZES[kind])


def last_bits():
    """sRGB under linear filters in every geometry; derivatives of all magnitudes, special values, extents that are not powers of two."""
    border = dict(b0=0.7, b1=0.01, b2=0.25, b3=0.4)
    for addr in ("clamp", "border"):
        modes = f"{addr},{addr},{addr}"
        for kind, ch, sizes in (("1d", 1, dict(w=512)), ("2d", 4, dict(w=64, h=64)), ("3d", 4, dict(w=16, h=16, d=16)), ("a1d", 1, dict(w=1, d=256)),
                                ("a2d", 4, dict(w=5, h=5, d=40)), ("cube", 4, dict(w=8, h=8, d=6))):
            case(tex(kind), kind, "u8", ch, n=4096, addr=modes, linear=1, norm=1, srgb=1, seamless=int(addr == "clamp"), **border, **sizes, **fetches(kind, "f", 1, sizes))
    for kind, kernel, sizes in (("2d", tex("2d", "level"), dict(w=64, h=64)), ("3d", tex("3d", "level"), dict(w=16, h=16, d=16))):
        for linear in (0, 1):
            case(kernel, kind, "u8", 4, n=4096, linear=linear, norm=1, srgb=1, levels=5, maxlod=9, miplinear=1, c4="f:0:4", **sizes, **fetches(kind, "f", 1, sizes))
    case(tld4("g", "2d"), "2d", "u8", 4, n=512, linear=1, srgb=1, w=16, h=16, **fetches("2d", "f", 0, dict(w=16, h=16)))

    def derivatives(kind, generator, axes, **more):
        mip = dict(data="level", linear=1, miplinear=1, norm=1, maxlod=12, addr="clamp,clamp,clamp")
        mip.update(more)
        case(tex(kind, "grad"), kind, c0="n:1" if kind[0] == "a" else "k:0.5", c1="k:0.5", c2="k:0.5",
             **{f"c{first + k}": generator for first in (5, 8) for k in range(axes)}, **mip)

    for kind, axes, sizes in (("1d", 1, dict(w=1000, levels=10)), ("2d", 2, dict(w=1000, h=37, levels=10)), ("3d", 3, dict(w=100, h=37, d=21, levels=7)),
                              ("a2d", 2, dict(w=300, h=299, d=2, levels=9)), ("a1d", 1, dict(w=777, d=3, levels=10))):
        for generator in ("m:-9:0", "m:-20:-2", "f:-0.05:0.05", "x"):
            derivatives(kind, generator, axes, n=1024 if generator == "x" else 2048, **sizes)
    for kind, axes, sizes in (("1d", 1, dict(w=64)), ("2d", 2, dict(w=64, h=64)), ("3d", 3, dict(w=16, h=16, d=16))):
        derivatives(kind, "m:-140:120", axes, n=2048, levels=5, **sizes)
        derivatives(kind, "m:-22:-14", axes, n=2048, levels=5, bias=15.5, **sizes)
        derivatives(kind, "m:-3:12", axes, n=2048, levels=5, bias=-7.25, **sizes)


def module_of(kernel):
    """Kernels that need a library of the driver, or that gpuloom refuses, are kept apart."""
    if kernel.startswith(("txq", "suq")):
        return "query_kernels"
    if kernel.endswith("_cmp"):
        return "compare_kernels"
    if kernel.startswith("tex_grad") and "cube" in kernel:
        return "cube_gradients"
    if kernel.startswith("tex_grad") and "_3d" in kernel:
        return "volume_gradients"
    return kernel.split("_")[0] + "_kernels"


characterise()
geometries()
gathers()
surfaces()
queries()
last_bits()
for module in sorted(set(map(module_of, KERNELS))):
    with open(f"{module}.ptx", "w") as out:
        out.write(".version 8.1\n.target sm_90\n.address_size 64\n\n" + "\n".join(text for name, text in KERNELS.items() if module_of(name) == module))
with open("cases.txt", "w") as out:
    out.write("\n".join(CASES) + "\n")
print(len(KERNELS), "kernels,", len(CASES), "cases,", sum(int(c.split(" n=")[1].split()[0]) for c in CASES), "fetches")
