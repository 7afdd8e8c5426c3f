# SPDX-License-Identifier: Apache-2.0
"""CuPy's RawKernel on the simulated GPU, as the user's NVRTC compiles it: prints PASS or what is wrong. Run by cupy_test.py."""
import sys

import cupy as cp
import numpy as np

import checks
from checks import check

RNG = np.random.default_rng(2)


@check
def a_sum_of_vectors():
    add = cp.RawKernel(r"""
        extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) c[i] = a[i] + b[i];
        }""", "add")
    a, b = RNG.random(1000, dtype=np.float32), RNG.random(1000, dtype=np.float32)
    on_a, on_b, c = cp.asarray(a), cp.asarray(b), cp.empty(1000, cp.float32)
    add((4,), (256,), (on_a, on_b, c, np.int32(1000)))
    np.testing.assert_array_equal(c.get(), a + b)


@check
def sums_in_shared_memory():
    sums = cp.RawKernel(r"""
        extern "C" __global__ void sums(const double* x, double* out, int n) {
          extern __shared__ double part[];
          const int t = threadIdx.x;
          double own = 0;
          for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += x[i];
          part[t] = own;
          for (int step = blockDim.x / 2; step > 0; step /= 2) {
            __syncthreads();
            if (t < step) part[t] += part[t + step];
          }
          if (t == 0) out[blockIdx.x] = part[0];
        }""", "sums")
    x, out = cp.asarray(RNG.random(5000)), cp.zeros(8)
    sums((8,), (128,), (x, out, 5000), shared_mem=128 * 8)
    np.testing.assert_allclose(out.get().sum(), x.get().sum())


@check
def more_shared_memory_than_a_block_has_by_itself():
    wide = cp.RawKernel(r"""
        extern "C" __global__ void wide(int* out) {
          extern __shared__ int words[];
          for (int i = threadIdx.x; i < 20000; i += blockDim.x) words[i] = 3 * i;
          __syncthreads();
          for (int i = threadIdx.x; i < 20000; i += blockDim.x) out[i] = words[19999 - i];
        }""", "wide")
    wide.max_dynamic_shared_size_bytes = 80000
    out = cp.zeros(20000, cp.int32)
    wide((1,), (256,), (out,), shared_mem=80000)
    np.testing.assert_array_equal(out.get(), 3 * np.arange(20000)[::-1])


@check
def a_transpose_by_tiles():
    transpose = cp.RawKernel(r"""
        extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
          __shared__ float tile[16][17];
          int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
          if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
          __syncthreads();
          x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
          if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
        }""", "transpose")
    a = RNG.random((40, 56), dtype=np.float32)
    out = cp.zeros((56, 40), cp.float32)
    transpose((4, 3), (16, 16), (cp.asarray(a), out, 40, 56))
    np.testing.assert_array_equal(out.get(), a.T)


@check
def a_histogram_by_atomics():
    histogram = cp.RawKernel(r"""
        extern "C" __global__ void histogram(const unsigned char* x, int* bins, int n) {
          __shared__ int own[16];
          if (threadIdx.x < 16) own[threadIdx.x] = 0;
          __syncthreads();
          for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(own + (x[i] & 15), 1);
          __syncthreads();
          if (threadIdx.x < 16) atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
        }""", "histogram")
    x, bins = RNG.integers(0, 256, 3000).astype(np.uint8), cp.zeros(16, cp.int32)
    histogram((4,), (128,), (cp.asarray(x), bins, 3000))
    np.testing.assert_array_equal(bins.get(), np.bincount(x & 15, minlength=16))


@check
def templates_by_their_names():
    module = cp.RawModule(code=r"""
        template <class T, int N> __global__ void power(const T* x, T* y, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          T value = 1;
          for (int k = 0; k < N; ++k) value *= x[i];
          y[i] = value;
        }""", options=("-std=c++17",), name_expressions=["power<float, 3>", "power<long long, 5>"])
    for name, kind, n in (("power<float, 3>", np.float32, 3), ("power<long long, 5>", np.int64, 5)):
        x = np.arange(100).astype(kind)
        y = cp.zeros(100, kind)
        module.get_function(name)((1,), (128,), (cp.asarray(x), y, 100))
        np.testing.assert_array_equal(y.get(), x ** n)


@check
def constants_of_a_module():
    module = cp.RawModule(code=r"""
        extern "C" {
        __constant__ float weights[3];
        __device__ int calls;
        __global__ void smooth(const float* x, float* y, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i == 0) atomicAdd(&calls, 1);
          if (i > 0 && i < n - 1) y[i] = weights[0] * x[i - 1] + weights[1] * x[i] + weights[2] * x[i + 1];
        }
        }""")
    weights = cp.ndarray((3,), cp.float32, module.get_global("weights"))
    weights[...] = cp.asarray(np.array([0.25, 0.5, 0.25], np.float32))
    x, y = RNG.random(200, dtype=np.float32), cp.zeros(200, cp.float32)
    module.get_function("smooth")((2,), (128,), (cp.asarray(x), y, 200))
    np.testing.assert_allclose(y.get()[1:-1], 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:], rtol=1e-6)
    assert cp.ndarray((1,), cp.int32, module.get_global("calls")).get()[0] == 1


@check
def lanes_of_a_warp():
    scan = cp.RawKernel(r"""
        extern "C" __global__ void scan(const int* x, int* y, unsigned* odd) {
          int value = x[threadIdx.x];
          for (int step = 1; step < 32; step *= 2) {
            const int before = __shfl_up_sync(0xFFFFFFFFu, value, step);
            if (threadIdx.x >= step) value += before;
          }
          y[threadIdx.x] = value;
          const unsigned mask = __ballot_sync(0xFFFFFFFFu, x[threadIdx.x] & 1);
          if (threadIdx.x == 0) *odd = mask;
        }""", "scan")
    x, y, odd = RNG.integers(0, 100, 32).astype(np.int32), cp.zeros(32, cp.int32), cp.zeros(1, cp.uint32)
    scan((1,), (32,), (cp.asarray(x), y, odd))
    np.testing.assert_array_equal(y.get(), np.cumsum(x))
    assert odd.get()[0] == sum(int(v & 1) << k for k, v in enumerate(x))


@check
def structures_and_numbers_as_arguments():
    mixed = cp.RawKernel(r"""
        struct Line { double slope; float offset; int n; };
        extern "C" __global__ void mixed(Line line, const short* x, double* y, bool down) {
          const int i = threadIdx.x;
          if (i < line.n) y[i] = (down ? -1 : 1) * (line.slope * x[i] + line.offset);
        }""", "mixed")
    line = np.zeros((), np.dtype([("slope", np.float64), ("offset", np.float32), ("n", np.int32)], align=True))
    line["slope"], line["offset"], line["n"] = 0.5, 2, 60
    x, y = np.arange(64, dtype=np.int16), cp.zeros(64)
    mixed((1,), (64,), (line, cp.asarray(x), y, np.bool_(True)))
    np.testing.assert_array_equal(y.get(), np.where(x < 60, -(0.5 * x + 2), 0))


@check
def streams_and_events():
    spin = cp.RawKernel(r"""
        extern "C" __global__ void step(float* x) { x[threadIdx.x] = 2 * x[threadIdx.x] + 1; }""", "step")
    stream, begin, end = cp.cuda.Stream(non_blocking=True), cp.cuda.Event(), cp.cuda.Event()
    x = cp.zeros(32, cp.float32)
    with stream:
        begin.record()
        for _ in range(5):
            spin((1,), (32,), (x,))
        end.record()
    stream.synchronize()
    assert cp.cuda.get_elapsed_time(begin, end) > 0 and (x.get() == 31).all()


@check
def what_kernels_print_and_attributes():
    says = cp.RawKernel(r"""
        extern "C" __global__ void says(double x) { if (threadIdx.x == 1) printf("value %.2f\n", x); }""", "says")
    says((1,), (2,), (2.5,))
    cp.cuda.Device().synchronize()
    assert says.num_regs > 0 and says.max_threads_per_block >= 256


@check
def kernels_that_cupy_makes_itself():
    a = cp.arange(1000, dtype=cp.float32)
    assert float(a.sum()) == 499500 and float(a.max()) == 999 and float(cp.cumsum(a)[10]) == 55
    np.testing.assert_array_equal((a.reshape(10, 100).T * 2 + 1).get(), np.arange(1000).reshape(10, 100).T * 2 + 1)
    squares = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    assert squares(a.astype(cp.float64)) == (np.arange(1000.0) ** 2).sum()


sys.exit(checks.run())
