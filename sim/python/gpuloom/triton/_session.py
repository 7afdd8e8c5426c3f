# SPDX-License-Identifier: Apache-2.0
"""The simulated GPU that Triton uses, and what it has done."""
from __future__ import annotations

import itertools
from typing import Any, List

from .._closing import Closing
from .._config import ConfigLike
from .._device import Device
from .._errors import ProgramError, UsageError
from .._native import _core
from .._results import Result
from .._streams import Program, Stream, submit
from . import _driver
from ._tensor import Tensor, empty

_sessions: "List[Session]" = []  # the innermost last
_numbers = itertools.count()     # Triton keeps compiled kernels by the number of a device


class Session(Closing):
    """A simulated GPU with the launches of Triton's kernels on it. `with use(...) as gpu:` gives it back at the end."""

    def __init__(self, config: ConfigLike, timed: bool, **options: Any) -> None:
        self.timed, self.number = timed, next(_numbers)
        self.device = Device(config, functional=not timed, **options)
        self._dead: List[int] = []    # memory that nobody has any more, but work under way may use
        self._open, self._entered = True, False
        self._streams: List[Stream] = [self.device.default_stream]
        self._driver = _driver.GpuloomDriver(self)
        self._before = _driver.install(self._driver)
        _sessions.append(self)

    @property
    def results(self) -> List[Result]:
        """A Result for each launch until now, in the order of their launches; waits for them."""
        return [work.result for work in self.program().work if work.kind == "kernel" and work.result is not None]

    @property
    def last(self) -> Result:
        """The Result of the last launch. UsageError before the first."""
        done = self.results
        if not done:
            raise UsageError("no kernel was launched yet")
        return done[-1]

    def program(self) -> Program:
        """All launches and copies on one timeline."""
        self.synchronize()
        return self.device.program()

    def synchronize(self) -> None:
        """The host waits for all that it has asked for. ProgramError with what a kernel has failed with."""
        self.device.synchronize()
        self._free_dead()

    def stream(self, handle: int) -> Stream:
        """The stream of a handle: 0 is the default one."""
        return self._streams[handle]

    def handle(self, stream: Stream) -> int:
        """The number by which Triton hands a stream around."""
        if stream not in self._streams:
            self._streams.append(stream)
        return self._streams.index(stream)

    def launch(self, kernel: Any, packed: List[bytes], grid: Any, meta: Any, stream: int, keep: Any) -> None:
        """One kernel, with its parameters as bytes; keep: what it uses beside them."""
        how = _core.LaunchArguments()
        how.grid, how.block = [int(n) for n in grid], [32 * meta.num_warps, 1, 1]
        how.cluster = [meta.num_ctas, 1, 1] if meta.num_ctas > 1 else None
        how.dynamic_shared = how.max_dynamic_shared = meta.shared
        how.cooperative = meta.launch_cooperative_grid
        submit(self.device, self.stream(stream), _core.launch_work(kernel._native, how, packed, 0), [keep])

    def empty_bytes(self, nbytes: int) -> Tensor:
        """Memory of the device."""
        return empty(nbytes, dtype="uint8")

    def _give_back(self, address: int) -> None:
        if self._open:
            self._dead.append(address)
            if not self.timed:  # nothing is under way
                self._free_dead()

    def _free_dead(self) -> None:
        dead, self._dead = self._dead, []
        try:
            for address in dead:
                self.device._native.free(address)
        except ProgramError:
            pass  # a kernel has failed: who waits is told so, and memory stays until the device goes

    def close(self) -> None:
        """Triton has the driver that it had before; tensors of this GPU are of no use any more."""
        if not self._open:
            return
        self._open = False
        _sessions.remove(self)
        _driver.restore(self._driver, self._before)
        self.device.close()

    def __enter__(self) -> "Session":
        self._entered = True
        return self

    def __repr__(self) -> str:
        return f"<gpuloom.triton Session on {self.device.name}, {'timed' if self.timed else 'functional'}>"


def use(config: ConfigLike = "h200", mode: str = "functional", **options: Any) -> Session:
    """Lets Triton's kernels run on a simulated GPU from now on.

    config: a name, a path or a Config. mode: "functional" (results and counts, fast) or "timed" (cycles too, and what
    do_bench and autotune measure). options: those of gpuloom.Device, such as threads, check_init or trace. A GPU that was in
    use before is closed, except inside of its `with`.
    """
    if mode not in ("functional", "timed"):
        raise UsageError(f"mode is 'functional' or 'timed', not {mode!r}")
    if mode == "functional" and not (options.get("lines", True) and options.get("lowering", True)):
        raise UsageError("Triton asks for a kernel's registers, which a functional device without lines or lowering does not know")
    if _sessions and not _sessions[-1]._entered:
        _sessions[-1].close()
    return Session(config, mode == "timed", **options)


def current() -> Session:
    """The GPU in use. UsageError before use()."""
    if not _sessions:
        raise UsageError("no simulated GPU is in use", hint="gpuloom.triton.use('h200', mode='timed')")
    return _sessions[-1]
