# SPDX-License-Identifier: Apache-2.0
"""Matrix products with pointers: tile shapes, types, edges, epilogues, splits along k, persistent blocks."""
import triton
import triton.language as tl
from spec import Buf, case, ints, out, pos, rnd


@triton.jit
def swizzled(pid, tiles_m, tiles_n, BAND: tl.constexpr):
    """Tiles in bands of BAND rows, so that neighbouring blocks share operands in L2."""
    per_band = BAND * tiles_n
    band = pid // per_band
    rows = min(tiles_m - band * BAND, BAND)
    inside = pid % per_band
    return band * BAND + inside % rows, inside // rows


@triton.jit
def gemm(a, b, c, m, n, k, sam, sak, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr,
         EPILOGUE: tl.constexpr, PRECISION: tl.constexpr, ACC: tl.constexpr):
    tm, tn = swizzled(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), BAND)
    rows = (tm * BM + tl.arange(0, BM)) % m
    cols = (tn * BN + tl.arange(0, BN)) % n
    ks = tl.arange(0, BK)
    pa = a + rows[:, None] * sam + ks[None, :] * sak
    pb = b + ks[:, None] * sbk + cols[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=ACC)
    for step in range(0, tl.cdiv(k, BK)):
        left = k - step * BK
        x = tl.load(pa, mask=ks[None, :] < left, other=0.0)
        y = tl.load(pb, mask=ks[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=ACC)
        pa += BK * sak
        pb += BK * sbk
    if EPILOGUE == "relu":
        acc = tl.maximum(acc, 0)
    if EPILOGUE == "silu":
        acc = acc * tl.sigmoid(acc)
    r = tm * BM + tl.arange(0, BM)
    q = tn * BN + tl.arange(0, BN)
    tl.store(c + r[:, None] * scm + q[None, :], acc.to(c.dtype.element_ty), mask=(r[:, None] < m) & (q[None, :] < n))


def product(name, kind, m, n, k, tile, result="f16", epilogue="", at=False, bt=False, precision="tf32", acc=tl.float32, seen="", band=8, **options):
    bm, bn, bk = tile
    make = (lambda c, s: ints("u8", c, 112 if seen == "fp8e4nv" else 120, s)) if seen else \
        (lambda c, s: ints(kind, c, 256, s)) if kind == "s8" else (lambda c, s: rnd(kind, c, s))
    a, b = make(m * k, 1), make(k * n, 2)
    a.seen = b.seen = seen
    case(name, gemm, -(-m // bm) * -(-n // bn),
         dict(a=a, b=b, c=out(result, m * n), m=m, n=n, k=k, sam=1 if at else k, sak=m if at else 1, sbk=1 if bt else n, sbn=k if bt else 1,
              scm=n, BM=bm, BN=bn, BK=bk, BAND=band, EPILOGUE=epilogue, PRECISION=precision, ACC=acc),
         f"{m} x {n} x {k}, tile {bm} x {bn} x {bk}", **options)


product("gemm_f16_128x128", "f16", 1024, 1024, 512, (128, 128, 64), num_warps=4, num_stages=3)
product("gemm_f16_128x256", "f16", 1024, 2048, 256, (128, 256, 64), num_warps=8, num_stages=3)
product("gemm_f16_256x64_silu", "f16", 2048, 512, 512, (256, 64, 32), epilogue="silu", num_warps=8, num_stages=4)
product("gemm_f16_64x64_relu", "f16", 768, 640, 512, (64, 64, 64), epilogue="relu", num_warps=4, num_stages=4)
product("gemm_f16_32x32_w2", "f16", 512, 512, 256, (32, 32, 32), num_warps=2, num_stages=3)
product("gemm_f16_16x128", "f16", 64, 4096, 512, (16, 128, 64), num_warps=4, num_stages=4)
product("gemm_f16_acc16", "f16", 512, 1024, 512, (64, 128, 32), acc=tl.float16, num_warps=4, num_stages=3)
product("gemm_f16_at", "f16", 1024, 512, 512, (64, 128, 64), at=True, num_warps=4, num_stages=3)
product("gemm_f16_bt", "f16", 512, 1024, 512, (128, 64, 64), bt=True, num_warps=4, num_stages=3)
product("gemm_bf16_edges", "bf16", 1000, 760, 392, (128, 64, 32), "bf16", num_warps=4, num_stages=4)
product("gemm_bf16_odd", "bf16", 333, 517, 251, (64, 64, 32), "bf16", num_warps=4, num_stages=2)
product("gemm_tf32_64x128", "f32", 512, 1024, 256, (64, 128, 32), "f32", num_warps=4, num_stages=3)
product("gemm_tf32x3", "f32", 256, 512, 256, (64, 64, 32), "f32", precision="tf32x3", num_warps=4, num_stages=3)
product("gemm_f32_ieee", "f32", 512, 512, 128, (64, 64, 16), "f32", precision="ieee", num_warps=4, num_stages=3)
product("gemm_fp8e4_128x128", "u8", 1024, 1024, 512, (128, 128, 128), "f16", bt=True, seen="fp8e4nv", num_warps=4, num_stages=3)
product("gemm_fp8e5_64x128", "u8", 512, 1024, 512, (64, 128, 64), "f32", seen="fp8e5", num_warps=4, num_stages=3)
product("gemm_s8_128x128", "s8", 1024, 1024, 512, (128, 128, 64), "s32", bt=True, acc=tl.int32, num_warps=8, num_stages=3)


@triton.jit
def gemm_bias_gelu(a, b, bias, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """k is a constant multiple of BK: no masks in the loop; the exact gelu behind it."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    q = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        ks = start + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + r[:, None] * k + ks[None, :]), tl.load(b + ks[:, None] * n + q[None, :]))
    acc += tl.load(bias + q).to(tl.float32)[None, :]
    acc = 0.5 * acc * (1 + tl.erf(acc * 0.7071067811865476))
    tl.store(c + r[:, None] * n + q[None, :], acc.to(tl.bfloat16))


case("gemm_bias_gelu", gemm_bias_gelu, (8, 16), dict(a=rnd("bf16", 1024 * 256, 1), b=rnd("bf16", 256 * 1024, 2), bias=rnd("bf16", 1024, 3),
     c=out("bf16", 1024 * 1024), m=1024, n=1024, k=256, BM=128, BN=64, BK=32), num_warps=8, num_stages=3)


@triton.jit
def gemm_split(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr, ATOMIC: tl.constexpr):
    part = tl.program_id(2)
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    q = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = part * BK + tl.arange(0, BK)
    pa = a + r[:, None] * k + ks[None, :]
    pb = b + ks[:, None] * n + q[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k, BK * SPLIT):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK * SPLIT
        pb += BK * SPLIT * n
    at = r[:, None] * n + q[None, :]
    if ATOMIC:
        tl.atomic_add(c + at, acc, sem="relaxed")
    else:
        tl.store(c + part * m * n + at, acc)


for name, split, atomic, n in (("gemm_splitk_atomic", 2, True, 512), ("gemm_splitk_partials", 4, False, 256)):
    case(name, gemm_split, (4, n // 64, split), dict(a=rnd("f16", 256 * 2048, 1), b=rnd("f16", 2048 * n, 2),
         c=out("f32", 256 * n * (1 if atomic else split)), m=256, n=n, k=2048, BM=64, BN=64, BK=64, SPLIT=split, ATOMIC=atomic),
         "two sums on zero commute" if atomic else "", num_warps=4, num_stages=4)


@triton.jit
def split_sum(parts, c, count, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for p in tl.static_range(SPLIT):
        acc += tl.load(parts + p * count + at, mask=at < count, other=0.0)
    tl.store(c + at, acc.to(tl.float16), mask=at < count)


case("splitk_sum", split_sum, 512, dict(parts=rnd("f32", 8 * 500000, 1), c=out("f16", 500000), count=500000, SPLIT=8, BLOCK=1024), num_warps=4)


@triton.jit
def gemm_persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr, BLOCKS: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, BLOCKS, flatten=True):
        tm, tn = swizzled(tile, tiles_m, tiles_n, BAND)
        r, q, ks = tm * BM + tl.arange(0, BM), tn * BN + tl.arange(0, BN), tl.arange(0, BK)
        r = tl.where(r < m, r, 0)
        q = tl.where(q < n, q, 0)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            kk = step * BK + ks
            x = tl.load(a + r[:, None] * k + kk[None, :], mask=kk[None, :] < k, other=0.0)
            y = tl.load(b + kk[:, None] * n + q[None, :], mask=kk[:, None] < k, other=0.0)
            acc = tl.dot(x, y, acc)
        rr, qq = tm * BM + tl.arange(0, BM), tn * BN + tl.arange(0, BN)
        tl.store(c + rr[:, None] * n + qq[None, :], acc.to(tl.float16), mask=(rr[:, None] < m) & (qq[None, :] < n))


case("gemm_persistent", gemm_persistent, 132, dict(a=rnd("f16", 1280 * 256, 1), b=rnd("f16", 256 * 1152, 2), c=out("f16", 1280 * 1152), m=1280,
     n=1152, k=256, BM=64, BN=64, BK=64, BAND=8, BLOCKS=132), "360 tiles by 132 blocks", num_warps=4, num_stages=3)


@triton.jit
def gemv(w, x, y, n, k, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BN, BK), tl.float32)
    for start in range(0, k, BK):
        ks = start + tl.arange(0, BK)
        acc += tl.load(w + rows[:, None] * k + ks[None, :]).to(tl.float32) * tl.load(x + ks).to(tl.float32)[None, :]
    tl.store(y + rows, tl.sum(acc, 1).to(tl.float16))


case("gemv_f16", gemv, 256, dict(w=rnd("f16", 1024 * 4096, 1), x=rnd("f16", 4096, 2), y=out("f16", 1024), n=1024, k=4096, BN=4, BK=512), num_warps=4)


@triton.jit
def grouped(a, b, c, first, k, n, GROUPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows first[g] to first[g + 1] times the g-th matrix: each block looks for its group."""
    tile, tn, g, row0, row1 = tl.program_id(0), tl.program_id(1), -1, 0, 0
    seen = 0
    for i in range(GROUPS):
        lo = tl.load(first + i)
        hi = tl.load(first + i + 1)
        tiles = tl.cdiv(hi - lo, BM)
        here = (tile >= seen) & (tile < seen + tiles)
        g = tl.where(here, i, g)
        row0 = tl.where(here, lo + (tile - seen) * BM, row0)
        row1 = tl.where(here, hi, row1)
        seen += tiles
    if g >= 0:
        r, q = row0 + tl.arange(0, BM), tn * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            ks = start + tl.arange(0, BK)
            x = tl.load(a + r[:, None] * k + ks[None, :], mask=r[:, None] < row1, other=0.0)
            acc = tl.dot(x, tl.load(b + (g * k + ks)[:, None] * n + q[None, :]), acc)
        tl.store(c + r[:, None] * n + q[None, :], acc.to(tl.bfloat16), mask=r[:, None] < row1)


case("grouped_gemm", grouped, (24, 4), dict(a=rnd("bf16", 1100 * 256, 1), b=rnd("bf16", 8 * 256 * 256, 2), c=out("bf16", 1100 * 256),
     first=Buf("s32", 9, "csr_rows", 5, 120), k=256, n=256, GROUPS=8, BM=64, BN=64, BK=64),
     "eight experts of uneven sizes", num_warps=4, num_stages=3)


@triton.jit
def dequant_w4(a, packed, scales, zeros, c, m, n, k, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of four bits, eight along k in a word, scale and zero a group of k: made halves in front of the product."""
    r, q, ks = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    shift = (ks % 8) * 4
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + r[:, None] * k + (start + ks)[None, :])
        words = tl.load(packed + ((start + ks) // 8)[:, None] * n + q[None, :])
        g = start // GROUP
        scale, zero = tl.load(scales + g * n + q), tl.load(zeros + g * n + q)
        w = (((words >> shift[:, None]) & 15).to(tl.float16) - zero[None, :]) * scale[None, :]
        acc = tl.dot(x, w, acc)
    tl.store(c + r[:, None] * n + q[None, :], acc.to(tl.float16))


case("gemm_w4a16", dequant_w4, (4, 16), dict(a=rnd("f16", 256 * 512, 1), packed=Buf("s32", 64 * 1024, "raw", 2),
     scales=pos("f16", 4 * 1024, 3), zeros=pos("f16", 4 * 1024, 4), c=out("f16", 256 * 1024), m=256, n=1024, k=512, GROUP=128, BM=64, BN=64, BK=64),
     num_warps=4, num_stages=3)


@triton.jit
def w8a8(a, b, sa, sb, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r, q, ks = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.int32)
    for start in range(0, k, BK):
        acc += tl.dot(tl.load(a + r[:, None] * k + (start + ks)[None, :]), tl.load(b + q[None, :] * k + (start + ks)[:, None]), out_dtype=tl.int32)
    scaled = acc.to(tl.float32) * tl.load(sa + r)[:, None] * tl.load(sb + q)[None, :]
    tl.store(c + r[:, None] * n + q[None, :], scaled.to(tl.bfloat16))


case("gemm_w8a8_scaled", w8a8, (8, 16), dict(a=ints("s8", 512 * 1024, 256, 1), b=ints("s8", 1024 * 1024, 256, 2), sa=pos("f32", 512, 3),
     sb=pos("f32", 1024, 4), c=out("bf16", 512 * 1024), m=512, n=1024, k=1024, BM=64, BN=64, BK=128), num_warps=4, num_stages=3)


@triton.jit
def w8a16(a, b, sb, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r, q, ks = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        w = tl.load(b + (start + ks)[:, None] * n + q[None, :]).to(tl.bfloat16)
        acc = tl.dot(tl.load(a + r[:, None] * k + (start + ks)[None, :]), w, acc)
    tl.store(c + r[:, None] * n + q[None, :], (acc * tl.load(sb + q)[None, :]).to(tl.bfloat16))


case("gemm_w8a16", w8a16, (2, 32), dict(a=rnd("bf16", 64 * 1024, 1), b=ints("s8", 1024 * 2048, 256, 2), sb=pos("f32", 2048, 3),
     c=out("bf16", 64 * 2048), m=64, n=2048, k=1024, BM=32, BN=64, BK=64), num_warps=4, num_stages=4)


@triton.jit
def fp8_blockscaled(a, b, sa, sb, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Scales a row and 128 of k of a, a 128 x 128 block of b: sums in f32 outside the tensor cores."""
    r, q, ks = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, k // BK):
        x = tl.load(a + r[:, None] * k + (step * BK + ks)[None, :])
        y = tl.load(b + q[None, :] * k + (step * BK + ks)[:, None])
        s = tl.load(sa + r * (k // BK) + step)[:, None] * tl.load(sb + (q // 128) * (k // BK) + step)[None, :]
        acc += tl.dot(x, y) * s
    tl.store(c + r[:, None] * n + q[None, :], acc.to(tl.bfloat16))


def fp8(count, seed):
    b = ints("u8", count, 112, seed)
    b.seen = "fp8e4nv"
    return b


case("gemm_fp8_blockscaled", fp8_blockscaled, (8, 8), dict(a=fp8(512 * 512, 1), b=fp8(1024 * 512, 2), sa=pos("f32", 512 * 4, 3),
     sb=pos("f32", 8 * 4, 4), c=out("bf16", 512 * 1024), m=512, n=1024, k=512, BM=64, BN=128, BK=128), num_warps=4, num_stages=3)
