# SPDX-License-Identifier: Apache-2.0
"""One kernel or one launch file on a fresh device, in one call."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

from ._config import ConfigLike
from ._device import Device
from ._errors import Interrupted, UsageError
from ._kernel import Extent, Kernel, Progress, Window
from ._native import _core
from ._results import Accesses, Result, Run
from ._trace import TraceLike

Source = Union[str, "os.PathLike[str]", Kernel]
Symbols = Mapping[str, Any]


def _kernel_on(device: Device, source: "Union[str, os.PathLike[str]]", name: str, symbols: Optional[Symbols]) -> Kernel:
    text = os.fspath(source)
    module = device.load_text(text) if "\n" in text else device.load(text)
    for symbol, value in (symbols or {}).items():
        module.symbol(symbol).write(value)
    return module.kernel(name)


def run(kernel: Source, grid: Extent, block: Extent, args: Sequence[Any] = (), config: ConfigLike = "h200", *,
        name: str = "", symbols: Optional[Symbols] = None, functional: bool = False, threads: int = 1,
        lines: bool = True, library_lines: bool = False, contract: bool = True, lowering: bool = True,
        check_init: bool = False, check_races: bool = False, stack_bytes: int = 0, heap_bytes: int = 0,
        trace: TraceLike = None, cluster: Optional[Extent] = None, dynamic_shared: int = 0,
        max_dynamic_shared: Optional[int] = None, carveout: Optional[int] = None, nonportable_cluster: bool = True,
        cooperative: bool = False, window: Optional[Window] = None, cold_caches: bool = True, max_cycles: int = 0,
        max_instructions: int = 0, progress: Optional[Progress] = None) -> Result:
    """Runs one kernel on a fresh device.

    kernel: a path to PTX, CUDA C++ or a program with PTX inside, PTX text (anything with a line break), or a Kernel,
    which then runs on its own device and `config` and the device's options do not count. name: which kernel, where
    there are several. symbols: values of __constant__ and __device__ variables, by their names. trace: a file for a
    timeline (see Trace). Other arguments are those of Device and Kernel.launch.

    >>> c = np.zeros(1024, np.float32)
    >>> r = gpuloom.run("vecadd.ptx", grid=4, block=256, args=[a, b, c, 1024], config="h200")
    >>> r["sm__cycles_elapsed.max"].value, c
    """
    if isinstance(kernel, Kernel):
        if symbols or trace is not None:
            raise UsageError("a Kernel runs on its own device: symbols and trace belong to that",
                             hint="module.symbol(name).write(value), Device(..., trace=file)")
        on_device = kernel
    else:
        device = Device(config, functional=functional, threads=threads, lines=lines, library_lines=library_lines,
                        contract=contract, lowering=lowering, check_init=check_init, check_races=check_races,
                        stack_bytes=stack_bytes, heap_bytes=heap_bytes, trace=trace)
        on_device = _kernel_on(device, kernel, name, symbols)
    return on_device.launch(grid, block, args, cluster=cluster, dynamic_shared=dynamic_shared,
                            max_dynamic_shared=max_dynamic_shared, carveout=carveout,
                            nonportable_cluster=nonportable_cluster, cooperative=cooperative, window=window,
                            cold_caches=cold_caches, max_cycles=max_cycles, max_instructions=max_instructions,
                            progress=progress)


def run_file(path: "Union[str, os.PathLike[str]]", config: Optional[ConfigLike] = None, *, case: str = "",
             functional: bool = False, threads: int = 1, lines: bool = True, library_lines: bool = False,
             contract: bool = True, lowering: bool = True, check_init: bool = False, check_races: bool = False,
             stack_bytes: int = 0, heap_bytes: int = 0, trace: TraceLike = None, output: str = "",
             cold_caches: bool = True, max_cycles: int = 0, max_instructions: int = 0,
             progress: Optional[Progress] = None) -> Run:
    """Runs a launch file (YAML), or one case of a suite's folder, from beginning to end: a Result for each launch.

    config: replaces what the file says. output: folder for the buffers that the file saves (default: the file's own).
    trace, progress and limits are those of run(); Run.verified says whether the file's checks passed.

    >>> gpuloom.run_file("sim/examples/vecadd.yaml")[0].cycles
    >>> gpuloom.run_file("bench/silicon", case="transpose_conflict_1k", functional=True).verified
    """
    file = _core.LaunchFile(os.fspath(path), case)
    device = Device(config if config is not None else file.config or "h200", functional=functional, threads=threads,
                    lines=lines, library_lines=library_lines, contract=contract, lowering=lowering,
                    check_init=check_init, check_races=check_races, stack_bytes=stack_bytes or file.stack_limit or 0,
                    heap_bytes=heap_bytes or file.heap_limit or 0, trace=trace)
    how = _core.LaunchArguments()
    how.cold_caches, how.max_cycles, how.max_instructions = cold_caches, max_cycles, max_instructions
    report, raised = device._native.run_file(file, how, output, progress)
    done = Run(report)
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(done[-1] if len(done) else None, done) from None
    if raised is not None:
        raise raised
    return done


def analyze(kernel: "Union[str, os.PathLike[str]]", grid: Extent, block: Extent, args: Sequence[Any] = (),
            config: ConfigLike = "h200", *, name: str = "", symbols: Optional[Symbols] = None, dynamic_shared: int = 0,
            contract: bool = True, library_lines: bool = False, cluster: Optional[Extent] = None,
            progress: Optional[Progress] = None) -> Accesses:
    """Sectors, wavefronts and bank conflicts of every memory instruction, with hints; functional, so fast.

    Arguments as run()'s; arrays are copied back here too.
    """
    device = Device(config, functional=True, analyze=True, contract=contract, library_lines=library_lines)
    accesses = _kernel_on(device, kernel, name, symbols).launch(grid, block, args, cluster=cluster,
                                                                dynamic_shared=dynamic_shared,
                                                                progress=progress).accesses
    assert accesses is not None
    return accesses
