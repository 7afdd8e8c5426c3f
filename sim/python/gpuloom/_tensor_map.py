# SPDX-License-Identifier: Apache-2.0
"""Tensor maps, as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col make them."""
from __future__ import annotations

from typing import Any, List, Sequence

from ._arrays import as_array
from ._errors import UsageError
from ._native import _core

_ELEMENTS = {"u1": "u8", "u2": "u16", "u4": "u32", "i4": "s32", "u8": "u64", "i8": "s64", "f2": "f16", "f4": "f32",
             "f8": "f64"}


class TensorMap:
    """A tensor map of an array argument or a Buffer, as a kernel's argument: its 128 bytes where the parameter is
    one (__grid_constant__), a pointer to them where it is a pointer.

    tensor: a numpy array or a tensor of the host (copied in and back like any array argument; wrap it in In otherwise) or a Buffer. box: the
    elements that a copy takes, innermost first. dims and strides (bytes, of dimensions 1 and up) are the array's
    where they are not given, innermost first too; a Buffer has neither, nor an element type. dtype: "bf16", "tf32",
    "f32_ftz", ... where the array's own is not meant. offset: bytes from the tensor's begin. im2col maps have channels,
    pixels, lower and upper in place of the box. Words as in launch files: swizzle "128B", interleave "16B", oob_fill
    "nan", l2_promotion "256B".
    """

    def __init__(self, tensor: Any, box: Sequence[int] = (), *, dtype: str = "", dims: Sequence[int] = (),
                 strides: Sequence[int] = (), element_strides: Sequence[int] = (), offset: int = 0,
                 swizzle: str = "none", interleave: str = "none", oob_fill: str = "zero", l2_promotion: str = "none",
                 channels: int = 0, pixels: int = 0, lower: Sequence[int] = (), upper: Sequence[int] = ()) -> None:
        self.tensor = tensor
        array = as_array(getattr(tensor, "array", tensor))
        if array is not None and not dims:
            dims = array.shape[::-1]
        if array is not None and not strides:
            strides = array.strides[-2::-1] if array.ndim > 1 else ()
        if array is not None and not dtype:
            dtype = _ELEMENTS.get(array.dtype.str[1:], "")
        if not dtype or not dims:
            raise UsageError("a tensor map of a Buffer needs dtype and dims" if array is None else
                             f"a tensor of {array.dtype} needs a dtype that a tensor map has, such as 'u16' or 'bf16'")
        self._element, self._offset = dtype, offset
        self._words = [interleave, swizzle, oob_fill, l2_promotion]
        spec = _core.TensorMapSpec()
        spec.dims, spec.strides, spec.box = list(dims), list(strides), list(box)
        spec.element_strides, spec.lower, spec.upper = list(element_strides), list(lower), list(upper)
        spec.im2col, spec.channels, spec.pixels = channels != 0, channels, pixels
        self._spec = spec

    def encode(self, address: int) -> bytes:
        """The 128 bytes, with the tensor at this device address. InputError where CUDA answers CUDA_ERROR_INVALID_VALUE."""
        self._spec.address = address + self._offset
        words: List[str] = self._words
        return _core.encode_tensor_map(self._element, self._spec, words[0], words[1], words[2], words[3])

    def __bytes__(self) -> bytes:
        """Of a Buffer's tensor: for structures that hold maps."""
        address = getattr(self.tensor, "address", None)
        if address is None:
            raise UsageError("an array has an address only while a kernel runs; a Buffer's map has bytes")
        return self.encode(address)
