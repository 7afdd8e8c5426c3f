# SPDX-License-Identifier: Apache-2.0
"""Pictures of the studies, by matplotlib, as SVG whose text stays text. Equal data gives equal files."""
import itertools

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  after the backend is chosen
from matplotlib.ticker import EngFormatter, FuncFormatter, NullLocator  # noqa: E402

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "gpuloom", "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 10,
    "axes.titleweight": "bold", "axes.grid": True, "axes.grid.axis": "y", "grid.color": "#ddd", "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
})
COLOURS = plt.get_cmap("tab10").colors
DASHES = ["-", "--", ":", "-."]  # so that lines on top of each other show
SIZE = 3.6, 2.7  # of a chart, inches


def lines(path, charts, columns):
    """Charts side by side. One legend below where all have the same labels, else one in each."""
    labels = list(dict.fromkeys(label for c in charts for label in c.series))
    style = {label: {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)]} for i, label in enumerate(labels)}
    columns = min(columns, len(charts))
    rows = -(-len(charts) // columns)
    shared = all(list(c.series) == labels for c in charts)
    figure, places = plt.subplots(rows, columns, squeeze=False, figsize=(SIZE[0] * columns, SIZE[1] * rows), layout="constrained")
    for place, chart in itertools.zip_longest(places.flat, charts):
        if chart is None:
            place.set_visible(False)
            continue
        _lines(place, chart, style)
        if not shared:
            place.legend(fontsize=7)
    if shared:
        _legend(figure, places[0, 0], min(6, len(labels)))
    _save(figure, path)


def _short(value, _place):
    """4000 as 4k; what is below one as it is, since nobody reads 800m of a ratio."""
    return f"{value:g}" if abs(value) < 1000 else EngFormatter(sep="")(value)


def _lines(place, chart, style):
    for label, points in chart.series.items():
        xs, ys = zip(*sorted(points))
        marker = "." if not chart.step and len(xs) <= 24 else None
        place.plot(xs, ys, drawstyle="steps-post" if chart.step else "default", marker=marker, label=label, **style[label])
    if chart.log_x:
        place.set_xscale("log", base=2)
    if chart.log_y:
        place.set_yscale("log", base=2)
    elif chart.from_zero:
        place.set_ylim(bottom=0)
    xs = sorted({x for points in chart.series.values() for x, _ in points})
    ticks = chart.ticks or (xs if chart.log_x and all(x == int(x) for x in xs) else None)
    if ticks:
        place.set_xticks([x for x in ticks if xs[0] <= x <= xs[-1]])
        place.xaxis.set_minor_locator(NullLocator())
    for axis in (place.xaxis, place.yaxis):
        axis.set_major_formatter(FuncFormatter(_short))
    place.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)


def bars(path, title, y, groups, series, line):
    """Grouped bars: series {label: [a value a group]}. line: a value that is marked across."""
    figure, place = plt.subplots(figsize=(1.25 * len(groups) + 0.7, 2.9), layout="constrained")
    width = 0.8 / len(series)
    for i, (label, values) in enumerate(series.items()):
        place.bar([g + (i + 0.5) * width - 0.4 for g in range(len(groups))], values, width * 0.95, label=label, color=COLOURS[i % len(COLOURS)])
    if line is not None:
        place.axhline(line, color="#555", linestyle="--", linewidth=1)
    place.set_xticks(range(len(groups)), groups)
    place.set(title=title, ylabel=y)
    _legend(figure, place, len(series))
    _save(figure, path)


def _legend(figure, place, columns):
    figure.legend(*place.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=columns)


def _save(figure, path):
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)
