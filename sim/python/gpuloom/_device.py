# SPDX-License-Identifier: Apache-2.0
"""Devices, modules, kernels and launches."""
from __future__ import annotations

import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._arguments import Arguments, packed_for_stream
from ._arrays import PointerUse
from ._config import ConfigLike, as_config
from ._errors import Interrupted, UsageError
from ._memory import Buffer, DeviceArray, Symbol, host_array
from ._native import _core
from ._results import Accesses, Result, Run
from ._streams import Event, Graph, Program, Stream, Work, submit
from ._trace import TraceLike, native_trace

Extent = Union[int, Sequence[int]]
Progress = Callable[[int, int, int, int], object]


@dataclass(frozen=True)
class Window:
    """Access-policy window of a launch (cudaAccessPolicyWindow): `bytes` from the begin of `buffer`, which is a
    Buffer or the index of an array argument."""

    buffer: Union[Buffer, int]
    bytes: int
    hit_ratio: float = 1.0
    hit: str = "persisting"
    miss: str = "streaming"
    set_aside: int = 0


def _extent(value: Extent, what: str) -> List[int]:
    numbers = [value] if isinstance(value, (int, np.integer)) else list(value)
    if not 1 <= len(numbers) <= 3 or any(int(n) != n or n < 0 or n > 0xFFFFFFFF for n in numbers):
        raise UsageError(f"{what} is a number or up to three, not {value!r}")
    return [int(n) for n in numbers] + [1] * (3 - len(numbers))


class Kernel:
    """One entry function of a module."""

    def __init__(self, device: "Device", native: "_core.Kernel") -> None:
        self.device = device
        self._native = native
        self._uses: Dict[Tuple[bool, ...], "List[PointerUse]"] = {}

    @property
    def name(self) -> str:
        """Its name in the PTX."""
        return self._native.name

    @property
    def parameters(self) -> List[Tuple[str, str, int]]:
        """Name, PTX type and size in bytes of each parameter."""
        return self._native.parameters

    @property
    def shared_bytes(self) -> int:
        """Static shared memory of a block, bytes."""
        return self._native.shared_bytes

    @property
    def registers(self) -> int:
        """Registers a thread after lowering: an estimate of what ptxas takes."""
        return self._native.registers

    @property
    def spill_bytes(self) -> int:
        """Bytes of a thread's stack for registers that found no room, after lowering."""
        return self._native.spill_bytes

    def pointer_uses(self, pointers: Sequence[bool]) -> "List[PointerUse]":
        """How the kernel's text uses the parameters that are pointers: for each its accesses as (type, bytes, elements of
        a vector), None where it goes where that is not known (into memory, a call, a copy without a type)."""
        key = tuple(pointers)
        if key not in self._uses:
            self._uses[key] = list(self._native.pointer_uses(list(key))) if any(key) else [None] * len(key)
        return self._uses[key]

    def launch(self, grid: Extent, block: Extent, args: Sequence[Any] = (), *, cluster: Optional[Extent] = None,
               dynamic_shared: int = 0, max_dynamic_shared: Optional[int] = None, carveout: Optional[int] = None,
               nonportable_cluster: bool = True, cooperative: bool = False, window: Optional[Window] = None,
               cold_caches: bool = True, max_cycles: int = 0, max_instructions: int = 0,
               progress: Optional[Progress] = None) -> Result:
        """Runs the kernel to its end.

        grid, block, cluster: a number or up to three. args: numpy arrays and tensors of the host that speak DLPack
        (copied in, and back unless wrapped in In or not writeable; they must be C-contiguous), Buffers, TensorMaps,
        Python and numpy scalars (Python ones take the parameter's type), bytes for structures. An array whose floats have
        another size than the kernel's is refused; elements that otherwise cannot fit are a DtypeWarning. Sizes in bytes,
        carveout in percent. cold_caches empties L2 before, as Nsight Compute does. progress(cycle, blocks_done, blocks_total, warp_instructions) is called some times a
        second; returning False ends the run, and the result then is not `complete`.

        Raises InputError for arguments and launches that do not fit (with CUDA's error name), ProgramError for
        faults, deadlocks and limits, Interrupted (a KeyboardInterrupt with the partial result) for Ctrl-C.
        """
        how = _core.LaunchArguments()
        how.grid, how.block = _extent(grid, "grid"), _extent(block, "block")
        how.cluster = None if cluster is None else _extent(cluster, "cluster")
        how.dynamic_shared, how.max_dynamic_shared, how.carveout = dynamic_shared, max_dynamic_shared, carveout
        how.nonportable_cluster, how.cooperative, how.cold_caches = nonportable_cluster, cooperative, cold_caches
        how.max_cycles, how.max_instructions = max_cycles, max_instructions
        arguments = Arguments(self, args)
        try:
            if window is not None:
                how.window = self._window(window, arguments)
            report, raised = self._native.launch(how, arguments.packed, progress)
            arguments.copy_back()
        finally:
            arguments.free()
        result = Result(report)
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted(result) from None
        if raised is not None:
            raise raised
        return result

    def launch_async(self, grid: Extent, block: Extent, args: Sequence[Any] = (), stream: Optional[Stream] = None, *,
                     priority: int = 0, cluster: Optional[Extent] = None, dynamic_shared: int = 0,
                     max_dynamic_shared: Optional[int] = None, carveout: Optional[int] = None,
                     nonportable_cluster: bool = True, cooperative: bool = False,
                     max_cycles: int = 0) -> Optional[Work]:
        """Asks for the kernel on a stream, and returns at once.

        Arguments as launch()'s, but arrays are DeviceArrays and Buffers: nothing is copied. stream: the innermost `with`
        where none is given, else the default one. priority: 0 takes the stream's. Caches are as the work before left
        them. In a graph there is no Work. Faults of the kernel are raised where somebody waits, and from then on.

        Raises InputError for arguments and launches that do not fit.
        """
        how = _core.LaunchArguments()
        how.grid, how.block = _extent(grid, "grid"), _extent(block, "block")
        how.cluster = None if cluster is None else _extent(cluster, "cluster")
        how.dynamic_shared, how.max_dynamic_shared, how.carveout = dynamic_shared, max_dynamic_shared, carveout
        how.nonportable_cluster, how.cooperative, how.max_cycles = nonportable_cluster, cooperative, max_cycles
        return submit(self.device, stream, _core.launch_work(self._native, how, packed_for_stream(self, args), priority))

    def _window(self, w: Window, arguments: Arguments) -> "_core.PolicyWindow":
        native = _core.PolicyWindow()
        if isinstance(w.buffer, Buffer):
            native.address = w.buffer.address
        elif w.buffer in arguments.addresses:
            native.address = arguments.addresses[w.buffer]
        else:
            raise UsageError(f"argument {w.buffer} is not an array, so no window can begin there")
        native.bytes, native.hit_ratio, native.set_aside_bytes = w.bytes, w.hit_ratio, w.set_aside
        for text, known in ((w.hit, "hit"), (w.miss, "miss")):
            if text not in ("persisting", "streaming", "normal"):
                raise UsageError(f"{known} is persisting, streaming or normal, not {text!r}")
        native.hit_persisting = w.hit == "persisting"
        native.miss_streaming = w.miss == "streaming"
        return native

    def __repr__(self) -> str:
        return f"<Kernel {self.name}({', '.join(f'{k} {n}' for n, k, _ in self.parameters)})>"


class Module:
    """A PTX module on a device."""

    def __init__(self, device: "Device", native: "_core.Module") -> None:
        self.device = device
        self._native = native

    @property
    def kernels(self) -> List[str]:
        """Names of its kernels."""
        return self._native.kernel_names

    def kernel(self, name: str = "") -> Kernel:
        """The kernel of that name; the only one where no name is given. UsageError with the nearest name."""
        names = self.kernels
        if not name:
            if len(names) != 1:
                raise UsageError(f"which kernel? There are {', '.join(names) or 'none'}")
            name = names[0]
        return Kernel(self.device, self._native.kernel(name))

    def symbol(self, name: str) -> Symbol:
        """A __constant__ or __device__ variable, by its name in the PTX or in C++. InputError where there is none."""
        address, size = self._native.symbol(name)
        return Symbol(self.device, address, size, self)


class Device:
    """One simulated GPU with memory, modules and caches of its own.

    config: a name, a path or a Config. functional: without time, fast. threads: of the host; results do not depend
    on it. lines: collect counters by line, and without time also machine instructions, occupancy, sectors and bank
    conflicts, which up to doubles what a functional run takes. contract: mul + add become fma, as ptxas does.
    lowering: count machine instructions (False: PTX ones). analyze: collect what every memory instruction asks for
    (Result.accesses), where functional. check_init, check_races: look for uninitialised reads and data races
    (Result.findings). stack_bytes, heap_bytes: as cudaDeviceSetLimit; 0 keeps the default. library_lines: count
    instructions that were inlined from headers where they are written, not for the line that calls them. trace: a file
    or a Trace, written after each launch.

    Timed launches of one process take turns, whatever threads and devices they come from (SystemC has one context
    a process); use several processes for several at once. Functional ones run side by side. A device that had to
    give way to another begins its next launch with cold caches.
    """

    def __init__(self, config: ConfigLike = "h200", *, functional: bool = False, threads: int = 1, lines: bool = True,
                 library_lines: bool = False, contract: bool = True, lowering: bool = True, check_init: bool = False,
                 check_races: bool = False, stack_bytes: int = 0, heap_bytes: int = 0, analyze: bool = False,
                 trace: TraceLike = None) -> None:
        self.config = as_config(config)
        if trace is not None and (functional or analyze):
            raise UsageError("a trace shows simulated time, which functional launches do not have")
        how = _core.DeviceArguments()
        how.config, how.overrides = self.config.name, self.config.override_list()
        how.functional, how.analyze, how.threads = functional, analyze, threads
        how.lines, how.library_lines, how.contract, how.lowering = lines, library_lines, contract, lowering
        how.check_init, how.check_races = check_init, check_races
        how.stack_bytes, how.heap_bytes = stack_bytes, heap_bytes
        how.trace = native_trace(trace)
        self._native = _core.Device(how)
        self._default: Optional[Stream] = None
        self._streams = 0
        self._capture: Optional[Graph] = None  # that takes what is asked for
        self._keep: List[Any] = []             # memory of the host that copies under way use

    def load(self, path: "Union[str, os.PathLike[str]]", contract: Optional[bool] = None,
             link: "Sequence[Union[str, os.PathLike[str]]]" = ()) -> Module:
        """Reads PTX, CUDA C++ (with nvcc or clang where there is one), or the PTX in an executable, object or fatbin.
        InputError with file, line and column of every problem. contract: mul + add become fma in this module (-fmad),
        whatever the device says. link: more such files, which define what this one declares extern (-rdc=true)."""
        return Module(self, self._native.load(os.fspath(path), contract, [os.fspath(p) for p in link]))

    def load_text(self, text: str, name: str = "ptx", contract: Optional[bool] = None) -> Module:
        """PTX from a string; `name` is what messages call it, contract as for load."""
        return Module(self, self._native.load_text(text, name, contract))

    def allocate(self, nbytes: int, name: str = "") -> Buffer:
        """Zero-filled device memory. ProgramError (cudaErrorMemoryAllocation) when the device is full."""
        return Buffer(self, self._native.allocate(nbytes, name), nbytes)

    def upload(self, array: Any, name: str = "") -> Buffer:
        """A copy of an array in device memory."""
        data = host_array(array)
        buffer = self.allocate(data.nbytes, name)
        if data.nbytes:
            buffer.write(data)
        return buffer

    def array(self, data: Any, name: str = "") -> DeviceArray:
        """A copy of an array on the device, with its type and shape; takes no simulated time."""
        source = host_array(data)
        buffer = self.upload(source, name)
        return DeviceArray(self, buffer.address, buffer.nbytes, source.dtype, source.shape)

    def zeros(self, shape: Any, dtype: Any = np.float32, name: str = "") -> DeviceArray:
        """An array of zeros on the device."""
        like: "np.ndarray[Any, Any]" = np.broadcast_to(np.zeros((), dtype), shape)
        buffer = self.allocate(like.nbytes, name)
        return DeviceArray(self, buffer.address, buffer.nbytes, like.dtype, like.shape)

    def stream(self, name: str = "", *, priority: int = 0, non_blocking: bool = False) -> Stream:
        """A new stream. All timed work of a process is on one timeline: another timed device takes its turn once this
        one is closed."""
        return Stream(self, name, priority, non_blocking)

    @property
    def default_stream(self) -> Stream:
        """The stream of calls that name none: it waits for all that are not non_blocking, and they for it."""
        if self._default is None:
            self._default = Stream(self, _default=True)
        return self._default

    def event(self) -> Event:
        """An event that nobody has recorded yet."""
        return Event(self)

    def graph(self, name: str = "") -> Graph:
        """A graph: `with device.graph() as g:` takes what is asked for inside as its pieces, g.launch() runs it."""
        return Graph(self, name)

    def synchronize(self) -> None:
        """The host waits for all that it has asked for. ProgramError with what a kernel has failed with."""
        if self._capture is not None:
            raise UsageError("synchronize does not go into a graph (cudaErrorStreamCaptureUnsupported)")
        self._native.synchronize()
        self._keep.clear()

    def flush_caches(self) -> None:
        """Writes L2 back and empties it, once nothing is under way; takes no simulated time."""
        self._native.flush_caches()

    @property
    def now_ns(self) -> float:
        """The host's simulated clock, in nanoseconds: it moves where the program waits."""
        return self._native.now_ns()

    def program(self) -> Program:
        """What has been done on the device's streams until now; waits for all of it."""
        self.synchronize()
        return Program(self)

    def close(self) -> None:
        """Streams, events and what they have done go; memory and modules stay. Another device may then have streams."""
        self._native.close()
        self._default, self._capture = None, None
        self._keep.clear()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self.synchronize()
        finally:
            self.close()

    def _next_stream(self) -> int:
        self._streams += 1
        return self._streams

    @property
    def name(self) -> str:
        """The configuration's own name."""
        return self._native.name

    @property
    def sm_count(self) -> int:
        """Streaming multiprocessors."""
        return self._native.sm_count

    @property
    def memory_used(self) -> int:
        """Bytes allocated now."""
        return self._native.memory_used


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
