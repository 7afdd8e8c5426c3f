# SPDX-License-Identifier: Apache-2.0
"""Occupancy, scores beside silicon, sweeps."""
from __future__ import annotations

import csv
import os
import pathlib
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Union

from ._command import run_program
from ._config import ConfigLike, as_config
from ._errors import InputError
from ._native import _core
from ._native._core import OccupancyReport
from ._results import Rows, Table, table

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


def score(cases: Sequence[str] = (), config: ConfigLike = "h200", *, suite: Path = "bench/silicon", jobs: int = 1,
          functional: bool = False) -> Table:
    """Cases of a suite (names or shell patterns) beside an H200: one row a case, as `gpuloom score --csv`.

    Cases run in processes of their own, `jobs` at a time. Raises what the command line reports.
    """
    c = as_config(config)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "score.csv")
        command: List[str] = ["score", "--suite", os.fspath(suite), "--config", c.name, "--quiet", "-j", str(jobs),
                              "--csv", out]
        for override in c.override_list():
            command += ["-s", override]
        if functional:
            command.append("--functional-only")
        if cases:
            command += ["--case", *cases]
        run_program(command)
        return read_table(out)


def sweep(plan: Path, folder: Path, *, jobs: int = 1, resume: bool = False) -> Table:
    """Runs a sweep (`gpuloom sweep`) in `folder`, or goes on with one, and gives its table: a row a point."""
    verb = "resume" if resume else "run"
    command = ["sweep", verb, os.fspath(folder)] if resume else ["sweep", verb, os.fspath(plan), os.fspath(folder)]
    run_program([*command, "-j", str(jobs)])
    return sweep_table(folder)


def sweep_table(folder: Path) -> Table:
    """The table of a sweep's folder, collected anew."""
    out = pathlib.Path(folder) / "table.csv"
    run_program(["sweep", "collect", os.fspath(folder), "--csv", str(out)])
    return read_table(out)


def compare_occupancy(configs: Sequence[ConfigLike], blocks: Sequence[int], **kernel: Any) -> Table:
    """occupancy() over configurations and block sizes: config, block, blocks, warps, percent, limiters."""
    rows: List[Dict[str, Any]] = []
    for config in configs:
        for block in blocks:
            r = occupancy(block=block, config=config, **kernel)
            rows.append({"config": r.gpu, "block": block, "blocks": r.blocks, "warps": r.warps, "percent": r.percent,
                         "limiters": "+".join(r.limiters)})
    return table(rows)
