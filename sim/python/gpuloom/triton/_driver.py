# SPDX-License-Identifier: Apache-2.0
"""What Triton asks of a driver, answered by a simulated GPU; and putting it in the place of CUDA's."""
from __future__ import annotations

import importlib.util
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .._config import Config
from .._errors import UsageError
from . import _found
from ._backend import PtxBackend, fuses
from ._bench import do_bench, tune
from ._events import DeviceInterface
from ._foreign import HostArray
from ._launcher import Launcher, tensor_map, tensor_map_im2col

if TYPE_CHECKING:
    from ._session import Session

_backends = _found.module("backends")
_driver = _found.module("backends.driver")
_jit = _found.module("runtime.jit")
_testing = _found.module("testing")
_runtime = _found.module("runtime.driver")

_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "MHz": 10**6, "GHz": 10**9, "GB/s": 10**9}


def _number(config: Config, key: str) -> int:
    text = config[key].text
    found = re.fullmatch(r"([\d.]+)\s*([A-Za-z/]*)", text)
    if found is None or found[2] not in _UNITS:
        raise UsageError(f"'{key}: {text}' is not a number, which Triton needs")
    return round(float(found[1]) * _UNITS[found[2]])


class Utils:
    """Triton's driver.active.utils: modules, properties, tensor maps."""

    def __init__(self, gpu: "Session") -> None:
        self._gpu = gpu
        config = gpu.device.config
        bits = _number(config, "dram.bandwidth") * 8 / (2 * _number(config, "clocks.dram"))  # two transfers a clock
        self._properties = {
            "max_shared_mem": _number(config, "limits.shared_per_block_optin"),
            "max_num_regs": _number(config, "limits.registers_per_block"),
            "multiprocessor_count": gpu.device.sm_count,
            "warpSize": 32,
            "sm_clock_rate": _number(config, "clocks.sm") // 1000,
            "mem_clock_rate": _number(config, "clocks.dram") // 1000,
            "mem_bus_width": round(bits / 32) * 32,
        }

    def load_binary(self, name: str, binary: bytes, shared: int, device: int) -> Tuple[Any, Any, int, int, int]:
        """Module, function, registers a thread, spilled words, most threads of a block."""
        text = binary.decode()
        module = self._gpu.device.load_text(text, f"{name}.ptx", contract=fuses(text))
        kernel = module.kernel(name)
        threads = _number(self._gpu.device.config, "limits.threads_per_block")
        return module, kernel, kernel.registers, kernel.spill_bytes // 4, threads

    def unload_module(self, module: Any) -> None:
        """It stays as long as the device: work under way may use it."""

    def get_device_properties(self, device: int) -> Dict[str, int]:
        return dict(self._properties)

    def get_current_device(self) -> int:
        return self._gpu.number

    def set_current_device(self, device: int) -> None:
        _only(device, self._gpu)

    def get_default_stream(self, device: int) -> int:
        return 0

    def is_stream_capturing(self, stream: int) -> bool:
        return self._gpu.device._capture is not None

    fill_tma_descriptor_tiled = staticmethod(tensor_map)
    fill_tma_descriptor_im2col = staticmethod(tensor_map_im2col)

    def __getattr__(self, name: str) -> Any:
        raise UsageError(f"Triton's driver call '{name}' has no counterpart on a simulated GPU")


def _only(device: int, gpu: "Session") -> None:
    if device != gpu.number:
        raise UsageError(f"the simulated GPU in use has number {gpu.number}, not {device}")


class GpuloomDriver(_driver.DriverBase):  # type: ignore[misc, name-defined]  # Triton brings no types
    """A simulated GPU as Triton's active driver."""

    launcher_cls = Launcher

    def __init__(self, gpu: "Session") -> None:
        self.gpu = gpu
        self.utils = Utils(gpu)

    @classmethod
    def is_active(cls) -> bool:
        return False  # never found by itself: use() asks for it

    def get_device_capability(self, device: int = 0) -> Tuple[int, int]:
        major, _, minor = self.gpu.device.config["compute_capability"].text.strip('"').partition(".")
        return int(major), int(minor)

    def get_current_target(self) -> Any:
        major, minor = self.get_device_capability()
        return _found.module("backends.compiler").GPUTarget("cuda", 10 * major + minor, 32)

    def get_current_device(self) -> int:
        return self.gpu.number

    def set_current_device(self, device: int) -> None:
        _only(device, self.gpu)

    def get_current_stream(self, device: int = 0) -> int:
        return self.gpu.handle(DeviceInterface.current_stream())

    def map_python_to_cpp_type(self, ty: str) -> str:
        text: str = _found.module("backends.nvidia.driver").ty_to_cpp(ty)
        return text

    def get_active_torch_device(self) -> Any:
        """Where torch keeps tensors that kernels here can take: in the host's memory."""
        if importlib.util.find_spec("torch") is None:
            return "cpu"
        return importlib.import_module("torch").device("cpu")

    def get_device_interface(self) -> Any:
        return DeviceInterface

    def get_benchmarker(self) -> Callable[..., Any]:
        return tune

    def get_empty_cache_for_benchmark(self) -> None:
        """The cache is emptied without a buffer."""

    def clear_cache(self, cache: None) -> None:
        self.gpu.device.flush_caches()

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: Any) -> Any:
        return self.gpu.empty_bytes(size)


def _with_arrays(original: Any) -> Any:
    """kernel[grid](...) that takes numpy arrays too."""
    def getitem(self: Any, grid: Any) -> Any:
        run = original(self, grid)

        def launch(*args: Any, **kwargs: Any) -> Any:
            def seen(value: Any) -> Any:
                return HostArray(value) if isinstance(value, np.ndarray) else value
            return run(*(seen(a) for a in args), **{k: seen(v) for k, v in kwargs.items()})
        return launch
    return getitem


class Replaced:
    """What Triton had before: its compiler for CUDA, its driver, and two functions."""

    def __init__(self) -> None:
        self.backend = _backends.backends["nvidia"]
        self.driver: Optional[Any] = _runtime.driver._active
        self.getitem = _jit.KernelInterface.__getitem__
        self.do_bench = _testing.do_bench


def install(driver: GpuloomDriver) -> Replaced:
    """The driver in the place of CUDA's."""
    before = Replaced()
    digest = driver.gpu.device.config.digest + ("-timed" if driver.gpu.timed else "")
    compiler = type("PtxBackend", (PtxBackend,), {"digest": digest})
    _backends.backends["nvidia"] = _backends.Backend(compiler, GpuloomDriver)
    _runtime.driver.set_active(driver)
    if not getattr(before.getitem, "takes_arrays", False):
        _jit.KernelInterface.__getitem__ = _with_arrays(before.getitem)
        _jit.KernelInterface.__getitem__.takes_arrays = True
    _testing.do_bench = do_bench
    return before


def restore(driver: GpuloomDriver, before: Replaced) -> None:
    """What was before use()."""
    if _runtime.driver._active is not driver:
        return
    _backends.backends["nvidia"] = before.backend
    _runtime.driver._active = before.driver
    _jit.KernelInterface.__getitem__ = before.getitem
    _testing.do_bench = before.do_bench
