# SPDX-License-Identifier: Apache-2.0
"""Results under the names of Nsight Compute's Python interface, for scripts that read its reports.

>>> from gpuloom import ncu_report
>>> context = ncu_report.load_report("out")              # a folder of `gpuloom run -o`, or a result.json
>>> for action in context[0]:
...     print(action.name(), action["sm__cycles_elapsed.max"].as_uint64())

A context has one range, which has an action for each launch. What a simulator does not have (NVTX ranges, rules, samples by
address) raises UnsupportedError.
"""
from __future__ import annotations

import os
from typing import Iterator, List, Optional, Tuple, Union

from ._errors import UnsupportedError, UsageError
from ._native._core import Metric
from ._results import Result, Run, load

__all__ = ["IAction", "IContext", "IMetric", "IRange", "load_report"]


class IMetric:
    """One number of a launch."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def name(self) -> str:
        """As result.json has it."""
        return self._metric.name

    def unit(self) -> str:
        """Base units: byte, ns, cycle."""
        return self._metric.unit

    def value(self) -> Union[int, float]:
        """A whole number as int."""
        return int(self._metric.value) if float(self._metric.value).is_integer() else self._metric.value

    def as_double(self) -> float:
        """The number."""
        return float(self._metric.value)

    def as_uint64(self) -> int:
        """The number without its fraction."""
        return int(self._metric.value)

    def as_string(self) -> str:
        """The number as text."""
        return str(self.value())

    def num_instances(self) -> int:
        """Metrics of results are roll-ups: they have no instances."""
        return 0

    def __str__(self) -> str:
        return self.as_string()

    def __repr__(self) -> str:
        return f"<IMetric {self._metric!r}>"


class IAction:
    """One launch."""

    def __init__(self, result: Result) -> None:
        self.result = result  # with everything that gpuloom has of it

    def name(self) -> str:
        """The kernel's name."""
        return self.result.kernel

    def metric_names(self) -> Tuple[str, ...]:
        """Of all metrics."""
        return tuple(self.result)

    def metric_by_name(self, name: str) -> Optional[IMetric]:
        """None where the launch has no such metric."""
        return IMetric(self.result[name]) if name in self.result else None

    def source_files(self) -> List[str]:
        """The files that lines name."""
        return sorted({line.file for line in self.result._kernel.lines})  # pylint: disable=protected-access

    def rule_results(self) -> List[object]:
        """UnsupportedError: rules belong to the profiler; `gpuloom explain` measures instead."""
        raise UnsupportedError("a result has no rules", hint="`gpuloom explain` measures what each mechanism costs")

    def __getitem__(self, name: str) -> IMetric:
        return IMetric(self.result[name])

    def __contains__(self, name: object) -> bool:
        return name in self.result

    def __iter__(self) -> Iterator[str]:
        return iter(self.result)

    def __len__(self) -> int:
        return len(self.result)

    def _repr_html_(self) -> str:
        return self.result._repr_html_()


class IRange:
    """The launches of a result."""

    def __init__(self, run: Run) -> None:
        self._actions = [IAction(result) for result in run]

    def num_actions(self) -> int:
        """Launches."""
        return len(self._actions)

    def action_by_idx(self, index: int) -> IAction:
        """The launch of that place. UsageError where there is none."""
        if not 0 <= index < len(self._actions):
            raise UsageError(f"there is no launch {index}: there are {len(self._actions)}")
        return self._actions[index]

    def __getitem__(self, index: int) -> IAction:
        return self._actions[index]

    def __iter__(self) -> Iterator[IAction]:
        return iter(self._actions)

    def __len__(self) -> int:
        return len(self._actions)


class IContext:
    """A result that was loaded."""

    def __init__(self, run: Run) -> None:
        self._ranges = [IRange(run)]

    def num_ranges(self) -> int:
        """Always one."""
        return len(self._ranges)

    def range_by_idx(self, index: int) -> IRange:
        """The range of that place. UsageError where there is none."""
        if index != 0:
            raise UsageError(f"there is no range {index}: a result has one")
        return self._ranges[0]

    def __getitem__(self, index: int) -> IRange:
        return self._ranges[index]

    def __iter__(self) -> Iterator[IRange]:
        return iter(self._ranges)

    def __len__(self) -> int:
        return len(self._ranges)


def load_report(path: "Union[str, os.PathLike[str]]") -> IContext:
    """A result: the folder of `gpuloom run -o`, or a result.json. InputError for what is not one."""
    return IContext(load(path))
