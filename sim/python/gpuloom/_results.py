# SPDX-License-Identifier: Apache-2.0
"""What a launch gives."""
from __future__ import annotations

import fnmatch
import html
import os
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

from ._command import run_program
from ._errors import InputError, UsageError
from ._figures import plot
from ._html import result_html
from ._native import _core
from ._native._core import Metric
from ._tables import Rows, Table, table


class _Written:
    """What launches and runs write of themselves."""

    _report: _core.RunReport

    def summary(self, sections: Sequence[str] = ("basic",)) -> str:
        """Nsight Compute's sections of each launch as text; "full" gives all of them."""
        return self._report.summary(list(sections))

    def json(self) -> str:
        """The layout of the command line's result.json."""
        return self._report.json()

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes json() to a file, or to result.json of a folder; load() and `gpuloom compare` read it."""
        _save(path, self.json())


class Result(_Written, Mapping[str, Metric]):
    """Metrics of one launch by Nsight Compute's names; each has .value, .unit and .basis.

    >>> r["sm__cycles_elapsed.max"].value, r["sm__cycles_elapsed.max"].unit
    (2817.0, 'cycle')

    Basis: "machine" counts machine instructions and hardware units, as silicon does; "ptx" counts PTX
    instructions; "simulator" is about the simulation itself. Results pickle.
    """

    def __init__(self, report: _core.RunReport) -> None:
        self._report = report
        self._kernel = report.kernels[0]
        self._metrics = {m.name: m for m in self._kernel.metrics}
        self.config = report.config  # the configuration's name, "h200 + 2 changes" where values were changed
        self.notes = report.notes  # what the model leaves out of this launch
        self.findings = report.findings  # of checks: races, uninitialised reads
        self.accesses: Optional[Accesses] = None  # of a functional run with lines: each memory instruction, with hints
        if report.accesses:
            self.accesses = Accesses(report.accesses[0])

    def __reduce__(self) -> Tuple[type, Tuple[_core.RunReport]]:
        return type(self), (self._report,)

    def __getitem__(self, name: str) -> Metric:
        try:
            return self._metrics[name]
        except KeyError:
            near = fnmatch.filter(self._metrics, f"*{name.split('.')[0].split('__')[-1]}*")[:3]
            timed = "sm__cycles_elapsed.max" in self._metrics
            why = f"; there is {', '.join(near)}" if near else "" if timed else "; this run was functional: it has no time"
            raise KeyError(f"no metric '{name}'{why}") from None

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
        return self._kernel.name

    @property
    def grid(self) -> List[int]:
        """Blocks in x, y, z."""
        return self._kernel.grid

    @property
    def block(self) -> List[int]:
        """Threads of a block in x, y, z."""
        return self._kernel.block

    @property
    def changes(self) -> Dict[str, Tuple[str, str]]:
        """Values of the configuration that are not those of its name: key to (there, here)."""
        return {key: (there, here) for key, there, here in self._report.changes}

    @property
    def limiters(self) -> List[str]:
        """What limits the blocks on an SM: "registers", "shared memory", ..."""
        return self._kernel.limiters

    @property
    def complete(self) -> bool:
        """False where the run was interrupted: every number then counts up to that moment."""
        return self._kernel.complete

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
        """Counters of each line: file, line (of the source where the PTX has .loc), ptx_line, ptx (the instruction),
        inst_executed, machine_inst_issued, sectors, shared_wavefronts, bank_conflicts, ..., and of runs with time
        stall_cycles and each reason; 0 where a line has no such counter."""
        names = list(dict.fromkeys(n for line in self._kernel.lines for n, _ in line.counters))
        rows: Rows = []
        for line in self._kernel.lines:
            counters = dict(line.counters)
            rows.append({"file": line.file, "line": line.line, "ptx_line": line.ptx_line, "ptx": line.operation,
                         **{n: counters.get(n, 0.0) for n in names}})
        return table(rows)

    def stalls(self) -> Dict[str, float]:
        """Warp-cycles by what warps waited for; "selected" are those in which they issued. Empty without time."""
        return dict(self._kernel.stalls)

    def opcodes(self) -> Dict[str, int]:
        """Warp instructions by machine opcode."""
        return dict(self._kernel.opcodes)

    def __repr__(self) -> str:
        cycles = self._metrics.get("sm__cycles_elapsed.max")
        time = f"{cycles.value:,.0f} cycles" if cycles else "functional"
        return f"<Result of {_core.short_name(self.kernel)} on {self.config}: {time}{'' if self.complete else ', interrupted'}>"

    def plot(self, kind: str = "stalls", **options: Any) -> Any:
        """A figure of this launch by matplotlib: "stalls", "shares", "lines" or "opcodes"; options as gpuloom.plot."""
        return plot(self, kind=kind, **options)

    def report(self, path: "Union[str, os.PathLike[str]]", baseline: "Optional[Result]" = None) -> str:
        """Writes the report of `gpuloom report`, one HTML file that opens offline, and gives its path."""
        return _report(path, [self], baseline)

    def _repr_html_(self) -> str:
        return result_html(self)


class Run(_Written, Sequence[Result]):
    """A launch file from beginning to end, or a result that was read: a Result for each launch, and what the file asked
    for besides. outputs: buffers with their hash. checks: verifications. Runs pickle."""

    def __init__(self, report: _core.RunReport) -> None:
        self._report = report
        self._results = [Result(report.only(k)) for k in range(len(report.kernels))]
        self.config, self.notes, self.findings = report.config, report.notes, report.findings
        self.outputs: List[_core.Output] = report.outputs
        self.checks: List[_core.Check] = report.checks

    def __reduce__(self) -> Tuple[type, Tuple[_core.RunReport]]:
        return type(self), (self._report,)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> List[Result]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Result, List[Result]]:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    @property
    def complete(self) -> bool:
        """False where the run was stopped."""
        return self._report.complete

    @property
    def verified(self) -> bool:
        """Whether every check of the launch file passed."""
        return all(check.passed for check in self.checks)

    def report(self, path: "Union[str, os.PathLike[str]]") -> str:
        """Writes the report of `gpuloom report`, one HTML file that opens offline, and gives its path."""
        return _report(path, [self], None)

    def __repr__(self) -> str:
        return f"<Run of {len(self)} {'launch' if len(self) == 1 else 'launches'} on {self.config}: {self._results!r}>"

    def _repr_html_(self) -> str:
        return "".join(r._repr_html_() for r in self._results)


def _save(path: "Union[str, os.PathLike[str]]", text: str) -> None:
    name = os.fspath(path)
    file = os.path.join(name, "result.json") if os.path.isdir(name) else name
    try:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise InputError(f"cannot write '{file}': {error.strerror}", file=file) from None


def _report(path: "Union[str, os.PathLike[str]]", runs: "Sequence[Union[Result, Run]]", baseline: "Optional[Result]") -> str:
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for k, run in enumerate([*runs, *([baseline] if baseline is not None else [])]):
            names.append(os.path.join(folder, "baseline" if k == len(runs) else "result" if len(runs) == 1 else f"result {k}"))
            os.mkdir(names[-1])
            run.save(names[-1])
        run_program(["report", *names[:len(runs)], *(["--baseline", names[-1]] if baseline is not None else []), "-q", "-o", os.fspath(path)])
    return os.fspath(path)


def load(path: "Union[str, os.PathLike[str]]") -> Run:
    """A result that was saved: the folder of `gpuloom run -o`, or a result.json. Accesses and traces are not in it.
    InputError for what is not a result."""
    name = os.fspath(path)
    file = os.path.join(name, "result.json") if os.path.isdir(name) else name
    try:
        with open(file, encoding="utf-8") as text:
            return Run(_core.parse_result(text.read(), file))
    except UnicodeDecodeError:
        raise InputError(f"'{file}' is not a result of gpuloom: it is not text", file=file) from None
    except OSError as error:
        raise InputError(f"cannot read '{file}': {error.strerror}", file=file,
                         hint="a folder that `gpuloom run -o` wrote, or a result.json") from None


Comparable = Union[Result, Run, str, "os.PathLike[str]"]


class Comparison:
    """Results side by side; the first is what the others are compared with. Prints as `gpuloom compare` does."""

    def __init__(self, runs: Sequence[Tuple[str, Run]], threshold: float, pattern: str, every: bool) -> None:
        self._runs = list(runs)
        self.text = _core.compare_text([(name, run._report) for name, run in runs], threshold, pattern, every)

    def table(self, launch: int = 0) -> Table:
        """Every metric of one launch: metric, unit, a column for each result, and of two the change in percent, sorted
        by its size."""
        rows: Rows = []
        results = [(name, run[launch]) for name, run in self._runs if launch < len(run)]
        for metric in dict.fromkeys(m for _, r in results for m in r):
            values = {name: r[metric].value if metric in r else None for name, r in results}
            unit = next(r[metric].unit for _, r in results if metric in r)
            row: Dict[str, Any] = {"metric": metric, "unit": unit, **values}
            if len(results) == 2:
                before, after = values.values()
                row["change_pct"] = 100 * (after / before - 1) if before and after is not None else None
            rows.append(row)
        if len(results) == 2:
            rows.sort(key=lambda row: -abs(row["change_pct"] or 0))
        return table(rows)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _as_run(item: Comparable) -> Run:
    if isinstance(item, Run):
        return item
    if not isinstance(item, (Result, str, os.PathLike)):
        raise UsageError(f"an object of type {type(item).__name__} is not a result",
                         hint="Results, Runs, folders of gpuloom run -o, or result.json files")
    return Run(item._report) if isinstance(item, Result) else load(item)


def compare(*results: Comparable, names: Sequence[str] = (), threshold: float = 1.0, filter: str = "",  # pylint: disable=redefined-builtin
            all: bool = False) -> Comparison:  # pylint: disable=redefined-builtin
    """Two or more results (Results, Runs, folders or files) side by side: what was changed in the hardware, the
    metrics that changed by `threshold` percent or more, and a verdict. filter: only metrics with this in their name
    or label, or a pattern with * and ?. all: equal metrics too. names: what to call them."""
    if len(results) < 2:
        raise UsageError("compare needs at least two results")
    runs = [_as_run(r) for r in results]
    if names and len(names) != len(runs):
        raise UsageError(f"{len(names)} names for {len(runs)} results")
    given = [str(r) if isinstance(r, (str, os.PathLike)) else runs[k].config for k, r in enumerate(results)]
    called = list(names) or [n if given.count(n) == 1 else f"{n} ({k})" for k, n in enumerate(given)]
    return Comparison(list(zip(called, runs)), threshold, filter, all)


class Accesses:
    """How each memory instruction of a kernel uses sectors and banks."""

    def __init__(self, report: _core.AccessReport) -> None:
        self._report = report

    def __reduce__(self) -> Tuple[type, Tuple[_core.AccessReport]]:
        return type(self), (self._report,)

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

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._report.text(20))}</pre>"


def metrics() -> Table:
    """Every metric with unit and definition."""
    return table([{"name": n, "unit": u, "description": d} for n, u, d in _core.metric_table()])
