# SPDX-License-Identifier: Apache-2.0
"""Half of the work on a second GPU: with copies there and back, in parts, or with loads and stores over the link."""
from studylib import Chart

FLOATS = 1 << 18  # in all; half of them may go
GRID = {"grid": 132, "block": 128}


def launch(buffer, turns, stream, parts=1):
    of = {"buffer": buffer, "part": "turn"} if parts > 1 else buffer
    return {"launch": {"kernel": "work", **GRID, "args": [of, FLOATS // 2 // parts, turns]}, "stream": stream}


def buffers(**on):
    return {name: {"type": "f32", "count": FLOATS // 2, "init": "uniform", "device": device, "output": name != "there"}
            for name, device in on.items()}


def alone(turns):
    return {"ptx": "work.ptx.gz", "buffers": buffers(stays=0, goes=0), "streams": {"here": {}},
            "program": [launch("stays", turns, "here"), launch("goes", turns, "here")]}


def two(turns, between):
    """The second GPU's part, given its steps."""
    return {"ptx": "work.ptx.gz", "devices": 2, "buffers": buffers(stays=0, goes=0, there=1),
            "streams": {"here": {}, "out": {"non_blocking": True}, "far": {"device": 1, "non_blocking": True}},
            "program": [launch("stays", turns, "here"), *between]}


def copied(turns, parts):
    step = {"part": "turn"} if parts > 1 else {}
    steps = [{"copy": {"from": "goes", "to": "there"}, "stream": "out", **step}, {"record": "copied", "stream": "out"},
             {"wait": "copied", "stream": "far"}, launch("there", turns, "far", parts),
             {"copy": {"from": "there", "to": "goes"}, "stream": "far", **step}]
    return two(turns, [{"repeat": parts, "steps": steps}] if parts > 1 else steps)


def reached(turns):
    return two(turns, [launch("goes", turns, "far")])


def run(s):
    ways = {"one GPU": alone, "two, copied": lambda t: copied(t, 1), "two, copied in four parts": lambda t: copied(t, 4),
            "two, loads over the link": reached}
    lengths = [40, 320] if s.quick else [20, 40, 80, 160, 320]

    def one(way, turns):
        m = s.program(ways[way](turns), "h200")
        return {"way": way, "turns": turns, "us": round(m["program__time_duration"] / 1e3, 2),
                "kernels_us": round(m["program__time_kernels"] / 1e3, 2), "copies_us": round(m["program__time_copies"] / 1e3, 2)}

    rows = s.each(one, [(w, t) for w in ways for t in lengths])
    alone_us = {r["turns"]: r["us"] for r in rows if r["way"] == "one GPU"}
    for r in rows:
        r["gain"] = round(alone_us[r["turns"]] / r["us"], 2)
    s.table(rows)
    s.drawing([Chart("time", "turns of work on a value", "us", {w: [(r["turns"], r["us"]) for r in rows if r["way"] == w] for w in ways},
                     log_x=True, log_y=True),
               Chart("gain over one GPU", "turns of work on a value", "times as fast",
                     {w: [(r["turns"], r["gain"]) for r in rows if r["way"] == w] for w in ways}, log_x=True)])
