# SPDX-License-Identifier: Apache-2.0
"""Events on the simulated clock, and what triton.testing asks of a device."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .._errors import UsageError
from .._streams import Event as StreamEvent
from .._streams import Stream, _stream

if TYPE_CHECKING:
    from ._session import Session


def _gpu() -> "Session":
    from ._session import current
    return current()


class Event:
    """As torch.cuda.Event: a point of a stream, with simulated time between two of them."""

    def __init__(self, enable_timing: bool = True) -> None:
        self._event: StreamEvent = _gpu().device.event()

    def record(self, stream: Optional[Stream] = None) -> None:
        """After all that the stream has been asked for until now."""
        self._event.record(stream)

    def synchronize(self) -> None:
        """The host waits for it."""
        self._event.synchronize()

    def query(self) -> bool:
        """Whether it has come."""
        return self._event.done

    def elapsed_time(self, end: "Event") -> float:
        """Milliseconds of the simulated clock from this event to another."""
        if not _gpu().timed:
            raise UsageError("functional runs have no time", hint="gpuloom.triton.use(..., mode='timed')")
        return end._event.elapsed_ns(self._event) * 1e-6


def synchronize(device: Any = None) -> None:
    """The host waits for all that it has asked for."""
    _gpu().synchronize()


class DeviceInterface:
    """As much of torch.cuda as Triton's driver interface names."""

    Event = Event
    synchronize = staticmethod(synchronize)

    @staticmethod
    def current_device() -> int:
        """Its number."""
        return _gpu().number

    @staticmethod
    def current_stream(device: Any = None) -> Stream:
        """The innermost `with`, else the default stream."""
        return _stream(_gpu().device, None)
