# SPDX-License-Identifier: Apache-2.0
"""Element types: numpy's, and those that numpy lacks (bfloat16 and 8-bit floats), which stand as bits."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Tuple

import numpy as np

from .._errors import UsageError


@dataclass(frozen=True)
class DType:
    """An element type under torch's name; `storage` is numpy's type of the same size (bits where numpy has none)."""

    name: str
    storage: "np.dtype[Any]"
    is_floating_point: bool

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.storage.itemsize

    @property
    def raw(self) -> bool:
        """Whether numpy lacks the type."""
        return self.name in _BITS

    def __str__(self) -> str:
        return f"gpuloom.{self.name}"


_BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
_NUMPY = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
_DTYPES: Dict[str, DType] = {name: DType(name, np.dtype(name), name.startswith("float")) for name in _NUMPY}
_DTYPES.update({name: DType(name, np.dtype(bits), True) for name, bits in _BITS.items()})
# Triton's own names.
_ALIASES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "fp8e4nv": "float8_e4m3fn",
            "fp8e5": "float8_e5m2", "int1": "bool"}


def as_dtype(dtype: Any) -> DType:
    """A DType of one, a name ("bfloat16", "fp8e5"), a type of numpy, torch or triton.language."""
    if isinstance(dtype, DType):
        return dtype
    name = str(dtype).split(".")[-1]
    name = _ALIASES.get(name, name)
    if name not in _DTYPES:
        try:
            name = np.dtype(dtype).name
        except TypeError:
            pass
    if name not in _DTYPES:
        raise UsageError(f"{dtype!r} is not an element type of tensors", hint="there are " + ", ".join(_DTYPES))
    return _DTYPES[name]


def _positive_float8(name: str) -> "Tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Values of the codes 0 to 127, and the middles between finite neighbours (OCP 8-bit floating point, 1.0)."""
    exponent_bits, mantissa_bits = (4, 3) if name == "float8_e4m3fn" else (5, 2)
    code = np.arange(128)
    exponent, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    bias, step = (1 << (exponent_bits - 1)) - 1, 2.0 ** -mantissa_bits
    value = np.where(exponent == 0, mantissa * step * 2.0 ** (1 - bias), (1 + mantissa * step) * 2.0 ** (exponent.astype(float) - bias))
    if exponent_bits == 4:
        value[127] = np.nan
    else:
        value[124], value[125:] = np.inf, np.nan
    finite = value[np.isfinite(value)]
    return value.astype(np.float32), (finite[:-1] + finite[1:]) / 2


def decode(bits: "np.ndarray[Any, Any]", dtype: DType) -> "np.ndarray[Any, Any]":
    """float32 values of bits that numpy has no type for."""
    if dtype.name == "bfloat16":
        wide: "np.ndarray[Any, Any]" = bits.astype(np.uint32) << 16
        return wide.view(np.float32)
    value = _positive_float8(dtype.name)[0][bits & 0x7F]
    signed: "np.ndarray[Any, Any]" = np.where(bits & 0x80, -value, value)
    return signed


def encode(values: Any, dtype: DType) -> "np.ndarray[Any, Any]":
    """Bits of values, rounded to nearest even; 8-bit floats saturate, as cvt.rn.satfinite does."""
    x = np.ascontiguousarray(values, np.float32)
    if dtype.name == "bfloat16":
        word = x.view(np.uint32)
        rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16
        quiet = (word >> 16) | 0x40
        return np.where(np.isnan(x), quiet, rounded).astype(np.uint16)
    middles = _positive_float8(dtype.name)[1]
    size = np.abs(x).astype(np.float64)
    code = np.searchsorted(middles, size, side="left")
    tie = (code < len(middles)) & (middles[np.minimum(code, len(middles) - 1)] == size)
    code = np.where(np.isnan(x), 0x7F, code + (tie & (code % 2 == 1)))
    return np.where(np.signbit(x), code | 0x80, code).astype(np.uint8)
