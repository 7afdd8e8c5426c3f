# SPDX-License-Identifier: Apache-2.0
"""What lies beside a result: counters over time (`gpuloom run --intervals`) and pipelines (`gpuloom pipeline`)."""
from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Union

from ._errors import InputError, UsageError
from ._figures import axes_of
from ._html import html_table, number
from ._native import _core
from ._tables import Rows, Table, table

if TYPE_CHECKING:
    Path = Union[str, "os.PathLike[str]"]

UNITS = {"sm": "SM", "l2": "L2 slice", "dram": "memory channel"}


def read_beside(path: "Path", name: str, hint: str) -> Dict[str, Any]:
    """The JSON file `name` of a result's folder, or that file itself."""
    given = os.fspath(path)
    file = os.path.join(given, name) if os.path.isdir(given) else given
    try:
        with open(file, encoding="utf-8") as text:
            loaded = json.load(text)
    except OSError as error:
        raise InputError(f"cannot read '{file}': {error.strerror}", file=file, hint=hint) from None
    except ValueError:
        raise InputError(f"'{file}' is not JSON", file=file) from None
    if not isinstance(loaded, dict) or "launches" not in loaded:
        raise InputError(f"'{file}' has no launches", file=file, hint=hint)
    return loaded


class OverTime:
    """Counters of one launch over time: of each SM, L2 slice and memory channel, in intervals of `interval` cycles.

    kernel: its name. cycles: of the launch. A counter that stayed zero everywhere has no values.
    """

    def __init__(self, launch: Dict[str, Any]) -> None:
        self.kernel: str = launch["kernel"]
        self.cycles: int = launch["cycles"]
        self.interval: int = launch["interval"]
        self._units = launch["units"]

    def counters(self, unit: str) -> List[str]:
        """Names of the counters of "sm", "l2" or "dram"."""
        return list(self._table(unit)["counters"])

    def values(self, counter: str) -> List[List[int]]:
        """What each unit counted in each interval: values[interval][unit]."""
        return [list(row) for row in self._counter(counter)[1]["values"]]

    def table(self, unit: str) -> Table:
        """A row for each unit and interval: unit, begin, and each counter. begin: the interval's first cycle."""
        own = self._table(unit)
        rows: Rows = [{"unit": u, "begin": i * self.interval, **{name: c["values"][i][u] for name, c in own["counters"].items()}}
                      for i in range(own["intervals"]) for u in range(own["count"])]
        return table(rows)

    def plot(self, counter: str, *, ax: Any = None) -> Any:
        """A map by matplotlib: units down, cycles across, what the unit counted in a cycle as colour. Gives the Axes."""
        unit, own = self._counter(counter)
        rates = [[value / self.interval for value in row] for row in own["values"]]
        units = self._units[unit]["count"]
        ax = axes_of(ax, (9, min(6.0, 1.2 + 0.05 * units)))
        image = ax.imshow([list(row) for row in zip(*rates)], cmap="magma_r", aspect="auto", interpolation="nearest",
                          extent=(0, len(rates) * self.interval, units - 0.5, -0.5))
        ax.set_xlabel("cycle")
        ax.set_ylabel(UNITS.get(unit, unit))
        ax.set_title(counter, fontsize="medium")
        ax.figure.colorbar(image, ax=ax, label=f"{own['unit'] or 'count'} a cycle")
        return ax

    def _table(self, unit: str) -> Dict[str, Any]:
        if unit not in self._units:
            raise UsageError(f"unknown unit '{unit}'", hint="known: " + ", ".join(self._units))
        own: Dict[str, Any] = self._units[unit]
        return own

    def _counter(self, name: str) -> "tuple[str, Dict[str, Any]]":
        for unit, own in self._units.items():
            if name in own["counters"]:
                return unit, own["counters"][name]
        raise UsageError(f"'{name}' was not counted in this launch", hint="counters('sm') lists the names")

    def __repr__(self) -> str:
        return f"<OverTime of {self.kernel}: {self.cycles:,} cycles in intervals of {self.interval:,}>"

    def _repr_html_(self) -> str:
        rows = [(UNITS.get(unit, unit), number(own["count"]), number(own["intervals"]), ", ".join(own["counters"])) for unit, own in self._units.items()]
        return f"<b>{html.escape(repr(self)[1:-1])}</b>" + html_table(rows, ("unit", "units", "intervals", "counters"))


class Pipeline:
    """What asynchronous copies and those who wait for them did in one launch: gpuloom pipeline -o.

    kernel, cycles: of the launch. producers: a dictionary for each place that copies, with fills, late_fills,
    late_cycles, buffers, buffers_needed, ... (sim/api/pipeline describes pipeline.json).
    """

    def __init__(self, launch: Dict[str, Any], stages: Sequence[Dict[str, Any]] = ()) -> None:
        self.kernel: str = launch["kernel"]
        self.cycles: int = launch["cycles"]
        self.producers: List[Dict[str, Any]] = launch["producers"]
        self.free_waits: List[Dict[str, Any]] = launch["free_waits"]
        self._blocks = launch["blocks"]
        self._stages = list(stages)

    def table(self) -> Table:
        """A row for each place that copies."""
        return table(self.producers)

    def fills(self) -> Table:
        """A row for each fill of the blocks that were kept: sm, block, buffer, bytes, and its cycles."""
        rows: Rows = []
        for block in self._blocks:
            for fill in block["fills"]:
                wait, use = fill.get("wait", [None, None]), fill.get("use", [None, None])
                rows.append({"sm": block["sm"], "block": block["block"], "fill": fill["n"], "buffer": fill["buffer"], "bytes": fill["bytes"], "issued": fill["issued"],
                             "complete": fill["complete"], "wait_begin": wait[0], "wait_end": wait[1], "first_use": use[0], "last_use": use[1]})
        return table(rows)

    def stages(self) -> Table:
        """A row for each number of stages of a sweep (--stages): cycles, late_fills_pct, late_cycles. Empty without."""
        return table([{"stages": s["stages"], "cycles": s.get("cycles"), "late_fills_pct": 100 * s["main"]["late_fills"] / max(1, s["main"]["fills"]),
                       "late_cycles": s["main"]["late_cycles"], "shared_bytes": s["shared_bytes"], "occupancy_pct": s["occupancy_pct"]}
                      for s in self._stages if "failure" not in s])

    def plot(self, block: int = 0, fills: int = 12, *, ax: Any = None) -> Any:
        """The first fills of one of the kept blocks by matplotlib: buffers down, cycles across. Gives the Axes."""
        if not self._blocks or not self._blocks[min(block, len(self._blocks) - 1)]["fills"]:
            raise UsageError("no asynchronous copy fills shared memory here")
        chosen = self._blocks[min(block, len(self._blocks) - 1)]
        buffers = sorted({f["buffer"] for f in chosen["fills"]})
        ax = axes_of(ax, (9, 1.4 + 0.5 * (len(buffers) + 1)))
        names = set()
        for fill in chosen["fills"][:fills]:
            row = buffers.index(fill["buffer"])
            bars = [("fill", "#56b4e9", fill["issued"], fill["complete"], row)]
            if "use" in fill:
                bars.append(("use", "#009e73", fill["use"][0], fill["use"][1] + 1, row))
            if "wait" in fill:
                bars.append(("wait", "#d55e00", fill["wait"][0], fill["wait"][1], len(buffers)))
            for name, colour, begin, end, y in bars:
                ax.barh(y, end - begin, left=begin, height=0.55, color=colour, label=None if name in names else name)
                names.add(name)
        ax.set_yticks(range(len(buffers) + 1), [f"buffer {i}" for i in range(len(buffers))] + ["waits"])
        ax.invert_yaxis()
        ax.set_xlabel("cycle")
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
        return ax

    def __repr__(self) -> str:
        return f"<Pipeline of {_core.short_name(self.kernel)}: {self.cycles:,} cycles, {len(self.producers)} {'producer' if len(self.producers) == 1 else 'producers'}>"

    def _repr_html_(self) -> str:
        rows = [(p["at"].rsplit("/", maxsplit=1)[-1], p["kind"], number(p["fills"]), str(p["buffers"]), p["says"], p["advice"]) for p in self.producers]
        out = f"<b>{html.escape(repr(self)[1:-1])}</b>" + html_table(rows, ("copy", "kind", "fills", "buffers", "producer", "what would help"))
        if self._stages:
            done = [(str(s["stages"]), number(s["cycles"]), s["main"]["says"]) for s in self._stages if "failure" not in s]
            out += html_table(done, ("stages", "cycles", "producer"))
        return out


def over_time(path: "Path") -> List[OverTime]:
    """Counters over time of each launch: the folder of `gpuloom run --intervals N -o`. InputError where there are none."""
    return [OverTime(launch) for launch in read_beside(path, "intervals.json", "gpuloom run --intervals N -o DIR writes it")["launches"]]


def pipelines(path: "Path") -> List[Pipeline]:
    """Pipelines of each launch: the folder of `gpuloom pipeline -o`. InputError where there are none."""
    loaded = read_beside(path, "pipeline.json", "gpuloom pipeline LAUNCH -o DIR writes it")
    return [Pipeline(launch, loaded.get("stages", ())) for launch in loaded["launches"]]
