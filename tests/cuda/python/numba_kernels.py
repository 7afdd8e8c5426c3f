# SPDX-License-Identifier: Apache-2.0
"""Numba kernels on the simulated GPU, as numba-cuda compiles them: prints PASS or what is wrong. Run by numba_test.py.

  numba_kernels.py [NAMES]      # a line for each check; the kernels that Numba's own tests are about, in words of our own
"""
import cmath
import math
import sys

import numpy as np
from numba import cuda, float32, float64, int32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

import checks
from checks import check

RNG = np.random.default_rng(1)


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@check
def a_sum_of_vectors():
    a, b = RNG.random(1000, dtype=np.float32), RNG.random(1000, dtype=np.float32)
    c = np.zeros_like(a)
    add[8, 128](a, b, c)
    np.testing.assert_array_equal(c, a + b)


@check
def streams_and_arrays_of_the_device():
    on_device = cuda.to_device(RNG.random(1000, dtype=np.float32))
    stream = cuda.stream()
    result = cuda.device_array(1000, dtype=np.float32, stream=stream)
    add[8, 128, stream](on_device, on_device, result)
    np.testing.assert_array_equal(result.copy_to_host(stream=stream), 2 * on_device.copy_to_host())


@check
def parts_of_arrays():
    a, c = cuda.to_device(np.arange(100, dtype=np.float64)), cuda.to_device(np.zeros(100))
    add[1, 64](a[::2], a[1::2], c[10:60])
    np.testing.assert_array_equal(c.copy_to_host()[10:60], np.arange(0, 100, 2) * 2 + 1)


@cuda.jit
def block_sums(values, sums):
    part = cuda.shared.array(128, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
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


@check
def sums_in_shared_memory():
    a, sums = RNG.random(1000, dtype=np.float32), np.zeros(8, np.float32)
    block_sums[8, 128](a, sums)
    np.testing.assert_allclose(sums.sum(), a.sum(), rtol=1e-5)


@cuda.jit
def reversed_in_dynamic(values):
    part = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    part[t] = values[t]
    cuda.syncthreads()
    values[t] = part[cuda.blockDim.x - 1 - t]


@check
def dynamic_shared_memory():
    a = np.arange(256, dtype=np.int32)
    reversed_in_dynamic[1, 256, 0, 1024](a)
    np.testing.assert_array_equal(a, np.arange(256)[::-1])


@cuda.jit
def count(values, bins, least, most):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)
        cuda.atomic.min(least, 0, values[i])
        cuda.atomic.max(most, 0, values[i])


@check
def atomics_of_integers():
    values, bins = RNG.integers(0, 16, 1000).astype(np.int32), np.zeros(16, np.int32)
    least, most = np.array([99], np.int32), np.array([-1], np.int32)
    count[8, 128](values, bins, least, most)
    np.testing.assert_array_equal(bins, np.bincount(values, minlength=16))
    assert (least[0], most[0]) == (values.min(), values.max())


@cuda.jit
def largest(values, top, total):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.max(top, 0, values[i])
        cuda.atomic.add(total, 0, values[i])


@check
def atomics_of_doubles():
    values, top, total = RNG.normal(size=500), np.array([-np.inf]), np.zeros(1)
    largest[4, 128](values, top, total)
    assert top[0] == values.max() and np.isclose(total[0], values.sum())


@cuda.jit
def locked(lock, total):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    total[0] += cuda.blockIdx.x
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


@check
def a_lock_of_compare_and_swap():
    total = np.zeros(1, np.int32)
    locked[20, 1](np.zeros(1, np.int32), total)
    assert total[0] == 190


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
def of_lanes(out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.shfl_xor_sync(0xFFFFFFFF, t, 1)
    out[1, t] = cuda.shfl_down_sync(0xFFFFFFFF, t, 4)
    out[2, t] = cuda.ballot_sync(0xFFFFFFFF, t % 3 == 0)
    out[3, t] = cuda.all_sync(0xFFFFFFFF, t < 32) + 2 * cuda.any_sync(0xFFFFFFFF, t > 30) + 4 * cuda.eq_sync(0xFFFFFFFF, t > 3)
    out[4, t] = cuda.match_any_sync(0xFFFFFFFF, t // 8)
    out[5, t] = cuda.popc(t) + 100 * cuda.clz(t) + 10000 * cuda.ffs(t)


@check
def warps():
    out = np.zeros((6, 32), np.int64)
    of_lanes[1, 32](out)
    t = np.arange(32)
    np.testing.assert_array_equal(out[0], t ^ 1)
    np.testing.assert_array_equal(out[1], np.where(t < 28, t + 4, t))
    assert set(out[2] & 0xFFFFFFFF) == {sum(1 << k for k in range(0, 32, 3))} and set(out[3]) == {3}
    np.testing.assert_array_equal(out[4] & 0xFFFFFFFF, 0xFF << (t // 8 * 8))
    bits = [bin(k).count("1") + 100 * (32 - k.bit_length()) + 10000 * (k & -k).bit_length() for k in range(32)]
    np.testing.assert_array_equal(out[5], bits)


@cuda.jit
def votes(values, out):
    t = cuda.threadIdx.x
    hits = cuda.syncthreads_count(int32(values[t] > 5))
    every, some = cuda.syncthreads_and(int32(values[t] > -1)), cuda.syncthreads_or(int32(values[t] > 98))
    if t == 0:
        out[0], out[1], out[2] = hits, every, some


@check
def votes_of_a_block():
    out = np.zeros(3, np.int32)
    votes[1, 100](np.arange(100), out)
    assert out[0] == 94 and out[1] != 0 and out[2] != 0


TABLE = np.arange(10, dtype=np.float32) ** 2


@cuda.jit
def from_constants(out):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[i % 10]


@check
def constant_memory():
    out = np.zeros(100, np.float32)
    from_constants[1, 128](out)
    np.testing.assert_array_equal(out, np.tile(TABLE, 10))


@cuda.jit
def in_local(values, out):
    own = cuda.local.array(8, float64)
    i = cuda.grid(1)
    for k in range(8):
        own[k] = values[i] + k
    total = 0.0
    for k in range(8):
        total += own[int(values[i] + k) % 8]
    out[i] = total


@check
def local_arrays():
    values, out = np.arange(64, dtype=np.float64), np.zeros(64)
    in_local[1, 64](values, out)
    np.testing.assert_array_equal(out, 8 * values + 28)


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


POINT = np.dtype([("x", np.float32), ("n", np.int32), ("v", np.float64)], align=True)


@cuda.jit
def moved(points, step):
    i = cuda.grid(1)
    if i < points.size:
        points[i].x += step
        points[i].n = i
        points[i]["v"] = points[i].x * 2


@check
def records():
    points = np.zeros(50, POINT)
    moved[1, 64](points, 1.5)
    assert (points["x"] == 1.5).all() and (points["v"] == 3).all() and (points["n"] == np.arange(50)).all()


@cuda.jit
def mandelbrot(image, steps):
    column, row = cuda.grid(2)
    across, down = cuda.gridsize(2)
    for y in range(row, image.shape[0], down):
        for x in range(column, image.shape[1], across):
            z, c = 0j, complex(-2 + 3 * x / image.shape[1], -1 + 2 * y / image.shape[0])
            for k in range(steps):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag >= 4:
                    image[y, x] = k
                    break


@check
def loops_over_a_grid():
    image, want = np.zeros((24, 32), np.int32), np.zeros((24, 32), np.int32)
    mandelbrot[(2, 2), (8, 4)](image, 20)
    for y in range(24):
        for x in range(32):
            z, c = 0j, complex(-2 + 3 * x / 32, -1 + 2 * y / 24)
            for k in range(20):
                z = z * z + c
                if z.real ** 2 + z.imag ** 2 >= 4:
                    want[y, x] = k
                    break
    assert (image != want).mean() < 0.01


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
def rows_in_turn(matrix):
    column, grid = cuda.grid(1), cuda.cg.this_grid()
    for row in range(1, matrix.shape[0]):
        other = matrix.shape[1] - column - 1
        matrix[row, column] = matrix[row - 1, other] + 1
        grid.sync()


@check
def a_grid_that_waits_for_itself():
    matrix = np.zeros((6, 128), np.int32)
    rows_in_turn[4, 32](matrix)
    np.testing.assert_array_equal(matrix, np.repeat(np.arange(6)[:, None], 128, 1))


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


@cuda.jit
def scan(values):
    part = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    part[t] = values[t]
    cuda.syncthreads()
    step = 1
    while step < 256:
        more = part[t - step] if t >= step else 0.0
        cuda.syncthreads()
        part[t] += more
        cuda.syncthreads()
        step *= 2
    values[t] = part[t]


@check
def running_sums():
    values = RNG.random(256)
    want = np.cumsum(values)
    scan[1, 256](values)
    np.testing.assert_allclose(values, want)


@check
def managed_and_mapped_memory():
    managed, mapped = cuda.managed_array(100, np.float32), cuda.mapped_array(100, np.float32)
    managed[:], mapped[:] = 1, np.arange(100)
    add[1, 128](managed, mapped, managed)
    cuda.synchronize()
    np.testing.assert_array_equal(managed, np.arange(100) + 1)


@check
def events():
    begin, end = cuda.event(), cuda.event()
    a = cuda.to_device(np.ones(1000, np.float32))
    begin.record()
    add[8, 128](a, a, a)
    end.record()
    end.synchronize()
    assert cuda.event_elapsed_time(begin, end) > 0


@cuda.jit
def says(values):
    print("value", cuda.threadIdx.x, values[cuda.threadIdx.x])


@check
def printing():
    says[1, 2](np.array([3, 4]))
    cuda.synchronize()


sys.exit(checks.run())
