# SPDX-License-Identifier: Apache-2.0
"""Kernels for what Triton's launches can say beside pointers and numbers: configurations, heuristics, descriptors, narrow types."""
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BM": 32, "BN": 32, "BK": 32}, num_warps=2, num_stages=2),
                          triton.Config({"BM": 128, "BN": 256, "BK": 128}, num_warps=4, num_stages=4),  # more shared memory than there is
                          triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=4, num_stages=3)], key=["m", "n", "k"])
@triton.heuristics({"EVEN": lambda args: args["k"] % args["BK"] == 0})
@triton.jit
def tuned(a, b, c, m, n, k, stride_a, stride_b, stride_c, EVEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r, q, ks = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        inside = tl.full((BK,), True, tl.int1) if EVEN else start + ks < k
        x = tl.load(a + (r % m)[:, None] * stride_a + (start + ks)[None, :], mask=inside[None, :], other=0.0)
        y = tl.load(b + (start + ks)[:, None] * stride_b + (q % n)[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * stride_c + q[None, :], acc.to(c.dtype.element_ty), mask=(r[:, None] < m) & (q[None, :] < n))


@triton.jit
def by_host_descriptors(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r, q = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a.load([r, start]), b.load([start, q]), acc)
    c.store([r, q], acc.to(tl.float16))


@triton.jit
def by_own_descriptors(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    y = tl.make_tensor_descriptor(b, [k, n], [n, 1], [BK, BN])
    z = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    r, q = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(x.load([r, start]), y.load([start, q]), acc)
    z.store([r, q], acc.to(tl.float16))


@triton.jit
def converted(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n).to(y.dtype.element_ty), mask=at < n)


@triton.jit
def of_numbers(out, pair, half, wide, flag, none):
    tl.store(out, pair[0] * 10 + pair[1])
    tl.store(out + 1, half)
    tl.store(out + 2, (wide >> 32).to(tl.float32))
    if flag:
        tl.store(out + 3, 1.0)
    if none is None:
        tl.store(out + 4, 1.0)


@triton.jit
def every_second(x, stride, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at * stride, tl.load(x + at * stride, mask=at < n) + 1, mask=at < n)


@triton.jit
def says(x):
    tl.device_print("value", tl.load(x))


@triton.jit
def beyond(x):
    tl.store(x + 100000, 1.0)
