# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import numpy as np
import pytest

import gpuloom


def test_occupancy_says_what_limits():
    r = gpuloom.occupancy(block=256, registers=64, shared_static=4096, config="h200")
    assert (r.blocks, r.warps, r.percent, r.limiters) == (4, 32, 50.0, ["registers"])
    assert r.advice and r.best_block > 0
    curve = next(c for c in r.curves if c.name == "block size")
    assert curve.unit == "threads" and curve.now == 256 and max(p.percent for p in curve.points) <= 100
    assert "<svg" in gpuloom.occupancy_svg([r])


def test_occupancy_of_a_kernel_takes_its_registers(tmp_path, saxpy):
    path = tmp_path / "saxpy.ptx"
    path.write_text(saxpy)
    r = gpuloom.occupancy(path, block=128, config="rtx4090")
    assert r.kernel == "saxpy" and r.registers_estimated and r.registers > 0 and r.capability == "8.9"
    path.write_text(saxpy.replace("sm_75", "sm_90"))
    assert "sm_90" in gpuloom.occupancy(path, config="rtx4090").refusal


def test_occupancy_over_gpus_is_a_table():
    pandas = pytest.importorskip("pandas")
    t = gpuloom.compare_occupancy(["t4", "h200"], [128, 256], registers=32)
    assert isinstance(t, pandas.DataFrame) and len(t) == 4 and set(t["config"]) == {"t4", "h200"}


@pytest.mark.parametrize("stride, degree", [(1, 1), (2, 2), (32, 32), (33, 1)])
def test_analyze_counts_bank_conflicts(banks, stride, degree):
    a = gpuloom.analyze(banks, 1, 32, [np.zeros(32, np.uint32), stride])
    loads = a.total("ld", "shared")
    assert loads.requests == 1 and loads.wavefronts == degree and loads.conflicts == degree - 1
    assert a.banks == 32
    sites = [s for s in a.sites if s.space == "shared"]
    assert [bool(s.hints) for s in sites] == [degree > 1] * 2
    assert "conflicts" in a.json()


def test_analysis_is_a_table(banks):
    pytest.importorskip("pandas")
    t = gpuloom.analyze(banks, 1, 32, [np.zeros(32, np.uint32), 32]).table()
    assert t.loc[t["space"] == "shared", "conflicts"].tolist() == [31, 31]


def test_metrics_have_definitions():
    t = gpuloom.metrics()
    assert len(t) > 50


def test_tables_read_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,n,x\na,1,0.5\nb,2,\n")
    t = gpuloom.read_table(path)
    assert list(t["n"]) == [1, 2] and list(t["x"])[0] == 0.5
    with pytest.raises(gpuloom.InputError):
        gpuloom.read_table(tmp_path / "none.csv")


def test_a_score_is_a_table(request):
    suite = request.config.rootpath / "bench" / "silicon"
    pandas = pytest.importorskip("pandas")
    t = gpuloom.score(["vecadd_64k"], suite=suite, functional=True)
    assert isinstance(t, pandas.DataFrame) and t["outputs_equal"].tolist() == [True]
    timed = gpuloom.score(["vecadd_64k"], suite=suite)
    cycles = timed[timed["metric"] == "cycles"].iloc[0]
    assert cycles["silicon"] > 0 and abs(cycles["error_pct"]) < 100
    with pytest.raises(gpuloom.UsageError, match="unknown case"):
        gpuloom.score(["vecsub"], suite=suite)


def test_the_program_comes_along():
    from gpuloom import _command
    out = subprocess.run([sys.executable, "-c", "import gpuloom._command as c; c.main()", "config", "list"],
                         capture_output=True, text=True, check=True).stdout
    assert "gpu/h200" in out and _command.PROGRAM.exists()


def test_the_python_of_the_readme_runs(request, monkeypatch, capsys):
    root = request.config.rootpath
    block = (root / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(root)
    names = {}
    exec(block, names)  # pylint: disable=exec-used
    assert (names["c"] == 2).all() and "vecadd.cu" in capsys.readouterr().out


def test_a_sweep_is_a_table(request, tmp_path):
    pytest.importorskip("pandas")
    text = (request.config.rootpath / "sim/examples/vecadd_sweep.yaml").read_text(encoding="utf-8")
    text = text.replace("launch: vecadd.yaml", f"launch: {request.config.rootpath}/sim/examples/vecadd.yaml\nmode: functional")
    path = tmp_path / "sweep.yaml"
    path.write_text(text.split("metrics:")[0])
    t = gpuloom.sweep(path, tmp_path / "out", metrics=["sim__ptx_inst_executed.sum"])
    assert len(t) == 9 and set(t["state"]) == {"done"} and t["sim__ptx_inst_executed.sum"].nunique() >= 1
    assert gpuloom.sweep_table(tmp_path / "out").shape[0] == 9 and len(gpuloom.source_digest) == 16
