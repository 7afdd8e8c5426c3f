# SPDX-License-Identifier: Apache-2.0
"""Copy to the device, work, copy back: in how many parts, on how many streams, in which order of the calls."""
from studylib import Chart

FLOATS = 1 << 19


def program(parts, order, turns):
    """One stream, or two in turn: all of a part at once (depth first), or step by step for all parts (breadth first)."""
    stream = ["one"] if order == "one stream" else ["one", "two"]
    to = {"to_device": "x", "part": "turn", "stream": stream}
    launch = {"launch": {"kernel": "work", "grid": 128, "block": 128,
                         "args": [{"buffer": "x", "part": "turn"}, FLOATS // parts, turns]}, "stream": stream}
    back = {"to_host": "x", "part": "turn", "stream": stream}
    steps = [[to, launch, back]] if order != "two, breadth first" else [[to], [launch], [back]]
    return {"ptx": "work.ptx.gz", "streams": {"one": {}, "two": {}},
            "buffers": {"x": {"type": "f32", "count": FLOATS, "init": "uniform", "host": "pinned", "output": True}},
            "program": [{"repeat": parts, "steps": several} for several in steps]}


def run(s):
    orders = ["one stream", "two, depth first", "two, breadth first"]
    counts = [1, 4, 16] if s.quick else [1, 2, 4, 8, 16]
    works = {"short kernel": 5, "kernel as long as a copy": 50}

    def one(work, order, parts):
        m = s.program(program(parts, order, works[work]), "h200")
        return {"work": work, "order": order, "parts": parts, "us": round(m["program__time_duration"] / 1e3, 2),
                "copies_us": round(m["program__time_copies"] / 1e3, 2), "kernels_us": round(m["program__time_kernels"] / 1e3, 2),
                "overlap_percent": round(m["program__overlap.pct"], 1)}

    rows = s.each(one, [(w, o, n) for w in works for o in orders for n in counts])
    s.table(rows)
    s.drawing([Chart(f"{w}: time", "parts", "us", {o: [(r["parts"], r["us"]) for r in rows if (r["work"], r["order"]) == (w, o)]
                                                   for o in orders}, log_x=True) for w in works] +
              [Chart("long kernel: copies behind kernels", "parts", "% of the copies' time",
                     {o: [(r["parts"], r["overlap_percent"]) for r in rows if (r["work"], r["order"]) == ("kernel as long as a copy", o)]
                      for o in orders}, log_x=True)])
