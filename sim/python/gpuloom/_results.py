# SPDX-License-Identifier: Apache-2.0
"""What a launch gives."""
from __future__ import annotations

import fnmatch
import importlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from ._errors import UsageError
from ._native import _core
from ._native._core import Metric

if TYPE_CHECKING:
    import pandas

Rows = List[Dict[str, Any]]
Table = Union["pandas.DataFrame", Rows]


def table(rows: Rows) -> Table:
    """A pandas.DataFrame where pandas is installed, else the list of rows."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return rows
    frame: Table = pandas.DataFrame(rows)
    return frame


class Result(Mapping[str, Metric]):
    """Metrics of one launch by Nsight Compute's names; each has .value, .unit and .basis.

    >>> r["sm__cycles_elapsed.max"].value, r["sm__cycles_elapsed.max"].unit
    (2817.0, 'cycle')

    Basis: "machine" counts machine instructions and hardware units, as silicon does; "ptx" counts PTX
    instructions; "simulator" is about the simulation itself.
    """

    def __init__(self, report: _core.KernelReport, config: str, notes: Sequence[str] = (),
                 findings: Sequence[str] = (), accesses: "Optional[Accesses]" = None) -> None:
        self._report = report
        self._metrics = {m.name: m for m in report.metrics}
        self.config = config
        self.notes = list(notes)  # what the model leaves out of this launch
        self.findings = list(findings)  # of checks: races, uninitialised reads
        self.accesses = accesses  # of a functional run with lines: each memory instruction, with hints

    def __getitem__(self, name: str) -> Metric:
        try:
            return self._metrics[name]
        except KeyError:
            near = fnmatch.filter(self._metrics, f"*{name.split('.')[0].split('__')[-1]}*")[:3]
            raise KeyError(f"no metric '{name}'" + (f"; there is {', '.join(near)}" if near else "")) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def value(self, name: str) -> float:
        """The number alone; its unit is self[name].unit."""
        return self[name].value

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self._report.name

    @property
    def grid(self) -> List[int]:
        """Blocks in x, y, z."""
        return self._report.grid

    @property
    def block(self) -> List[int]:
        """Threads of a block in x, y, z."""
        return self._report.block

    @property
    def complete(self) -> bool:
        """False where the run was interrupted: every number then counts up to that moment."""
        return self._report.complete

    @property
    def cycles(self) -> float:
        """Elapsed SM cycles, launch overhead included. UsageError for a run without time."""
        if "sm__cycles_elapsed.max" not in self._metrics:
            raise UsageError("a functional run has no cycles", hint="leave functional=True out")
        return self.value("sm__cycles_elapsed.max")

    def metrics(self, pattern: str = "*") -> Table:
        """Table of name, value, unit, basis of the metrics whose name fits a shell pattern."""
        return table([{"name": m.name, "value": m.value, "unit": m.unit, "basis": m.basis}
                      for m in self._metrics.values() if fnmatch.fnmatchcase(m.name, pattern)])

    def lines(self) -> Table:
        """Counters of each line: file, line (of the source where the PTX has .loc), ptx_line, inst_executed,
        machine_inst_issued, sectors, shared_wavefronts, bank_conflicts, ..., and of runs with time stall_cycles and
        each reason; 0 where a line has no such counter."""
        names = list(dict.fromkeys(n for line in self._report.lines for n, _ in line.counters))
        rows: Rows = []
        for line in self._report.lines:
            counters = dict(line.counters)
            rows.append({"file": line.file, "line": line.line, "ptx_line": line.ptx_line,
                         **{n: counters.get(n, 0.0) for n in names}})
        return table(rows)

    def stalls(self) -> Dict[str, float]:
        """Warp-cycles by what warps waited for; "selected" are those in which they issued. Empty without time."""
        return dict(self._report.stalls)

    def opcodes(self) -> Dict[str, int]:
        """Warp instructions by machine opcode."""
        return dict(self._report.opcodes)

    def summary(self, sections: Sequence[str] = ("basic",)) -> str:
        """Nsight Compute's sections as text; "full" gives all of them."""
        return self._report.summary(self.config, list(sections))

    def json(self) -> str:
        """The layout of the command line's result.json."""
        return self._report.json(self.config)

    def __repr__(self) -> str:
        cycles = self._metrics.get("sm__cycles_elapsed.max")
        time = f"{cycles.value:,.0f} cycles" if cycles else "functional"
        return f"<Result of {self.kernel} on {self.config}: {time}{'' if self.complete else ', interrupted'}>"


class Accesses:
    """How each memory instruction of a kernel uses sectors and banks."""

    def __init__(self, report: _core.AccessReport) -> None:
        self._report = report

    @property
    def sites(self) -> List[_core.AccessSite]:
        """One for each memory instruction, in the order of the PTX."""
        return self._report.sites

    @property
    def banks(self) -> int:
        """Banks of shared memory of this configuration."""
        return self._report.banks

    def total(self, operation: str = "", space: str = "shared") -> _core.AccessCounts:
        """Sums over the sites whose operation begins with `operation` ("ld") in "shared", "global" or "local"."""
        return self._report.total(operation, space)

    def table(self) -> Table:
        """A row a site: operation, space, file, line, ptx_line, requests, sectors, ideal_sectors, wavefronts,
        ideal_wavefronts, conflicts, worst_degree, hints (joined)."""
        rows: Rows = []
        for s in self.sites:
            c = s.counts
            rows.append({"operation": s.operation, "space": s.space, "file": s.file, "line": s.line,
                         "ptx_line": s.ptx_line, "lane_bytes": s.lane_bytes, "requests": c.requests,
                         "sectors": c.sectors, "ideal_sectors": c.ideal_sectors, "wavefronts": c.wavefronts,
                         "ideal_wavefronts": c.ideal_wavefronts, "conflicts": c.conflicts,
                         "worst_degree": s.worst_degree, "hints": "; ".join(s.hints)})
        return table(rows)

    def json(self) -> str:
        """The layout of `gpuloom analyze --json`."""
        return self._report.json()

    def __repr__(self) -> str:
        return self._report.text(20)


def metrics() -> Table:
    """Every metric with unit and definition."""
    return table([{"name": n, "unit": u, "description": d} for n, u, d in _core.metric_table()])
