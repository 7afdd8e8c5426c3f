#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes kernels.ptx and cases.txt: what probe.cpp runs on a GPU and tensor_map_silicon_test.cpp in gpuloom.

One case a line, key=value. kernel=none only encodes the map. The fields are those of cuTensorMapEncodeTiled and
cuTensorMapEncodeIm2col; base is the offset of the tensor in its buffer of `bytes`, pat how that is filled, dump the
bytes of shared memory that a load copies out, tx what its mbarrier expects, soff where in shared memory the box is.
"""
import random

from kernels import kernels

random.seed(20261120)
SIZE = dict(u8=1, u16=2, u32=4, s32=4, u64=8, s64=8, f16=2, f32=4, f64=8, bf16=2, f32_ftz=4, tf32=4, tf32_ftz=4)
cases = []


def align(x, a):
    return (x + a - 1) // a * a


def case(kernel, type="u16", dims=(64, 8), box=(32, 4), at=(0, 0), **k):
    rank, size = len(dims), SIZE[type]
    inter = k.get("inter", "none")
    pad = k.get("pad", 0)
    strides = k.get("strides")
    if strides is None:
        strides, s = [], align(dims[0] * size, 16) + pad
        for d in dims[1:]:
            strides.append(s)
            s = align(s * d, 16) + pad
    estr = k.get("estr", (1,) * rank)
    im2col = "channels" in k
    unit = dict(none=size).get(inter) or int(inter[:-1])
    if im2col:
        tx = (k["channels"] if inter == "none" else 1) * k["pixels"] * unit
    else:
        tx = unit
        for i, (b, e) in enumerate(zip(box, estr)):
            if inter == "none" or i != rank - 2:  # one slice of channels
                tx *= b if i == 0 and inter == "none" else -(-b // max(e, 1))
    tx = k.get("tx", tx)
    span = (strides[-1] * dims[-1] if strides else dims[0] * size)
    base = k.get("base", 1024)
    c = dict(kernel=kernel, mode="im2col" if im2col else "tiled", type=type, dims=dims, strides=strides or (0,), box=box, estr=estr,
             inter=inter, swz=k.get("swz", "none"), oob=k.get("oob", "zero"), base=base,
             bytes=k.get("bytes", align(base + span + 1024, 1024)), pat=k.get("pat", "iota"), at=at, offs=k.get("offs", (0, 0, 0)),
             dump=k.get("dump", min(32768, align(k.get("soff", 0) + max(tx, 16) * k.get("roomy", 1), 256) + 256)),
             tx=tx, soff=k.get("soff", 0), extra=k.get("extra", 0), l2=k.get("l2", 0))
    if im2col:
        c.update(lower=k.get("lower", (0,) * (rank - 2)), upper=k.get("upper", (0,) * (rank - 2)), channels=k["channels"], pixels=k["pixels"])
    cases.append(c)


def tiled():
    shapes = [(64,), (32, 5), (16, 5, 4), (16, 4, 3, 3), (16, 3, 3, 2, 3)]
    for dims in shapes:
        n = len(dims)
        box = tuple([16 if n > 2 else 32] + [min(3, d) for d in dims[1:]])
        for type in ("u16", "u32"):
            b = (box[0] // (SIZE[type] // 2),) + box[1:]
            case(f"load_{n}d", type, dims, b, (0,) * n, pad=32)
            case(f"store_{n}d", type, dims, b, (0,) * n, pad=32)
            for axis in range(n):
                for start in ((-8, 8) if axis == 0 else (-1, dims[axis] - 1)):
                    at = tuple(start if i == axis else 0 for i in range(n))
                    case(f"load_{n}d", type, dims, b, at)
                    if type == "u16" or axis < 2:
                        case(f"store_{n}d", type, dims, b, at)
            case(f"load_{n}d", type, dims, b, tuple([-16] + [-1] * (n - 1)))
            case(f"load_{n}d", type, dims, b, (1000 * 8,) + (0,) * (n - 1))
            case(f"store_{n}d", type, dims, b, (-1000 * 8,) + (0,) * (n - 1))
    for type in SIZE:  # element types; the innermost extent is not a whole number of 16-byte units
        per = 16 // SIZE[type]
        case("load_2d", type, (per * 3 + 1, 5), (per * 4, 3), (0, 3))
        case("load_2d", type, (per * 3 + 1, 5), (per * 4, 3), (-per, -1), oob="nan" if "f" in type else "zero")
        case("store_2d", type, (per * 3 + 1, 5), (per * 4, 3), (per, 3))
        case("load_2d", type, (per * 4, 5), (per * 4, 4), (0, 1), pat="special")
        case("store_2d", type, (per * 4, 5), (per * 4, 4), (0, 1), pat="special")
    case("load_2d", "u16", (64, 8), (32, 4), (0, 0), oob="nan")
    for type, xs in dict(u8=(1, 8, 15, -1, -8, 24), u16=(1, 4, 7, -1, -3), u32=(1, 2, 3, -2), u64=(1, -1), f32=(1, 2, -3)).items():
        for x in xs:
            case("load_2d", type, (64, 8), (32, 4), (x, 1))
    for x in (1, 4, -3):
        case("store_2d", "u16", (64, 8), (32, 4), (x, 1))
        case("load_1d", "u16", (64,), (32,), (x,))
        case("load_2d", "u16", (64, 8), (32, 4), (x, 1), swz="64B")
    case("load_3d", "u16", (64, 4, 4), (32, 2, 2), (1, 1, 1))
    for soff in (16, 64, 128, 384, 1040):  # destination alignment
        case("load_2d", "u16", (64, 8), (32, 4), (0, 0), soff=soff)
        case("store_2d", "u16", (64, 8), (32, 4), (0, 0), soff=soff)


def swizzles():
    for swz, span in (("32B", 32), ("64B", 64), ("128B", 128)):
        for type in ("u8", "u16", "u32"):
            for width in (16, 32, 64, 128):
                if width > span:
                    continue
                case("load_2d", type, (256, 32), (width // SIZE[type], 20), (0, 1), swz=swz, roomy=span // width)
        for soff in (128, 256, 384, 512, 640, 896):
            case("load_2d", "u16", (64, 32), (span // 2, 16), (0, 0), swz=swz, soff=soff)
            case("store_2d", "u16", (64, 32), (span // 2, 16), (0, 0), swz=swz, soff=soff)
        case("load_2d", "u16", (64, 32), (span // 2, 16), (-8, -3), swz=swz)
        case("store_2d", "u16", (64, 32), (span // 2, 16), (-8, -3), swz=swz)
        case("load_3d", "u16", (64, 8, 8), (span // 2, 3, 5), (0, 6, 2), swz=swz)
        case("load_1d", "u16", (256,), (span // 2,), (0,), swz=swz)
        case("store_2d", "u16", (64, 32), (8, 16), (0, 0), swz=swz, roomy=span // 16)
        case("load_3d", "u16", (64, 8, 8), (8, 3, 5), (0, 6, 2), swz=swz, roomy=span // 16)


def steps():
    for e in (2, 3, 8):
        case("load_2d", "u16", (64, 32), (16, 12), (0, 1), estr=(1, e))
        case("load_2d", "u16", (64, 32), (16, 13), (8, -5), estr=(1, e))
        case("load_2d", "u16", (64, 32), (16, 12), (0, 25), estr=(1, e))
        case("store_2d", "u16", (64, 32), (16, 12), (0, 1), estr=(1, e))
        case("store_2d", "u16", (64, 32), (16, 13), (8, -5), estr=(1, e))
        case("load_2d", "u16", (64, 32), (32, 12), (0, 1), estr=(e, 1))
        case("load_3d", "u16", (64, 8, 8), (16, 5, 7), (0, 1, -1), estr=(1, 2, e))
        case("load_2d", "u16", (64, 32), (32, 12), (0, 1), estr=(1, e), swz="64B")


def interleaves():
    for inter, unit in (("16B", 16), ("32B", 32)):
        swzs = ("none",) if inter == "16B" else ("none", "32B")
        for type in ("u8", "u16", "u32"):
            per = unit // SIZE[type]
            for swz in swzs:
                k = dict(inter=inter, swz=swz, bytes=65536, dump=4096)
                # dims (w, c, n): a row of units, slices of channels, images
                case("load_3d", type, (per, 6, 4), (per, 3, 2), (0, 1, 1), strides=(unit * 8, unit * 64), **k)
                case("load_3d", type, (per * 3, 6, 4), (per, 3, 2), (0, 1, 1), strides=(unit * 8, unit * 64), **k)
        per = unit // 2
        k = dict(inter=inter, swz=swzs[-1], bytes=131072, dump=8192)
        case("load_3d", "u16", (5, 6, 4), (2, 3, 2), (1, 1, 1), strides=(unit * 8, unit * 64), **k)
        case("load_3d", "u16", (5, 6, 4), (2, 3, 2), (0, -1, 3), strides=(unit * 8, unit * 64), **k)
        case("load_3d", "u16", (5, 6, 4), (3, 4, 2), (3, 4, 0), strides=(unit * 8, unit * 64), **k)
        case("load_3d", "u16", (4, 6, 4), (4, 1, 1), (0, 0, 0), strides=(unit * 8, unit * 64), **k)
        case("load_4d", "u16", (3, 5, 4, 3), (2, 3, 2, 2), (0, 1, 1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("load_5d", "u16", (3, 4, 3, 2, 2), (2, 3, 2, 2, 1), (0, 1, 1, 0, 1), strides=(unit * 8, unit * 32, unit * 128, unit * 512), **k)
        case("load_4d", "u16", (per * 2, 5, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("load_5d", "u16", (per * 2, 4, 3, 2, 2), (per, 3, 2, 2, 1), (0, 1, 1, 0, 1), strides=(unit * 8, unit * 32, unit * 128, unit * 512), **k)
        case("load_4d", "u16", (per * 2, 5, 4, 3), (per * 2, 3, 2, 2), (-per, -1, -1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("store_4d", "u16", (per * 2, 5, 4, 3), (per * 2, 3, 2, 2), (-per, -1, -1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("store_3d", "u16", (5, 6, 4), (2, 3, 2), (1, 1, 1), strides=(unit * 8, unit * 64), **k)
        case("load_4d", "u16", (per * 2, 5, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), strides=(unit * 8, unit * 64, unit * 256), estr=(1, 2, 1, 1), **k)
        case("im2col_4d", "u16", (per * 2, 6, 5, 3), (1,) * 4, (0, 0, 0, 0), strides=(unit * 8, unit * 64, unit * 512), channels=per, pixels=12,
             **k)
        case("im2col_4d", "u16", (4, 6, 5, 3), (1,) * 4, (1, 0, 0, 0), strides=(unit * 8, unit * 64, unit * 512), channels=per, pixels=12, **k)
        case("im2col_store_4d", "u16", (per * 2, 6, 5, 3), (1,) * 4, (0, 0, 0, 0), strides=(unit * 8, unit * 64, unit * 512), channels=per,
             pixels=12, **k)


def im2col():
    for dims in ((16, 9, 3), (16, 7, 5, 3), (16, 5, 4, 3, 3)):
        n, sp = len(dims), len(dims) - 2
        for lower, upper, offs, estr, pixels, at in (
                (0, 0, (0, 0, 0), 1, 20, 0), (-1, -1, (0, 0, 0), 1, 20, -1), (-1, -1, (1, 2, 1), 1, 20, -1), (-1, 1, (0, 1, 0), 1, 40, 0),
                (-2, -2, (4, 3, 2), 1, 64, 1), (0, 0, (0, 0, 0), 2, 20, 0), (-1, -1, (2, 0, 1), 2, 16, -1), (0, -2, (1, 1, 1), 3, 8, 0),
                (-1, 2, (0, 0, 0), 1, 128, -1), (0, -2, (2, 2, 2), 1, 8, 2)):
            for kernel in (f"im2col_{n}d", f"im2col_store_{n}d"):
                if "store" in kernel and any(offs):
                    continue
                start = (0,) + (at,) * sp + (1 if pixels < 30 else 0,)
                case(kernel, "u16", dims, (1,) * n, start, lower=(lower,) * sp, upper=(upper,) * sp, offs=offs,
                     estr=(1,) + (estr,) * sp + (1,), channels=8, pixels=pixels)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (8,) + (0,) * sp + (2,), channels=16, pixels=70)
        case(f"im2col_{n}d", "f32", dims, (1,) * n, (-4,) + (0,) * sp + (0,), lower=(-1,) * sp, upper=(-1,) * sp, channels=8, pixels=30, oob="nan")
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0,) * n, channels=16, pixels=33, swz="32B", soff=256)
        case(f"im2col_{n}d", "u16", (64,) + dims[1:], (1,) * n, (0,) * n, channels=64, pixels=20, swz="128B", lower=(-1,) * sp, upper=(0,) * sp, offs=(1, 1, 1))
        case(f"im2col_{n}d", "u16", (64,) + dims[1:], (1,) * n, (0,) * n, channels=8, pixels=20, swz="128B", roomy=8)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0, 1) + (0,) * (sp - 1) + (2,), lower=tuple(-i for i in range(sp)),
             upper=tuple(i - 1 for i in range(sp)), channels=8, pixels=100, estr=(1,) + (2, 1, 3)[:sp] + (1,))
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0, 100) + (0,) * (sp - 1) + (0,), channels=8, pixels=20)  # start beyond the box
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0, -3) + (0,) * (sp - 1) + (0,), channels=8, pixels=20)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0,) + (0,) * sp + (-1,), channels=8, pixels=100)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0,) + (0,) * sp + (0,), channels=8, pixels=10, estr=(1,) * (n - 1) + (2,))
        case(f"im2col_store_{n}d", "u16", (21,) + dims[1:], (1,) * n, (8,) + (0,) * (n - 1), channels=16, pixels=20)
        case(f"im2col_red_add_{n}d", "u32", (13,) + dims[1:], (1,) * n, (8,) + (0,) * (n - 1), channels=8, pixels=20)
        case(f"im2col_red_add_{n}d", "u32", dims, (1,) * n, (0,) * n, channels=8, pixels=20, lower=(-1,) * sp)


def reductions():
    for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        for type in ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "f32_ftz", "tf32"):
            per = 16 // SIZE[type]
            pat = "number" if "f" in type else "special"
            case(f"red_{op}", type, (per * 3, 9), (per * 2, 6), (per, 1), pat=pat)
    for type in ("f16", "bf16", "f32", "f32_ftz", "f64"):
        case("red_add", type, (32, 9), (16, 6), (0, 1), pat="special")
        case("red_min", type, (32, 9), (16, 6), (0, 1), pat="special")
        case("red_max", type, (32, 9), (16, 6), (0, 1), pat="special")
    # Rows of the tensor that end inside of 16 bytes: what lies behind them.
    for type in ("u32", "u64", "f32", "f16"):
        per = 16 // SIZE[type]
        case("red_add", type, (per * 3 + 1, 9), (per * 2, 6), (per * 2, 1), pat="number" if "f" in type else "iota")
    case("red_max", "s32", (13, 9), (8, 6), (8, 1), pat="special")
    case("red_xor", "u32", (14, 9), (8, 6), (8, 1), pat="special")
    for type in ("f64", "f32", "f32_ftz", "tf32", "f16", "bf16"):
        for row in range(6):
            case("red_add", type, (128 // SIZE[type], 64), (128 // SIZE[type], 8), (0, row * 8), pat="special")
    case("red_add", "u32", (32, 9), (16, 6), (-4, -2), swz="64B")
    case("red_add", "u32", (32, 9), (16, 6), (24, 5), estr=(1, 2))


def others():
    case("prefetch_2d")
    case("prefetch_2d", at=(-8, 100))
    for mask in (1, 2, 3):
        case("multicast_2d", offs=(mask, 0, 0))
        case("multicast_2d", offs=(mask, 0, 0), at=(-8, 6), swz="64B")
    k = dict(dims=(32, 16), box=(16, 4), bytes=16384)
    case("replace_address", extra=2048, at=(0, 1), **k)
    case("replace_shared", extra=4096, at=(0, 1), **k)
    case("replace_rank", at=(0, 1, 0, 0), **k)
    case("replace_box0", at=(0, 1, 0, 8), tx=64, **k)
    case("replace_box1", at=(0, 1, 0, 2), tx=64, **k)
    case("replace_dim0", at=(8, 1, 0, 12), **k)
    case("replace_dim1", at=(8, 1, 0, 3), **k)
    case("replace_stride0", at=(8, 1), extra=128, **k)
    case("replace_estride1", at=(8, 1, 0, 2), tx=64, **k)
    case("replace_type_u8", at=(16, 1), tx=64, **k)
    case("replace_type_u32", at=(4, 1), tx=256, **k)
    for k_type, size in zip(range(3, 13), (4, 8, 8, 2, 4, 4, 8, 2, 4, 4)):
        case(f"replace_type_{k_type}", "u8", (240, 16), (16, 4), (16 // size, 1), bytes=16384, tx=64 * size, pat="special", dump=1024)
    k = dict(dims=(64, 16), box=(16, 12), bytes=16384, swz="32B")
    for s in range(4):
        case(f"replace_swizzle{s}", at=(0, 1), roomy=4, **k)
    case("replace_fill1", "f16", (32, 16), (16, 4), (24, 14))
    case("replace_fill1", "u16", (32, 16), (16, 4), (24, 14))


def encodings():
    """Parameters that the encoder takes or refuses."""
    e = lambda **k: case("none", **k)
    for inner in (4, 7, 8, 12, 16, 256, 257):
        e(dims=(512, 8), box=(inner, 2))
        e(type="u8", dims=(512, 8), box=(inner, 2))
        e(type="f64", dims=(512, 8), box=(inner, 2))
    for b in (0, 1, 256, 257):
        e(dims=(64, 512), box=(8, b))
    for swz in ("none", "32B", "64B", "128B"):
        for inner in (8, 16, 24, 32, 64, 72, 128):
            for inter in ("none", "16B", "32B"):
                e(dims=(256, 8, 4), box=(inner, 2, 2), swz=swz, inter=inter, strides=(512, 4096))
    for s in (8, 16, 24, 100, 127, 128, 1 << 39, 1 << 40, (1 << 40) - 16):
        e(dims=(64, 8), strides=(s,))
        e(dims=(64, 8, 8), box=(8, 1, 1), strides=(512, s))
    for s in (16, 32, 48):
        e(dims=(8, 8, 8), box=(8, 2, 2), strides=(s, 512), inter="32B")
    for d in (0, 1, 1 << 31, 1 << 32, (1 << 32) + 1):
        e(dims=(d, 8), strides=(128,))
        e(dims=(64, d))
    for x in (0, 1, 8, 9):
        e(estr=(1, x))
        e(estr=(x, 1))
    for base in (1024, 1032, 1040, 1025):
        e(base=base)
        e(base=base, dims=(8, 8, 8), box=(8, 2, 2), inter="32B", strides=(128, 1024))
    for inter in ("16B", "32B"):
        for dims in ((64,), (64, 8), (64, 8, 4)):
            e(dims=dims, box=(8,) + (1,) * (len(dims) - 1), inter=inter)
    for type in SIZE:
        e(type=type, oob="nan", dims=(64, 8), box=(16, 2))
    c = lambda **k: case("none", box=(1,) * len(k.get("dims", (16, 9, 7, 3))), at=(0,), **{"dims": (16, 9, 7, 3), "channels": 8, "pixels": 8, **k})
    for channels in (0, 4, 8, 9, 256, 257):
        c(channels=channels)
    for pixels in (0, 1, 1024, 1025):
        c(pixels=pixels)
    for lo in (-129, -128, -1, 0, 127, 128):
        c(lower=(lo, 0))
        c(upper=(lo, 0))
        c(lower=(0, lo), upper=(0, 0))
    for lo in (-17, -16, 15, 16):
        c(dims=(16, 9, 7, 5, 3), lower=(lo, 0, 0))
        c(dims=(16, 9, 7, 5, 3), upper=(0, lo, 0))
    for lo in (-32769, -32768, 32767, 32768):
        c(dims=(16, 9, 3), lower=(lo,))
        c(dims=(16, 9, 3), upper=(lo,))
    c(dims=(16, 9), lower=(0,), upper=(0,))
    for swz in ("32B", "64B", "128B"):
        for channels in (8, 16, 32, 64, 128):
            c(channels=channels, swz=swz, dims=(256, 9, 7, 3))
    c(lower=(5, 0), upper=(-9, 0))
    for x in (0, 8, 9):
        c(estr=(1, x, 1, 1))


def mixture():
    for _ in range(70):
        n = random.randint(1, 5)
        type = random.choice(["u8", "u16", "u32", "f32", "f64", "bf16"])
        per = 16 // SIZE[type]
        swz = random.choice(["none", "32B", "64B", "128B"])
        units = dict(none=8).get(swz) or int(swz[:-1]) // 16
        dims = (random.randint(1, per * 10),) + tuple(random.randint(1, 6) for _ in range(n - 1))
        box = (per * random.randint(1, units) if random.random() < 0.5 else per * units,) + tuple(random.randint(1, 4) for _ in range(n - 1))
        at = (per * random.randint(-3, 8),) + tuple(random.randint(-3, 6) for _ in range(n - 1))
        estr = (1,) + tuple(random.choice([1, 1, 2, 3]) for _ in range(n - 1))
        case(random.choice(["load", "load", "store"]) + f"_{n}d", type, dims, box, at, estr=estr, swz=swz, soff=128 * random.randint(0, 8),
             pad=16 * random.randint(0, 3), roomy=8 if swz != "none" else 1, oob=random.choice(["zero", "nan"]) if type[0] in "fb" else "zero")


def slices():
    """Interleaved maps: the innermost extent, start and box count units of 16 or 32 bytes, whatever the type."""
    for inter, unit in (("16B", 16), ("32B", 32)):
        def one(kernel, type, dims, box, at, **k):
            k.setdefault("dump", 16384)
            case(kernel, type, dims, box, at, inter=inter, bytes=65536, strides={3: s3, 4: s4, 5: s5}[len(dims)], **k)

        s3, s4, s5 = (unit * 21, unit * 130), (unit * 21, unit * 130, unit * 550), (unit * 21, unit * 68, unit * 220, unit * 810)
        for type in ("u64", "u32", "u16"):
            per = 16 // SIZE[type]
            for at0 in (0, 1, per, -1, -per, 2 * per - 1):
                one("load_3d", type, (per * 2 + 1, 6, 4), (per, 3, 2), (at0, 1, 1))
                one("load_4d", type, (per * 2 + 1, 6, 4, 3), (per, 3, 2, 2), (at0, 1, 1, 1))
                one("store_3d", type, (per * 2 + 1, 6, 4), (per, 3, 2), (at0, 1, 1))
            for at in ((0, -1, 0, 0), (0, 4, 0, 0), (0, 0, -1, 0), (0, 0, 3, 0), (0, 0, 0, -1), (0, 0, 0, 2), (-1, 5, 3, 1)):
                one("load_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), at)
                one("store_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), at)
            one("load_5d", type, (per * 2, 3, 3, 3, 2), (per, 2, 2, 2, 2), (1, 1, 1, 1, 0))
            one("store_5d", type, (per * 2, 3, 3, 3, 2), (per, 2, 2, 2, 2), (1, 1, 1, 1, 0))
            for estr in ((1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2), (1, 3, 2, 1), (2, 1, 1, 1)):
                one("load_4d", type, (per * 2, 6, 4, 3), (per, 4, 3, 2), (0, 0, 0, 0), estr=estr)
            one("load_3d", {"u64": "f64", "u32": "f32", "u16": "f16"}[type], (per * 2, 6, 4), (per, 3, 2), (per + 1, 4, 1), oob="nan")
            for swz in ("32B", "64B", "128B"):
                one("load_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), swz=swz, dump=16384)
                one("load_3d", type, (per * 2, 6, 4), (per, 6, 4), (0, 0, 0), swz=swz, dump=16384)
                one("load_3d", type, (per * 2, 6, 4), (per * 2, 3, 4), (0, 0, 0), swz=swz, soff=128, dump=24576)
                one("store_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), swz=swz, dump=16384)
            for channels, at0 in ((per, 0), (per, 1), (per * 2, 0)):
                one("im2col_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (at0, 0, 0, 0), channels=channels, pixels=12)
                one("im2col_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (at0 - 1, -1, 1, 0), channels=channels, pixels=20, lower=(-1, -2),
                    upper=(-1, -2), offs=(1, 2, 0))
                one("im2col_5d", type, (per * 2, 3, 3, 3, 2), (1,) * 5, (0, 1, -1, 2, 0), channels=channels, pixels=24, lower=(0, -1, -1),
                    upper=(-1, 0, -1), offs=(0, 1, 2), estr=(1, 2, 1, 1, 1))
                one("im2col_3d", type, (per * 2, 6, 4), (1,) * 3, (at0, 0, 0), channels=channels, pixels=10)
                one("im2col_5d", type, (per * 2, 3, 3, 3, 2), (1,) * 5, (at0, 0, 0, 0, 0), channels=channels, pixels=20)
                one("im2col_store_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (at0, 0, 0, 0), channels=channels, pixels=12)
            one("im2col_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (0, 0, 0, 0), channels=per, pixels=12, swz="32B", dump=16384)


for part in (tiled, swizzles, steps, interleaves, im2col, reductions, others, encodings, mixture, slices):
    part()
open("kernels.ptx", "w").write(kernels())
with open("cases.txt", "w") as f:
    for c in cases:
        text = lambda v: ",".join(map(str, v)) if isinstance(v, (tuple, list)) else str(v)
        f.write(" ".join(f"{key}={text(v)}" for key, v in c.items()) + "\n")
print(len(cases), "cases")
