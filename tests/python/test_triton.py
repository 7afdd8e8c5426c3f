# SPDX-License-Identifier: Apache-2.0
"""Triton's kernels on simulated GPUs, as far as the triton package is here (scripts/setup --triton)."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="Triton is not installed, so nothing compiles its kernels: scripts/setup --triton")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "triton"))

import cases  # noqa: E402
import frontend as f  # noqa: E402
import tutorials as t  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

import gpuloom  # noqa: E402
import gpuloom.triton as gt  # noqa: E402

CASES = {name: rest for name, *rest in cases.cases()}
pytestmark = pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")


@pytest.fixture
def gpu():
    with gt.use("h200") as session:
        yield session


@pytest.fixture
def timed():
    with gt.use("h200", mode="timed") as session:
        yield session


def halves(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float16)


def product(a, b):
    return np.asarray(a).astype(np.float32) @ np.asarray(b).astype(np.float32)


@pytest.mark.parametrize("mode", ["functional", "timed"])
@pytest.mark.parametrize("name", CASES)
def test_what_tutorials_teach(name, mode):
    kernel, grid, args, options, expected, tolerance = CASES[name]
    with gt.use("h200", mode=mode) as gpu:
        given = {k: gt.tensor(v.array if isinstance(v, cases.Out) else v) if isinstance(v, (cases.Out, np.ndarray)) else v
                 for k, v in args.items()}
        kernel[grid](**given, **options)
        for output, want in expected.items():
            np.testing.assert_allclose(given[output].numpy().astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance)
        assert gpu.last.kernel == kernel.__name__
        assert (mode == "functional") or gpu.last.cycles > 1000


def launch_tuned(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    strides = [v.stride(0) if isinstance(v, gt.Tensor) else v.strides[0] // v.itemsize for v in (a, b, c)]
    f.tuned[lambda meta: (triton.cdiv(m, meta["BM"]), triton.cdiv(n, meta["BN"]))](a, b, c, m, n, k, *strides)


def test_autotune_measures_simulated_time_and_leaves_out_what_does_not_fit(timed):
    f.tuned.cache.clear()
    a, b, c = gt.tensor(halves(128, 64)), gt.tensor(halves(64, 96, seed=1)), gt.empty(128, 96, dtype="float16")
    launch_tuned(a, b, c)
    np.testing.assert_allclose(c.numpy(), product(a, b), rtol=1e-3, atol=2e-3)
    times = {config.kwargs["BM"]: times[0] for config, times in f.tuned.configs_timings.items()}
    assert times[128] == float("inf") and 0.002 < times[32] < 0.1 and 0.002 < times[64] < 0.1
    assert f.tuned.best_config.kwargs["BM"] == min(times, key=times.get)


def test_autotune_without_time_takes_the_first_configuration_that_runs_and_says_so(gpu):
    f.tuned.cache.clear()
    c = np.zeros((64, 64), np.float16)
    with pytest.warns(UserWarning, match="no time to compare"):
        launch_tuned(halves(64, 40), halves(40, 64), c)
    assert f.tuned.best_config.kwargs["BM"] == 32
    np.testing.assert_allclose(c, product(halves(64, 40), halves(40, 64)), atol=2e-3)


def test_do_bench_is_the_time_between_events_with_an_empty_cache(timed):
    x, z = gt.rand(1 << 16), gt.empty(1 << 16)
    run = lambda: t.vector_sum[(64,)](x, x, z, 1 << 16, BLOCK=1024)  # noqa: E731
    cold = triton.testing.do_bench(run)
    assert triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8]) == [pytest.approx(cold, rel=0.05)] * 3
    assert triton.testing.do_bench(run, return_mode="all") == [pytest.approx(cold, rel=0.05)]
    begin, end = gt.Event(), gt.Event()
    begin.record()
    run()
    end.record()
    gt.synchronize()
    warm = begin.elapsed_time(end)
    assert 0.002 < warm < cold < 0.1
    assert cold * 1e6 >= timed.results[1].value("gpu__time_duration.sum")


def test_do_bench_without_time_is_refused(gpu):
    with pytest.raises(gpuloom.UsageError, match="mode='timed'"):
        triton.testing.do_bench(lambda: None)


def test_a_measurement_gives_the_same_number_in_every_session():
    def measured():
        with gt.use("h200", mode="timed"):
            x, z = gt.rand(1 << 14), gt.empty(1 << 14)
            return triton.testing.do_bench(lambda: t.vector_sum[(16,)](x, x, z, 1 << 14, BLOCK=1024))
    assert measured() == measured()


@pytest.mark.parametrize("mode", ["functional", "timed"])
def test_descriptors_of_the_host(mode):
    with gt.use("h200", mode=mode):
        a, b, c = gt.tensor(halves(128, 128)), gt.tensor(halves(128, 128, seed=1)), gt.empty(128, 128, dtype="float16")
        described = [TensorDescriptor.from_tensor(v, block) for v, block in ((a, [64, 64]), (b, [64, 128]), (c, [64, 128]))]
        f.by_host_descriptors[(2, 1)](*described, 128, BM=64, BN=128, BK=64)
        np.testing.assert_allclose(c.numpy(), product(a, b), atol=5e-3)


def test_descriptors_of_arrays_of_the_host(gpu):
    a, b, c = FakeTorch(halves(64, 64)), FakeTorch(halves(64, 64, seed=1)), FakeTorch(np.zeros((64, 64), np.float16))
    described = [TensorDescriptor.from_tensor(v, [64, 64]) for v in (a, b, c)]
    f.by_host_descriptors[(1, 1)](*described, 64, BM=64, BN=64, BK=64)
    np.testing.assert_allclose(c.array, product(a.array, b.array), atol=5e-3)


@pytest.mark.parametrize("config, mode", [("h200", "functional"), ("h200", "timed"), ("a100-40g", "functional")])
def test_descriptors_that_kernels_make(config, mode):
    with gt.use(config, mode=mode):
        a, b, c = gt.tensor(halves(128, 64)), gt.tensor(halves(64, 128, seed=1)), gt.empty(128, 128, dtype="float16")
        f.by_own_descriptors[(2, 2)](a, b, c, 128, 128, 64, BM=64, BN=64, BK=32)
        np.testing.assert_allclose(c.numpy(), product(a, b), atol=5e-3)


def test_the_caller_may_have_an_allocator_for_what_kernels_need(gpu):
    asked = []
    def allocator(size, alignment, stream):
        asked.append(size)
        return gt.empty(size, dtype="int8")
    triton.set_allocator(allocator)
    try:
        c = gt.empty(64, 64, dtype="float16")
        f.by_own_descriptors[(1, 1)](gt.tensor(halves(64, 64)), gt.tensor(halves(64, 64)), c, 64, 64, 64, BM=64, BN=64, BK=32)
        np.testing.assert_allclose(c.numpy(), product(halves(64, 64), halves(64, 64)), atol=5e-3)
    finally:
        triton.set_allocator(triton.runtime._allocation.NullAllocator())
    assert len(asked) == 1 and asked[0] > 0


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16"])
def test_narrow_types_are_rounded_as_kernels_round_them(gpu, dtype):
    x = np.concatenate([np.random.default_rng(1).normal(0, 30, 1000), np.arange(24) / 512, [0, -0.0, 448, 57344, 1.0625, 1.1875]]).astype(np.float32)
    if dtype == "float8_e4m3fn":
        x = np.clip(x, -448, 448)
    n, y = len(x), gt.empty(len(x), dtype=dtype)
    f.converted[(2,)](gt.tensor(x), y, n, BLOCK=1024)
    np.testing.assert_array_equal(y.raw(), gt.tensor(x, dtype=dtype).raw())
    back = gt.empty(n)
    f.converted[(2,)](y, back, n, BLOCK=1024)
    np.testing.assert_array_equal(back.numpy(), y.numpy().astype(np.float32))


def test_products_of_narrow_types(gpu):
    for dtype, k in (("bfloat16", 32), ("float8_e5m2", 64)):
        f.tuned.cache.clear()
        a, b, c = gt.tensor(halves(64, k), dtype), gt.tensor(halves(k, 64, seed=1), dtype), gt.empty(64, 64)
        with pytest.warns(UserWarning, match="no time to compare"):
            launch_tuned(a, b, c)
        np.testing.assert_allclose(c.numpy(), product(a, b), rtol=1e-3, atol=1e-3)


def test_numbers_tuples_and_none(gpu):
    out = gt.empty(5)
    f.of_numbers[(1,)](out, (3, 4), 0.5, 7 << 32, True, None)
    assert out.tolist() == [34, 0.5, 7, 1, 1]
    f.of_numbers[(1,)](out, (3, -4), 0.25, -(1 << 32), False, 1)
    assert out.tolist() == [26, 0.25, -1, 1, 1]


def test_numpy_arrays_are_copied_in_and_back(gpu):
    x = np.arange(64, dtype=np.float32)
    f.every_second[(1,)](x[1::2], 2, 32, BLOCK=32)
    np.testing.assert_array_equal(x, np.arange(64) + np.arange(64) % 2)
    fixed = np.zeros(32, np.float32)
    fixed.setflags(write=False)
    f.every_second[(1,)](fixed, 1, 32, BLOCK=32)
    assert not fixed.any()


class FakeStorage:
    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.array.nbytes


class FakeTorch:
    """As much of torch.Tensor as a launch looks at."""

    def __init__(self, array, device="cpu"):
        self.array, self.device, self.dtype, self.shape = array, device, gt.as_dtype(array.dtype), array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def untyped_storage(self):
        root = self.array
        while isinstance(root.base, np.ndarray):
            root = root.base
        return FakeStorage(root)


def test_tensors_of_the_host_with_an_address_and_a_storage_are_taken(gpu):
    x, z = FakeTorch(np.arange(3000, dtype=np.float32)), FakeTorch(np.zeros(3000, np.float32))
    t.vector_sum[(3,)](x, x, z, 3000, BLOCK=1024)
    np.testing.assert_array_equal(z.array, 2 * x.array)
    t.vector_sum[(1,)](FakeTorch(x.array[100:]), x, x, 100, BLOCK=1024)  # parts of one memory
    np.testing.assert_array_equal(x.array[:100], np.arange(100) * 2 + 100)


def test_tensors_of_another_device_are_refused(gpu):
    with pytest.raises(gpuloom.InputError, match="is on 'cuda:0'.*cpu"):
        t.vector_sum[(1,)](FakeTorch(np.zeros(8, np.float32), "cuda:0"), gt.empty(8), gt.empty(8), 8, BLOCK=1024)


def test_views_share_memory(gpu):
    x = gt.tensor(np.arange(24, dtype=np.float32).reshape(4, 6))
    part = x[1:3, ::2]
    assert part.shape == (2, 3) and part.stride() == (6, 2) and not part.is_contiguous()
    part.fill_(7)
    assert x.numpy()[1].tolist() == [7, 7, 7, 9, 7, 11]
    assert x.T.stride() == (1, 6) and x.reshape(3, 8)[2, 7].item() == 23
    assert x[3].data_ptr() == x.data_ptr() + 3 * 6 * 4
    np.testing.assert_array_equal(x.T.contiguous().numpy(), x.numpy().T)
    with pytest.raises(gpuloom.UsageError, match="integers and slices"):
        x[[0, 1]]


def test_memory_comes_back(gpu):
    used = gpu.device.memory_used
    for _ in range(10):
        gt.rand(1 << 16).T.numpy()
    assert gpu.device.memory_used == used


def test_kernels_print(gpu, capsys):
    f.says[(1,)](gt.full(1, 42, dtype="int32"), num_warps=1)
    assert "value: 42" in capsys.readouterr().out


@pytest.mark.parametrize("mode", ["functional", "timed"])
def test_a_fault_is_told_with_the_place_in_the_source(mode):
    with pytest.raises(gpuloom.ProgramError, match=r"(?s)past the end.*frontend\.py:\d+"):
        with gt.use("h200", mode=mode) as gpu:
            f.beyond[(1,)](gt.empty(4))
            gpu.synchronize()


def test_registers_and_the_text_of_a_kernel(gpu):
    kernel = t.vector_sum[(1,)](gt.empty(8), gt.empty(8), gt.empty(8), 8, BLOCK=1024)
    assert ".entry vector_sum" in kernel.asm["ptx"] and "cubin" not in kernel.asm
    assert 8 < kernel.n_regs < 64 and kernel.n_spills == 0
    properties = triton.runtime.driver.active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] == 132 and properties["max_shared_mem"] == 227 * 1024


def test_a_device_that_cannot_tell_registers_is_refused():
    with pytest.raises(gpuloom.UsageError, match="registers"):
        gt.use("h200", lines=False)
    with pytest.raises(gpuloom.UsageError, match="'functional' or 'timed'"):
        gt.use("h200", mode="fast")


def test_streams_overlap(timed):
    side = timed.device.stream(non_blocking=True)
    x, y, z = gt.rand(64, 4096), gt.empty(64, 4096), gt.empty(64, 4096)
    t.softmax[(4,)](y, x, 64, 4096, BLOCK=4096, STAGES=2)
    with side:
        t.softmax[(4,)](z, x, 64, 4096, BLOCK=4096, STAGES=2)
    first, second = timed.program().work
    assert second.stream == "stream 1" and second.begin_ns < first.end_ns


def test_another_configuration_is_compiled_for_anew():
    targets = []
    for config in ("h200", "a100-40g"):
        with gt.use(config):
            kernel = t.vector_sum[(1,)](gt.empty(8), gt.empty(8), gt.empty(8), 8, BLOCK=1024)
            targets.append(kernel.metadata.target.arch)
    assert targets == [90, 80]


def test_triton_has_its_own_driver_again():
    before = triton.runtime.driver._active, triton.testing.do_bench
    with gt.use("h200"):
        assert triton.testing.do_bench is not before[1]
    assert (triton.runtime.driver._active, triton.testing.do_bench) == before
    with pytest.raises(gpuloom.UsageError, match=r"gpuloom\.triton\.use"):
        gt.empty(8)


def test_a_script_runs_as_it_is(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""
import sys; sys.path.insert(0, {str(Path(t.__file__).parent)!r})
import numpy as np, tutorials as t
x, z = np.ones(100, np.float32), np.zeros(100, np.float32)
t.vector_sum[(1,)](x, x, z, 100, BLOCK=128)
print(sys.argv[1], z.sum())
""")
    done = subprocess.run([sys.executable, "-m", "gpuloom.triton", "--timed", "--summary", str(script), "hello"], capture_output=True, text=True)
    assert done.stdout == "hello 200.0\n" and "vector_sum" in done.stderr
