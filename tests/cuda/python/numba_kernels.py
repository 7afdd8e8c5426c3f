# SPDX-License-Identifier: Apache-2.0
"""Numba kernels on the simulated GPU, as numba-cuda compiles them: prints PASS or what is wrong. Run by numba_test.py."""
import math
import sys

import numpy as np
from numba import cuda, float32

failures = []


def check(name, holds):
    if not holds:
        failures.append(name)


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def block_sums(values, sums):
    part = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = values[i] if i < values.size else 0.0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@cuda.jit
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit
def product(a, b, c):
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit(device=True)
def squared(x):
    return x * x


@cuda.jit
def hypotenuse(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = math.sqrt(squared(a[i]) + squared(b[i]))


@cuda.jit
def lanes(out):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_xor_sync(0xFFFFFFFF, t, 1)


def main():
    random = np.random.default_rng(1)
    a, b = random.random(1000, dtype=np.float32), random.random(1000, dtype=np.float32)
    c = np.zeros_like(a)
    add[8, 128](a, b, c)
    check("add", np.array_equal(c, a + b))

    sums = np.zeros(8, dtype=np.float32)
    block_sums[8, 128](a, sums)
    check("block_sums", np.isclose(sums.sum(), a.sum(), rtol=1e-5))

    values = random.integers(0, 16, 1000).astype(np.int32)
    bins = np.zeros(16, dtype=np.int32)
    histogram[8, 128](values, bins)
    check("histogram", np.array_equal(bins, np.bincount(values, minlength=16)))

    m, n = random.random((24, 20)), random.random((20, 28))
    p = np.zeros((24, 28))
    product[(2, 2), (16, 16)](m, n, p)
    check("product", np.allclose(p, m @ n))

    hypotenuse[8, 128](a, b, c)
    check("hypotenuse", np.allclose(c, np.hypot(a, b), rtol=1e-6))

    out = np.zeros(32, dtype=np.int32)
    lanes[1, 32](out)
    check("lanes", np.array_equal(out, np.arange(32) ^ 1))

    on_device = cuda.to_device(a)
    stream = cuda.stream()
    result = cuda.device_array(1000, dtype=np.float32, stream=stream)
    add[8, 128, stream](on_device, on_device, result)
    check("streams", np.array_equal(result.copy_to_host(stream=stream), a + a))
    print("FAIL: " + ", ".join(failures) if failures else "PASS")
    return 1 if failures else 0


sys.exit(main())
