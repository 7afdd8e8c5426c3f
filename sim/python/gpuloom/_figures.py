# SPDX-License-Identifier: Apache-2.0
"""Figures of results: one call each, drawn by matplotlib. matplotlib is imported by the first one."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from ._errors import UsageError

if TYPE_CHECKING:
    from ._results import Result

# Of warp states, as the report's page has them (Okabe and Ito: they stay apart for colour-blind readers).
COLOURS = {"selected": "#009e73", "not_selected": "#7fd0b5", "wait": "#56b4e9", "long_scoreboard": "#d55e00", "short_scoreboard": "#e69f00", "barrier": "#cc79a7",
           "membar": "#a3457c", "branch_resolving": "#8c6d31", "math_pipe_throttle": "#0072b2", "lg_throttle": "#a33f00", "mio_throttle": "#f0c239",
           "tex_throttle": "#c9a227", "no_instruction": "#7a7a7a", "imc_miss": "#a9a9a9", "dispatch_stall": "#5b4bb0", "drain": "#b79ad6", "gmma": "#1f3f8f",
           "sleeping": "#cfd3d8", "misc": "#999999"}
SHARES = [("sm__throughput.avg.pct_of_peak_sustained_elapsed", "compute"), ("l1tex__throughput.avg.pct_of_peak_sustained_active", "L1"),
          ("lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"), ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM"),
          ("sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy")]


def warp_states(result: "Result") -> Dict[str, float]:
    """Warp-cycles by state, of all warps: they sum to smsp__warps_active.sum. Empty without time."""
    prefix, suffix = "smsp__warps_issue_stalled_", ".sum"
    return {name[len(prefix):-len(suffix)]: m.value for name, m in result.items() if name.startswith(prefix) and name.endswith(suffix)}


def axes_of(ax: Any, size: Tuple[float, float]) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel

    return plt.subplots(figsize=size, constrained_layout=True)[1]


def need(values: Any, what: str) -> None:
    """UsageError where there is nothing to draw."""
    if not values:
        raise UsageError(f"this result has no {what}", hint="a functional run has no times; lines=False leaves counters of lines out")


def plot_stalls(results: Sequence["Result"], labels: Sequence[str], ax: Any = None) -> Any:
    """CPI stacks: cycles of a warp for each issued instruction, by state; a bar a result."""
    stacks = [warp_states(r) for r in results]
    need(all(stacks) and stacks, "times")
    issued = [r.value("smsp__inst_issued.sum") or 1 for r in results]
    reasons = sorted({reason for stack in stacks for reason, value in stack.items() if value}, key=lambda reason: -max(s.get(reason, 0) for s in stacks))
    ax = axes_of(ax, (8, 1.4 + 0.6 * len(results)))
    left = [0.0] * len(results)
    for reason in reasons:
        widths = [stack.get(reason, 0) / n for stack, n in zip(stacks, issued)]
        ax.barh(list(labels), widths, left=left, color=COLOURS.get(reason, "#888888"), label=reason.replace("_", " "))
        left = [a + b for a, b in zip(left, widths)]
    ax.invert_yaxis()
    ax.set_xlabel("cycles of a warp per issued instruction")
    ax.legend(fontsize="small", ncols=2, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def plot_lines(result: "Result", counter: str = "", most: int = 15, ax: Any = None) -> Any:
    """The lines with most of a counter ("stall_cycles" where time was simulated, else "inst_executed"), most first."""
    sums: Dict[str, float] = {}
    rows = result.lines().to_dict("records")
    need(rows, "counters by line")
    counter = counter or ("stall_cycles" if any("stall_cycles" in row for row in rows) else "inst_executed")
    if counter not in rows[0]:
        raise UsageError(f"lines have no counter '{counter}'", hint="known: " + ", ".join(str(k) for k in list(rows[0])[4:]))
    for row in rows:
        place = f"{str(row['file']).rsplit('/', maxsplit=1)[-1]}:{row['line']}"
        sums[place] = sums.get(place, 0.0) + row[counter]
    top = sorted(sums.items(), key=lambda item: -item[1])[:most]
    ax = axes_of(ax, (8, 1 + 0.3 * len(top)))
    ax.barh([place for place, _ in top], [value for _, value in top], color="#0072b2")
    ax.invert_yaxis()
    ax.set_xlabel(counter.replace("_", " "))
    return ax


def plot_shares(results: Sequence["Result"], labels: Sequence[str], ax: Any = None) -> Any:
    """Shares of the peaks: compute, L1, L2, DRAM, and occupancy; a colour a result."""
    need([1 for r in results if SHARES[0][0] in r], "times")
    ax = axes_of(ax, (8, 3.2))
    width = 0.8 / len(results)
    for k, (r, label) in enumerate(zip(results, labels)):
        ax.bar([i + (k - (len(results) - 1) / 2) * width for i in range(len(SHARES))], [r.value(name) if name in r else 0.0 for name, _ in SHARES], width, label=label)
    ax.set_xticks(range(len(SHARES)), [title for _, title in SHARES])
    ax.set_ylabel("% of the peak")
    ax.set_ylim(0, 100)
    if len(results) > 1:
        ax.legend()
    return ax


def plot_opcodes(result: "Result", most: int = 20, ax: Any = None) -> Any:
    """Warp instructions by machine opcode, most first."""
    top = sorted(result.opcodes().items(), key=lambda item: -item[1])[:most]
    need(top, "machine instructions")
    ax = axes_of(ax, (8, 1 + 0.3 * len(top)))
    ax.barh([name for name, _ in top], [count for _, count in top], color="#0072b2")
    ax.invert_yaxis()
    ax.set_xlabel("warp instructions")
    return ax


def plot(*results: "Result", kind: str = "stalls", labels: Sequence[str] = (), ax: Any = None, **options: Any) -> Any:
    """Draws results with matplotlib and gives the Axes.

    kind: "stalls" (CPI stacks), "shares" (of the peaks), of one result also "lines" (counter=, most=) and "opcodes" (most=).
    labels: what to call the results. ax: axes to draw into instead of a new figure.

    >>> gpuloom.plot(before, after, labels=["before", "after"]).figure.savefig("stalls.png")
    """
    named: List[str] = list(labels) or [r.config if sum(o.config == r.config for o in results) == 1 else f"{k}: {r.kernel}" for k, r in enumerate(results)]
    if not results or len(named) != len(results):
        raise UsageError(f"{len(named)} labels for {len(results)} results")
    if kind in ("stalls", "shares"):
        return (plot_stalls if kind == "stalls" else plot_shares)(results, named, ax, **options)
    if kind in ("lines", "opcodes"):
        if len(results) != 1:
            raise UsageError(f"'{kind}' shows one result")
        return (plot_lines if kind == "lines" else plot_opcodes)(results[0], ax=ax, **options)
    raise UsageError(f"unknown figure '{kind}'", hint="stalls, shares, lines or opcodes")


def heatmap(table: Any, x: str, y: str, value: str, *, ax: Any = None) -> Any:
    """A map of a sweep's table (sweep, sweep_table): a cell for each pair of values of the axes x and y. Cells with several
    points show their mean."""
    for name in (x, y, value):
        if name not in table.columns:
            raise UsageError(f"the table has no column '{name}'", hint="known: " + ", ".join(map(str, table.columns)))
    cells = table.pivot_table(index=y, columns=x, values=value, aggfunc="mean", sort=False)
    ax = axes_of(ax, (1.5 + 1.1 * len(cells.columns), 1.2 + 0.5 * len(cells.index)))
    image = ax.imshow(cells.values, cmap="Blues", aspect="auto")
    ax.set_xticks(range(len(cells.columns)), [str(c) for c in cells.columns])
    ax.set_yticks(range(len(cells.index)), [str(i) for i in cells.index])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    middle = (cells.values.min() + cells.values.max()) / 2
    for row in range(len(cells.index)):
        for column in range(len(cells.columns)):
            number = cells.values[row][column]
            ax.text(column, row, f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}", ha="center", va="center", color="white" if number > middle else "black")
    ax.figure.colorbar(image, ax=ax, label=value)
    return ax


def plot_occupancy(report: Any, *, ax: Any = None) -> Any:
    """Theoretical occupancy of an OccupancyReport by block size, registers and shared memory: a curve each, with a dot where the
    launch stands. ax: as many axes as there are curves."""
    curves: Optional[List[Any]] = list(report.curves)
    need(curves, "curves")
    import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel

    panels = ax if ax is not None else plt.subplots(1, len(report.curves), figsize=(4 * len(report.curves), 3), constrained_layout=True, squeeze=False)[1][0]
    for panel, curve in zip(panels, report.curves):
        panel.step([p.x for p in curve.points], [p.percent for p in curve.points], where="post", color="#0072b2")
        below = [p for p in curve.points if p.x <= curve.now] or list(curve.points[:1])
        panel.plot([curve.now], [below[-1].percent], "o", color="#d55e00")
        panel.set_xlabel(f"{curve.name} ({curve.unit})")
        panel.set_ylim(0, 105)
    panels[0].set_ylabel("% of the SM's warps")
    return panels
