# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of a result: tables and bars of plain HTML, without scripts, in the colours of the notebook."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence, Tuple

from ._figures import COLOURS, SHARES, warp_states
from ._native import _core

if TYPE_CHECKING:
    from ._results import Result


def number(value: float) -> str:
    """As people read it."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def html_table(rows: Iterable[Sequence[str]], heading: Sequence[str], raw: Sequence[int] = ()) -> str:
    """Cells are texts; those of the columns `raw` are HTML already."""
    def cells(row: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{c if i in raw and tag == 'td' else html.escape(c)}</{tag}>" for i, c in enumerate(row)) + "</tr>"

    return f"<table><thead>{cells(heading, 'th')}</thead><tbody>{''.join(cells(r, 'td') for r in rows)}</tbody></table>"


def bar(share: float, colour: str = "#0072b2") -> str:
    """A bar of so many percent."""
    return (f"<div style='width:12em;height:.7em;background:rgba(128,128,128,.2)' role='img' aria-label='{share:.1f} %'>"
            f"<div style='width:{max(0.0, min(100.0, share)):.2f}%;height:100%;background:{colour}'></div></div>")


def stack(parts: Sequence[Tuple[str, float, str]]) -> str:
    """A bar whose parts (name, value, colour) fill it, and their names below."""
    total = sum(value for _, value, _ in parts) or 1.0
    shown = [(name, 100 * value / total, colour) for name, value, colour in parts if value > 0]
    pieces = "".join(f"<span style='flex:{share:.4f} 0 0;background:{colour}' title='{html.escape(name)} {share:.1f} %'></span>" for name, share, colour in shown)
    names = " ".join(f"<span style='white-space:nowrap;margin-right:.8em'><span style='display:inline-block;width:.7em;height:.7em;background:{colour}'></span> "
                     f"{html.escape(name)} {share:.1f} %</span>" for name, share, colour in shown if share >= 1)
    return f"<div style='display:flex;height:1.4em;max-width:60em' role='img' aria-label='states of warps'>{pieces}</div><div style='max-width:60em;font-size:.9em'>{names}</div>"


def hot_lines(result: "Result", most: int = 5) -> List[List[str]]:
    """The lines with the most waited cycles (executions without time): place, value, a bar of its share."""
    sums: "dict[str, float]" = {}
    lines = result._kernel.lines  # pylint: disable=protected-access
    counter = "stall_cycles" if any(name == "stall_cycles" for line in lines for name, _ in line.counters) else "inst_executed"
    for line in lines:
        place = f"{line.file}:{line.line}"
        sums[place] = sums.get(place, 0.0) + sum(value for name, value in line.counters if name == counter)
    total = sum(sums.values()) or 1.0
    top = sorted(((v, place) for place, v in sums.items() if v), reverse=True)[:most]
    return [[place, number(v), f"{100 * v / total:.1f} %", bar(100 * v / total, "#d55e00")] for v, place in top]


def result_html(result: "Result") -> str:
    """Shares of the peaks, states of warps, the hottest lines, and every metric folded away."""
    extent = "x".join(map(str, result.grid)), "x".join(map(str, result.block))
    out = [f"<b>{html.escape(repr(result)[1:-1])}</b>, grid {extent[0]}, block {extent[1]}"]
    shares = [[title, f"{result.value(name):.1f} %", bar(result.value(name))] for name, title in SHARES if name in result]
    if shares:
        out.append(html_table(shares, ("share of the peak", "", ""), raw=(2,)))
    states = sorted(warp_states(result).items(), key=lambda item: -item[1])
    if any(value for _, value in states):
        out.append("<div>states of warps</div>" + stack([(name.replace("_", " "), value, COLOURS.get(name, "#888888")) for name, value in states]))
    lines = hot_lines(result)
    if lines:
        out.append(html_table(lines, ("line", "waited" if states else "executed", "share", ""), raw=(3,)))
    rows = [(m.name, number(m.value), m.unit) for m in result.values()]
    out.append(f"<details><summary>{len(rows)} metrics</summary>{html_table(rows, ('metric', 'value', 'unit'))}</details>")
    out.append(f"<details><summary>sections</summary><pre>{html.escape(result.summary())}</pre></details>")
    return "".join(out)


def occupancy_html(report: Any) -> str:
    """Of an OccupancyReport: the answer, what limits, the curves folded away."""
    if report.refusal:
        return f"<b>{html.escape(report.gpu)}</b>: {html.escape(report.refusal)}"
    head = (f"<b>{html.escape(_core.short_name(report.kernel) or 'launch')} on {html.escape(report.gpu)}</b>: {report.blocks} blocks, {report.warps} of {report.warps_max} warps on an SM "
            f"({report.percent:.1f} %), limited by {html.escape(', '.join(report.limiters))}")
    advice = "".join(f"<li>{html.escape(line)}</li>" for line in report.advice)
    return head + bar(report.percent) + (f"<ul>{advice}</ul>" if advice else "") + f"<details><summary>curves</summary><pre>{html.escape(report.text(True))}</pre></details>"
