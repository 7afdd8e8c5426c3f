# SPDX-License-Identifier: Apache-2.0
"""Device memory: buffers, variables of modules, and arrays that are only read."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Tuple

import numpy as np

from ._arrays import as_array
from ._errors import InputError, UsageError

if TYPE_CHECKING:
    from ._device import Device
    from ._kernel import Module


def host_array(value: Any) -> "np.ndarray[Any, Any]":
    """A contiguous array of a numpy array, a tensor, a number or a list."""
    seen = as_array(value)
    return np.ascontiguousarray(value if seen is None else seen)


class In:
    """An array or tensor that a kernel only reads: it is not copied back."""

    def __init__(self, array: Any) -> None:
        self.array = host_array(array)


@dataclass(frozen=True)
class Buffer:
    """Device memory that stays: `address` and size in bytes. An argument like any other; `+` gives an offset."""

    device: "Device"
    address: int
    nbytes: int

    def __add__(self, offset: int) -> "Buffer":
        return Buffer(self.device, self.address + offset, self.nbytes - offset)

    def write(self, array: Any) -> None:
        """Copies an array to the buffer's begin. UsageError where it does not fit."""
        self.device._native.write(self.address, host_array(array))

    def read(self, dtype: Any, shape: Any = None) -> "np.ndarray[Any, Any]":
        """A copy of the buffer as an array; without shape, as many elements as fit."""
        kind = np.dtype(dtype)
        out = np.empty(self.nbytes // kind.itemsize if shape is None else shape, kind)
        self.device._native.read(self.address, out)
        return out

    def free(self) -> None:
        """Gives the memory back."""
        self.device._native.free(self.address)


@dataclass(frozen=True)
class DeviceArray(Buffer):
    """Device memory with the type and shape of an array. `a[i:j]` is a part of it along the first axis."""

    dtype: "np.dtype[Any]"
    shape: Tuple[int, ...]

    @property
    def size(self) -> int:
        """Elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of no axes has no length")
        return self.shape[0]

    def __getitem__(self, key: slice) -> "DeviceArray":
        if not isinstance(key, slice) or key.step not in (None, 1):
            raise UsageError("a part of a DeviceArray is a slice with step 1: a[i:j]")
        begin, end, _ = key.indices(len(self))
        shape = (max(0, end - begin),) + self.shape[1:]
        row = self.nbytes // max(1, len(self))
        return DeviceArray(self.device, self.address + begin * row, shape[0] * row, self.dtype, shape)

    def get(self) -> "np.ndarray[Any, Any]":
        """A copy on the host, once all that is under way has ended; takes no simulated time."""
        return self.read(self.dtype, self.shape)

    def set(self, array: Any) -> None:
        """Copies an array of the same size there, as get() does. InputError where the sizes differ."""
        data = np.ascontiguousarray(host_array(array), self.dtype)
        if data.nbytes != self.nbytes:
            raise InputError(f"the array has {data.nbytes} bytes, the device's {self.nbytes}")
        self.write(data)

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype} {self.shape} at {self.address:#x}>"


@dataclass(frozen=True)
class Symbol(Buffer):
    """A __constant__ or __device__ variable of a module: written and read like a buffer."""

    module: "Module"

    def __add__(self, offset: int) -> "Symbol":
        return Symbol(self.device, self.address + offset, self.nbytes - offset, self.module)

    def write(self, array: Any) -> None:
        """Copies an array to the variable's begin, as cudaMemcpyToSymbol. InputError where it does not fit."""
        data = host_array(array)
        if data.nbytes > self.nbytes:
            raise InputError(f"the variable has {self.nbytes} bytes, the array {data.nbytes} ({data.dtype})")
        self.module._native.write(self.address, data)

    def read(self, dtype: Any, shape: Any = None) -> "np.ndarray[Any, Any]":
        """A copy of the variable as an array; without shape, as many elements as fit."""
        kind = np.dtype(dtype)
        out = np.empty(self.nbytes // kind.itemsize if shape is None else shape, kind)
        self.module._native.read(self.address, out)
        return out

    def free(self) -> None:
        """Refused: the variable lives as long as its module."""
        raise UsageError("a variable of a module is not freed")
