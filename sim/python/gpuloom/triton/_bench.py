# SPDX-License-Identifier: Apache-2.0
"""triton.testing.do_bench in simulated time."""
from __future__ import annotations

import warnings
from typing import Any, Callable, List, Optional, Sequence

from .._errors import UsageError
from ._events import Event, _gpu

_RETURN_MODES = ("min", "max", "mean", "median", "all")


def do_bench(fn: Callable[[], Any], warmup: Any = None, rep: Any = None, grad_to_none: Optional[Sequence[Any]] = None,
             quantiles: Optional[Sequence[float]] = None, return_mode: str = "mean") -> Any:
    """Simulated milliseconds of fn(), with an empty L2, once it has run before.

    One run is measured, whatever warmup and rep say, and quantiles are all its time: the same program gives the same number
    each time. Within a program runs differ by a percent or two, for DRAM's refresh and the clocks stand elsewhere. UsageError where there is no time (mode="functional").
    """
    if return_mode not in _RETURN_MODES:
        raise UsageError(f"return_mode is one of {', '.join(_RETURN_MODES)}, not {return_mode!r}")
    gpu = _gpu()
    if not gpu.timed:
        raise UsageError("functional runs have no time to measure", hint="gpuloom.triton.use(..., mode='timed')")
    fn()
    for tensor in grad_to_none or ():
        tensor.grad = None
    gpu.synchronize()
    gpu.device.flush_caches()
    begin, end = Event(), Event()
    begin.record()
    fn()
    end.record()
    gpu.synchronize()
    time = begin.elapsed_time(end)
    if quantiles is not None:
        return [time] * len(quantiles) if len(quantiles) != 1 else time
    return [time] if return_mode == "all" else time


def tune(fn: Callable[[], Any], quantiles: Sequence[float] = (0.5,), **others: Any) -> List[float]:
    """What autotune measures a configuration with: do_bench, or without time whether it runs."""
    if _gpu().timed:
        found = do_bench(fn, quantiles=quantiles)
        return found if isinstance(found, list) else [found]
    warnings.warn("autotune takes the first configuration that runs: functional runs have no time to compare", stacklevel=2)
    fn()
    return [0.0] * len(quantiles)
