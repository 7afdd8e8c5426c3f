# SPDX-License-Identifier: Apache-2.0
"""Arrays of callers as numpy sees them, and whether a kernel can mean their elements."""
from __future__ import annotations

import ctypes
import warnings
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._errors import DtypeWarning, InputError

PointerUse = Optional[Sequence[Tuple[str, int, int]]]  # type, bytes, elements of each access; None: not all known

_CPU = 1  # kDLCPU of dlpack.h


def _writeable(array: "np.ndarray[Any, Any]", tensor: Any) -> "np.ndarray[Any, Any]":
    """The memory for writing too, unless its owner says no: numpy marks what came without a word about that (a capsule
    of DLPack before 1.0) as read-only."""
    if array.flags.writeable or not array.flags.c_contiguous or array.nbytes == 0:
        return array
    if hasattr(tensor, "__array__"):
        own = np.asarray(tensor)
        return own if own.ctypes.data == array.ctypes.data else array
    memory: Any = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array  # lives as long as the alias, which holds `memory`
    alias: "np.ndarray[Any, Any]" = np.frombuffer(memory, dtype=array.dtype).reshape(array.shape)
    return alias


def as_array(value: Any) -> "Optional[np.ndarray[Any, Any]]":
    """The numpy array of the same memory: of an array, or of a tensor of the host that speaks DLPack (torch, jax, cupy's
    host arrays). None for what is not a tensor. InputError for tensors that numpy cannot see."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, np.generic) or not hasattr(value, "__dlpack__"):
        return None
    kind = type(value).__name__
    device = value.__dlpack_device__()[0] if hasattr(value, "__dlpack_device__") else _CPU
    if int(device) != _CPU:
        raise InputError(f"the {kind} is not in the host's memory",
                         hint="copy it there first: tensor.cpu(), jax.device_get(array)")
    try:
        array: "np.ndarray[Any, Any]" = np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as problem:
        raise InputError(f"numpy cannot take the {kind}: {problem}",
                         hint="tensor.detach(), or a view of integers of the same size for types that numpy lacks, "
                              "such as tensor.view(torch.int16) of bfloat16") from None
    return _writeable(array, value)


def expect_elements(where: str, dtype: "np.dtype[Any]", use: PointerUse) -> None:
    """Refuses an array whose floats have another size than those that the kernel reads or writes through this
    parameter, and warns where the sizes cannot fit. What the kernel takes as bits is taken as bits here too."""
    if not use or dtype.kind not in "iuf" or dtype.itemsize == 1:
        return
    names = "/".join(sorted({name for name, _, _ in use}))
    if all(name in ("f32", "f64") for name, _, _ in use):
        sizes = {size for _, size, _ in use}
        wanted = "np." + {4: "float32", 8: "float64"}[min(sizes)]
        if dtype.itemsize not in sizes and dtype.kind != "u":
            raise InputError(f"{where} is an array of {dtype}, and the kernel takes its elements as {names}",
                             hint=f"array.astype({wanted}); array.view({wanted}) to pass the raw bits")
        if dtype.kind == "i":
            warnings.warn(f"{where} is an array of {dtype}, and the kernel takes its elements as {names}",
                          DtypeWarning, stacklevel=5)
            return
    if max(size * count for _, size, count in use) < dtype.itemsize:
        warnings.warn(f"{where} is an array of {dtype} ({dtype.itemsize} bytes an element), and the kernel takes "
                      f"{names}: is another dtype meant?", DtypeWarning, stacklevel=5)
