# SPDX-License-Identifier: Apache-2.0
"""Devices, modules, kernels and launches."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._config import ConfigLike, as_config
from ._errors import InputError, Interrupted, UsageError
from ._native import _core
from ._results import Accesses, Result
from ._tensor_map import TensorMap

Extent = Union[int, Sequence[int]]
Progress = Callable[[int, int, int, int], object]


class In:
    """An array that a kernel only reads: it is not copied back."""

    def __init__(self, array: Any) -> None:
        self.array = np.ascontiguousarray(array)


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
        self.device._native.write(self.address, np.ascontiguousarray(array))

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
class Symbol(Buffer):
    """A __constant__ or __device__ variable of a module: written and read like a buffer."""

    module: "Module"

    def __add__(self, offset: int) -> "Symbol":
        return Symbol(self.device, self.address + offset, self.nbytes - offset, self.module)

    def write(self, array: Any) -> None:
        """Copies an array to the variable's begin, as cudaMemcpyToSymbol. InputError where it does not fit."""
        data = np.ascontiguousarray(array)
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
    numbers = [value] if isinstance(value, (int, np.integer)) else list(value)
    if not 1 <= len(numbers) <= 3 or any(int(n) != n or n < 0 or n > 0xFFFFFFFF for n in numbers):
        raise UsageError(f"{what} is a number or up to three, not {value!r}")
    return [int(n) for n in numbers] + [1] * (3 - len(numbers))


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
            raise InputError(f"{value} is no value for parameter '{name}' ({kind}, {size} bytes)")
        return int(value).to_bytes(size, "little", signed=value < 0)
    raise InputError(f"{value!r} is no value for parameter '{name}' ({kind}, {size} bytes)",
                     hint="an array, a Buffer, a number, a numpy scalar, or bytes for a structure")


class _Arguments:
    """Arrays in device memory for one launch."""

    def __init__(self, device: "Device", kernel: "_core.Kernel", args: Sequence[Any]) -> None:
        parameters = kernel.parameters
        if len(args) != len(parameters):
            raise InputError(f"kernel '{kernel.name}' takes {len(parameters)} arguments, the launch gives {len(args)}",
                             hint="its parameters: " + ", ".join(f"{n}: {k}" for n, k, _ in parameters))
        self.device = device
        self.packed: List[bytes] = []
        self.addresses: Dict[int, int] = {}  # of array arguments, by position
        self._maps: List[int] = []  # addresses of tensor maps that stand in memory
        self._arrays: Dict[int, Tuple["np.ndarray[Any, Any]", int, bool]] = {}  # by id, so that one array is one buffer
        try:
            for i, (arg, (name, kind, size)) in enumerate(zip(args, parameters)):
                self.packed.append(self._pack(i, arg, name, kind, size))
        except BaseException:
            self.free()
            raise

    def _pack(self, i: int, arg: Any, name: str, kind: str, size: int) -> bytes:
        if isinstance(arg, Buffer):
            return arg.address.to_bytes(8, "little")
        if isinstance(arg, TensorMap):
            return self._map(i, arg, name, kind, size)
        array = arg.array if isinstance(arg, In) else arg
        if not isinstance(array, np.ndarray) or array.ndim == 0 and size != 8:
            return _scalar(arg, name, kind, size)
        if not array.flags.c_contiguous:
            raise InputError(f"argument {i} ('{name}') is no contiguous array", hint="numpy.ascontiguousarray makes one")
        if array.dtype.hasobject:
            raise InputError(f"argument {i} ('{name}') is an array of Python objects")
        if size != 8:
            raise InputError(f"argument {i} is an array, and parameter '{name}' ({kind}, {size} bytes) no pointer")
        return self._place(i, arg, array).to_bytes(8, "little")

    def _map(self, i: int, arg: TensorMap, name: str, kind: str, size: int) -> bytes:
        tensor = arg.tensor
        if isinstance(tensor, Buffer):
            address = tensor.address
        else:
            address = self._place(i, tensor, tensor.array if isinstance(tensor, In) else tensor)
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
        known = self._arrays.get(id(array))
        address = known[1] if known else self.device._native.allocate(array.nbytes, f"arg{i}")
        if not known and array.nbytes:
            self.device._native.write(address, array)
        self._arrays[id(array)] = (array, address, back or bool(known and known[2]))
        self.addresses[i] = address
        return address

    def copy_back(self) -> None:
        for array, address, back in self._arrays.values():
            if back and array.nbytes:
                self.device._native.read(address, array)

    def free(self) -> None:
        for _, address, _ in self._arrays.values():
            self.device._native.free(address)
        self._arrays.clear()
        for address in self._maps:
            self.device._native.free(address)
        self._maps.clear()


class Kernel:
    """One entry function of a module."""

    def __init__(self, device: "Device", native: "_core.Kernel") -> None:
        self.device = device
        self._native = native

    @property
    def name(self) -> str:
        """Its name in the PTX."""
        return self._native.name

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

    def launch(self, grid: Extent, block: Extent, args: Sequence[Any] = (), *, cluster: Optional[Extent] = None,
               dynamic_shared: int = 0, max_dynamic_shared: Optional[int] = None, carveout: Optional[int] = None,
               nonportable_cluster: bool = True, cooperative: bool = False, window: Optional[Window] = None,
               cold_caches: bool = True, max_cycles: int = 0, max_instructions: int = 0,
               progress: Optional[Progress] = None) -> Result:
        """Runs the kernel to its end.

        grid, block, cluster: a number or up to three. args: numpy arrays (copied in, and back unless wrapped in
        In or not writeable; they must be C-contiguous), Buffers, TensorMaps, Python and numpy scalars (Python ones take the
        parameter's type), bytes for structures. Sizes in bytes, carveout in percent. cold_caches empties L2 before,
        as Nsight Compute does. progress(cycle, blocks_done, blocks_total, warp_instructions) is called some times a
        second; returning False ends the run, and the result then is not `complete`.

        Raises InputError for arguments and launches that do not fit (with CUDA's error name), ProgramError for
        faults, deadlocks and limits, Interrupted (a KeyboardInterrupt with the partial result) for Ctrl-C.
        """
        return self._launch(args, grid=_extent(grid, "grid"), block=_extent(block, "block"),
                            cluster=None if cluster is None else _extent(cluster, "cluster"),
                            dynamic_shared=dynamic_shared, max_dynamic_shared=max_dynamic_shared,
                            carveout=carveout, nonportable_cluster=nonportable_cluster,
                            cooperative=cooperative, window=window, cold_caches=cold_caches,
                            max_cycles=max_cycles, max_instructions=max_instructions, progress=progress)

    def _launch(self, args: Sequence[Any], *, progress: Optional[Progress] = None, window: Optional[Window] = None,
                **options: Any) -> Result:
        how = _core.LaunchArguments()
        for key, value in options.items():
            setattr(how, key, value)
        arguments = _Arguments(self.device, self._native, args)
        try:
            if window is not None:
                how.window = self._window(window, arguments)
            report, accesses, raised = self._native.launch(how, arguments.packed, progress)
            arguments.copy_back()
        finally:
            arguments.free()
        native = self.device._native
        result = Result(report, self.device.config.name, native.notes, native.findings,
                        None if accesses is None else Accesses(accesses))
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted(result) from None
        if raised is not None:
            raise raised
        return result

    def _window(self, w: Window, arguments: _Arguments) -> "_core.PolicyWindow":
        native = _core.PolicyWindow()
        if isinstance(w.buffer, Buffer):
            native.address = w.buffer.address
        elif w.buffer in arguments.addresses:
            native.address = arguments.addresses[w.buffer]
        else:
            raise UsageError(f"argument {w.buffer} is no array that a window could begin at")
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
                raise UsageError(f"which kernel? There are {', '.join(names) or 'none'}")
            name = names[0]
        return Kernel(self.device, self._native.kernel(name))

    def symbol(self, name: str) -> Symbol:
        """A __constant__ or __device__ variable, by its name in the PTX or in C++. InputError where there is none."""
        address, size = self._native.symbol(name)
        return Symbol(self.device, address, size, self)


class Device:
    """One simulated GPU with memory, modules and caches of its own.

    config: a name, a path or a Config. functional: without time, fast. threads: of the host; results do not depend
    on it. lines: collect counters by line, and without time also machine instructions, occupancy, sectors and bank
    conflicts, which up to doubles what a functional run takes. contract: mul + add become fma, as ptxas does.
    lowering: count machine instructions (False: PTX ones). analyze: collect what every memory instruction asks for
    (Result.accesses), where functional. check_init, check_races: look for uninitialised reads and data races
    (Result.findings). stack_bytes, heap_bytes: as cudaDeviceSetLimit; 0 keeps the default.

    Timed launches of one process take turns, whatever threads and devices they come from (SystemC has one context
    a process); use several processes for several at once. Functional ones run side by side. A device that had to
    give way to another begins its next launch with cold caches.
    """

    def __init__(self, config: ConfigLike = "h200", *, functional: bool = False, threads: int = 1, lines: bool = True,
                 contract: bool = True, lowering: bool = True, check_init: bool = False, check_races: bool = False,
                 stack_bytes: int = 0, heap_bytes: int = 0, analyze: bool = False) -> None:
        self.config = as_config(config)
        self._native = _core.Device(config=self.config.name, overrides=self.config.override_list(),
                                    functional=functional, threads=threads, lines=lines, contract=contract,
                                    lowering=lowering, analyze=analyze, check_init=check_init,
                                    check_races=check_races, stack_bytes=stack_bytes, heap_bytes=heap_bytes)

    def load(self, path: "Union[str, os.PathLike[str]]", contract: Optional[bool] = None) -> Module:
        """Reads PTX, CUDA C++ (with nvcc or clang where there is one), or the PTX in an executable, object or fatbin.
        InputError with file, line and column of every problem. contract: mul + add become fma in this module (-fmad),
        whatever the device says."""
        return Module(self, self._native.load(os.fspath(path), contract))

    def load_text(self, text: str, name: str = "ptx", contract: Optional[bool] = None) -> Module:
        """PTX from a string; `name` is what messages call it, contract as for load."""
        return Module(self, self._native.load_text(text, name, contract))

    def allocate(self, nbytes: int, name: str = "") -> Buffer:
        """Zero-filled device memory. ProgramError (cudaErrorMemoryAllocation) when the device is full."""
        return Buffer(self, self._native.allocate(nbytes, name), nbytes)

    def upload(self, array: Any, name: str = "") -> Buffer:
        """A copy of an array in device memory."""
        data = np.ascontiguousarray(array)
        buffer = self.allocate(data.nbytes, name)
        if data.nbytes:
            buffer.write(data)
        return buffer

    @property
    def name(self) -> str:
        """The configuration's own name."""
        return self._native.name

    @property
    def sm_count(self) -> int:
        """Streaming multiprocessors."""
        return self._native.sm_count

    @property
    def memory_used(self) -> int:
        """Bytes allocated now."""
        return self._native.memory_used


Source = Union[str, "os.PathLike[str]", Kernel]


def _kernel_on(device: Device, source: Source, name: str) -> Kernel:
    text = os.fspath(source) if not isinstance(source, Kernel) else ""
    module = device.load_text(text) if "\n" in text else device.load(text)
    return module.kernel(name)


def run(kernel: Source, grid: Extent, block: Extent, args: Sequence[Any] = (), config: ConfigLike = "h200", *,
        name: str = "", functional: bool = False, threads: int = 1, lines: bool = True, contract: bool = True,
        check_init: bool = False, check_races: bool = False, **launch: Any) -> Result:
    """Runs one kernel on a fresh device.

    kernel: a path to a .ptx or .ptx.gz, PTX text (anything with a line break), or a Kernel, which then runs on its
    own device and `config` and the device's options do not count. name: which kernel, where there are several.
    Other arguments are those of Device and Kernel.launch.

    >>> c = np.zeros(1024, np.float32)
    >>> r = gpuloom.run("vecadd.ptx", grid=4, block=256, args=[a, b, c, 1024], config="h200")
    >>> r["sm__cycles_elapsed.max"].value, c
    """
    if isinstance(kernel, Kernel):
        return kernel.launch(grid, block, args, **launch)
    device = Device(config, functional=functional, threads=threads, lines=lines, contract=contract,
                    check_init=check_init, check_races=check_races)
    return _kernel_on(device, kernel, name).launch(grid, block, args, **launch)


def analyze(kernel: Union[str, "os.PathLike[str]"], grid: Extent, block: Extent, args: Sequence[Any] = (),
            config: ConfigLike = "h200", *, name: str = "", dynamic_shared: int = 0, contract: bool = True,
            cluster: Optional[Extent] = None, progress: Optional[Progress] = None) -> Accesses:
    """Sectors, wavefronts and bank conflicts of every memory instruction, with hints; functional, so fast.

    Arguments as run()'s; arrays are copied back here too.
    """
    device = Device(config, functional=True, analyze=True, contract=contract)
    accesses = _kernel_on(device, kernel, name)._launch(
        args, grid=_extent(grid, "grid"), block=_extent(block, "block"),
        cluster=None if cluster is None else _extent(cluster, "cluster"), dynamic_shared=dynamic_shared,
        progress=progress).accesses
    assert accesses is not None
    return accesses
