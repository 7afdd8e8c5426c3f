# SPDX-License-Identifier: Apache-2.0
# gpuloom exec --timed python numba_saxpy.py
import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


n = 100_000
x, y = cuda.to_device(np.ones(n, np.float32)), cuda.to_device(np.arange(n, dtype=np.float32))
begin, end = cuda.event(), cuda.event()
begin.record()
saxpy[(n + 255) // 256, 256](np.float32(2), x, y)
end.record()
end.synchronize()
assert (y.copy_to_host() == np.arange(n) + 2).all()
print(f"saxpy of {n} elements: {1e3 * cuda.event_elapsed_time(begin, end):.1f} us of simulated time")
