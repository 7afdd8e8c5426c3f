# SPDX-License-Identifier: Apache-2.0
"""Scans, sorts, picks, histograms, atomics, locks, lookups."""
import triton
import triton.language as tl
from spec import Buf, case, ints, out, rnd


@triton.jit
def cumsum_rows(x, y, cols, BLOCK: tl.constexpr):
    row, carry = tl.program_id(0), 0.0
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * cols + at, mask=at < cols, other=0.0)
        tl.store(y + row * cols + at, tl.cumsum(v, 0) + carry, mask=at < cols)
        carry += tl.sum(v, 0)


case("cumsum_rows", cumsum_rows, 264, dict(x=rnd("f32", 264 * 4000, 1), y=out("f32", 264 * 4000), cols=4000, BLOCK=1024), num_warps=4)


@triton.jit
def chunk_cumsum(x, y, seq, heads, REVERSE: tl.constexpr, C: tl.constexpr, H: tl.constexpr):
    t, h = tl.program_id(0) * C + tl.arange(0, C), tl.arange(0, H)
    at, inside = t[:, None] * heads + h[None, :], (t[:, None] < seq) & (h[None, :] < heads)
    tl.store(y + at, tl.cumsum(tl.load(x + at, mask=inside, other=0.0).to(tl.float32), 0, reverse=REVERSE), mask=inside)


case("chunk_cumsum_reverse", chunk_cumsum, 250, dict(x=rnd("bf16", 16000 * 24, 1), y=out("f32", 16000 * 24), seq=16000, heads=24, REVERSE=True, C=64, H=32), num_warps=2)


@triton.jit
def compose(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, h, seq, width, SEQ: tl.constexpr, W: tl.constexpr):
    """h[t] = a[t] * h[t - 1] + b[t] by an associative scan over chunks."""
    c, t = tl.program_id(0) * W + tl.arange(0, W), tl.arange(0, SEQ)
    last = tl.zeros((W,), tl.float32)
    for start in range(0, seq, SEQ):
        at = (start + t)[:, None] * width + c[None, :]
        f, s = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, compose)
        v = f * last[None, :] + s
        tl.store(h + at, v)
        last = tl.sum(tl.where(t[:, None] == SEQ - 1, v, 0.0), 0)


case("linear_recurrence", recurrence, 64, dict(a=rnd("f32", 512 * 1024, 1), b=rnd("f32", 512 * 1024, 2), h=out("f32", 512 * 1024), seq=512, width=1024, SEQ=64, W=16), num_warps=4)


@triton.jit
def sort_rows(x, y, cols, BLOCK: tl.constexpr, DOWN: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=float("inf"))
    tl.store(y + row * cols + at, tl.sort(v, descending=DOWN), mask=at < cols)


case("sort_rows_f32", sort_rows, 132, dict(x=rnd("f32", 132 * 500, 1), y=out("f32", 132 * 500), cols=500, BLOCK=512, DOWN=False), num_warps=4)


@triton.jit
def topk_rows(x, y, cols, K: tl.constexpr, BLOCK: tl.constexpr):
    """The K largest with their places: value and place in one key of 64 bits."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
    bits = v.to(tl.int32, bitcast=True)
    key = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(tl.int64) << 32 | at
    best = tl.topk(key, K)
    tl.store(y + row * K + tl.arange(0, K), best)


case("topk_keys", topk_rows, 264, dict(x=rnd("f32", 264 * 512, 1), y=out("s64", 264 * 8), cols=512, K=8, BLOCK=512), num_warps=4)


@triton.jit
def route(logits, weights, experts, n, EXPERTS: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr):
    """Softmax over experts, then K times the largest; its probability renormalised."""
    r, e = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, EXPERTS)
    v = tl.load(logits + r[:, None] * EXPERTS + e[None, :], mask=r[:, None] < n, other=0.0)
    p = tl.exp(v - tl.max(v, 1)[:, None])
    p = p / tl.sum(p, 1)[:, None]
    total = tl.zeros((ROWS,), tl.float32)
    for i in tl.static_range(K):
        best = tl.argmax(p, 1)
        w = tl.max(p, 1)
        total += w
        tl.store(weights + r * K + i, w, mask=r < n)
        tl.store(experts + r * K + i, best, mask=r < n)
        p = tl.where(e[None, :] == best[:, None], -1.0, p)
    tl.debug_barrier()
    for i in tl.static_range(K):
        tl.store(weights + r * K + i, tl.load(weights + r * K + i, mask=r < n, other=0.0) / total, mask=r < n)


case("moe_route_topk", route, 250, dict(logits=rnd("f32", 2000 * 64, 1), weights=out("f32", 2000 * 4), experts=out("s32", 2000 * 4), n=2000, EXPERTS=64, K=4, ROWS=8), num_warps=4)


@triton.jit
def histogram(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros((BINS,), tl.int32)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        acc += tl.histogram(tl.load(x + at, mask=at < n, other=0).to(tl.int32), BINS, mask=at < n)
    tl.atomic_add(counts + tl.arange(0, BINS), acc, sem="relaxed")


case("histogram_256", histogram, 132, dict(x=ints("u8", 500000, 256, 1), counts=out("s32", 256), n=500000, BINS=256, BLOCK=1024), num_warps=4)


@triton.jit
def argmax_rows(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best, place = tl.full((BLOCK,), -float("inf"), tl.float32), tl.zeros((BLOCK,), tl.int32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        place = tl.where(v > best, at, place)
        best = tl.maximum(best, v)
    top = tl.max(best, 0)
    tl.store(y + row, tl.min(tl.where(best == top, place, 2147483647), 0))


case("argmax_vocab", argmax_rows, 100, dict(x=rnd("bf16", 100 * 16000, 1), y=out("s32", 100), cols=16000, BLOCK=2048), num_warps=8)


@triton.jit
def locked_sum(x, total, lock, cols, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """A lock a group of blocks around a sum in memory; whole numbers, so any order is right."""
    pid, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + pid * cols + at, mask=at < cols, other=0)
    group = pid % GROUPS
    while tl.atomic_cas(lock + group, 0, 1) == 1:
        pass
    p = total + group * cols + at
    tl.store(p, tl.load(p, mask=at < cols, other=0) + v, mask=at < cols)
    tl.debug_barrier()
    tl.atomic_xchg(lock + group, 0)


case("locked_sum", locked_sum, 256, dict(x=ints("s32", 256 * 1000, 1000, 1), total=out("s32", 64 * 1000), lock=Buf("s32", 64), cols=1000, GROUPS=64, BLOCK=1024), num_warps=4)


@triton.jit
def atomic_extremes(x, least, most, both, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    slot = (v * 40503 >> 3) % BINS
    tl.atomic_min(least + slot, v, mask=at < n)
    tl.atomic_max(most + slot, v, mask=at < n)
    tl.atomic_xor(both + slot, v, mask=at < n)


case("atomic_extremes", atomic_extremes, 128, dict(x=ints("s32", 65536, 30000, 1), least=out("s32", 500, "range", 2, 30000), most=out("s32", 500), both=out("s32", 500), n=65536,
     BINS=500, BLOCK=512), num_warps=4)


@triton.jit
def lookup(x, table, y, cols, BLOCK: tl.constexpr, SIZE: tl.constexpr):
    """Codes through a table in registers (tl.gather)."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    t = tl.load(table + row * SIZE + tl.arange(0, SIZE))
    code = tl.load(x + row * cols + at, mask=at < cols, other=0).to(tl.int32)
    tl.store(y + row * cols + at, tl.gather(t, code, 0), mask=at < cols)


case("codebook_gather", lookup, 500, dict(x=ints("u8", 500 * 1024, 128, 1), table=rnd("f32", 500 * 128, 2), y=out("f32", 500 * 1024), cols=1024, BLOCK=1024, SIZE=128), num_warps=4)


@triton.jit
def expert_offsets(experts, counts, n, EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    """How many tokens go to each expert: one block, comparisons against all experts, then a scan."""
    e = tl.arange(0, EXPERTS)
    acc = tl.zeros((EXPERTS,), tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(experts + at, mask=at < n, other=-1)
        acc += tl.sum((v[:, None] == e[None, :]).to(tl.int32), 0)
    padded = (acc + 15) // 16 * 16
    tl.store(counts + tl.program_id(0) * EXPERTS + e, tl.cumsum(padded, 0) - padded)


case("expert_offsets", expert_offsets, 4, dict(experts=ints("s32", 4000, 64, 1), counts=out("s32", 4 * 64), n=4000, EXPERTS=64, BLOCK=64), num_warps=4)
