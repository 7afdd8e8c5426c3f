# SPDX-License-Identifier: Apache-2.0
"""Elementwise kernels, gathers and scatters, layouts, random numbers, optimiser steps, quantisation."""
import triton
import triton.language as tl
from spec import Buf, case, ints, out, pos, rnd
from triton.language.extra import libdevice


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


case("vector_add", add, 977, dict(x=rnd("f32", 1000003, 1), y=rnd("f32", 1000003, 2), z=out("f32", 1000003), n=1000003, BLOCK=1024), num_warps=4)
case("vector_add_bf16", add, 245, dict(x=rnd("bf16", 1000000, 1), y=rnd("bf16", 1000000, 2), z=out("bf16", 1000000), n=1000000, BLOCK=4096), num_warps=8)


@triton.jit
def mixture(x, y, z, n, BLOCK: tl.constexpr):
    """What element functions compile to: divisions, roots, powers, arcs, error function, roundings."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + at, mask=at < n, other=1.0), tl.load(y + at, mask=at < n, other=1.0)
    v = tl.sin(a) * tl.cos(b) + tl.erf(a) / (1.0 + tl.exp(-b)) + tl.sqrt(tl.abs(a)) - tl.log2(tl.abs(b) + 1.0)
    v += libdevice.tanh(a * b) + libdevice.pow(tl.abs(a) + 0.5, b) + libdevice.atan2(a, b) + tl.floor(a * 7.0) + tl.rsqrt(tl.abs(b) + 1.0)
    tl.store(z + at, v, mask=at < n)


case("elementwise_mixture", mixture, 250, dict(x=rnd("f32", 256000, 1), y=rnd("f32", 256000, 2), z=out("f32", 256000), n=256000, BLOCK=1024), num_warps=4)


@triton.jit
def geglu_tanh(gate, up, c, cols, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(gate + row * cols + at, mask=at < cols, other=0.0).to(tl.float32)
    b = tl.load(up + row * cols + at, mask=at < cols, other=0.0)
    t = libdevice.tanh(0.7978845608028654 * (a + 0.044715 * a * a * a))
    tl.store(c + row * cols + at, (0.5 * a * (1 + t)).to(tl.float16) * b, mask=at < cols)


case("geglu_fwd", geglu_tanh, (200, 3), dict(gate=rnd("f16", 200 * 5504, 1), up=rnd("f16", 200 * 5504, 2), c=out("f16", 200 * 5504), cols=5504, BLOCK=2048),
     num_warps=8)


@triton.jit
def swiglu_bwd(dgate, dup, dc, gate, up, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(gate + at, mask=at < n, other=0.0).to(tl.float32)
    b = tl.load(up + at, mask=at < n, other=0.0).to(tl.float32)
    g = tl.load(dc + at, mask=at < n, other=0.0).to(tl.float32)
    s = tl.sigmoid(a)
    tl.store(dup + at, (g * a * s).to(tl.bfloat16), mask=at < n)
    tl.store(dgate + at, (g * b * (s + a * s * (1 - s))).to(tl.bfloat16), mask=at < n)


case("swiglu_bwd", swiglu_bwd, 500, dict(dgate=out("bf16", 511900), dup=out("bf16", 511900), dc=rnd("bf16", 511900, 1), gate=rnd("bf16", 511900, 2),
     up=rnd("bf16", 511900, 3), n=511900, BLOCK=1024), num_warps=4)


@triton.jit
def dropout(x, y, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    tl.store(y + at, tl.where(keep, tl.load(x + at, mask=at < n) / (1 - p), 0.0), mask=at < n)


case("dropout_seeded", dropout, 300, dict(x=rnd("f32", 306000, 1), y=out("f32", 306000), n=306000, p=0.3, seed=2026, BLOCK=1024), num_warps=4)


@triton.jit
def normals(y, seed, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randn4x(seed, at)
    base = y + at * 4
    tl.store(base, a, mask=at < n)
    tl.store(base + 1, b, mask=at < n)
    tl.store(base + 2, c, mask=at < n)
    tl.store(base + 3, d, mask=at < n)


case("normals_philox", normals, 120, dict(y=out("f32", 120 * 512 * 4), seed=7, n=120 * 512, BLOCK=512), num_warps=4)


@triton.jit
def rope(q, cos, sin, heads, seq, HALF: tl.constexpr, HEADS: tl.constexpr):
    """Both halves of every head of a token, in place."""
    token = tl.program_id(0)
    h, d = tl.arange(0, HEADS), tl.arange(0, HALF)
    c, s = tl.load(cos + (token % seq) * HALF + d), tl.load(sin + (token % seq) * HALF + d)
    at = token * heads * HALF * 2 + h[:, None] * HALF * 2 + d[None, :]
    inside = h[:, None] < heads
    x, y = tl.load(q + at, mask=inside, other=0.0).to(tl.float32), tl.load(q + at + HALF, mask=inside, other=0.0).to(tl.float32)
    tl.store(q + at, (x * c[None, :] - y * s[None, :]).to(tl.bfloat16), mask=inside)
    tl.store(q + at + HALF, (y * c[None, :] + x * s[None, :]).to(tl.bfloat16), mask=inside)


case("rope_halves", rope, 264, dict(q=out("bf16", 264 * 28 * 128, "uniform", 1), cos=rnd("f32", 132 * 64, 2), sin=rnd("f32", 132 * 64, 3), heads=28, seq=132,
     HALF=64, HEADS=32), num_warps=4)


@triton.jit
def rope_pairs(q, freq, y, positions, cols, BLOCK: tl.constexpr):
    """Neighbours rotate: joined, split, and angles from a table of frequencies."""
    row, d = tl.program_id(0), tl.arange(0, BLOCK)
    angle = tl.load(positions + row).to(tl.float32) * tl.load(freq + d)
    c, s = tl.cos(angle), tl.sin(angle)
    v = tl.load(q + row * cols + tl.arange(0, 2 * BLOCK)).to(tl.float32)
    a, b = tl.split(tl.reshape(v, (BLOCK, 2)))
    w = tl.interleave(a * c - b * s, a * s + b * c)
    tl.store(y + row * cols + tl.arange(0, 2 * BLOCK), w.to(tl.float16))


case("rope_pairs", rope_pairs, 1500, dict(q=rnd("f16", 1500 * 256, 1), freq=pos("f32", 128, 2), y=out("f16", 1500 * 256), positions=ints("s32", 1500, 4096, 3),
     cols=256, BLOCK=128), num_warps=1)


@triton.jit
def embedding(table, ids, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.load(ids + row).to(tl.int64)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        tl.store(y + row * width + at, tl.load(table + source * width + at, mask=at < width), mask=at < width)


case("embedding_gather", embedding, 1000, dict(table=rnd("f16", 3000 * 1024, 1), ids=ints("s32", 1000, 3000, 2), y=out("f16", 1000 * 1024), width=1024,
     BLOCK=512), num_warps=2)


@triton.jit
def scatter_add(grad, ids, value, width, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    target = tl.load(ids + row)
    tl.atomic_add(grad + target * width + at, tl.load(value + row * width + at, mask=at < width, other=0), mask=at < width, sem="relaxed")


case("embedding_scatter", scatter_add, (600, 2), dict(grad=out("s32", 200 * 500), ids=ints("s32", 600, 200, 1), value=ints("s32", 600 * 500, 1000, 2), width=500,
     BLOCK=256), "whole numbers: the sums do not depend on the order", num_warps=2)


@triton.jit
def transpose(x, y, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r, c = tl.program_id(0) * BR + tl.arange(0, BR), tl.program_id(1) * BC + tl.arange(0, BC)
    v = tl.load(x + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols))
    tl.store(y + c[:, None] * rows + r[None, :], tl.trans(v), mask=(c[:, None] < cols) & (r[None, :] < rows))


case("transpose_f32", transpose, (16, 16), dict(x=rnd("f32", 1024 * 1000, 1), y=out("f32", 1024 * 1000), rows=1024, cols=1000, BR=64, BC=64), num_warps=4)
case("transpose_u8", transpose, (16, 8), dict(x=ints("u8", 1024 * 1024, 256, 1), y=out("u8", 1024 * 1024), rows=1024, cols=1024, BR=64, BC=128), num_warps=4)


@triton.jit
def permute(x, y, heads, seq, HEADS: tl.constexpr, WIDTH: tl.constexpr, TOKENS: tl.constexpr):
    """Token, head, channel to head, token, channel."""
    t, h, d = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS), tl.arange(0, HEADS), tl.arange(0, WIDTH)
    v = tl.load(x + (t[:, None, None] * heads + h[None, :, None]) * WIDTH + d[None, None, :])
    v = tl.permute(v, (1, 0, 2))
    tl.store(y + (h[:, None, None] * seq + t[None, :, None]) * WIDTH + d[None, None, :], v)


case("permute_heads", permute, 256, dict(x=rnd("f16", 1024 * 16 * 64, 1), y=out("f16", 1024 * 16 * 64), heads=16, seq=1024, HEADS=16, WIDTH=64, TOKENS=4), num_warps=4)


@triton.jit
def adamw(p, m, v, g, lr, decay, b1, b2, eps, c1, c2, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    grad = tl.load(g + at, mask=inside, other=0.0).to(tl.float32)
    mean = b1 * tl.load(m + at, mask=inside, other=0.0) + (1 - b1) * grad
    var = b2 * tl.load(v + at, mask=inside, other=0.0) + (1 - b2) * grad * grad
    w = tl.load(p + at, mask=inside, other=0.0)
    w = w - lr * decay * w - lr * (mean / c1) / (tl.sqrt(var / c2) + eps)
    tl.store(p + at, w, mask=inside)
    tl.store(m + at, mean, mask=inside)
    tl.store(v + at, var, mask=inside)


case("adamw_step", adamw, 300, dict(p=out("f32", 300100, "uniform", 1), m=out("f32", 300100, "uniform", 2), v=out("f32", 300100, "positive", 3),
     g=rnd("bf16", 300100, 4), lr=1e-3, decay=0.01, b1=0.9, b2=0.999, eps=1e-8, c1=0.5, c2=0.25, n=300100, BLOCK=1024), num_warps=4)


@triton.jit
def quantise_groups(x, q, s, n, GROUP: tl.constexpr, ROWS: tl.constexpr):
    """Groups of a row to e4m3 with a scale each."""
    g, c = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, GROUP)
    at = g[:, None] * GROUP + c[None, :]
    v = tl.load(x + at, mask=g[:, None] < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), 1), 1e-10) / 448.0
    tl.store(q + at, (v / scale[:, None]).to(tl.float8e4nv), mask=g[:, None] < n)
    tl.store(s + g, scale, mask=g < n)


def fp8(b):
    b.seen = "fp8e4nv"
    return b


case("quantise_fp8_groups", quantise_groups, 500, dict(x=rnd("bf16", 8000 * 128, 1), q=fp8(out("u8", 8000 * 128)), s=out("f32", 8000), n=8000, GROUP=128,
     ROWS=16), num_warps=4)


@triton.jit
def dequantise_w4(packed, scales, y, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    word = tl.load(packed + at, mask=at < n, other=0)
    scale = tl.load(scales + at * 2 // GROUP, mask=at < n, other=0.0)
    lo, hi = ((word & 15).to(tl.int8) - 8).to(tl.float16) * scale, ((word >> 4).to(tl.int8) - 8).to(tl.float16) * scale
    both = tl.interleave(lo, hi)
    to = tl.program_id(0) * BLOCK * 2 + tl.arange(0, BLOCK * 2)
    tl.store(y + to, both, mask=to < n * 2)


case("dequantise_w4", dequantise_w4, 400, dict(packed=Buf("u8", 409600, "raw", 1), scales=pos("f16", 12800, 2), y=out("f16", 819200), n=409600, GROUP=64,
     BLOCK=1024), num_warps=4)


@triton.jit
def causal_conv1d(x, w, y, seq, width, SEQ: tl.constexpr, BLOCK: tl.constexpr):
    """Four taps a channel and silu, as state-space models have it."""
    t, c = tl.program_id(0) * SEQ + tl.arange(0, SEQ), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((SEQ, BLOCK), tl.float32)
    for tap in tl.static_range(4):
        at = t - 3 + tap
        v = tl.load(x + at[:, None] * width + c[None, :], mask=(at[:, None] >= 0) & (at[:, None] < seq), other=0.0)
        acc += v.to(tl.float32) * tl.load(w + c * 4 + tap).to(tl.float32)[None, :]
    tl.store(y + t[:, None] * width + c[None, :], (acc * tl.sigmoid(acc)).to(tl.bfloat16), mask=t[:, None] < seq)


case("causal_conv1d", causal_conv1d, (32, 8), dict(x=rnd("bf16", 1000 * 512, 1), w=rnd("bf16", 512 * 4, 2), y=out("bf16", 1000 * 512), seq=1000, width=512, SEQ=32,
     BLOCK=64), num_warps=4)


@triton.jit
def conv_im2col(x, w, y, H: tl.constexpr, W: tl.constexpr, C: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A 3 x 3 convolution as a product: pixels by (tap, channel), gathered on the way."""
    p, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    row, col = p // W, p % W
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, 9 * C // BK):
        k = step * BK + tl.arange(0, BK)
        tap, channel = k // C, k % C
        r, c = row[:, None] + (tap // 3)[None, :] - 1, col[:, None] + (tap % 3)[None, :] - 1
        inside = (r >= 0) & (r < H) & (c >= 0) & (c < W)
        a = tl.load(x + (r * W + c) * C + channel[None, :], mask=inside, other=0.0)
        acc = tl.dot(a, tl.load(w + k[:, None] * K + n[None, :]), acc)
    tl.store(y + p[:, None] * K + n[None, :], acc.to(tl.float16))


case("conv3x3_im2col", conv_im2col, (64, 2), dict(x=rnd("f16", 64 * 64 * 64, 1), w=rnd("f16", 9 * 64 * 128, 2), y=out("f16", 64 * 64 * 128), H=64, W=64, C=64,
     K=128, BM=64, BN=64, BK=32), num_warps=4, num_stages=3)


@triton.jit
def max_pool(x, y, H, W, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ow, oh = W // 2, H // 2
    plane, r, c = at // (oh * ow), at // ow % oh, at % ow
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            rr, cc = r * 2 + i - 1, c * 2 + j - 1
            inside = (rr >= 0) & (rr < H) & (cc >= 0) & (cc < W) & (at < n)
            best = tl.maximum(best, tl.load(x + plane * H * W + rr * W + cc, mask=inside, other=-float("inf")))
    tl.store(y + at, best, mask=at < n)


case("max_pool_3x3", max_pool, 256, dict(x=rnd("f32", 32 * 128 * 128, 1), y=out("f32", 32 * 64 * 64), H=128, W=128, n=32 * 64 * 64, BLOCK=512), num_warps=4)
