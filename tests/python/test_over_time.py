# SPDX-License-Identifier: Apache-2.0
"""What lies beside a result: counters over time, and pipelines."""
import pathlib

import pytest

import gpuloom
from gpuloom._command import run_program

CODE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorial" / "code"


@pytest.fixture(scope="module")
def timed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("timed")
    run_program(["run", str(CODE / "pipeline_2.yaml"), "-q", "--intervals", "500", "-o", str(folder)])
    return folder


@pytest.fixture(scope="module")
def piped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("piped")
    run_program(["pipeline", str(CODE / "pipeline_2.yaml"), "-q", "-o", str(folder)])
    return folder


def test_counters_over_time_sum_to_the_totals(timed):
    result, over = gpuloom.load(timed)[0], gpuloom.over_time(timed)[0]
    assert over.cycles == result.cycles and over.interval == 500
    for unit in ("sm", "l2", "dram"):
        table = over.table(unit)
        for counter in over.counters(unit):
            assert sum(map(sum, over.values(counter))) == result.value(counter + ".sum") == table[counter].sum()


def test_counters_over_time_draw_and_show_themselves(timed):
    over = gpuloom.over_time(timed)[0]
    ax = over.plot("smsp__issue_active")
    assert ax.get_xlabel() == "cycle" and ax.get_ylabel() == "SM"
    assert "memory channel" in over._repr_html_()
    with pytest.raises(gpuloom.UsageError):
        over.plot("nothing")


def test_pipelines_have_a_row_a_producer_and_a_row_a_fill(piped):
    pipeline = gpuloom.pipelines(piped)[0]
    assert pipeline.cycles == gpuloom.load(piped)[0].cycles
    fills = pipeline.fills()
    assert (fills["complete"] > fills["issued"]).all() and set(fills["bytes"]) == {4096}
    assert pipeline.table()["buffers"].max() == 2
    assert "cp.async" in pipeline._repr_html_() and pipeline.plot().get_xlabel() == "cycle"


def test_a_folder_without_them_says_how_to_get_them(tmp_path):
    with pytest.raises(gpuloom.InputError) as error:
        gpuloom.over_time(tmp_path)
    assert "--intervals" in (error.value.hint or "")
    with pytest.raises(gpuloom.InputError):
        gpuloom.pipelines(tmp_path)
