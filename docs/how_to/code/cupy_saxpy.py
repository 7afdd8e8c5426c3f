# SPDX-License-Identifier: Apache-2.0
# PYTHONPATH=FOLDER gpuloom exec --timed python cupy_saxpy.py, with the FOLDER that tests/cuda/python/cupy_runtime.py made
import cupy as cp

saxpy = cp.RawKernel(r"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}""", "saxpy")

n = 100_000
x, y = cp.ones(n, cp.float32), cp.arange(n, dtype=cp.float32)
begin, end = cp.cuda.Event(), cp.cuda.Event()
begin.record()
saxpy(((n + 255) // 256,), (256,), (cp.float32(2), x, y, cp.int32(n)))
end.record()
end.synchronize()
assert bool((y == cp.arange(n, dtype=cp.float32) + 2).all())
print(f"saxpy of {n} elements: {1e3 * cp.cuda.get_elapsed_time(begin, end):.1f} us of simulated time")
