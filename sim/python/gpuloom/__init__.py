# SPDX-License-Identifier: Apache-2.0
"""gpuloom: a cycle-approximate simulator of NVIDIA-class GPUs that reads PTX.

>>> import gpuloom, numpy as np
>>> a, b, c = np.ones(1024, np.float32), np.ones(1024, np.float32), np.zeros(1024, np.float32)
>>> r = gpuloom.run("vecadd.ptx", grid=4, block=256, args=[a, b, c, 1024], config="h200")
>>> r["sm__cycles_elapsed.max"].value

Names, units and errors are those of the command line; every function says its own.
"""
from ._config import Config, Unknown, Value, configs
from ._device import Buffer, Device, In, Kernel, Module, Symbol, Window, analyze, run
from ._errors import (Error, InputError, InternalError, Interrupted, ProgramError, UnsupportedError, UsageError,
                      VerificationError)
from ._native._core import (AccessCounts, AccessSite, Metric, OccupancyCurve, OccupancyPoint, OccupancyReport,
                            __version__, source_digest)
from ._results import Accesses, Result, metrics
from ._study import compare_occupancy, occupancy, occupancy_svg, read_table, score, sweep, sweep_table
from ._tensor_map import TensorMap

__all__ = [
    "AccessCounts", "AccessSite", "Accesses", "Buffer", "Config", "Device", "Error", "In", "InputError",
    "InternalError", "Interrupted", "Kernel", "Metric", "Module", "OccupancyCurve", "OccupancyPoint",
    "OccupancyReport", "ProgramError", "Result", "Symbol", "TensorMap", "Unknown", "UnsupportedError", "UsageError",
    "Value", "VerificationError", "Window", "__version__", "analyze", "compare_occupancy", "configs", "metrics", "occupancy",
    "occupancy_svg", "read_table", "run", "score", "source_digest", "sweep",
    "sweep_table",
]
