# SPDX-License-Identifier: Apache-2.0
"""Streams, events and graphs of a device, and what can be asked of them: copies, fills and launches on one simulated
timeline."""
from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._arrays import as_array
from ._errors import InputError, UsageError
from ._memory import Buffer, DeviceArray
from ._native import _core
from ._results import Result, Run
from ._tables import table

if TYPE_CHECKING:
    import pandas

    from ._device import Device

Array = "np.ndarray[Any, Any]"

_pinned: "weakref.WeakValueDictionary[int, np.ndarray[Any, Any]]" = weakref.WeakValueDictionary()
_current = threading.local()  # the streams of `with`, of this thread


def pinned(shape: Any, dtype: Any = np.float32) -> "np.ndarray[Any, Any]":
    """An array of zeros in page-locked memory of the host (cudaMallocHost): copies of it and of its parts take the whole
    link and return at once."""
    array: "np.ndarray[Any, Any]" = np.zeros(shape, dtype)
    _pinned[id(array)] = array
    return array


def is_pinned(array: "np.ndarray[Any, Any]") -> bool:
    """Whether the array is pinned(), or a view of such a one."""
    root: Any = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return _pinned.get(id(root)) is root


class Event:
    """A point of a stream. `Stream.record` gives one; `Device.event` makes one to be recorded."""

    def __init__(self, device: "Device") -> None:
        self.device = device
        self._native = device._native.create_event()
        self._tips: "Optional[Tuple[Graph, List[int]]]" = None  # in the graph that it was last recorded into

    def record(self, stream: "Optional[Stream]" = None) -> "Event":
        """After all that the stream has been asked for until now."""
        chosen = _stream(self.device, stream)
        graph = self.device._capture
        self._tips = (graph, graph._tips_of(chosen)) if graph is not None else None
        if graph is None:
            self._native.record(chosen._native)
        return self

    def synchronize(self) -> None:
        """The host waits until the event has come. ProgramError with what a kernel has failed with."""
        self._native.synchronize()

    @property
    def done(self) -> bool:
        """Whether it has come by the host's time. Where not, that goes on to it, so that a program that asks again ends."""
        return self._native.done()

    @property
    def time_ns(self) -> Optional[float]:
        """When it came, in nanoseconds of the device's clock; None as long as nobody has waited for it, and without time."""
        return self._native.time_ns()

    def elapsed_ns(self, since: "Event") -> float:
        """Nanoseconds from another event to this one (cudaEventElapsedTime, not rounded). UsageError before both came."""
        begin, end = since.time_ns, self.time_ns
        if begin is None or end is None:
            raise UsageError("an event has no time yet", hint="event.synchronize() waits for it; functional devices have none")
        return end - begin


class Stream:
    """Work that is carried out in order. `with stream:` makes it the one that calls without `stream=` take.

    priority: 0 to -5, less goes first. non_blocking: does not wait for the default stream, nor that for it.
    """

    def __init__(self, device: "Device", name: str = "", priority: int = 0, non_blocking: bool = False, *,
                 _default: bool = False) -> None:
        if not -5 <= priority <= 0:
            raise UsageError(f"priorities go from 0 to -5, and {priority} is not among them")
        self.device = device
        self.name = name or ("default" if _default else f"stream {device._next_stream()}")
        self.priority, self.non_blocking = priority, non_blocking
        native = device._native
        self._native = native.default_stream() if _default else native.create_stream(self.name, non_blocking, priority)

    def __enter__(self) -> "Stream":
        _stack().append(self)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        _stack().pop()

    def record(self, event: Optional[Event] = None) -> Event:
        """Records an event, a new one where none is given."""
        return (Event(self.device) if event is None else event).record(self)

    def wait(self, event: Event) -> None:
        """What comes next waits for the event (cudaStreamWaitEvent)."""
        graph = self.device._capture
        if event.device not in self.device._members:
            raise UsageError("the event is of a device on another timeline", hint="gpuloom.devices([...]) makes devices on one")
        if graph is not None:
            graph._join(self, event)
        elif event._tips is not None:
            raise UsageError("the event was recorded into a graph, and this is outside of its capture")
        else:
            self._native.wait(event._native)

    def synchronize(self) -> None:
        """The host waits until the stream has done all. ProgramError with what a kernel has failed with."""
        _forbid(self.device, "synchronize")
        self._native.synchronize()

    @property
    def done(self) -> bool:
        """Whether it has done all by the host's time. Where not, that goes on to its end."""
        _forbid(self.device, "done")
        return self._native.done()

    def __repr__(self) -> str:
        return f"<Stream {self.name} of {self.device.name}>"


def _stack() -> List[Stream]:
    if not hasattr(_current, "streams"):
        _current.streams = []
    streams: List[Stream] = _current.streams
    return streams


def _stream(device: "Device", stream: Optional[Stream]) -> Stream:
    """What was given, else the innermost `with` of this device, else its default stream."""
    if stream is None:
        stream = next((s for s in reversed(_stack()) if s.device is device), device.default_stream)
    if stream.device is not device:
        raise UsageError(f"the stream is of {stream.device.name}, the work of another device")
    return stream


def _forbid(device: "Device", call: str) -> None:
    if device._capture is not None:
        raise UsageError(f"{call} does not go into a graph (cudaErrorStreamCaptureUnsupported)")


class Work:
    """One launch, copy or fill; times are there once somebody has waited for it."""

    def __init__(self, device: "Device", place: int) -> None:
        self.device, self.place = device, place

    @property
    def _record(self) -> "_core.ProgramWork":
        return self.device._native.work(self.place)

    @property
    def kind(self) -> str:
        """kernel, host to device, device to host, device to device, peer to peer or memset."""
        return self._record.kind

    @property
    def name(self) -> str:
        """Of the kernel, or what was given for the copy."""
        return self._record.name

    @property
    def stream(self) -> str:
        """The name of its stream."""
        return self._record.stream

    @property
    def done(self) -> bool:
        """Whether it has been carried out."""
        return self._record.done

    @property
    def begin_ns(self) -> float:
        """When it began, nanoseconds of the device's clock."""
        return self._record.begin_ns

    @property
    def end_ns(self) -> float:
        """When it ended."""
        return self._record.end_ns

    @property
    def nbytes(self) -> int:
        """Bytes that a copy or fill moves."""
        return self._record.bytes

    @property
    def shared_with(self) -> "List[Work]":
        """Launches that were on the GPU at the same time; counters of the machine are then theirs too."""
        return [Work(self.device, place) for place in self._record.shared_with]

    @property
    def result(self) -> Optional[Result]:
        """Metrics of a launch that has ended."""
        report = self.device._native.report(self.place)
        return None if report is None else Result(report)

    def __repr__(self) -> str:
        span = f"{self.begin_ns:.0f} to {self.end_ns:.0f} ns" if self.done else "not carried out"
        return f"<Work {self.kind} {self.name} on {self.stream}, {span}>"


def _place(stream: Stream) -> Tuple[int, str]:
    return stream.device.number, stream.name


class Graph:
    """Work with its dependences, launched as a whole. `with device.graph() as g:` takes what is asked for inside as pieces
    of it, on whatever streams of whichever device of the timeline: a piece comes after the last one of its stream and
    after the events that this waits for. A piece is work of its stream's device."""

    def __init__(self, device: "Device", name: str = "") -> None:
        self.device = device
        self.name = name or "graph"
        self._pieces: "List[_core.Work]" = []
        self._devices: "List[_core.Device]" = []  # of each piece
        self._after: List[List[int]] = []
        self._tips: Dict[Tuple[int, str], List[int]] = {}  # by device and stream
        self._keep: List[Any] = []

    def __enter__(self) -> "Graph":
        if self.device._capture is not None:
            raise UsageError("the device is recording a graph already")
        for device in self.device._members:
            device._capture = self
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        for device in self.device._members:
            device._capture = None

    def __len__(self) -> int:
        return len(self._pieces)

    def _tips_of(self, stream: Stream) -> List[int]:
        return list(self._tips.get(_place(stream), []))

    def _join(self, stream: Stream, event: Event) -> None:
        if event._tips is None or event._tips[0] is not self:
            raise UsageError("the event was not recorded into this graph (cudaErrorStreamCaptureIsolation)")
        self._tips[_place(stream)] = self._tips_of(stream) + event._tips[1]

    def _add(self, stream: Stream, piece: "_core.Work", keep: Sequence[Any]) -> None:
        self._after.append(self._tips_of(stream))
        self._tips[_place(stream)] = [len(self._pieces)]
        self._pieces.append(piece)
        self._devices.append(stream.device._native)
        self._keep.extend(keep)

    def launch(self, stream: Optional[Stream] = None) -> None:
        """All pieces, after what the stream has been asked for; the stream goes on after the last. It may be of any device
        of the timeline."""
        _forbid(self.device, "a graph")
        device = self.device if stream is None or stream.device not in self.device._members else stream.device
        device._keep.append(self)
        device._native.launch_graph(_stream(device, stream)._native, self.name, self._pieces, self._devices, self._after)

    def dot(self) -> str:
        """For Graphviz."""
        lines = [f'  n{i} [label="{piece.text}"];' for i, piece in enumerate(self._pieces)]
        lines += [f"  n{b} -> n{i};" for i, after in enumerate(self._after) for b in after]
        return "digraph {\n" + "\n".join(lines) + "\n}\n"


def submit(device: "Device", stream: Optional[Stream], piece: "_core.Work", keep: Sequence[Any] = ()) -> Optional[Work]:
    """To the stream, or to the graph that is being made; None there."""
    chosen = _stream(device, stream)
    if device._capture is not None:
        device._capture._add(chosen, piece, keep)
        return None
    device._keep.extend(keep)
    return Work(device, device._native.submit(chosen._native, piece))


def _side(value: Any, what: str) -> "Tuple[Optional[Buffer], Optional[np.ndarray[Any, Any]], int]":
    """A side of a copy: device memory, or an array of the host; and its bytes."""
    if isinstance(value, Buffer):
        return value, None, value.nbytes
    array = as_array(value)
    if array is None or not array.flags.c_contiguous:
        raise InputError(f"the {what} of a copy is a Buffer, a DeviceArray or a contiguous array, not {type(value).__name__}")
    return None, array, array.nbytes


def _carrier(to: "Device", source: "Device", stream: Optional[Stream]) -> "Device":
    """Of a copy between devices: the one whose stream was given or is current, else the source's."""
    if stream is not None:
        return to if stream.device is to else source
    current = next((s.device for s in reversed(_stack()) if s.device is to or s.device is source), source)
    return current


def memcpy_async(to: Any, source: Any, stream: Optional[Stream] = None, *, nbytes: Optional[int] = None,
                 name: str = "") -> Optional[Work]:
    """Copies between arrays of the host (numpy, DLPack) and device memory, within that, or between the memories of
    devices on one timeline (cudaMemcpyAsync).

    Both sides have the same size, or `nbytes` says how many bytes from their begins. Memory of the host that is not
    pinned() is staged: the call then returns at the copy's end. Between devices the stream may be either's; without one
    it is the source's. `name` is for the record. In a graph there is no Work.
    InputError where sizes do not fit, or neither side is the device's.
    """
    to_device, to_host, to_bytes = _side(to, "target")
    from_device, from_host, from_bytes = _side(source, "source")
    size = to_bytes if nbytes is None else nbytes
    if (nbytes is None and to_bytes != from_bytes) or size > min(to_bytes, from_bytes):
        raise InputError(f"a copy of {size} bytes from {from_bytes} to {to_bytes}", hint="nbytes says how many are meant")
    if to_host is not None and not to_host.flags.writeable:
        raise InputError("the target of the copy is read-only")
    device = to_device.device if to_device is not None else from_device.device if from_device is not None else None
    if device is None:
        raise InputError("neither side of the copy is on a device", hint="numpy.copyto copies within the host")
    if to_device is not None and from_device is not None:
        source_device = from_device.device
        if source_device not in device._members:
            raise InputError("a copy between devices of two timelines",
                             hint="gpuloom.devices([...]) makes devices on one; else copy through an array of the host")
        piece = _core.copy_within(to_device.address, from_device.address, size, name, source_device is not device)
        return submit(_carrier(device, source_device, stream), stream, piece)
    host = to_host if to_host is not None else from_host
    buffer = to_device if to_device is not None else from_device
    assert host is not None and buffer is not None
    piece = _core.copy_with_host(to_device is not None, buffer.address, host.ctypes.data, size, not is_pinned(host), name)
    return submit(device, stream, piece, [host])


def memset_async(to: Buffer, value: int, stream: Optional[Stream] = None, *, nbytes: Optional[int] = None,
                 name: str = "") -> Optional[Work]:
    """Sets bytes of device memory (cudaMemsetAsync)."""
    size = to.nbytes if nbytes is None else nbytes
    if not 0 <= value <= 255 or size > to.nbytes:
        raise InputError(f"{size} bytes of value {value} do not fit {to.nbytes} bytes")
    return submit(to.device, stream, _core.fill(to.address, size, value, name))


class Program:
    """What a device, or all on a timeline, have done on their streams until now: a record of each launch and copy, and
    sums over all."""

    def __init__(self, device: "Device", team: "Optional[List[Device]]" = None) -> None:
        self.device = device
        self.devices = [device] if team is None else list(team)
        self._run = Run(device._native.program() if team is None else device._team.program())

    @property
    def work(self) -> List[Work]:
        """In the order of submission, device by device."""
        return [Work(device, place) for device in self.devices for place in range(device._native.work_count())]

    @property
    def metrics(self) -> Dict[str, float]:
        """program__time_duration, program__overlap.pct, ... by name; times in nanoseconds."""
        return {m.name: m.value for m in self._run._report.program_metrics}

    def summary(self) -> str:
        """Time by kernel and kind of copy, idle time, and what overlapped."""
        return self._run._report.program_text()

    def table(self) -> "pandas.DataFrame":
        """A row for each launch and copy."""
        keys: List[Tuple[str, Callable[[Work], Any]]] = [
            ("kind", lambda w: w.kind), ("name", lambda w: w.name), ("device", lambda w: w.device.number),
            ("stream", lambda w: w.stream),
            ("begin_ns", lambda w: w.begin_ns), ("end_ns", lambda w: w.end_ns), ("bytes", lambda w: w.nbytes)]
        return table([{key: get(w) for key, get in keys} for w in self.work])

    def timeline(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes a timeline for ui.perfetto.dev: a track for each stream and each direction of copies."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._run._report.program_timeline())

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """As result.json of `gpuloom run`."""
        self._run.save(path)
