# SPDX-License-Identifier: Apache-2.0
"""gpuloom: a cycle-approximate simulator of NVIDIA-class GPUs that reads PTX.

>>> import gpuloom, numpy as np
>>> a, b, c = np.ones(1024, np.float32), np.ones(1024, np.float32), np.zeros(1024, np.float32)
>>> r = gpuloom.run("vecadd.ptx", grid=4, block=256, args=[a, b, c, 1024], config="h200")
>>> r["sm__cycles_elapsed.max"].value

Names, units and errors are those of the command line; every function says its own.
"""
from ._config import Config, Unknown, Value, configs
from ._device import Device, Devices, devices
from ._errors import (DtypeWarning, Error, InputError, InternalError, Interrupted, ProgramError, UnsupportedError, UsageError,
                      VerificationError)
from ._native._core import (AccessCounts, AccessSite, Check, Metric, OccupancyCurve, OccupancyPoint, OccupancyReport,
                            Output, __version__, source_digest)
from ._figures import heatmap, plot, plot_occupancy
from ._html import occupancy_html as _occupancy_html
from ._kernel import Kernel, Module, Window
from ._memory import Buffer, DeviceArray, In, Symbol
from ._over_time import OverTime, Pipeline, over_time, pipelines
from ._results import Accesses, Comparison, Result, Run, compare, load, metrics
from ._run import analyze, run, run_file
from ._streams import Event, Graph, Program, Stream, Work, memcpy_async, memset_async, pinned
from ._study import compare_occupancy, occupancy, occupancy_svg, read_table, score, sweep, sweep_table
from ._tensor_map import TensorMap
from ._trace import Trace

setattr(OccupancyReport, "_repr_html_", _occupancy_html)  # notebooks show it; the class itself is compiled

__all__ = [
    "AccessCounts", "AccessSite", "Accesses", "Buffer", "Check", "Comparison", "Config", "Device", "DeviceArray", "Devices", "DtypeWarning", "Error", "Event",
    "Graph", "In", "InputError", "InternalError", "Interrupted", "Kernel", "Metric", "Module", "OccupancyCurve", "OccupancyPoint", "OccupancyReport",
    "Output", "OverTime", "Pipeline", "Program", "ProgramError", "Result", "Run", "Stream", "Symbol", "TensorMap", "Trace", "Unknown",
    "UnsupportedError", "UsageError", "Value", "VerificationError", "Window", "Work", "__version__", "analyze", "compare", "compare_occupancy",
    "configs", "devices", "heatmap", "load", "memcpy_async", "memset_async", "metrics", "occupancy", "occupancy_svg", "over_time", "pinned", "pipelines", "plot",
    "plot_occupancy", "read_table", "run",
    "run_file", "score", "source_digest", "sweep", "sweep_table",
]
