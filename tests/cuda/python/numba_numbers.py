# SPDX-License-Identifier: Apache-2.0
"""Numba kernels: arithmetic: products, device functions, mathematics, complex and short numbers, reductions, random numbers."""
import cmath
import math

import numpy as np
from numba import cuda, float32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

from checks import check

RNG = np.random.default_rng(1)


@cuda.jit
def product(a, b, c):
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@check
def a_product_of_matrices():
    m, n, p = RNG.random((24, 20)), RNG.random((20, 28)), np.zeros((24, 28))
    product[(2, 2), (16, 16)](m, n, p)
    np.testing.assert_allclose(p, m @ n)
    product[(2, 2), (16, 16)](np.asfortranarray(m), n, p)
    np.testing.assert_allclose(p, m @ n)


@cuda.jit
def tiled(a, b, c):
    x, y = cuda.shared.array((8, 8), float32), cuda.shared.array((8, 8), float32)
    i, j = cuda.grid(2)
    ti, tj, total = cuda.threadIdx.x, cuda.threadIdx.y, float32(0)
    for k in range(0, a.shape[1], 8):
        x[ti, tj], y[ti, tj] = a[i, k + tj], b[k + ti, j]
        cuda.syncthreads()
        for s in range(8):
            total += x[ti, s] * y[s, tj]
        cuda.syncthreads()
    c[i, j] = total


@check
def a_product_by_tiles():
    a, b, c = RNG.random((16, 24), dtype=np.float32), RNG.random((24, 32), dtype=np.float32), np.zeros((16, 32), np.float32)
    tiled[(2, 4), (8, 8)](a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


@cuda.jit(device=True)
def squared(x):
    return x * x


@cuda.jit
def hypotenuse(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = math.sqrt(squared(a[i]) + squared(b[i]))


@check
def device_functions():
    a, b, c = RNG.random(300), RNG.random(300), np.zeros(300)
    hypotenuse[3, 128](a, b, c)
    np.testing.assert_allclose(c, np.hypot(a, b), rtol=1e-12)


@cuda.jit
def mathematics(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[0, i], out[1, i], out[2, i], out[3, i] = math.sin(v), math.exp(v), math.log1p(v), math.erf(v)
        out[4, i], out[5, i], out[6, i], out[7, i] = math.atan2(v, 2.0), math.gamma(v + 1), math.pow(v, 1.5), math.fmod(v, 0.3)


@check
def functions_of_mathematics():
    x = RNG.random(200)
    out = np.zeros((8, 200))
    mathematics[2, 128](x, out)
    of = [np.sin(x), np.exp(x), np.log1p(x), np.vectorize(math.erf)(x), np.arctan2(x, 2), np.vectorize(math.gamma)(x + 1), x ** 1.5, np.fmod(x, 0.3)]
    np.testing.assert_allclose(out, of, rtol=1e-12, atol=1e-14)


@cuda.jit
def complex_numbers(z, out):
    i = cuda.grid(1)
    if i < z.size:
        out[i] = z[i] * z[i].conjugate() + cmath.exp(z[i])


@check
def numbers_that_are_complex():
    z = RNG.normal(size=100) + 1j * RNG.normal(size=100)
    out = np.zeros_like(z)
    complex_numbers[1, 128](z, out)
    np.testing.assert_allclose(out, z * z.conj() + np.exp(z), rtol=1e-12)


@vectorize(["float32(float32, float32)"], target="cuda")
def saxpy(x, y):
    return float32(2.5) * x + y


@check
def universal_functions():
    x, y = RNG.random(1000, dtype=np.float32), RNG.random(1000, dtype=np.float32)
    np.testing.assert_allclose(saxpy(x, y), np.float32(2.5) * x + y, rtol=1e-6)


@cuda.reduce
def total_of(a, b):
    return a + b


@check
def reductions():
    values = np.arange(3000, dtype=np.float64)
    assert total_of(values) == values.sum()


@cuda.jit
def uniform(states, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float32(states, i)


@check
def random_numbers():
    out = np.zeros(512, np.float32)
    uniform[4, 128](create_xoroshiro128p_states(512, seed=3), out)
    assert 0 <= out.min() and out.max() < 1 and abs(out.mean() - 0.5) < 0.05 and len(np.unique(out)) > 500


@cuda.jit
def in_halves(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] * b[i] + a[i]


@check
def numbers_of_16_bits():
    a, b = RNG.random(100).astype(np.float16), RNG.random(100).astype(np.float16)
    c = np.zeros(100, np.float16)
    in_halves[1, 128](a, b, c)
    np.testing.assert_allclose(c.astype(np.float32), (a * b + a).astype(np.float32), rtol=2e-3)
