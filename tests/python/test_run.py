# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import gpuloom
from conftest import BANKS, SAXPY


def arrays(n=1000):
    return np.linspace(0, 1, n, dtype=np.float32), np.arange(n, dtype=np.float32)


def test_outputs_are_copied_back_and_metrics_have_units(saxpy):
    y, x = arrays()
    expected = np.float32(2) * x + y
    r = gpuloom.run(saxpy, 8, 128, [y, gpuloom.In(x), 2.0, 1000])
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert r.complete and r.kernel == "saxpy" and r.grid == [8, 1, 1]
    assert r["sm__cycles_elapsed.max"].unit == "cycle" and r.cycles > 100
    assert r["launch__grid_size"].value == 8 and r["sm__cycles_elapsed.max"].basis == "machine"
    with pytest.raises(KeyError):
        r["sm__cycles"]


def test_read_only_arrays_and_In_are_not_written(saxpy):
    y, x = arrays()
    frozen = y.copy()
    frozen.flags.writeable = False
    for argument in (frozen, gpuloom.In(y)):
        gpuloom.run(saxpy, 8, 128, [argument, x, 2.0, 1000], functional=True)
    np.testing.assert_array_equal(y, frozen)


def test_one_array_given_twice_is_one_buffer(saxpy):
    y = np.ones(64, np.float32)
    gpuloom.run(saxpy, 1, 64, [y, y, 3.0, 64], functional=True)
    assert (y == 4).all()


def test_numpy_scalars_and_bytes_are_arguments(saxpy):
    y, x = arrays(64)
    gpuloom.run(saxpy, 1, 64, [y, x, np.float32(1), (64).to_bytes(4, "little")], functional=True)
    assert y[63] == 64


@pytest.mark.parametrize("args, message", [
    (lambda y, x: [y, x, 1.0], "takes 4 arguments"),
    (lambda y, x: [y, x, 1.0, 1 << 40], "does not fit parameter 'n'"),
    (lambda y, x: [y, x, 1.0, "12"], "is not a value for parameter 'n'"),
    (lambda y, x: [y, x, x, 12], "is not a pointer|is not a value"),
    (lambda y, x: [y[::2], x, 1.0, 12], "contiguous"),
    (lambda y, x: [y, x, np.float64(1), 12], "8 bytes"),
])
def test_arguments_that_do_not_fit_are_refused(saxpy, args, message):
    with pytest.raises(gpuloom.InputError, match=message):
        gpuloom.run(saxpy, 1, 64, args(*arrays()))


def test_a_launch_that_the_device_refuses_has_cudas_error_name(saxpy):
    with pytest.raises(gpuloom.InputError, match="cudaError"):
        gpuloom.run(saxpy, 1, 2048, [*arrays(), 1.0, 64])


def test_a_fault_of_the_program_is_a_program_error(saxpy):
    with pytest.raises(gpuloom.ProgramError, match="arg0|arg1"):
        gpuloom.run(saxpy, 8, 128, [*arrays(10), 1.0, 1000])


def test_ptx_errors_carry_file_line_and_column():
    with pytest.raises(gpuloom.InputError) as caught:
        gpuloom.Device().load_text(".version 7.5\n.target sm_75\n.address_size 64\n"
                                   ".visible .entry k() { add.u33 %r1, 1, 2; }\n", "broken.ptx")
    assert caught.value.file == "broken.ptx" and caught.value.line == 4 and caught.value.column > 1


def test_a_module_for_a_later_capability_is_refused(saxpy):
    with pytest.raises(gpuloom.UnsupportedError):
        gpuloom.run(saxpy.replace("sm_75", "sm_90"), 1, 32, [*arrays(), 1.0, 8], config="t4")


def test_lines_and_tables_come_as_pandas(saxpy):
    pandas = pytest.importorskip("pandas")
    r = gpuloom.run(saxpy, 8, 128, [*arrays(), 2.0, 1000])
    lines = r.lines()
    assert isinstance(lines, pandas.DataFrame) and {"ptx_line", "inst_executed", "sectors"} <= set(lines.columns)
    assert lines["inst_executed"].sum() == r.value("sim__ptx_inst_executed.sum")
    assert (r.metrics("dram__*")["unit"] != "").any()
    assert sum(r.opcodes().values()) == r.value("smsp__inst_executed.sum")
    assert r.stalls() and "saxpy" in r.summary() and '"kernels"' in r.json()


@pytest.mark.parametrize("kernel, args, block", [(SAXPY, lambda: [*arrays(), 2.0, 1000], 128),
                                                 (BANKS, lambda: [np.zeros(64, np.uint32), 32], 32)])
def test_a_functional_run_counts_what_needs_no_time_as_a_timed_one_does(kernel, args, block):
    timed, fast = (gpuloom.run(kernel, 8 if block == 128 else 1, block, args(), functional=f) for f in (False, True))
    assert len(fast) > 35 and set(fast) <= set(timed)
    assert {n: m.value for n, m in fast.items()} == {n: timed.value(n) for n in fast}
    assert fast.opcodes() == timed.opcodes() and not fast.stalls()
    by_line = [{row["ptx_line"]: row for row in r.lines().to_dict("records")} for r in (timed, fast)]
    assert by_line[0].keys() == by_line[1].keys()
    columns = by_line[1][next(iter(by_line[1]))].keys()
    assert {"inst_executed", "thread_inst_executed", "machine_inst_issued", "requests"} <= set(columns)
    for line, row in by_line[1].items():
        assert row == {name: by_line[0][line].get(name, 0) for name in row}
    assert fast.accesses is not None and timed.accesses is None and len(fast.accesses.sites) >= 2


def test_a_functional_run_without_lines_is_bare(saxpy):
    r = gpuloom.run(saxpy, 8, 128, [*arrays(), 2.0, 1000], functional=True, lines=False)
    assert r.value("sim__ptx_inst_executed.sum") > 0 and not r.opcodes() and r.accesses is None and len(r.lines()) == 0


def test_a_configuration_value_changes_the_result(banks):
    out = np.zeros(32, np.uint32)
    conflicts = [gpuloom.run(banks, 1, 32, [out, 32], config=gpuloom.Config("h200", {"sm.shared.banks": n}))
                 .value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") for n in (16, 32, 64)]
    assert (out == np.arange(32)).all() and conflicts == [60, 62, 30]  # beyond 2, 1 and 1 passes a request


def test_devices_keep_memory_between_launches(saxpy):
    d = gpuloom.Device("h200", functional=True)
    k = d.load_text(saxpy).kernel()
    y, x = d.upload(np.zeros(64, np.float32)), d.upload(np.ones(64, np.float32))
    for _ in range(3):
        k.launch(1, 64, [y, x, 1.0, 64])
    assert (y.read(np.float32) == 3).all() and y.read(np.float32, (8, 8)).shape == (8, 8)
    before = d.memory_used
    y.free()
    assert d.memory_used < before
    assert k.registers > 0 and k.spill_bytes == 0 and k.parameters[2] == ("a", "f32", 4) and d.sm_count == 132


def test_a_functional_device_without_lines_knows_no_registers(saxpy):
    with pytest.raises(gpuloom.UsageError, match="gpuloom.occupancy"):
        gpuloom.Device("h200", functional=True, lines=False).load_text(saxpy).kernel().registers


def test_the_same_run_twice_gives_the_same_numbers(saxpy):
    first, second = (gpuloom.run(saxpy, 8, 128, [*arrays(), 2.0, 1000]) for _ in range(2))
    assert {k: m.value for k, m in first.items()} == {k: m.value for k, m in second.items()}


def test_two_devices_with_time_take_turns(saxpy):
    def kernel(name):
        return gpuloom.Device(name).load_text(saxpy).kernel()

    def cycles(k):
        return k.launch(8, 128, [*arrays(), 2.0, 1000]).cycles

    alone = []
    for name in ("h200", "a100-80g"):
        k = kernel(name)
        alone.append([cycles(k) for _ in range(2)])
    h200, a100 = kernel("h200"), kernel("a100-80g")
    in_turns = [(cycles(h200), cycles(a100)) for _ in range(2)]
    # A device that gave way begins anew, at another phase of DRAM's refresh: a launch may meet one refresh more or less, tRFC in cycles
    # of the SMs (350 ns at 1.98 GHz, 260 ns at 1.41 GHz).
    for device, refresh in enumerate((693, 367)):
        assert [turn[device] for turn in in_turns] == pytest.approx(alone[device], abs=refresh)
    assert alone[0] != alone[1]


def test_files_that_were_compiled_apart_are_linked(tmp_path):
    head = ".version 7.5\n.target sm_75\n.address_size 64\n"
    (tmp_path / "k.ptx").write_text(head + """.extern .func (.param .b32 r) six(.param .b32 x);
.visible .entry k(.param .u64 out) { .reg .b64 %d<2>; .reg .b32 %r<3>; ld.param.u64 %d1, [out];
{ .param .b32 a; .param .b32 b; st.param.b32 [a], 7; call.uni (b), six, (a); ld.param.b32 %r1, [b]; }
st.global.u32 [%d1], %r1; ret; }
""")
    (tmp_path / "six.ptx").write_text(head + """.visible .func (.param .b32 r) six(.param .b32 x) {
.reg .b32 %r<3>; ld.param.b32 %r1, [x]; mul.lo.u32 %r2, %r1, 6; st.param.b32 [r], %r2; ret; }
""")
    device, out = gpuloom.Device(functional=True), np.zeros(1, np.uint32)
    device.load(tmp_path / "k.ptx", link=[tmp_path / "six.ptx"]).kernel().launch(1, 1, [out])
    assert out[0] == 42
    with pytest.raises(gpuloom.Error, match="six.*-rdc=true"):
        device.load(tmp_path / "k.ptx").kernel()
