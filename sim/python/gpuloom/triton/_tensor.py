# SPDX-License-Identifier: Apache-2.0
"""Tensors on the simulated GPU, as much of torch's interface as Triton's launches and their callers need."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

import numpy as np

from .._arrays import as_array
from .._errors import InputError, UsageError
from ._dtypes import DType, as_dtype, decode, encode

if TYPE_CHECKING:
    from ._session import Session

Shape = Union[int, Sequence[int]]


class _Storage:
    """Memory of the device, given back when nobody has it any more."""

    def __init__(self, gpu: "Session", nbytes: int) -> None:
        self.gpu, self.nbytes = gpu, nbytes
        self.address = gpu.device.allocate(nbytes).address
        # Never written: its views are the layouts of tensors, and so numpy does the arithmetic of strides.
        self.shadow: "np.ndarray[Any, Any]" = np.empty(nbytes, np.uint8)
        weakref.finalize(self, gpu._give_back, self.address)

    def read(self) -> "np.ndarray[Any, Any]":
        data: "np.ndarray[Any, Any]" = np.empty(self.nbytes, np.uint8)
        if self.nbytes:
            self.gpu.device._native.read(self.address, data)
        return data

    def write(self, data: "np.ndarray[Any, Any]") -> None:
        if self.nbytes:
            self.gpu.device._native.write(self.address, data)


class Tensor:
    """An array in the memory of the simulated GPU. `numpy()` brings a copy; views share memory as torch's do.

    dtype: a DType; bfloat16 and 8-bit floats are float32 on the host, and bits as raw().
    """

    def __init__(self, storage: _Storage, layout: "np.ndarray[Any, Any]", dtype: DType) -> None:
        self._storage, self._layout, self._dtype = storage, layout, dtype

    @property
    def dtype(self) -> DType:
        """Type of an element."""
        return self._dtype

    @property
    def shape(self) -> Tuple[int, ...]:
        """Elements along each axis."""
        return tuple(int(n) for n in self._layout.shape)

    @property
    def ndim(self) -> int:
        """Axes."""
        return self._layout.ndim

    @property
    def device(self) -> str:
        """The configuration's name."""
        return self._storage.gpu.device.name

    def data_ptr(self) -> int:
        """Device address of the first element."""
        return self._storage.address + self._offset()

    def _offset(self) -> int:
        return int(self._layout.ctypes.data - self._storage.shadow.ctypes.data)

    def stride(self, axis: Optional[int] = None) -> Any:
        """Elements from one to the next: of one axis, or of all."""
        strides = tuple(int(s) // self._dtype.itemsize for s in self._layout.strides)
        return strides if axis is None else strides[axis]

    def size(self, axis: Optional[int] = None) -> Any:
        """The shape, or one of its numbers."""
        return self.shape if axis is None else self.shape[axis]

    def numel(self) -> int:
        """Elements in all."""
        return int(self._layout.size)

    def element_size(self) -> int:
        """Bytes of an element."""
        return self._dtype.itemsize

    def is_contiguous(self) -> bool:
        """Whether elements follow each other in row order."""
        return bool(self._layout.flags.c_contiguous)

    # Views.

    def _as(self, layout: "np.ndarray[Any, Any]", dtype: Optional[DType] = None) -> "Tensor":
        return Tensor(self._storage, layout, dtype or self._dtype)

    def __getitem__(self, key: Any) -> "Tensor":
        parts = key if isinstance(key, tuple) else (key,)
        layout = self._layout[parts if Ellipsis in parts else parts + (...,)]
        if layout.size and not np.may_share_memory(layout, self._storage.shadow):
            raise UsageError("a part of a tensor is by integers and slices: others would be copies")
        return self._as(layout)

    @property
    def T(self) -> "Tensor":
        """Axes in reverse order."""
        return self._as(self._layout.T)

    def t(self) -> "Tensor":
        """Of a matrix, the transpose."""
        return self.T

    def transpose(self, a: int, b: int) -> "Tensor":
        """Two axes exchanged."""
        return self._as(self._layout.swapaxes(a, b))

    def permute(self, *axes: int) -> "Tensor":
        """Axes in this order."""
        return self._as(self._layout.transpose(axes))

    def reshape(self, *shape: Any) -> "Tensor":
        """The same elements in another shape. UsageError where that is not a view."""
        wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if not self.is_contiguous():
            raise UsageError("a tensor that is not contiguous has no view of another shape", hint="tensor(t.numpy()) is a copy")
        return self._as(self._layout.reshape(wanted))

    def view(self, *what: Any) -> "Tensor":
        """Another shape, or another type of the same size: view(2, 3), view("bfloat16")."""
        if len(what) == 1 and not isinstance(what[0], (int, tuple, list)):
            dtype = as_dtype(what[0])
            if dtype.itemsize != self._dtype.itemsize:
                raise UsageError(f"a view of {self._dtype.name} as {dtype.name} would change the shape")
            return self._as(self._layout.view(dtype.storage), dtype)
        return self.reshape(*what)

    # The host.

    def raw(self) -> "np.ndarray[Any, Any]":
        """A copy on the host of the elements as they stand: bits for bfloat16 and 8-bit floats."""
        data = self._storage.read()
        part: "np.ndarray[Any, Any]" = np.ndarray(self.shape, self._dtype.storage, data, self._offset(), self._layout.strides)
        return part.copy()

    def numpy(self) -> "np.ndarray[Any, Any]":
        """A copy on the host, once all that is under way has ended; takes no simulated time."""
        bits = self.raw()
        return decode(bits, self._dtype) if self._dtype.raw else bits

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> "np.ndarray[Any, Any]":
        if copy is False:
            raise ValueError("the elements are on the simulated device: a copy is needed")
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def tolist(self) -> Any:
        """The elements as lists of Python numbers."""
        return self.numpy().tolist()

    def item(self) -> Any:
        """The only element."""
        return self.numpy().item()

    def copy_(self, values: Any) -> "Tensor":
        """Takes the values of an array, tensor or number, as many as there are elements (or one for all)."""
        if isinstance(values, Tensor) and values.dtype == self._dtype:
            bits = values.raw()
        else:
            host = np.asarray(values) if isinstance(values, Tensor) else as_array(values)
            host = np.asarray(values) if host is None else host
            bits = encode(host, self._dtype) if self._dtype.raw else host
        if np.ndim(bits) and np.shape(bits) != self.shape:
            raise InputError(f"{np.shape(bits)} elements for a tensor of {self.shape}")
        data = self._storage.read() if self._layout.nbytes != self._storage.nbytes else np.empty(self._storage.nbytes, np.uint8)
        part: "np.ndarray[Any, Any]" = np.ndarray(self.shape, self._dtype.storage, data, self._offset(), self._layout.strides)
        part[...] = bits
        self._storage.write(data)
        return self

    def fill_(self, value: Any) -> "Tensor":
        """Sets every element."""
        return self.copy_(np.asarray(value))

    def zero_(self) -> "Tensor":
        """Sets every element to 0."""
        return self.copy_(np.zeros((), self._dtype.storage) if not self._dtype.raw else np.float32(0))

    def clone(self) -> "Tensor":
        """A contiguous copy."""
        return empty(self.shape, dtype=self._dtype).copy_(self)

    def contiguous(self) -> "Tensor":
        """Itself, or a contiguous copy."""
        return self if self.is_contiguous() else self.clone()

    def __len__(self) -> int:
        return len(self._layout)

    def __repr__(self) -> str:
        return f"<Tensor {self._dtype.name} {self.shape} at {self.data_ptr():#x} of {self.device}>"


def _gpu() -> "Session":
    from ._session import current
    return current()


def _shape(shape: Tuple[Any, ...]) -> Tuple[int, ...]:
    given = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
    return tuple(int(n) for n in given)


def empty(*shape: Any, dtype: Any = "float32") -> Tensor:
    """A tensor of zeros: what memory holds before it is written takes part in no result."""
    kind, extent = as_dtype(dtype), _shape(shape)
    storage = _Storage(_gpu(), int(np.prod(extent, dtype=np.int64)) * kind.itemsize)
    return Tensor(storage, storage.shadow.view(kind.storage).reshape(extent), kind)


zeros = empty  # fresh memory of the device is zero-filled


def full(shape: Shape, value: Any, dtype: Any = "float32") -> Tensor:
    """A tensor of one value."""
    return empty(shape, dtype=dtype).fill_(value)


def tensor(data: Any, dtype: Any = None) -> Tensor:
    """A copy of an array, a tensor of the host or a list; dtype: another than the array's own ("bfloat16")."""
    host = as_array(data)
    host = np.asarray(data) if host is None else host
    return empty(host.shape, dtype=host.dtype if dtype is None else dtype).copy_(host)


def empty_like(like: Any, dtype: Any = None) -> Tensor:
    """A contiguous tensor of the shape and type of a tensor or array, of zeros."""
    return empty(tuple(like.shape), dtype=like.dtype if dtype is None else dtype)


zeros_like = empty_like


def rand(*shape: Any, dtype: Any = "float32", seed: int = 0) -> Tensor:
    """Uniform values between 0 and 1, the same for the same seed."""
    return tensor(np.random.default_rng(seed).random(_shape(shape), np.float32), dtype)


def randn(*shape: Any, dtype: Any = "float32", seed: int = 0) -> Tensor:
    """Normal values, the same for the same seed."""
    return tensor(np.random.default_rng(seed).standard_normal(_shape(shape), np.float32), dtype)
