# SPDX-License-Identifier: Apache-2.0
"""Attention: forward and backward, causal or not, sliding window, decoding in parts, pages, linear attention by chunks."""
import triton
import triton.language as tl
from spec import Buf, case, ints, out, pos, rnd


@triton.jit
def forward_part(acc, norm, top, q, pk, pv, row, first, last, scale, WINDOW: tl.constexpr, MASKED: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    for start in range(first, last, BN):
        start = tl.multiple_of(start, BN)
        col = start + tl.arange(0, BN)
        k = tl.load(pk + col[None, :] * D)
        s = tl.dot(q, k)
        if MASKED:
            seen = row[:, None] >= col[None, :]
            if WINDOW > 0:
                seen = seen & (row[:, None] - col[None, :] < WINDOW)
            s = tl.where(seen, s * scale, -1.0e6)
        else:
            s = s * scale
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - higher[:, None])
        fade = tl.exp2(top - higher)
        norm = norm * fade + tl.sum(p, 1)
        acc = acc * fade[:, None]
        v = tl.load(pv + col[:, None] * D)
        acc = tl.dot(p.to(v.dtype), v, acc)
        top = higher
    return acc, norm, top


@triton.jit
def attention(q, k, v, o, lse, seq, scale, CAUSAL: tl.constexpr, WINDOW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    tile, head = tl.program_id(0), tl.program_id(1)
    base = head * seq * D
    row, d = tile * BM + tl.arange(0, BM), tl.arange(0, D)
    x = tl.load(q + base + row[:, None] * D + d[None, :])
    pk, pv = k + base + d[:, None], v + base + d[None, :]
    acc, norm = tl.zeros((BM, D), tl.float32), tl.zeros((BM,), tl.float32)
    top = tl.full((BM,), -float("inf"), tl.float32)
    scale *= 1.4426950408889634
    if CAUSAL:
        begin = 0
        if WINDOW > 0:
            begin = max(tile * BM - WINDOW, 0) // BN * BN
            acc, norm, top = forward_part(acc, norm, top, x, pk, pv, row, begin, tile * BM, scale, WINDOW, True, BN, D)
        else:
            acc, norm, top = forward_part(acc, norm, top, x, pk, pv, row, 0, tile * BM, scale, 0, False, BN, D)
        acc, norm, top = forward_part(acc, norm, top, x, pk, pv, row, tile * BM, (tile + 1) * BM, scale, WINDOW, True, BN, D)
    else:
        acc, norm, top = forward_part(acc, norm, top, x, pk, pv, row, 0, seq, scale, 0, False, BN, D)
    tl.store(lse + head * seq + row, top + tl.log2(norm))
    tl.store(o + base + row[:, None] * D + d[None, :], (acc / norm[:, None]).to(o.dtype.element_ty))


def forward(name, kind, seq, heads, d, causal, window=0, bm=64, bn=64, **options):
    n = heads * seq * d
    case(name, attention, (seq // bm, heads), dict(q=rnd(kind, n, 1), k=rnd(kind, n, 2), v=rnd(kind, n, 3), o=out(kind, n), lse=out("f32", heads * seq),
         seq=seq, scale=d ** -0.5, CAUSAL=causal, WINDOW=window, BM=bm, BN=bn, D=d), f"{heads} heads of {seq} tokens, {d} wide", **options)


forward("attn_fwd_causal_d64", "f16", 1024, 6, 64, True, num_warps=4, num_stages=3)
forward("attn_fwd_full_d128", "bf16", 512, 8, 128, False, bm=128, bn=64, num_warps=8, num_stages=2)
forward("attn_fwd_full_d64_w8", "f16", 512, 16, 64, False, bm=128, bn=128, num_warps=8, num_stages=3)
forward("attn_fwd_window_d64", "bf16", 1024, 8, 64, True, 192, num_warps=4, num_stages=2)
forward("attn_fwd_causal_d32_mma", "f16", 512, 16, 32, True, bm=32, bn=32, num_warps=2, num_stages=3)


@triton.jit
def delta_of(o, do, delta, ROWS: tl.constexpr, D: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * D + tl.arange(0, D)[None, :]
    s = tl.sum(tl.load(o + at).to(tl.float32) * tl.load(do + at).to(tl.float32), 1)
    tl.store(delta + tl.program_id(0) * ROWS + tl.arange(0, ROWS), s)


case("attn_bwd_delta", delta_of, 512, dict(o=rnd("f16", 16384 * 64, 1), do=rnd("f16", 16384 * 64, 2), delta=out("f32", 16384), ROWS=32, D=64), num_warps=4)


@triton.jit
def backward_kv(q, k, v, do, lse, delta, dk, dv, seq, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """One tile of keys and values against all queries that see it: everything transposed."""
    tile, head = tl.program_id(0), tl.program_id(1)
    base = head * seq * D
    n, d = tile * BN + tl.arange(0, BN), tl.arange(0, D)
    at = base + n[:, None] * D + d[None, :]
    kk, vv = tl.load(k + at), tl.load(v + at)
    gk, gv = tl.zeros((BN, D), tl.float32), tl.zeros((BN, D), tl.float32)
    first = tile * BN if CAUSAL else 0
    for start in range(first, seq, BM):
        m = start + tl.arange(0, BM)
        qt = tl.load(q + base + m[None, :] * D + d[:, None])
        p = tl.exp2(tl.dot(kk, qt) * (scale * 1.4426950408889634) - tl.load(lse + head * seq + m)[None, :])
        if CAUSAL:
            p = tl.where(m[None, :] >= n[:, None], p, 0.0)
        g = tl.load(do + base + m[:, None] * D + d[None, :])
        gv = tl.dot(p.to(g.dtype), g, gv)
        ds = p * (tl.dot(vv, tl.trans(g)) - tl.load(delta + head * seq + m)[None, :])
        gk = tl.dot(ds.to(g.dtype), tl.trans(qt), gk)
    tl.store(dk + at, (gk * scale).to(dk.dtype.element_ty))
    tl.store(dv + at, gv.to(dv.dtype.element_ty))


@triton.jit
def backward_q(q, k, v, do, lse, delta, dq, seq, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    tile, head = tl.program_id(0), tl.program_id(1)
    base = head * seq * D
    m, d = tile * BM + tl.arange(0, BM), tl.arange(0, D)
    at = base + m[:, None] * D + d[None, :]
    x, g = tl.load(q + at), tl.load(do + at)
    l, dd = tl.load(lse + head * seq + m), tl.load(delta + head * seq + m)
    acc = tl.zeros((BM, D), tl.float32)
    last = (tile + 1) * BM if CAUSAL else seq
    for start in range(0, last, BN):
        n = start + tl.arange(0, BN)
        kt = tl.load(k + base + n[None, :] * D + d[:, None])
        vt = tl.load(v + base + n[None, :] * D + d[:, None])
        p = tl.exp2(tl.dot(x, kt) * (scale * 1.4426950408889634) - l[:, None])
        if CAUSAL:
            p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        ds = (p * (tl.dot(g, vt) - dd[:, None])).to(x.dtype)
        acc = tl.dot(ds, tl.trans(kt), acc)
    tl.store(dq + at, (acc * scale).to(dq.dtype.element_ty))


def backward(name, kernel, outputs, kind, seq, heads, d, causal, bm, bn, tile, **options):
    n = heads * seq * d
    args = dict(q=rnd(kind, n, 1), k=rnd(kind, n, 2), v=rnd(kind, n, 3), do=rnd(kind, n, 4), lse=Buf("f32", heads * seq, "positive", 5),
                delta=rnd("f32", heads * seq, 6), **{o: out(kind, n) for o in outputs}, seq=seq, scale=d ** -0.5, CAUSAL=causal, BM=bm, BN=bn, D=d)
    case(name, kernel, (seq // tile, heads), args, **options)


backward("attn_bwd_kv_causal", backward_kv, ("dk", "dv"), "f16", 512, 8, 64, True, 32, 64, 64, num_warps=4, num_stages=2)
backward("attn_bwd_kv_full", backward_kv, ("dk", "dv"), "bf16", 256, 8, 64, False, 64, 128, 128, num_warps=8, num_stages=2)
backward("attn_bwd_q_causal", backward_q, ("dq",), "f16", 512, 8, 64, True, 64, 32, 64, num_warps=4, num_stages=2)


@triton.jit
def decode_part(q, k, v, part, lse, lengths, table, scale, pages, GROUP: tl.constexpr, PAGE: tl.constexpr, SPLITS: tl.constexpr, D: tl.constexpr, HEADS: tl.constexpr):
    """One token against the pages of its sequence, a part of them a block: GROUP query heads share a key head."""
    b, h, part_id = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    g, d, t = tl.arange(0, 16), tl.arange(0, D), tl.arange(0, PAGE)
    inside = g[:, None] < GROUP
    row = (b * HEADS + h) * GROUP
    x = tl.load(q + (row + g)[:, None] * D + d[None, :], mask=inside, other=0.0)
    length = tl.load(lengths + b)
    per = tl.cdiv(tl.cdiv(length, PAGE), SPLITS)
    top, norm = tl.full((16,), -1.0e30, tl.float32), tl.zeros((16,), tl.float32)
    acc = tl.zeros((16, D), tl.float32)
    for page in range(part_id * per, min((part_id + 1) * per, tl.cdiv(length, PAGE))):
        at = tl.load(table + b * pages + page).to(tl.int64) * (PAGE * HEADS * D) + h * D
        live = page * PAGE + t < length
        kt = tl.load(k + at + t[None, :] * (HEADS * D) + d[:, None], mask=live[None, :], other=0.0)
        s = tl.where(live[None, :], tl.dot(x, kt) * scale, -1.0e30)
        higher = tl.maximum(top, tl.max(s, 1))
        p, fade = tl.exp(s - higher[:, None]), tl.exp(top - higher)
        vt = tl.load(v + at + t[:, None] * (HEADS * D) + d[None, :], mask=live[:, None], other=0.0)
        acc = acc * fade[:, None] + tl.dot(p.to(vt.dtype), vt)
        norm = norm * fade + tl.sum(p, 1)
        top = higher
    to = (row + g) * SPLITS + part_id
    tl.store(part + to[:, None] * D + d[None, :], acc / tl.maximum(norm, 1e-30)[:, None], mask=inside)
    tl.store(lse + to, top + tl.log(tl.maximum(norm, 1e-30)), mask=g < GROUP)


case("attn_decode_paged", decode_part, (8, 4, 4), dict(q=rnd("f16", 8 * 16 * 64, 1), k=rnd("f16", 256 * 32 * 256, 2), v=rnd("f16", 256 * 32 * 256, 3),
     part=out("f32", 8 * 16 * 4 * 64), lse=out("f32", 8 * 16 * 4), lengths=ints("s32", 8, 900, 4), table=ints("s32", 8 * 32, 256, 5), scale=0.125, pages=32,
     GROUP=4, PAGE=32, SPLITS=4, D=64, HEADS=4), num_warps=2, num_stages=2)


@triton.jit
def merge_parts(part, lse, o, SPLITS: tl.constexpr, D: tl.constexpr):
    row, s, d = tl.program_id(0), tl.arange(0, SPLITS), tl.arange(0, D)
    l = tl.load(lse + row * SPLITS + s)
    w = tl.exp(l - tl.max(l, 0))
    w = w / tl.sum(w, 0)
    x = tl.load(part + (row * SPLITS + s)[:, None] * D + d[None, :])
    tl.store(o + row * D + d, tl.sum(x * w[:, None], 0).to(tl.bfloat16))


case("attn_decode_merge", merge_parts, 1024, dict(part=rnd("f32", 1024 * 16 * 64, 1), lse=rnd("f32", 1024 * 16, 2), o=out("bf16", 1024 * 64), SPLITS=16, D=64), num_warps=2)


@triton.jit
def linear_chunks(q, k, v, g, o, state, seq, scale, C: tl.constexpr, DK: tl.constexpr, DV: tl.constexpr, BV: tl.constexpr):
    """Linear attention with a decay a token: chunks one after the other, the state in registers."""
    i, head = tl.program_id(0), tl.program_id(1)
    d, e, t = tl.arange(0, DK), i * BV + tl.arange(0, BV), tl.arange(0, C)
    s = tl.zeros((DK, BV), tl.float32)
    for start in range(0, seq, C):
        row = head * seq + start + t
        x, y, z = tl.load(q + row[:, None] * DK + d[None, :]), tl.load(k + row[:, None] * DK + d[None, :]), tl.load(v + row[:, None] * DV + e[None, :])
        decay = tl.cumsum(tl.load(g + row), 0)
        total = tl.sum(tl.where(t == C - 1, decay, 0.0), 0)
        seen = tl.dot(x, tl.trans(y)) * tl.exp(decay[:, None] - decay[None, :])
        seen = tl.where(t[:, None] >= t[None, :], seen, 0.0)
        y2 = (y.to(tl.float32) * tl.exp(total - decay)[:, None]).to(y.dtype)
        part = tl.dot(x, s.to(x.dtype)) * tl.exp(decay)[:, None] + tl.dot(seen.to(z.dtype), z)
        tl.store(o + row[:, None] * DV + e[None, :], (part * scale).to(o.dtype.element_ty))
        s = s * tl.exp(total) + tl.dot(tl.trans(y2), z)
    tl.store(state + head * DK * DV + d[:, None] * DV + e[None, :], s)


case("linear_attn_chunks", linear_chunks, (2, 24), dict(q=rnd("bf16", 24 * 512 * 64, 1), k=rnd("bf16", 24 * 512 * 64, 2), v=rnd("bf16", 24 * 512 * 64, 3),
     g=rnd("f32", 24 * 512, 4), o=out("bf16", 24 * 512 * 64), state=out("f32", 24 * 64 * 64), seq=512, scale=0.125, C=32, DK=64, DV=64, BV=32), num_warps=4, num_stages=2)
