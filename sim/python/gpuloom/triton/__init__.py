# SPDX-License-Identifier: Apache-2.0
"""Triton's kernels on a simulated GPU: no GPU, no torch.

>>> import gpuloom.triton, numpy as np
>>> gpu = gpuloom.triton.use("h200", mode="timed")
>>> x = gpuloom.triton.tensor(np.ones(4096, np.float32)); z = gpuloom.triton.empty_like(x)
>>> add[(4,)](x, x, z, 4096, BLOCK=1024)           # a @triton.jit kernel
>>> z.numpy(), gpu.last.cycles, gpu.last.summary()

Kernels also take numpy arrays and torch's tensors of the host, which are copied in and back at each launch.
`triton.autotune`, `triton.heuristics` and tensor descriptors work as on a GPU; `triton.testing.do_bench` gives simulated time.
`python -m gpuloom.triton [--timed] [-c h200] SCRIPT ...` runs a script with all this in place.
"""
from ._dtypes import DType, as_dtype
from ._events import Event, synchronize
from ._session import Session, current, use
from ._tensor import Tensor, empty, empty_like, full, rand, randn, tensor, zeros, zeros_like

__all__ = ["DType", "Event", "Session", "Tensor", "as_dtype", "current", "empty", "empty_like", "full", "rand", "randn", "synchronize",
           "tensor", "use", "zeros", "zeros_like"]
