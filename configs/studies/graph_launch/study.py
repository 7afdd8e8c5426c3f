# SPDX-License-Identifier: Apache-2.0
"""A chain of short kernels: launched one by one, or as a graph."""
from studylib import Chart

KERNELS = 50


def program(turns, graph):
    launch = {"repeat": KERNELS, "steps": [{"launch": {"kernel": "work", "grid": 8, "block": 128, "args": ["x", turns]}, "stream": "one"}]}
    launched = {"graphs": {"chain": [launch]}, "program": [{"graph": "chain", "stream": "one"}]}
    return {"ptx": "work.ptx.gz", "streams": {"one": {}}, "buffers": {"x": {"type": "f32", "count": 1024, "init": "uniform"}},
            **(launched if graph else {"program": [launch]})}


def run(s):
    turns = [0, 1000, 4000] if s.quick else [0, 500, 1000, 2000, 4000]
    hosts = {"a launch takes 4.7 us": "4.7us", "a launch takes 2 us": "2us"}

    def one(host, count, graph):
        m = s.program(program(count, graph), "h200", [f"host.launch_call={hosts[host]}"])
        return {"host": host, "turns": count, "by": "graph" if graph else "stream",
                "us_each": round(m["program__time_duration"] / 1e3 / KERNELS, 3),
                "kernel_us": round(m["program__time_kernels"] / 1e3 / KERNELS, 3), "idle_percent": round(m["program__idle.pct"], 1)}

    rows = s.each(one, [(h, n, g) for h in hosts for n in turns for g in (False, True)])
    s.table(rows)
    graphs = {r["turns"]: r["kernel_us"] for r in rows if r["by"] == "graph"}
    series = {f"stream: {h}": [(graphs[r["turns"]], r["us_each"]) for r in rows if (r["host"], r["by"]) == (h, "stream")] for h in hosts}
    series["graph"] = [(graphs[r["turns"]], r["us_each"]) for r in rows if r["by"] == "graph" and r["host"] == next(iter(hosts))]
    s.drawing([Chart("a chain of 50 kernels", "us of a kernel within the graph", "us a kernel", series)])
