# SPDX-License-Identifier: Apache-2.0
"""Small kernels of several streams: do they share the GPU, and who gets the places when they are large."""
from studylib import Chart

THREADS = 64
SHARED = 28 << 10  # so that an SM holds eight blocks, and 1,056 fill the GPU


def program(kernels, blocks, streams, turns):
    names = [f"s{k}" for k in range(kernels)]
    return {"ptx": "work.ptx.gz", "streams": {n: {} for n in names},
            "buffers": {"x": {"type": "f32", "count": kernels * blocks * THREADS, "init": "uniform"}},
            "program": [{"repeat": kernels, "steps": [
                {"launch": {"kernel": "work", "grid": blocks, "block": THREADS, "dynamic_shared": SHARED, "args": [{"buffer": "x", "part": "turn"}, turns]},
                 "stream": names if streams else names[:1]}]}]}


def run(s):
    counts = [1, 8] if s.quick else [1, 2, 4, 8]
    sizes = [8, 33, 132, 1056]

    def one(blocks, kernels, streams):
        m = s.program(program(kernels, blocks, streams, 250), "h200", ["host.launch_call=500ns"])
        return {"blocks": blocks, "kernels": kernels, "streams": "own" if streams else "one",
                "us": round(m["program__time_duration"] / 1e3, 2), "together_us": round(m["program__time_concurrent_kernels"] / 1e3, 2)}

    rows = s.each(one, [(b, n, own) for b in sizes for n in counts for own in (False, True)])
    s.table(rows)
    found = {(r["blocks"], r["kernels"], r["streams"]): r["us"] for r in rows}
    s.drawing([
        Chart("time of all kernels", "kernels", "us", {f"{b} blocks, {w} stream{'s' if w == 'own' else ''}": [(n, found[b, n, w]) for n in counts]
                                                       for b in sizes[:3] for w in ("one", "own")}, log_x=True),
        Chart("gain by streams of their own", "kernels", "times as fast",
              {f"{b} blocks": [(n, found[b, n, "one"] / found[b, n, "own"]) for n in counts] for b in sizes}, log_x=True)])
