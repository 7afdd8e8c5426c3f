# SPDX-License-Identifier: Apache-2.0
"""What the studies share: running points side by side, a table, and line charts as SVG. Standard library only."""
import csv
import html
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

COLORS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f", "#bcbd22", "#e377c2"]


DASHES = ["none", "7,3", "2,2", "9,2,2,2"]  # so that lines on top of each other show


class Study:
    """One execution of a study; `folder` has its PTX, `output` takes what it gives."""

    def __init__(self, folder, output, program, jobs, quick):
        self.folder, self.output, self.program = pathlib.Path(folder), pathlib.Path(output), program
        self.quick, self.jobs, self.runs, self.written = quick, max(1, jobs), 0, []

    def __enter__(self):
        self._scratch = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self._scratch.cleanup()

    def call(self, *arguments):
        """What `gpuloom ARGUMENTS` prints; the study ends where it fails."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"gpuloom {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def run(self, launch, config, sets=()):
        """Metrics of a launch (a launch file as a dict; `ptx` is beside the study): {name: value}, with "lines"."""
        self.runs += 1
        path = pathlib.Path(self._scratch.name) / f"{self.runs}.yaml"
        path.write_text(json.dumps({**launch, "ptx": str(self.folder / launch["ptx"])}))
        overrides = [word for s in sets for word in ("-s", s)]
        result = json.loads(self.call("run", path, "-c", config, *overrides, "--json", "-q", "--progress", "none"))
        return metrics_of(result["kernels"][-1])

    def suite(self, case, config, sets=()):
        """The same for a case of bench/silicon."""
        self.runs += 1
        overrides = [word for s in sets for word in ("-s", s)]
        suite = self.folder.parent.parent.parent / "bench" / "silicon"
        result = json.loads(self.call("run", "--suite", suite, "--case", case, "-c", config, *overrides, "--json", "-q",
                                      "--progress", "none"))
        return metrics_of(result["kernels"][-1])

    def each(self, function, points):
        """[function(*point)] for all points, some at a time, in order."""
        points = list(points)
        with ThreadPoolExecutor(self.jobs) as pool:
            results = []
            for k, r in enumerate(pool.map(lambda p: function(*p), points)):
                results.append(r)
                if sys.stderr.isatty():
                    print(f"\r{k + 1}/{len(points)}", end="", file=sys.stderr)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        return results

    def table(self, rows, name="results.csv"):
        with open(self.output / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        self.written.append(str(self.output / name))

    def bars(self, title, y, groups, series, name="plot.svg", line=None):
        (self.output / name).write_text(bars(title, y, groups, series, line), encoding="utf-8")
        self.written.append(str(self.output / name))

    def drawing(self, charts, name="plot.svg", columns=3):
        (self.output / name).write_text(figure(charts, columns), encoding="utf-8")
        self.written.append(str(self.output / name))


def metrics_of(kernel):
    metrics = {k: (m["value"] if isinstance(m, dict) else m) for k, m in kernel["metrics"].items()}
    metrics["lines"] = kernel.get("lines", [])
    metrics["stalls"] = kernel.get("stalls", {})
    return metrics


class Chart:
    """Lines over x. series: {label: [(x, y), ...]}. step: y holds until the next x. ticks: where x is marked."""

    def __init__(self, title, x, y, series, log_x=False, log_y=False, step=False, from_zero=True, ticks=None):
        self.title, self.x, self.y, self.series = title, x, y, merged(series)
        self.log_x, self.log_y, self.step, self.from_zero, self.ticks = log_x, log_y, step, from_zero, ticks


def merged(series):
    """Series that are equal become one, whose label names all: lines on top of each other tell nothing."""
    groups = []
    for label, points in series.items():
        same = next((g for g in groups if g[1] == points), None)
        if same:
            same[0].append(label)
        else:
            groups.append(([label], points))
    return {", ".join(labels): points for labels, points in groups}


WIDTH, HEIGHT, ROW = 360, 270, 17  # of a chart; of a line of a legend


def figure(charts, columns=3):
    """Charts side by side, as a self-contained SVG; one legend below where all have the same labels, else one each."""
    labels = list(dict.fromkeys(label for c in charts for label in c.series))
    color = {label: COLORS[i % len(COLORS)] for i, label in enumerate(labels)}
    dash = {label: DASHES[i % len(DASHES)] for i, label in enumerate(labels)}
    columns = min(columns, len(charts))
    shared = all(list(c.series) == labels for c in charts)
    own = 0 if shared else max(len(_flow(c.series, WIDTH)) for c in charts) * ROW
    rows = [charts[i:i + columns] for i in range(0, len(charts), columns)]
    total_w, height = columns * WIDTH, HEIGHT + own
    total_h = len(rows) * height + (len(_flow(labels, total_w)) * ROW if shared else 0) + 8
    out = _begin(total_w, total_h)
    for i, c in enumerate(charts):
        out += [f'<g transform="translate({i % columns * WIDTH},{i // columns * height})">', *_chart(c, color, dash, WIDTH, HEIGHT)]
        if not shared:
            out += _legend(c.series, WIDTH, HEIGHT + 6, color, dash)
        out.append("</g>")
    if shared:
        out += _legend(labels, total_w, len(rows) * height + 6, color, dash)
    return "\n".join(out) + "\n</svg>\n"


def _begin(width, height):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="11">', f'<rect width="{width}" height="{height}" fill="white"/>']


def _flow(labels, width, left=20):
    """Labels in lines that fit: [[(x, label), ...], ...]."""
    lines, x = [[]], left
    for label in labels:
        need = 30 + 6.4 * len(label) + 16
        if x + need > width and lines[-1]:
            lines.append([])
            x = left
        lines[-1].append((x, label))
        x += need
    return lines


def _legend(labels, width, top, color, dash=None):
    """Lines, or boxes without `dash`, each with its label."""
    out = []
    for row, line in enumerate(_flow(labels, width)):
        for x, label in line:
            y = top + row * ROW
            mark = (f'<line x1="{x}" y1="{y}" x2="{x + 22}" y2="{y}" stroke="{color[label]}" stroke-width="2" '
                    f'stroke-dasharray="{dash[label]}"/>' if dash else
                    f'<rect x="{x + 8}" y="{y - 5}" width="12" height="10" fill="{color[label]}"/>')
            out.append(f'{mark}<text x="{x + 28}" y="{y + 4}">{html.escape(label)}</text>')
    return out


def bars(title, y, groups, series, line=None):
    """Grouped bars as an SVG: series {label: [a value a group]}. line: a value that is marked across."""
    width, left, top, bottom = 120 * len(groups) + 70, 50, 30, 230
    color = {label: COLORS[i % len(COLORS)] for i, label in enumerate(series)}
    ticks = _nice(0, max(v for values in series.values() for v in values))
    py = lambda v: bottom - v / ticks[-1] * (bottom - top)
    out = _begin(width, bottom + 34 + ROW * len(_flow(series, width)))
    out += [f'<text x="{left}" y="18" font-size="12" font-weight="bold">{html.escape(title)}</text>',
            f'<text transform="translate(12,{(top + bottom) / 2}) rotate(-90)" text-anchor="middle">{html.escape(y)}</text>']
    for v in ticks:
        out.append(f'<line x1="{left}" y1="{py(v):.1f}" x2="{width - 10}" y2="{py(v):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 5}" y="{py(v) + 4:.1f}" text-anchor="end">{_short(v)}</text>')
    for g, group in enumerate(groups):
        x = left + 10 + g * 120
        out.append(f'<text x="{x + 50}" y="{bottom + 16}" text-anchor="middle" font-size="10">{html.escape(group)}</text>')
        for i, (label, values) in enumerate(series.items()):
            w = 100 / len(series)
            out.append(f'<rect x="{x + i * w:.1f}" y="{py(values[g]):.1f}" width="{w - 2:.1f}" '
                       f'height="{bottom - py(values[g]):.1f}" fill="{color[label]}"/>')
    if line is not None:
        out.append(f'<line x1="{left}" y1="{py(line):.1f}" x2="{width - 10}" y2="{py(line):.1f}" stroke="#555" stroke-dasharray="4,3"/>')
    out += _legend(series, width, bottom + 40, color)
    return "\n".join(out) + "\n</svg>\n"


def _nice(low, high, count=5):
    """Round numbers that cover low to high."""
    raw = (high - low) / count or 1
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw - 1e-12)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [k * step for k in range(first, last + 1)]


def _short(v):
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(v) >= limit:
            return f"{v / (1e3 if unit == 'k' else limit):.4g}{unit}"
    return f"{v:.4g}"


def _chart(c, color, dash, width, height):
    left, right, top, bottom = 58, width - 14, 30, height - 44
    xs = sorted({x for points in c.series.values() for x, _ in points})
    ys = [y for points in c.series.values() for _, y in points]
    if c.log_y:
        y_ticks = [2.0 ** k for k in range(math.floor(math.log2(min(ys))), math.ceil(math.log2(max(ys))) + 1)]
        y_ticks = y_ticks[::max(1, len(y_ticks) // 6)]
        low, high = math.log2(min(min(ys), y_ticks[0])), math.log2(max(max(ys), y_ticks[-1]))
    else:
        y_ticks = _nice(0 if c.from_zero else min(ys), max(ys) or 1)
        low, high = y_ticks[0], y_ticks[-1]
    fx = math.log2 if c.log_x else float
    x_low, x_high = fx(xs[0]), fx(xs[-1])
    px = lambda x: left + (fx(x) - x_low) / ((x_high - x_low) or 1) * (right - left)
    py = lambda y: bottom - ((math.log2(y) if c.log_y else y) - low) / ((high - low) or 1) * (bottom - top)
    out = [f'<text x="{left}" y="18" font-size="12" font-weight="bold">{html.escape(c.title)}</text>']
    for y in y_ticks:
        out.append(f'<line x1="{left}" y1="{py(y):.1f}" x2="{right}" y2="{py(y):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 5}" y="{py(y) + 4:.1f}" text-anchor="end">{_short(y)}</text>')
    round_xs = all(x == int(x) for x in xs)
    ticks = c.ticks or (xs if round_xs and (c.log_x or len(xs) <= 9) else _nice(xs[0], xs[-1]))
    taken = -math.inf
    for x in ticks:
        if not xs[0] <= x <= xs[-1] or px(x) - taken < 22:  # labels do not run into each other
            continue
        taken = px(x)
        out.append(f'<line x1="{px(x):.1f}" y1="{bottom}" x2="{px(x):.1f}" y2="{bottom + 4}" stroke="#555"/>'
                   f'<text x="{px(x):.1f}" y="{bottom + 16}" text-anchor="middle">{_short(x)}</text>')
    out.append(f'<path d="M{left},{top}V{bottom}H{right}" fill="none" stroke="#555"/>'
               f'<text x="{(left + right) / 2}" y="{bottom + 33}" text-anchor="middle">{html.escape(c.x)}</text>'
               f'<text transform="translate(12,{(top + bottom) / 2}) rotate(-90)" text-anchor="middle">{html.escape(c.y)}</text>')
    for label, points in c.series.items():
        path, last = [], None
        for x, y in sorted(points):
            if c.step and last is not None:
                path.append(f"L{px(x):.1f},{py(last):.1f}")
            path.append(f"{'L' if path else 'M'}{px(x):.1f},{py(y):.1f}")
            last = y
        out.append(f'<path d="{"".join(path)}" fill="none" stroke="{color[label]}" stroke-width="2" '
                   f'stroke-dasharray="{dash[label]}"/>')
        if not c.step and len(points) <= 24:
            out += [f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="2.5" fill="{color[label]}"/>' for x, y in points]
    return out
