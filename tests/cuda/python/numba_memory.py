# SPDX-License-Identifier: Apache-2.0
"""Numba kernels: arrays of the host and the device, shared, local and constant memory, records."""
import numpy as np
from numba import cuda, float64, int32

from checks import check

RNG = np.random.default_rng(1)
TABLE = np.arange(10, dtype=np.float32) ** 2
POINT = np.dtype([("x", np.float32), ("n", np.int32), ("v", np.float64)], align=True)


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
