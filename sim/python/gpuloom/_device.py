# SPDX-License-Identifier: Apache-2.0
"""Devices."""
from __future__ import annotations

import os
import weakref
from typing import Any, List, Optional, Sequence, Union, overload

import numpy as np

from ._closing import Closing
from ._config import Config, ConfigLike, as_config
from ._errors import UsageError
from ._kernel import Module
from ._memory import Buffer, DeviceArray, host_array
from ._native import _core
from ._streams import Event, Graph, Program, Stream
from ._trace import TraceLike, native_trace


class Device(Closing):
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
        if trace is not None and (functional or analyze):
            raise UsageError("a trace shows simulated time, which functional launches do not have")
        how = _core.DeviceArguments()
        how.functional, how.analyze, how.threads = functional, analyze, threads
        how.lines, how.library_lines, how.contract, how.lowering = lines, library_lines, contract, lowering
        how.check_init, how.check_races = check_init, check_races
        how.stack_bytes, how.heap_bytes = stack_bytes, heap_bytes
        how.trace = native_trace(trace)
        self._begin(as_config(config), how)

    def _begin(self, config: Config, how: "_core.DeviceArguments") -> None:
        how.config, how.overrides = config.name, config.override_list()
        self._join(config, _core.Team([how]), 0, weakref.WeakSet())

    def _join(self, config: Config, team: "_core.Team", number: int, members: "weakref.WeakSet[Device]") -> None:
        self.config = config
        self._team, self._members = team, members
        members.add(self)
        self._native = team.device(number)
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
        """A graph: `with device.graph() as g:` takes what is asked for inside as its pieces, on all devices of the
        timeline, and g.launch() runs it."""
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
        """Streams, events and what they have done go, of all devices on the timeline; memory and modules stay. Another
        device may then have streams."""
        self._team.close()
        for device in self._members:
            device._default, device._capture = None, None
            device._keep.clear()

    def __enter__(self) -> "Device":
        return self

    def _next_stream(self) -> int:
        self._streams += 1
        return self._streams

    @property
    def number(self) -> int:
        """Among the devices of its timeline, from 0."""
        return self._native.number

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


class Devices(Closing, Sequence[Device]):
    """Several devices on one timeline, as `devices` makes them: a sequence that `with` closes."""

    def __init__(self, members: List[Device]) -> None:
        self._members = members

    @overload
    def __getitem__(self, key: int) -> Device: ...
    @overload
    def __getitem__(self, key: slice) -> List[Device]: ...

    def __getitem__(self, key: "Union[int, slice]") -> "Union[Device, List[Device]]":
        return self._members[key]

    def __len__(self) -> int:
        return len(self._members)

    def __enter__(self) -> "Devices":
        return self

    def graph(self, name: str = "") -> Graph:
        """A graph with pieces on all of them: `with pair.graph() as g:`. g.launch() is a call of the first, unless it
        names a stream."""
        return self._members[0].graph(name)

    def synchronize(self) -> None:
        """The host waits for all that it has asked of any. ProgramError with what a kernel has failed with."""
        for device in self._members:
            device.synchronize()

    def program(self) -> Program:
        """What has been done on the streams of all until now; waits for all of it."""
        self.synchronize()
        return Program(self._members[0], self._members)

    def close(self) -> None:
        """Streams, events and what they have done go; memory and modules stay."""
        self._members[0].close()


def devices(configs: Sequence[ConfigLike], *, functional: bool = False, threads: int = 1, lines: bool = True,
            contract: bool = True) -> Devices:
    """Several GPUs on one timeline, a configuration for each: `a, b = gpuloom.devices(["h200", "h200"])`.

    Each has memory, modules and streams of its own. Where their configurations have a link, kernels reach the others'
    memory: a Buffer of one may be an argument of a kernel of another. memcpy_async copies between them, on a stream of
    either, and a stream may wait for an event of another device. Without a link copies go through the host, and kernels
    fault. The rest is as for Device; but a blocking launch in time goes to the device's default stream, and launch
    files run on a device of their own. A process has one such set at a time, for the devices share fixed addresses: let go
    of one before you make the next. UsageError for no configuration."""
    if not configs:
        raise UsageError("several devices are a configuration or more")
    chosen = [as_config(config) for config in configs]
    arguments = []
    for config in chosen:
        how = _core.DeviceArguments()
        how.config, how.overrides = config.name, config.override_list()
        how.functional, how.threads, how.lines, how.contract = functional, threads, lines, contract
        arguments.append(how)
    team = _core.Team(arguments)
    members = [Device.__new__(Device) for _ in chosen]
    together: "weakref.WeakSet[Device]" = weakref.WeakSet()
    for number, (device, config) in enumerate(zip(members, chosen)):
        device._join(config, team, number, together)
    return Devices(members)
