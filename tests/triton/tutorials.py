# SPDX-License-Identifier: Apache-2.0
"""Kernels for what Triton's tutorials teach, in words of our own: a vector sum, a softmax a row, a product with leaky relu, dropout by a seed,
layer norm forward and backward, attention, products by groups."""
import triton
import triton.language as tl


@triton.jit
def vector_sum(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(y, x, rows, cols, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * cols + at, e / tl.sum(e, axis=0), mask=at < cols)


@triton.jit
def product(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr, LEAKY: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    band = tl.program_id(0) // (BAND * tiles_n)
    rows = min(tiles_m - band * BAND, BAND)
    inside = tl.program_id(0) % (BAND * tiles_n)
    r = (band * BAND + inside % rows) * BM + tl.arange(0, BM)
    q = inside // rows * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + (r % m)[:, None] * k + (start + ks)[None, :], mask=(start + ks)[None, :] < k, other=0.0)
        y = tl.load(b + (start + ks)[:, None] * n + (q % n)[None, :], mask=(start + ks)[:, None] < k, other=0.0)
        acc = tl.dot(x, y, acc)
    if LEAKY:
        acc = tl.where(acc >= 0, acc, 0.01 * acc)
    tl.store(c + r[:, None] * n + q[None, :], acc.to(tl.float16), mask=(r[:, None] < m) & (q[None, :] < n))


@triton.jit
def dropout(x, y, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    tl.store(y + at, tl.where(keep, tl.load(x + at, mask=at < n) / (1 - p), 0.0), mask=at < n)


@triton.jit
def layer_norm(y, x, w, b, mean, rstd, cols, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=0.0)
    mu = tl.sum(v, 0) / cols
    d = tl.where(at < cols, v - mu, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / cols + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    tl.store(y + row * cols + at, d * r * tl.load(w + at, mask=at < cols, other=0.0) + tl.load(b + at, mask=at < cols, other=0.0), mask=at < cols)


@triton.jit
def layer_norm_back(dx, dy, dw, db, x, w, mean, rstd, lock, cols, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Partial sums for w and b in GROUPS rows, each behind a lock and a count."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < cols
    v = tl.load(x + row * cols + at, mask=inside, other=0.0)
    g = tl.load(dy + row * cols + at, mask=inside, other=0.0)
    mu, r = tl.load(mean + row), tl.load(rstd + row)
    hat = tl.where(inside, (v - mu) * r, 0.0)
    wg = tl.load(w + at, mask=inside, other=0.0) * g
    c1, c2 = tl.sum(hat * wg, 0) / cols, tl.sum(wg, 0) / cols
    tl.store(dx + row * cols + at, (wg - (hat * c1 + c2)) * r, mask=inside)
    group = row % GROUPS
    pw, pb = dw + group * cols + at, db + group * cols + at
    while tl.atomic_cas(lock + group, 0, 1) == 1:
        pass
    tl.store(pw, tl.load(pw, mask=inside, other=0.0) + g * hat, mask=inside)
    tl.store(pb, tl.load(pb, mask=inside, other=0.0) + g, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock + group, 0)


@triton.jit
def attention(q, k, v, o, seq, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1) * seq * D
    row, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    x = tl.load(q + base + row[:, None] * D + d[None, :])
    acc, norm = tl.zeros((BM, D), tl.float32), tl.zeros((BM,), tl.float32)
    top = tl.full((BM,), -float("inf"), tl.float32)
    last = (tl.program_id(0) + 1) * BM if CAUSAL else seq
    for start in range(0, last, BN):
        col = start + tl.arange(0, BN)
        s = tl.dot(x, tl.load(k + base + col[None, :] * D + d[:, None])) * scale * 1.4426950408889634
        if CAUSAL:
            s = tl.where(row[:, None] >= col[None, :], s, -1.0e6)
        higher = tl.maximum(top, tl.max(s, 1))
        p, fade = tl.exp2(s - higher[:, None]), tl.exp2(top - higher)
        norm = norm * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + col[:, None] * D + d[None, :]), acc * fade[:, None])
        top = higher
    tl.store(o + base + row[:, None] * D + d[None, :], (acc / norm[:, None]).to(tl.float16))


@triton.jit
def grouped(a, b, c, sizes, k, n, GROUPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows of each group times its own matrix, by as many blocks as there are."""
    tile = tl.program_id(0)
    row0, seen = 0, 0
    for g in range(GROUPS):
        rows = tl.load(sizes + g)
        tiles = tl.cdiv(rows, BM) * tl.cdiv(n, BN)
        while tile >= seen and tile < seen + tiles:
            inside = tile - seen
            r, q, ks = inside // tl.cdiv(n, BN) * BM + tl.arange(0, BM), inside % tl.cdiv(n, BN) * BN + tl.arange(0, BN), tl.arange(0, BK)
            acc = tl.zeros((BM, BN), tl.float32)
            for start in range(0, k, BK):
                x = tl.load(a + (row0 + r)[:, None] * k + (start + ks)[None, :], mask=r[:, None] < rows, other=0.0)
                acc = tl.dot(x, tl.load(b + (g * k + start + ks)[:, None] * n + q[None, :]), acc)
            tl.store(c + (row0 + r)[:, None] * n + q[None, :], acc.to(tl.float16), mask=r[:, None] < rows)
            tile += tl.num_programs(0)
        seen += tiles
        row0 += rows
