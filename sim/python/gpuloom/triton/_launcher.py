# SPDX-License-Identifier: Apache-2.0
"""A launch as Triton asks for it: its arguments as the kernel's parameters, and work for a stream."""
from __future__ import annotations

import warnings
from typing import Any, List, Sequence, Tuple

import numpy as np

from .._errors import InternalError, UsageError
from .._native import _core
from . import _found
from ._dtypes import as_dtype, encode
from ._foreign import Staging

_driver = _found.module("backends.driver")
_cuda_driver = _found.module("backends.nvidia.driver")
_allocation = _found.module("runtime._allocation")

# CUtensorMapDataType and CUtensorMapSwizzle by number (CUDA driver API, cuTensorMapEncodeTiled).
_ELEMENTS = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz")
_SWIZZLES = ("none", "32B", "64B", "128B")
_FLOATS = {"fp16": np.float16, "fp32": np.float32, "f32": np.float32, "fp64": np.float64}


def tensor_map(address: int, swizzle: int, size: int, element: int, box: Sequence[int], shape: Sequence[int],
               strides: Sequence[int], padding: int) -> bytes:
    """A tiled tensor map; sizes outermost first, strides in elements of `size` bytes, as Triton has them."""
    if element >= len(_ELEMENTS):
        raise UsageError(f"tensors of elements of type {element} (CUtensorMapDataType) are not modelled")
    spec = _core.TensorMapSpec()
    spec.address, spec.dims, spec.box = address, list(shape)[::-1], list(box)[::-1]
    spec.strides, spec.element_strides = [size * s for s in list(strides)[-2::-1]], [1] * len(spec.dims)
    # Triton's driver asks for L2 promotion by 128 bytes.
    return _core.encode_tensor_map(_ELEMENTS[element], spec, "none", _SWIZZLES[swizzle], "nan" if padding else "zero", "128B")


def tensor_map_im2col(address: int, swizzle: int, size: int, element: int, block: Sequence[int], shape: Sequence[int],
                      strides: Sequence[int], padding: int, lower: Sequence[int], upper: Sequence[int],
                      element_strides: Sequence[int]) -> bytes:
    """An im2col tensor map; block is pixels and channels."""
    spec = _core.TensorMapSpec()
    spec.address, spec.dims = address, list(shape)[::-1]
    spec.strides, spec.element_strides = [size * s for s in list(strides)[-2::-1]], list(element_strides)[::-1]
    spec.im2col, spec.pixels, spec.channels = True, block[0], block[1]
    spec.lower, spec.upper = list(lower)[::-1], list(upper)[::-1]
    return _core.encode_tensor_map(_ELEMENTS[element], spec, "none", _SWIZZLES[swizzle], "nan" if padding else "zero", "128B")


def _flat(signature: Any, values: Any, out: List[Tuple[str, Any]]) -> None:
    """(type, value) of each parameter: tuples opened, constants left out."""
    for kind, value in zip(signature, values):
        if isinstance(kind, tuple):
            _flat(kind, value, out)
        elif kind != "constexpr":
            out.append((kind, value))


def _packed(kind: str, value: Any, size: int) -> bytes:
    if kind[0] == "*":
        pointer = 0 if value is None else value.data_ptr() if hasattr(value, "data_ptr") else int(value)
        return pointer.to_bytes(8, "little")
    if kind == "nvTmaDesc":
        return bytes(value)
    if kind == "bf16":
        return encode(value, as_dtype("bfloat16")).tobytes()
    if kind in _FLOATS:
        return np.array(value, _FLOATS[kind]).tobytes()
    number = int(value)
    return number.to_bytes(size, "little", signed=number < 0)


class Launcher:
    """Made by Triton for each compiled kernel."""

    def __init__(self, src: Any, metadata: Any) -> None:
        self._meta = metadata
        described = getattr(metadata, "tensordesc_meta", None)
        signature = dict(src.signature)
        self._signature = tuple(_driver.expand_signature(signature.values(), described, "nvTmaDesc"))
        # Replaces host-side descriptors by what the kernel takes; make_tensordesc_arg asks the driver for the 128 bytes.
        self._launch = _driver.wrap_handle_tensordesc_impl(self._submit, signature, described, _cuda_driver.make_tensordesc_arg)
        if metadata.launch_pdl:
            warnings.warn("launch_pdl: a kernel begins when the one before has ended here, not earlier", stacklevel=2)

    def __call__(self, x: int, y: int, z: int, stream: int, function: Any, kernel_metadata: Any, launch_metadata: Any,
                 enter: Any, leave: Any, *args: Any) -> None:
        if x * y * z == 0:
            return
        gpu = _found.triton.runtime.driver.active.gpu
        staging = Staging(gpu)
        try:
            placed = staging.place(args)
            if enter is not None:
                enter(launch_metadata)
            self._launch((x, y, z), stream, function, placed)
            if leave is not None:
                leave(launch_metadata)
            staging.bring_back()
        finally:
            staging.free()

    def _scratch(self, gpu: Any, size: int, align: int, blocks: int, stream: int) -> Any:
        """Memory for descriptors that kernels make, by the caller's allocator where there is one."""
        if size == 0:
            return 0
        allocator = _allocation._allocator.get()
        if isinstance(allocator, _allocation.NullAllocator):
            return gpu.empty_bytes(size * blocks)
        return allocator(size * blocks, align, stream)

    def _submit(self, grid: Tuple[int, int, int], stream: int, function: Any, args: Any) -> None:
        gpu, meta = _found.triton.runtime.driver.active.gpu, self._meta
        blocks = grid[0] * grid[1] * grid[2] * meta.num_ctas
        scratch = [self._scratch(gpu, meta.global_scratch_size, meta.global_scratch_align, blocks, stream),
                   self._scratch(gpu, meta.profile_scratch_size, meta.profile_scratch_align, blocks, stream)]
        staging = Staging(gpu)
        values: List[Tuple[str, Any]] = []
        _flat(self._signature, args, values)
        try:
            values += [("*i8", s) for s in staging.place(tuple(scratch))]
            parameters = function.parameters
            if len(values) != len(parameters):
                raise InternalError(f"kernel '{function.name}' has {len(parameters)} parameters, the launch {len(values)}",
                                    hint=f"gpuloom.triton speaks to Triton {_found.VERSION}")
            packed = [_packed(kind, value, size) for (kind, value), (_, _, size) in zip(values, parameters)]
            gpu.launch(function, packed, (grid[0] * meta.num_ctas, grid[1], grid[2]), meta, stream, scratch)
        finally:
            staging.free()
