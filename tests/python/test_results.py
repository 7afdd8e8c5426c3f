# SPDX-License-Identifier: Apache-2.0
"""Results that travel: pickled, saved, loaded, compared, shown."""
import json
import multiprocessing
import pickle
import subprocess

import gpuloom
import numpy as np
import pytest
from conftest import BANKS, SAXPY

from gpuloom._command import PROGRAM


def saxpy_run(config="test/tiny", **options):
    y, x = np.ones(256, np.float32), np.arange(256, dtype=np.float32)
    return gpuloom.run(SAXPY, 4, 64, [y, x, 2.0, 256], config=config, **options)


def same(a, b):
    return ({n: (m.value, m.unit, m.basis) for n, m in a.items()} == {n: (m.value, m.unit, m.basis) for n, m in b.items()}
            and a.lines().equals(b.lines()) and a.stalls() == b.stalls() and a.opcodes() == b.opcodes()
            and (a.kernel, a.grid, a.block, a.config, a.complete) == (b.kernel, b.grid, b.block, b.config, b.complete))


@pytest.mark.parametrize("functional", [False, True])
def test_a_result_is_the_same_after_pickling(functional):
    r = saxpy_run(functional=functional)
    back = pickle.loads(pickle.dumps(r))
    assert same(r, back) and r.json() == back.json() and r.summary() == back.summary()
    assert pickle.loads(pickle.dumps(r["sim__ptx_inst_executed.sum"])).value == r.value("sim__ptx_inst_executed.sum")
    if functional:
        assert back.accesses.table().equals(r.accesses.table()) and back.accesses.json() == r.accesses.json()


def test_configurations_occupancies_and_errors_pickle():
    c = gpuloom.Config("h200", {"sm.shared.banks": 64})
    assert pickle.loads(pickle.dumps(c)).digest == c.digest
    o = gpuloom.occupancy(block=256, registers=64, shared_static=4096)
    assert pickle.loads(pickle.dumps(o)).text(True) == o.text(True)
    with pytest.raises(gpuloom.InputError) as caught:
        gpuloom.Config("h20")
    back = pickle.loads(pickle.dumps(caught.value))
    assert str(back) == str(caught.value) and back.hint == caught.value.hint


def test_a_pool_of_processes_gives_results_back():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        first, second = pool.map(saxpy_run, ["test/tiny", gpuloom.Config("test/tiny", {"sm.shared.banks": 16})])
    assert same(first, saxpy_run()) and second.changes == {"sm.shared.banks": ("32", "16")}
    assert second.config == first.config + " + 1 change"


def test_a_summary_is_headed_by_configuration_and_mode():
    heading = saxpy_run().summary().splitlines()[0]
    assert heading == "ptx on tiny (timed, lowering: machine)"


def test_what_is_saved_is_loaded_by_python_and_compared_by_the_program(tmp_path):
    r = saxpy_run()
    r.save(tmp_path)
    run = gpuloom.load(tmp_path)
    assert len(run) == 1 and same(run[0], r) and run.complete and run.verified
    slower = saxpy_run(gpuloom.Config("test/tiny", {"dram.bandwidth": "10GB/s"}))
    slower.save(tmp_path / "slower.json")
    said = subprocess.run([PROGRAM, "compare", tmp_path, tmp_path / "slower.json"], capture_output=True, text=True,
                          check=True).stdout
    assert "verdict" in said and "slower" in said
    assert json.loads(r.json())["kernels"][0]["name"] == "saxpy"


def test_comparisons_take_results_runs_and_paths(tmp_path):
    r, slower = saxpy_run(), saxpy_run(gpuloom.Config("test/tiny", {"dram.bandwidth": "10GB/s"}))
    r.save(tmp_path)
    c = gpuloom.compare(tmp_path, slower, names=["before", "after"])
    assert "dram.bandwidth" in str(c) and "after is" in str(c) and "slower than before" in str(c)
    t = c.table()
    row = t[t["metric"] == "sm__cycles_elapsed.max"].iloc[0]
    assert row["change_pct"] == pytest.approx(100 * (slower.cycles / r.cycles - 1)) and row["change_pct"] > 0
    assert t["change_pct"].abs().is_monotonic_decreasing or t["change_pct"].isna().any()
    assert "equals" in str(gpuloom.compare(r, gpuloom.load(tmp_path)))
    with pytest.raises(gpuloom.UsageError, match="two results"):
        gpuloom.compare(r)
    with pytest.raises(gpuloom.UsageError, match="no metric fits"):
        gpuloom.compare(r, slower, filter="nosuch")


def test_what_is_not_a_result_is_said_so(tmp_path):
    with pytest.raises(gpuloom.InputError, match=r"cannot read.*\(a folder that"):
        gpuloom.load(tmp_path)
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(gpuloom.InputError, match="not a result of gpuloom"):
        gpuloom.load(tmp_path)


def test_hints_are_in_the_text_of_every_error():
    with pytest.raises(gpuloom.UsageError) as caught:
        _ = saxpy_run(functional=True).cycles
    assert caught.value.hint and caught.value.hint in str(caught.value) and str(caught.value).count(caught.value.hint) == 1
    with pytest.raises(gpuloom.Error) as native:
        gpuloom.Config("h200", {"sm.shared.bansk": 64})
    assert native.value.hint and str(native.value).count(native.value.hint) == 1


def test_notebooks_show_results_as_html():
    r = saxpy_run(functional=True)
    assert "<table>" in r._repr_html_() and "sim__ptx_inst_executed.sum" in r._repr_html_()
    assert "<pre>" in r.accesses._repr_html_() and "<pre>" in gpuloom.compare(r, r)._repr_html_()
    named = gpuloom.run(BANKS.replace("banks", "_Z5banksILb1EEvPij"), 1, 32, [np.zeros(32, np.uint32), 1], functional=True)
    assert "<script" not in named._repr_html_() and named.kernel == "_Z5banksILb1EEvPij"
    assert "Result of banks&lt;true&gt; on" in named._repr_html_()  # as people write it


def test_launch_files_run_from_python(request, tmp_path):
    root = request.config.rootpath
    run = gpuloom.run_file(root / "sim/examples/vecadd.yaml", gpuloom.Config("test/tiny"), output=str(tmp_path))
    assert len(run) == 1 and run[0].kernel == "vecadd" and run[0].cycles > 0 and "tiny" in run.config
    fast = gpuloom.run_file(root / "bench/silicon", case="vecadd_64k", functional=True)
    assert fast.outputs and fast.verified and fast[-1].accesses is not None
    assert [o.name for o in pickle.loads(pickle.dumps(fast)).outputs] == [o.name for o in fast.outputs]
    with pytest.raises(gpuloom.UsageError, match="unknown case"):
        gpuloom.run_file(root / "bench/silicon", case="vecsub")
    with pytest.raises(gpuloom.InputError, match="cannot read"):
        gpuloom.run_file(tmp_path / "none.yaml")


def test_traces_are_written_by_their_ending(tmp_path):
    saxpy_run(trace=tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert len(events) > 20
    saxpy_run(trace=gpuloom.Trace(tmp_path / "p.kanata", sms=[0]))
    assert (tmp_path / "p.kanata").read_text().startswith("Kanata")
    saxpy_run(trace=str(tmp_path / "s.vcd"))
    assert "$enddefinitions" in (tmp_path / "s.vcd").read_text()
    device = gpuloom.Device("test/tiny", trace=tmp_path / "two.json")
    kernel = device.load_text(SAXPY).kernel()
    sizes = []
    for _ in range(2):
        kernel.launch(4, 64, [np.ones(256, np.float32), np.ones(256, np.float32), 2.0, 256])
        sizes.append((tmp_path / "two.json").stat().st_size)
    assert sizes[1] > 1.5 * sizes[0]
    with pytest.raises(gpuloom.UsageError, match="perfetto|Perfetto"):
        saxpy_run(trace=tmp_path / "t.txt")
    with pytest.raises(gpuloom.UsageError, match="the folder .* does not exist"):
        saxpy_run(trace=tmp_path / "none" / "t.json")
    with pytest.raises(gpuloom.UsageError, match="functional"):
        saxpy_run(trace=tmp_path / "t.json", functional=True)
    with pytest.raises(gpuloom.UsageError, match="window"):
        saxpy_run(trace=gpuloom.Trace(tmp_path / "t.json", window=(5, 5)))


def test_figures_come_from_one_call(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    r, other = saxpy_run(), saxpy_run(gpuloom.Config("test/tiny", {"sm.shared.banks": 16}))
    stalls = gpuloom.plot(r, other, labels=["one", "two"])
    cpi = sum(v.value for n, v in r.items() if n.startswith("smsp__warps_issue_stalled_") and n.endswith(".sum")) / r.value("smsp__inst_issued.sum")
    drawn = sum(bar.get_width() for bar in stalls.patches if round(bar.get_y() + bar.get_height() / 2) == 0)
    assert drawn == pytest.approx(cpi)
    for kind in ("shares", "lines", "opcodes"):
        r.plot(kind).figure.savefig(tmp_path / f"{kind}.png")
        assert (tmp_path / f"{kind}.png").stat().st_size > 3000
    with pytest.raises(gpuloom.UsageError, match="unknown figure 'pie'"):
        r.plot("pie")
    with pytest.raises(gpuloom.UsageError, match="has no times"):
        saxpy_run(functional=True).plot()
    table = gpuloom.compare_occupancy(["h200", "t4"], [128, 256], registers=32)
    assert gpuloom.heatmap(table, "block", "config", "percent").get_xlabel() == "block"
    assert len(gpuloom.plot_occupancy(gpuloom.occupancy(block=256, registers=64))) >= 2


def test_notebooks_show_times_occupancies_and_escape_names():
    r = saxpy_run()
    shown = r._repr_html_()
    assert "states of warps" in shown and "share of the peak" in shown and "<script" not in shown
    occupancy = gpuloom.occupancy(block=256, registers=64)._repr_html_()
    assert "limited by" in occupancy and "warps on an SM" in occupancy


def test_a_report_is_written_from_python(tmp_path):
    r = saxpy_run()
    page = open(r.report(tmp_path / "r.html", baseline=r), encoding="utf-8").read()
    assert "sm__cycles_elapsed.max" in page and '"baseline":1' in page


def test_results_have_the_names_of_the_profilers_interface(tmp_path):
    from gpuloom import ncu_report
    r = saxpy_run()
    r.save(tmp_path / "result.json")
    context = ncu_report.load_report(tmp_path)
    assert context.num_ranges() == len(context) == 1 and context.range_by_idx(0).num_actions() == 1
    action = context[0].action_by_idx(0)
    assert action.name() == "saxpy" and set(action.metric_names()) == set(r)
    cycles = action.metric_by_name("sm__cycles_elapsed.max")
    assert cycles.as_uint64() == r.cycles and cycles.unit() == "cycle" and action["sm__cycles_elapsed.max"].as_double() == r.cycles
    assert action.metric_by_name("none") is None and "none" not in action
    with pytest.raises(gpuloom.UsageError, match="no launch 1"):
        context[0].action_by_idx(1)
    with pytest.raises(gpuloom.UnsupportedError, match="no rules"):
        action.rule_results()
