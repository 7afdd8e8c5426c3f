# SPDX-License-Identifier: Apache-2.0
"""Arguments of a launch: scalars as bytes, arrays as device memory."""
from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import as_array, expect_elements
from ._errors import InputError
from ._memory import Buffer, In
from ._tensor_map import TensorMap

if TYPE_CHECKING:
    from ._kernel import Kernel

_FLOATS = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}


def _scalar(value: Any, name: str, kind: str, size: int) -> bytes:
    """Bytes of a scalar as the parameter says."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, np.generic):
        return value.tobytes()
    if kind in _FLOATS and isinstance(value, (int, float)):
        with np.errstate(over="ignore"):
            return np.array(value, _FLOATS[kind]).tobytes()
    if isinstance(value, float) and kind in ("b32", "b64"):
        return np.array(value, _FLOATS["f" + kind[1:]]).tobytes()
    if isinstance(value, int):  # bool too
        low, high = -(1 << (8 * size - 1)), (1 << (8 * size)) - 1
        if kind == "bytes" or not low <= value <= high:
            raise InputError(f"{value} does not fit parameter '{name}' ({kind}, {size} bytes)")
        return int(value).to_bytes(size, "little", signed=value < 0)
    if isinstance(value, (list, tuple)):
        hint = "numpy.array(..., dtype) makes an array of it"
    else:
        hint = "an array, a Buffer, a number, a numpy scalar, or bytes for a structure"
    raise InputError(f"{reprlib.repr(value)} is not a value for parameter '{name}' ({kind}, {size} bytes)", hint=hint)


class Arguments:
    """Arrays in device memory for one launch."""

    def __init__(self, kernel: "Kernel", args: Sequence[Any]) -> None:
        parameters = kernel.parameters
        if len(args) != len(parameters):
            listed = zip(kernel.parameter_labels, parameters)
            raise InputError(f"kernel '{kernel.signature}' takes {len(parameters)} argument{'' if len(parameters) == 1 else 's'}, but the launch gives {len(args)}",
                             hint="its parameters: " + ", ".join(f"{label} ({k})" for label, (_, k, _) in listed))
        self.device = kernel.device
        self.packed: List[bytes] = []
        self.addresses: Dict[int, int] = {}  # of array arguments, by position
        self._maps: List[int] = []  # addresses of tensor maps that stand in memory
        # By id of what the caller gave, so that one array is one buffer; it is kept, so that the id stays its own.
        self._arrays: Dict[int, Tuple["np.ndarray[Any, Any]", int, bool, Any]] = {}
        arrays = [arg.array if isinstance(arg, In) else as_array(arg) for arg in args]
        uses = kernel.pointer_uses([size == 8 and (array is not None or isinstance(arg, (Buffer, TensorMap)))
                                    for arg, array, (_, _, size) in zip(args, arrays, parameters)])
        try:
            labels = kernel.parameter_labels
            for i, (arg, array, (_, kind, size)) in enumerate(zip(args, arrays, parameters)):
                self.packed.append(self._pack(i, arg, array, labels[i], kind, size))
                if array is not None and size == 8:
                    expect_elements(f"argument {i} ('{labels[i]}')", array.dtype, uses[i])
        except BaseException:
            self.free()
            raise

    def _pack(self, i: int, arg: Any, array: "Optional[np.ndarray[Any, Any]]", name: str, kind: str,
              size: int) -> bytes:
        if isinstance(arg, Buffer):
            return arg.address.to_bytes(8, "little")
        if isinstance(arg, TensorMap):
            return self._map(i, arg, name, kind, size)
        if array is None or array.ndim == 0 and size != 8:
            return _scalar(arg, name, kind, size)
        if not array.flags.c_contiguous:
            raise InputError(f"argument {i} ('{name}') is not a contiguous array", hint="numpy.ascontiguousarray makes one")
        if array.dtype.hasobject:
            raise InputError(f"argument {i} ('{name}') is an array of Python objects")
        if size != 8:
            raise InputError(f"argument {i} is an array, and parameter '{name}' ({kind}, {size} bytes) is not a pointer")
        return self._place(i, arg, array).to_bytes(8, "little")

    def _map(self, i: int, arg: TensorMap, name: str, kind: str, size: int) -> bytes:
        tensor = arg.tensor
        if isinstance(tensor, Buffer):
            address = tensor.address
        else:
            seen = tensor.array if isinstance(tensor, In) else as_array(tensor)
            assert seen is not None  # the map was made of it
            address = self._place(i, tensor, seen)
        encoded = arg.encode(address)
        if size == len(encoded):
            return encoded
        if size != 8:
            raise InputError(f"argument {i} is a tensor map, and parameter '{name}' ({kind}, {size} bytes) neither its "
                             "128 bytes nor a pointer")
        self._maps.append(self.device._native.allocate(len(encoded), f"tensor map {i}"))
        self.device._native.write(self._maps[-1], np.frombuffer(encoded, np.uint8))
        return self._maps[-1].to_bytes(8, "little")

    def _place(self, i: int, arg: Any, array: "np.ndarray[Any, Any]") -> int:
        """Where the array stands in device memory."""
        back = array.flags.writeable and not isinstance(arg, In)
        owner = array if isinstance(arg, In) else arg
        known = self._arrays.get(id(owner))
        address = known[1] if known else self.device._native.allocate(array.nbytes, f"arg{i}")
        if not known and array.nbytes:
            self.device._native.write(address, array)
        self._arrays[id(owner)] = (array, address, back or bool(known and known[2]), owner)
        self.addresses[i] = address
        return address

    def copy_back(self) -> None:
        for array, address, back, _ in self._arrays.values():
            if back and array.nbytes:
                self.device._native.read(address, array)

    def free(self) -> None:
        for _, address, _, _ in self._arrays.values():
            self.device._native.free(address)
        self._arrays.clear()
        for address in self._maps:
            self.device._native.free(address)
        self._maps.clear()


def packed_for_stream(kernel: "Kernel", args: Sequence[Any]) -> List[bytes]:
    """Arguments of a launch that returns at once: scalars and device memory."""
    for i, arg in enumerate(args):
        if isinstance(arg, (In, TensorMap)) and not isinstance(getattr(arg, "tensor", None), Buffer) or (
                not isinstance(arg, (Buffer, np.generic)) and as_array(arg) is not None):
            raise InputError(f"argument {i} is an array of the host, which a launch on a stream does not copy",
                             hint="device.array(x), or memcpy_async into device.zeros(...); launch() copies in and back")
    arguments = Arguments(kernel, args)
    return arguments.packed  # tensor maps stay where they stand: the launch reads them later
