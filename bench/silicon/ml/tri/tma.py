# SPDX-License-Identifier: Apache-2.0
"""Tensor descriptors, made on the host or by the kernel; persistent and warp-specialised products; attention on top of them."""
import triton
import triton.language as tl
from spec import Desc, Ref, case, ints, out, pos, rnd
from tri.gemm import swizzled


@triton.jit
def gemm_desc(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr, BT: tl.constexpr):
    tm, tn = swizzled(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), BAND)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = a.load([tm * BM, start])
        if BT:
            acc = tl.dot(x, b.load([tn * BN, start]).T, acc)
        else:
            acc = tl.dot(x, b.load([start, tn * BN]), acc)
    c.store([tm * BM, tn * BN], acc.to(c.dtype))


def host(name, kind, m, n, k, tile, result="f16", bt=False, seen="", **options):
    bm, bn, bk = tile
    make = (lambda count, s: ints("u8", count, 112, s)) if seen else (lambda count, s: rnd(kind, count, s))
    a, b = make(m * k, 1), make(n * k, 2)
    a.seen = b.seen = seen
    case(name, gemm_desc, -(-m // bm) * -(-n // bn), dict(a=Desc(a, [m, k], [bm, bk]), b=Desc(b, [n, k], [bn, bk]) if bt else Desc(b, [k, n], [bk, bn]),
         c=Desc(out(result, m * n), [m, n], [bm, bn]), m=m, n=n, k=k, BM=bm, BN=bn, BK=bk, BAND=4, BT=bt), f"{m} x {n} x {k}, descriptors of the host", **options)


host("tma_gemm_f16_128x128", "f16", 1024, 1024, 512, (128, 128, 64), num_warps=4, num_stages=3)
host("tma_gemm_bf16_128x256_bt", "bf16", 1024, 1024, 384, (128, 256, 64), "bf16", True, num_warps=8, num_stages=3)
host("tma_gemm_fp8_128x128", "u8", 1024, 1024, 512, (128, 128, 128), "bf16", True, "fp8e4nv", num_warps=4, num_stages=3)
host("tma_gemm_tf32_128x64", "f32", 512, 512, 256, (128, 64, 32), "f32", num_warps=4, num_stages=3)
host("tma_gemm_edges", "bf16", 840, 600, 200, (64, 64, 64), "bf16", True, num_warps=4, num_stages=3)


@triton.jit
def gemm_desc_persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr, WARPS: tl.constexpr, SUBTILE: tl.constexpr,
                         FLAT: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLAT, warp_specialize=WARPS):
        tm, tn = swizzled(tile, tiles_m, tiles_n, BAND)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            x = a.load([tm * BM, step * BK])
            y = b.load([tn * BN, step * BK])
            acc = tl.dot(x, y.T, acc)
        if SUBTILE:
            halves = tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c.store([tm * BM, tn * BN], left.to(c.dtype))
            c.store([tm * BM, tn * BN + BN // 2], right.to(c.dtype))
        else:
            c.store([tm * BM, tn * BN], acc.to(c.dtype))


def persistent(name, m, n, k, tile, warps, subtile, flat, blocks, **options):
    bm, bn, bk = tile
    case(name, gemm_desc_persistent, blocks, dict(a=Desc(rnd("f16", m * k, 1), [m, k], [bm, bk]), b=Desc(rnd("f16", n * k, 2), [n, k], [bn, bk]),
         c=Desc(out("f16", m * n), [m, n], [bm, bn // 2 if subtile else bn]), m=m, n=n, k=k, BM=bm, BN=bn, BK=bk, BAND=8, WARPS=warps, SUBTILE=subtile, FLAT=flat),
         f"{m} x {n} x {k} by {blocks} blocks", **options)


persistent("tma_persistent", 1536, 1408, 256, (128, 128, 64), False, False, True, 66, num_warps=8, num_stages=3)
persistent("tma_persistent_subtile", 1280, 1280, 256, (128, 128, 64), False, True, True, 50, num_warps=8, num_stages=4)
persistent("tma_persistent_ws", 1536, 1408, 256, (128, 128, 64), True, False, False, 66, num_warps=8, num_stages=3)
persistent("tma_persistent_ws_w8", 1280, 1280, 256, (128, 128, 64), True, True, False, 50, num_warps=8, num_stages=3)


@triton.jit
def gemm_made(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr, WARPS: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), warp_specialize=WARPS):
        tm, tn = swizzled(tile, tiles_m, tiles_n, BAND)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            acc = tl.dot(da.load([tm * BM, step * BK]), db.load([tn * BN, step * BK]).T, acc)
        dc.store([tm * BM, tn * BN], acc.to(c.dtype.element_ty))


def made(name, kind, m, n, k, tile, blocks, warps=False, **options):
    bm, bn, bk = tile
    case(name, gemm_made, blocks, dict(a=rnd(kind, m * k, 1), b=rnd(kind, n * k, 2), c=out(kind, m * n), m=m, n=n, k=k, BM=bm, BN=bn, BK=bk, BAND=8, WARPS=warps),
         f"{m} x {n} x {k}, descriptors by the kernel", **options)


made("devdesc_gemm_f16", "f16", 1024, 1024, 384, (128, 128, 64), 64, num_warps=4, num_stages=3)
made("devdesc_gemm_bf16_64x128", "bf16", 1000, 1096, 264, (64, 128, 64), 96, num_warps=4, num_stages=4)
made("devdesc_gemm_ws", "f16", 1024, 1024, 384, (128, 128, 64), 32, True, num_warps=4, num_stages=3)


@triton.jit
def bmm_made(a, b, c, m, n, k, batch, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [batch, m, k], [m * k, k, 1], [1, BM, BK])
    db = tl.make_tensor_descriptor(b, [batch, k, n], [k * n, n, 1], [1, BK, BN])
    dc = tl.make_tensor_descriptor(c, [batch, m, n], [m * n, n, 1], [1, BM, BN])
    z, tm, tn = tl.program_id(2), tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = da.load([z, tm * BM, start]).reshape(BM, BK)
        y = db.load([z, start, tn * BN]).reshape(BK, BN)
        acc = tl.dot(x, y, acc)
    dc.store([z, tm * BM, tn * BN], acc.to(tl.bfloat16).reshape(1, BM, BN))


case("devdesc_bmm", bmm_made, (3, 2, 24), dict(a=rnd("bf16", 24 * 160 * 96, 1), b=rnd("bf16", 24 * 96 * 128, 2), c=out("bf16", 24 * 160 * 128), m=160, n=128, k=96,
     batch=24, BM=64, BN=64, BK=32), "24 products of 160 x 128 x 96, rank 3", num_warps=4, num_stages=3)


@triton.jit
def attention_desc(q, k, v, o, lse, seq, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, WARPS: tl.constexpr):
    tile, head = tl.program_id(0), tl.program_id(1)
    row0 = head * seq
    row = tile * BM + tl.arange(0, BM)
    x = q.load([row0 + tile * BM, 0])
    acc, norm = tl.zeros((BM, D), tl.float32), tl.zeros((BM,), tl.float32)
    top = tl.full((BM,), -float("inf"), tl.float32)
    scale *= 1.4426950408889634
    last = (tile + 1) * BM if CAUSAL else seq
    for start in tl.range(0, last, BN, warp_specialize=WARPS):
        s = tl.dot(x, k.load([row0 + start, 0]).T) * scale
        if CAUSAL:
            s = tl.where(row[:, None] >= start + tl.arange(0, BN)[None, :], s, -1.0e6)
        higher = tl.maximum(top, tl.max(s, 1))
        p, fade = tl.exp2(s - higher[:, None]), tl.exp2(top - higher)
        norm = norm * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(q.dtype), v.load([row0 + start, 0]), acc * fade[:, None])
        top = higher
    tl.store(lse + row0 + row, top + tl.log2(norm))
    o.store([row0 + tile * BM, 0], (acc / norm[:, None]).to(o.dtype))


def attend(name, kind, seq, heads, d, causal, bm, bn, warps=False, **options):
    rows = seq * heads
    case(name, attention_desc, (seq // bm, heads), dict(q=Desc(rnd(kind, rows * d, 1), [rows, d], [bm, d]), k=Desc(rnd(kind, rows * d, 2), [rows, d], [bn, d]),
         v=Desc(rnd(kind, rows * d, 3), [rows, d], [bn, d]), o=Desc(out(kind, rows * d), [rows, d], [bm, d]), lse=out("f32", rows), seq=seq, scale=d ** -0.5,
         CAUSAL=causal, BM=bm, BN=bn, D=d, WARPS=warps), f"{heads} heads of {seq} tokens, {d} wide", **options)


attend("tma_attn_causal_d64", "f16", 1024, 4, 64, True, 128, 64, num_warps=4, num_stages=3)
attend("tma_attn_full_d128", "bf16", 512, 4, 128, False, 128, 128, num_warps=8, num_stages=2)
attend("tma_attn_full_ws", "f16", 512, 8, 64, False, 128, 64, True, num_warps=8, num_stages=3)


@triton.jit
def copy_desc(x, y, BR: tl.constexpr, BC: tl.constexpr):
    v = x.load([tl.program_id(0) * BR, tl.program_id(1) * BC])
    y.store([tl.program_id(1) * BC, tl.program_id(0) * BR], v.T)


case("tma_transpose", copy_desc, (16, 15), dict(x=Desc(rnd("f16", 1024 * 960, 1), [1024, 960], [64, 64]), y=Desc(out("f16", 1024 * 960), [960, 1024], [64, 64]), BR=64, BC=64),
     num_warps=4)


@triton.jit
def reduce_desc(x, y, SPAN: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr):
    for i in range(SPAN):
        v = x.load([(tl.program_id(0) * SPAN + i) * BR, tl.program_id(1) * BC])
        y.atomic_add([(i % 2) * BR, tl.program_id(1) * BC], v)


case("tma_reduce_add", reduce_desc, (16, 8), dict(x=Desc(ints("s32", 1024 * 512, 1000, 1), [1024, 512], [16, 64]), y=Desc(out("s32", 32 * 512), [32, 512], [16, 64]), SPAN=4, BR=16,
     BC=64), "whole numbers added by the copy engine", num_warps=2)
