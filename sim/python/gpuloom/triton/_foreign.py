# SPDX-License-Identifier: Apache-2.0
"""Memory of the host as arguments of one launch: numpy's arrays, and tensors that have data_ptr() (torch's)."""
from __future__ import annotations

import copy
import ctypes
from typing import TYPE_CHECKING, Any, List, Tuple

import numpy as np

from .._errors import InputError
from ._tensor import Tensor

if TYPE_CHECKING:
    from ._session import Session


class HostArray:
    """A numpy array as Triton looks at a tensor."""

    def __init__(self, array: "np.ndarray[Any, Any]") -> None:
        if array.dtype.hasobject:
            raise InputError("an array of Python objects is not an argument of kernels")
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def stride(self) -> Tuple[int, ...]:
        return tuple(s // self.dtype.itemsize for s in self.array.strides)

    def extent(self) -> Tuple[int, int, bool]:
        """First address, the one past the last, and whether the kernel may write."""
        array = self.array
        steps = [(n - 1) * s for n, s in zip(array.shape, array.strides) if n > 0]
        low = self.data_ptr() + sum(min(0, s) for s in steps)
        high = self.data_ptr() + sum(max(0, s) for s in steps) + (array.itemsize if array.size else 0)
        return low, high, array.flags.writeable


class Placed:
    """Where an argument of the host stands during a launch."""

    def __init__(self, address: int) -> None:
        self._address = address

    def data_ptr(self) -> int:
        return self._address


def _extent(value: Any) -> Tuple[int, int, bool]:
    if isinstance(value, HostArray):
        return value.extent()
    kind = str(getattr(value, "device", "cpu"))
    if not kind.startswith("cpu"):
        raise InputError(f"the {type(value).__name__} is on '{kind}', and kernels run on a simulated GPU",
                         hint="tensor.cpu(), or torch.device('cpu') where it is made")
    if not hasattr(value, "untyped_storage"):
        raise InputError(f"how large the memory of a {type(value).__name__} is cannot be told",
                         hint="numpy arrays, torch's tensors of the host and gpuloom.triton.tensor(...) are known")
    storage = value.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), True


def is_foreign(value: Any) -> bool:
    """Memory of the host by its looks."""
    return hasattr(value, "data_ptr") and not isinstance(value, (Tensor, Placed))


class Staging:
    """Copies of the host's memory on the device for one launch, and back after it."""

    def __init__(self, gpu: "Session") -> None:
        self._gpu = gpu
        self._blocks: List[Tuple[int, int, bool, int]] = []  # host's begin and end, writeable, device address

    def place(self, values: Tuple[Any, ...]) -> Tuple[Any, ...]:
        """The arguments with all of the host's replaced. Those that overlap stay in one piece."""
        found: List[Tuple[int, int, bool]] = []
        _visit(values, lambda v: found.append(_extent(v)))
        if not found:
            return values
        merged: List[Tuple[int, int, bool]] = []
        for low, high, written in sorted(found):
            if merged and low < merged[-1][1]:
                merged[-1] = merged[-1][0], max(high, merged[-1][1]), merged[-1][2] or written
            else:
                merged.append((low, high, written))
        device = self._gpu.device._native
        for low, high, written in merged:
            # The same place within 16 bytes: kernels are compiled for what pointers are divisible by.
            address = device.allocate(high - low + low % 16, "host memory") + low % 16
            self._blocks.append((low, high, written, address))
            if high > low:
                device.write(address, _bytes(low, high))
        placed: Any = _visit(values, self._placed)
        return tuple(placed)

    def _placed(self, value: Any) -> Placed:
        pointer = value.data_ptr()
        low, high, _ = _extent(value)
        for begin, end, _, address in self._blocks:
            if begin <= low and high <= end:
                return Placed(address + pointer - begin)
        raise AssertionError("every argument was placed")

    def bring_back(self) -> None:
        """Once the kernel has ended; takes no simulated time."""
        device = self._gpu.device._native
        for low, high, written, address in self._blocks:
            if written and high > low:
                device.read(address, _bytes(low, high))

    def free(self) -> None:
        for low, _, _, address in self._blocks:
            self._gpu._give_back(address - low % 16)
        self._blocks.clear()

    def __bool__(self) -> bool:
        return bool(self._blocks)


def _bytes(low: int, high: int) -> Any:
    return (ctypes.c_char * (high - low)).from_address(low)


def _visit(value: Any, action: Any) -> Any:
    """The value with action(v) in place of all memory of the host in it: in tuples and in tensor descriptors."""
    if isinstance(value, tuple):
        parts = [_visit(part, action) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_foreign(value):
        return action(value)
    base = getattr(value, "base", None)
    if hasattr(value, "block_shape") and is_foreign(base):
        moved = copy.copy(value)
        moved.base = action(base)
        return moved
    return value
