# SPDX-License-Identifier: Apache-2.0
"""Numba kernels: what threads do together: barriers, atomics, locks, warps, votes, loops over a grid."""
import numpy as np
from numba import cuda, float32, float64, int32

from checks import check

RNG = np.random.default_rng(1)


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


@cuda.jit
def says(values):
    print("value", cuda.threadIdx.x, values[cuda.threadIdx.x])


@check
def printing():
    says[1, 2](np.array([3, 4]))
    cuda.synchronize()
