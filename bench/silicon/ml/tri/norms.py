# SPDX-License-Identifier: Apache-2.0
"""Softmax, layer, RMS, group and batch norms, forward and backward; losses."""
import triton
import triton.language as tl
from spec import case, ints, out, pos, rnd


@triton.jit
def softmax_rows(y, x, cols, rows, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row * cols + at, e / tl.sum(e, 0), mask=at < cols)


case("softmax_narrow", softmax_rows, 528, dict(y=out("f32", 4096 * 100), x=rnd("f32", 4096 * 100, 1), cols=100, rows=4096, BLOCK=128, STAGES=2),
     "100 columns, one warp a block", num_warps=1)
case("softmax_wide", softmax_rows, 132, dict(y=out("f32", 264 * 8000), x=rnd("f32", 264 * 8000, 1), cols=8000, rows=264, BLOCK=8192, STAGES=3),
     num_warps=16)


@triton.jit
def softmax_tile(y, x, rows, scale, COLS: tl.constexpr, ROWS: tl.constexpr):
    """Several narrow rows a block, halves in and out."""
    r, c = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, COLS)
    at = r[:, None] * COLS + c[None, :]
    v = tl.load(x + at, mask=r[:, None] < rows, other=0.0).to(tl.float32) * scale
    e = tl.exp2((v - tl.max(v, 1)[:, None]) * 1.4426950408889634)
    tl.store(y + at, (e / tl.sum(e, 1)[:, None]).to(tl.float16), mask=r[:, None] < rows)


case("softmax_tile", softmax_tile, 500, dict(y=out("f16", 8000 * 64), x=rnd("f16", 8000 * 64, 1), rows=8000, scale=0.125, COLS=64, ROWS=16), num_warps=4)


@triton.jit
def softmax_online(y, x, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    at = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        v = tl.load(x + row + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, v)
        total = total * tl.exp(tl.where(top == higher, 0.0, top - higher)) + tl.where(v == -float("inf"), 0.0, tl.exp(v - higher))
        top = higher
    best = tl.max(top, 0)
    norm = tl.sum(total * tl.exp(top - best), 0)
    for start in range(0, cols, BLOCK):
        v = tl.load(x + row + start + at, mask=start + at < cols, other=0.0).to(tl.float32)
        tl.store(y + row + start + at, (tl.exp(v - best) / norm).to(tl.bfloat16), mask=start + at < cols)


case("softmax_online", softmax_online, 132, dict(y=out("bf16", 132 * 12001), x=rnd("bf16", 132 * 12001, 1), cols=12001, BLOCK=2048), num_warps=8)


@triton.jit
def log_softmax(y, x, cols, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
    v -= tl.max(v, 0)
    tl.store(y + row * cols + at, v - tl.log(tl.sum(tl.exp(v), 0)), mask=at < cols)


case("log_softmax", log_softmax, 1000, dict(y=out("f32", 1000 * 1000), x=rnd("f32", 1000 * 1000, 1), cols=1000, BLOCK=1024), num_warps=4)


@triton.jit
def softmax_backward(dx, y, dy, cols, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    p = tl.load(y + row * cols + at, mask=at < cols, other=0.0).to(tl.float32)
    g = tl.load(dy + row * cols + at, mask=at < cols, other=0.0).to(tl.float32)
    tl.store(dx + row * cols + at, (p * (g - tl.sum(p * g, 0))).to(tl.float16), mask=at < cols)


case("softmax_backward", softmax_backward, 512, dict(dx=out("f16", 512 * 2048), y=pos("f16", 512 * 2048, 1), dy=rnd("f16", 512 * 2048, 2), cols=2048,
     BLOCK=2048), num_warps=4)


@triton.jit
def layer_norm(y, x, w, b, mean, rstd, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * cols
    y += row * cols
    s = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        s += tl.load(x + at, mask=at < cols, other=0.0).to(tl.float32)
    mu = tl.sum(s, 0) / cols
    s = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        d = tl.where(at < cols, tl.load(x + at, mask=at < cols, other=0.0).to(tl.float32) - mu, 0.0)
        s += d * d
    r = 1 / tl.sqrt(tl.sum(s, 0) / cols + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < cols, other=0.0).to(tl.float32)
        o = (v - mu) * r * tl.load(w + at, mask=at < cols).to(tl.float32) + tl.load(b + at, mask=at < cols).to(tl.float32)
        tl.store(y + at, o.to(tl.float16), mask=at < cols)


case("layer_norm_fwd", layer_norm, 400, dict(y=out("f16", 400 * 3000), x=rnd("f16", 400 * 3000, 1), w=rnd("f16", 3000, 2), b=rnd("f16", 3000, 3),
     mean=out("f32", 400), rstd=out("f32", 400), cols=3000, eps=1e-5, BLOCK=1024), num_warps=4)


@triton.jit
def layer_norm_dx(dx, dw, db, dy, x, w, mean, rstd, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Each block takes ROWS rows and keeps its part of the sums for w and b in registers."""
    pid, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < cols
    sw, sb = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    weight = tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
    for row in range(pid * ROWS, min((pid + 1) * ROWS, rows)):
        v = tl.load(x + row * cols + at, mask=inside, other=0.0).to(tl.float32)
        g = tl.load(dy + row * cols + at, mask=inside, other=0.0).to(tl.float32)
        mu, r = tl.load(mean + row), tl.load(rstd + row)
        hat = tl.where(inside, (v - mu) * r, 0.0)
        wg = tl.where(inside, weight * g, 0.0)
        c1, c2 = tl.sum(hat * wg, 0) / cols, tl.sum(wg, 0) / cols
        tl.store(dx + row * cols + at, ((wg - (hat * c1 + c2)) * r).to(tl.bfloat16), mask=inside)
        sw += g * hat
        sb += g
    tl.store(dw + pid * cols + at, sw, mask=inside)
    tl.store(db + pid * cols + at, sb, mask=inside)


case("layer_norm_bwd_dx", layer_norm_dx, 132, dict(dx=out("bf16", 1056 * 1000), dw=out("f32", 132 * 1000), db=out("f32", 132 * 1000),
     dy=rnd("bf16", 1056 * 1000, 1), x=rnd("bf16", 1056 * 1000, 2), w=rnd("bf16", 1000, 3), mean=rnd("f32", 1056, 4), rstd=pos("f32", 1056, 5),
     rows=1056, cols=1000, ROWS=8, BLOCK=1024), num_warps=4)


@triton.jit
def column_sums(dw, db, fw, fb, rows, cols, R: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    sw, sb = tl.zeros((R, C), tl.float32), tl.zeros((R, C), tl.float32)
    for start in range(0, rows, R):
        r = start + tl.arange(0, R)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        at = r[:, None] * cols + c[None, :]
        sw += tl.load(dw + at, mask=inside, other=0.0)
        sb += tl.load(db + at, mask=inside, other=0.0)
    tl.store(fw + c, tl.sum(sw, 0), mask=c < cols)
    tl.store(fb + c, tl.sum(sb, 0), mask=c < cols)


case("layer_norm_bwd_dwdb", column_sums, 94, dict(dw=rnd("f32", 264 * 3000, 1), db=rnd("f32", 264 * 3000, 2), fw=out("f32", 3000), fb=out("f32", 3000),
     rows=264, cols=3000, R=32, C=32), num_warps=4)


@triton.jit
def add_rms_norm(y, residual, x, w, cols, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < cols
    v = tl.load(x + row * cols + at, mask=inside, other=0.0).to(tl.float32) + tl.load(residual + row * cols + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(residual + row * cols + at, v.to(tl.bfloat16), mask=inside)
    v = v * tl.rsqrt(tl.sum(v * v, 0) / cols + eps)
    tl.store(y + row * cols + at, v.to(tl.bfloat16) * tl.load(w + at, mask=inside, other=0.0), mask=inside)


case("add_rms_norm", add_rms_norm, 300, dict(y=out("bf16", 300 * 4096), residual=out("bf16", 300 * 4096, "uniform", 1), x=rnd("bf16", 300 * 4096, 2),
     w=pos("bf16", 4096, 3), cols=4096, eps=1e-6, BLOCK=4096), num_warps=8)


@triton.jit
def rms_norm_quant(q, s, x, w, cols, eps, BLOCK: tl.constexpr):
    """RMS norm, then bytes with one scale a row."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < cols
    v = tl.load(x + row * cols + at, mask=inside, other=0.0).to(tl.float32)
    v = v * tl.rsqrt(tl.sum(v * v, 0) / cols + eps) * tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), 0), 1e-8) / 127.0
    tl.store(s + row, scale)
    tl.store(q + row * cols + at, tl.extra.cuda.libdevice.rint(v / scale).to(tl.int8), mask=inside)


case("rms_norm_quant", rms_norm_quant, 396, dict(q=out("s8", 396 * 2560), s=out("f32", 396), x=rnd("f16", 396 * 2560, 1), w=pos("f16", 2560, 2), cols=2560,
     eps=1e-6, BLOCK=4096), num_warps=8)


@triton.jit
def rms_norm_bwd(dx, dw, dy, x, w, rstd, rows, cols, BLOCK: tl.constexpr):
    pid, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < cols
    weight = tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
    acc = tl.zeros((BLOCK,), tl.float32)
    for row in range(pid, rows, tl.num_programs(0)):
        r = tl.load(rstd + row)
        v = tl.load(x + row * cols + at, mask=inside, other=0.0).to(tl.float32) * r
        g = tl.load(dy + row * cols + at, mask=inside, other=0.0).to(tl.float32)
        acc += g * v
        g *= weight
        tl.store(dx + row * cols + at, (r * (g - v * (tl.sum(g * v, 0) / cols))).to(tl.bfloat16), mask=inside)
    tl.store(dw + pid * cols + at, acc, mask=inside)


case("rms_norm_bwd", rms_norm_bwd, 132, dict(dx=out("bf16", 500 * 2048), dw=out("f32", 132 * 2048), dy=rnd("bf16", 500 * 2048, 1),
     x=rnd("bf16", 500 * 2048, 2), w=pos("bf16", 2048, 3), rstd=pos("f32", 500, 4), rows=500, cols=2048, BLOCK=2048), num_warps=8)


@triton.jit
def group_norm(y, x, w, b, hw, per_group, groups, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0) % groups
    base = tl.program_id(0) * per_group * hw
    size = per_group * hw
    s1, s2 = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + base + at, mask=at < size, other=0.0)
        s1 += v
        s2 += v * v
    mean = tl.sum(s1) / size
    r = tl.rsqrt(tl.sum(s2) / size - mean * mean + eps)
    for c in range(per_group):
        gain, shift = tl.load(w + g * per_group + c) * r, tl.load(b + g * per_group + c)
        for start in range(0, hw, BLOCK):
            at = start + tl.arange(0, BLOCK)
            v = tl.load(x + base + c * hw + at, mask=at < hw, other=0.0)
            tl.store(y + base + c * hw + at, (v - mean) * gain + shift, mask=at < hw)


case("group_norm_fwd", group_norm, 256, dict(y=out("f32", 8 * 256 * 600), x=rnd("f32", 8 * 256 * 600, 1), w=pos("f32", 256, 2), b=rnd("f32", 256, 3),
     hw=600, per_group=8, groups=32, eps=1e-5, BLOCK=1024), num_warps=4)


@triton.jit
def welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    d, n = mean_b - mean_a, n_a + n_b
    part = tl.where(n == 0.0, 0.0, n_b / n)
    return mean_a + d * part, m2_a + m2_b + d * d * n_a * part, n


@triton.jit
def batch_stats(mean, var, x, rows, cols, R: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    r = tl.arange(0, R)
    m, s, n = tl.zeros((R, C), tl.float32), tl.zeros((R, C), tl.float32), tl.zeros((R, C), tl.float32)
    for start in range(0, rows, R):
        inside = (start + r[:, None] < rows) & (c[None, :] < cols)
        v = tl.load(x + (start + r)[:, None] * cols + c[None, :], mask=inside, other=0.0)
        one = inside.to(tl.float32)
        n += one
        d = v - m
        m += tl.where(inside, d / tl.maximum(n, 1.0), 0.0)
        s += tl.where(inside, d * (v - m), 0.0)
    m, s, n = tl.reduce((m, s, n), 0, welford)
    tl.store(mean + c, m, mask=c < cols)
    tl.store(var + c, s / n, mask=c < cols)


case("batch_stats_welford", batch_stats, 64, dict(mean=out("f32", 1024), var=out("f32", 1024), x=rnd("f32", 1000 * 1024, 1), rows=1000, cols=1024, R=32, C=16),
     num_warps=4)


@triton.jit
def cross_entropy(loss, dlogits, logits, targets, cols, scale, BLOCK: tl.constexpr):
    """The loss and, in place of a second kernel, the gradient."""
    row = tl.program_id(0).to(tl.int64)
    x, g = logits + row * cols, dlogits + row * cols
    target = tl.load(targets + row)
    top, total = -float("inf"), 0.0
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(v))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(v - higher))
        top = higher
    lse = top + tl.log(total)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        p = tl.exp(v - lse) - tl.where(at == target, 1.0, 0.0)
        tl.store(g + at, (tl.where(target >= 0, p, 0.0) * scale).to(tl.bfloat16), mask=at < cols)
    tl.store(loss + row, tl.where(target >= 0, lse - tl.load(x + target).to(tl.float32), 0.0))


case("cross_entropy", cross_entropy, 132, dict(loss=out("f32", 132), dlogits=out("bf16", 132 * 16000), logits=rnd("bf16", 132 * 16000, 1),
     targets=ints("s32", 132, 16000, 2), cols=16000, scale=1 / 132, BLOCK=4096), num_warps=16)


@triton.jit
def kl_divergence(loss, dx, x, y, cols, BLOCK: tl.constexpr):
    row, s = tl.program_id(0), tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        q = tl.load(x + row * cols + at, mask=at < cols, other=0.0)
        p = tl.load(y + row * cols + at, mask=at < cols, other=1.0)
        s += tl.where(at < cols, p * (tl.log(tl.maximum(p, 1e-10)) - q), 0.0)
        tl.store(dx + row * cols + at, -p, mask=at < cols)
    tl.store(loss + row, tl.sum(s))


case("kl_divergence", kl_divergence, 264, dict(loss=out("f32", 264), dx=out("f32", 264 * 5000), x=rnd("f32", 264 * 5000, 1), y=pos("f32", 264 * 5000, 2),
     cols=5000, BLOCK=1024), num_warps=4)
