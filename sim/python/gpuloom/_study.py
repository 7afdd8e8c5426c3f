# SPDX-License-Identifier: Apache-2.0
"""Occupancy, scores beside silicon, sweeps."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from typing import Any, List, Optional, Sequence, Union

from ._command import run_program
from ._config import ConfigLike, as_config
from ._errors import InputError, UsageError
from ._native import _core
from ._native._core import OccupancyReport
from ._tables import Rows, Table, table

Path = Union[str, "os.PathLike[str]"]


def occupancy(ptx: Path = "", kernel: str = "", block: int = 256, config: ConfigLike = "h200", *,
              registers: Optional[int] = None, shared_static: Optional[int] = None, shared_dynamic: int = 0,
              barriers: Optional[int] = None, cluster: int = 0, carveout: int = -1) -> OccupancyReport:
    """What limits a kernel's blocks on an SM.

    With a PTX file, what is not given comes from the kernel (registers: the lowering's estimate); without one, the
    numbers say everything. block in threads, shared memory in bytes a block, carveout in percent (-1: the most).

    >>> gpuloom.occupancy(block=256, registers=64, shared_static=32768, config="h200").limiters
    ['registers']
    """
    if not 1 <= block <= 1024:
        raise UsageError(f"block is 1 to 1024 threads, not {block}")
    c = as_config(config)
    return _core.occupancy(c.name, c.override_list(), os.fspath(ptx), kernel, block, registers, shared_static,
                           shared_dynamic, barriers, cluster, carveout)


def occupancy_svg(reports: Sequence[OccupancyReport]) -> str:
    """The curves of several reports in one drawing, a line a GPU."""
    return _core.occupancy_svg(list(reports))


def read_table(path: Path) -> Table:
    """A CSV of gpuloom (score --csv, a sweep's table) with numbers as numbers. InputError where there is none."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows: Rows = [{k: _number(v) for k, v in row.items() if k is not None} for row in csv.DictReader(file)]
    except OSError as error:
        raise InputError(f"cannot read '{os.fspath(path)}': {error.strerror}", file=os.fspath(path)) from None
    return table(rows)


def _number(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text if text != "" else None


def score(cases: Sequence[str] = (), config: ConfigLike = "h200", *, suite: Path = "reference", jobs: int = 1,
          functional: bool = False) -> Table:
    """Cases of a suite (names or shell patterns) beside an H200; the suite is a name or a folder. The table has a row a case and metric, with columns case, status,
    outputs_equal, metric, silicon, simulated, error_pct; of functional ones a row a case without metrics.

    Cases run in processes of their own, `jobs` at a time. Raises what the command line reports.
    """
    c = as_config(config)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "score.json")
        command: List[str] = ["score", "--suite", os.fspath(suite), "--config", c.name, "--quiet", "-j", str(jobs),
                              "--json", out]
        for override in c.override_list():
            command += ["-s", override]
        if functional:
            command.append("--functional-only")
        for case in cases:
            command += ["--case", case]
        run_program(command)
        with open(out, encoding="utf-8") as file:
            found = json.load(file)["cases"]
    rows: Rows = []
    for entry in found:
        base = {"case": entry["name"], "status": entry["status"], "outputs_equal": entry.get("outputs_equal")}
        if functional:
            rows.append(base)
            continue
        for metric, m in entry["metrics"].items():
            silicon, simulated = m["silicon"], m["simulated"]
            error = (simulated / silicon - 1) * 100 if silicon and simulated is not None else None
            rows.append({**base, "metric": metric, "silicon": silicon, "simulated": simulated, "error_pct": error})
    return table(rows)


def sweep(file: Path, directory: Path, *, jobs: int = 1, metrics: Sequence[str] = ()) -> Table:
    """Runs what a sweep file (YAML) asks for and `directory` does not have yet, `jobs` points at a time, and gives the
    table: a row a point with its axes and metrics (those named, or all)."""
    run_program(["sweep", "run", os.fspath(file), "-d", os.fspath(directory), "-j", str(jobs), "-q"])
    return sweep_table(directory, metrics=metrics)


def sweep_table(directory: Path, *, metrics: Sequence[str] = ()) -> Table:
    """The table of a sweep's directory as it stands, a row a point that has ended."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "table.csv")
        run_program(["sweep", "collect", os.fspath(directory), "-q", "-o", out,
                     *(word for m in metrics for word in ("--metric", m))])
        return read_table(out)


def compare_occupancy(configs: Sequence[ConfigLike], blocks: Sequence[int], *, ptx: Path = "", kernel: str = "",
                      registers: Optional[int] = None, shared_static: Optional[int] = None, shared_dynamic: int = 0,
                      barriers: Optional[int] = None, cluster: int = 0, carveout: int = -1) -> Table:
    """occupancy() over configurations and block sizes: config, block, blocks, warps, percent, limiters."""
    rows: Rows = []
    for config in configs:
        for block in blocks:
            r = occupancy(ptx, kernel, block, config, registers=registers, shared_static=shared_static,
                          shared_dynamic=shared_dynamic, barriers=barriers, cluster=cluster, carveout=carveout)
            rows.append({"config": r.gpu, "block": block, "blocks": r.blocks, "warps": r.warps, "percent": r.percent,
                         "limiters": "+".join(r.limiters)})
    return table(rows)
