# SPDX-License-Identifier: Apache-2.0
"""What the studies share: running points side by side, and a table. The standard library does; drawing.py needs matplotlib."""
import csv
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

class Study:
    """One execution of a study; `folder` has its PTX, `output` takes what it gives."""

    def __init__(self, folder, output, program, jobs, quick):
        self.folder, self.output, self.executable = pathlib.Path(folder), pathlib.Path(output), program
        self.quick, self.jobs, self.runs, self.written = quick, max(1, jobs), 0, []
        self._numbers = itertools.count()

    def __enter__(self):
        self._scratch = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self._scratch.cleanup()

    def call(self, *arguments):
        """What `gpuloom ARGUMENTS` prints; the study ends where it fails."""
        done = subprocess.run([self.executable, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"gpuloom {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def run(self, launch, config, sets=()):
        """Metrics of a launch (a launch file as a dict; `ptx` is beside the study): {name: value}, with "lines"."""
        return metrics_of(self._result(launch, config, sets)["kernels"][-1])

    def program(self, launch, config, sets=()):
        """Metrics of a program on streams: {name: value}; times are nanoseconds."""
        return {k: m["value"] for k, m in self._result(launch, config, sets, "--no-lines")["program"]["metrics"].items()}

    def _result(self, launch, config, sets, *options):
        self.runs += 1
        path = pathlib.Path(self._scratch.name) / f"{next(self._numbers)}.yaml"
        path.write_text(json.dumps({**launch, "ptx": str(self.folder / launch["ptx"])}))
        overrides = [word for s in sets for word in ("-s", s)]
        return json.loads(self.call("run", path, "-c", config, *overrides, "--json", "-q", "--progress", "none", *options))

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
        self._draw(name, lambda drawing, path: drawing.bars(path, title, y, groups, series, line))

    def drawing(self, charts, name="plot.svg", columns=3):
        self._draw(name, lambda drawing, path: drawing.lines(path, charts, columns))

    def _draw(self, name, draw):
        try:
            import drawing
        except ImportError:
            print("no drawing: matplotlib is not installed (python3 -m pip install matplotlib)", file=sys.stderr)
            return
        draw(drawing, self.output / name)
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
