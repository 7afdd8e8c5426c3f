# SPDX-License-Identifier: Apache-2.0
"""Modules, kernels and launches."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._arguments import Arguments, packed_for_stream
from ._arrays import PointerUse
from ._errors import Interrupted, UsageError
from ._memory import Buffer, Symbol
from ._native import _core
from ._results import Result
from ._streams import Stream, Work, submit

if TYPE_CHECKING:
    from ._device import Device

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
    numbers = [value] if isinstance(value, (int, float, np.number)) else list(value)
    if not 1 <= len(numbers) <= 3 or any(not isinstance(n, (int, np.integer)) or not 0 <= n <= 0xFFFFFFFF for n in numbers):
        raise UsageError(f"{what} is a whole number or up to three, not {value!r}")
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
    def signature(self) -> str:
        """Its declaration in C++: "saxpy(float*, float const*, float, int)", or the name where it is not C++'s."""
        return self._native.signature

    @property
    def parameter_labels(self) -> List[str]:
        """What messages call the parameters: their types in C++, or else their names in the PTX."""
        return self._native.parameter_labels

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
                raise UsageError(f"name a kernel: the module has {', '.join(names) or 'none'}")
            name = names[0]
        return Kernel(self.device, self._native.kernel(name))

    def symbol(self, name: str) -> Symbol:
        """A __constant__ or __device__ variable, by its name in the PTX or in C++. InputError where there is none."""
        address, size = self._native.symbol(name)
        return Symbol(self.device, address, size, self)
