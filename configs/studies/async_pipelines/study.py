# SPDX-License-Identifier: Apache-2.0
"""Pipelines of asynchronous copies: 1 to 4 stages, cp.async against bulk copies, by arithmetic intensity."""
from studylib import Chart

KERNELS = ["synchronous"] + [f"{kind}_{stages}" for kind in ("cp_async", "bulk") for stages in (1, 2, 3, 4)]
# Four SMs of an H200 and one block on each, so that nothing but the pipeline hides the copies, and DRAM has room.
SLICE = ["gpc.count=1", "gpc.sms=[4]", "gpc.cluster_groups=[4]"]
BATCHES, BLOCKS = 32, 4


def run(s):
    intensities = [0, 16, 64, 128] if s.quick else [0, 4, 8, 16, 32, 64, 128, 256]

    def one(kernel, intensity):
        m = s.run({"ptx": "pipeline.ptx.gz", "kernel": kernel, "grid": [BLOCKS], "block": [256],
                   "buffers": {"out": {"type": "f32", "count": BLOCKS * 256},
                               "in": {"type": "f32", "count": BLOCKS * BATCHES * 1024, "init": "uniform"}},
                   "args": ["out", "in", BATCHES, intensity]}, "h200", SLICE)
        return {"kernel": kernel, "fma_per_float": intensity, "cycles": m["sm__cycles_elapsed.max"],
                "cycles_per_batch": m["sm__cycles_elapsed.max"] / BATCHES}

    rows = s.each(one, [(k, i) for k in KERNELS for i in intensities])
    cycles = {(r["kernel"], r["fma_per_float"]): r["cycles"] for r in rows}
    for r in rows:
        r["speedup_over_synchronous"] = round(cycles["synchronous", r["fma_per_float"]] / r["cycles"], 4)
    s.table(rows)
    charts = []
    for kind, title in (("cp_async", "cp.async"), ("bulk", "bulk copies")):
        kernels = ["synchronous"] + [k for k in KERNELS if k.startswith(kind)]
        charts.append(Chart(f"{title}: cycles a batch of 4 KiB", "fused multiply-adds a float", "cycles", {
            k.replace(kind + "_", "stages: "): [(i, cycles[k, i] / BATCHES) for i in intensities] for k in kernels}, ticks=[0, 64, 128, 192, 256]))
    for kind, title in (("cp_async", "cp.async"), ("bulk", "bulk copies")):
        charts.append(Chart(f"{title}: speed over synchronous", "fused multiply-adds a float", "times as fast", {
            f"stages: {n}": [(i, cycles["synchronous", i] / cycles[f"{kind}_{n}", i]) for i in intensities] for n in (1, 2, 3, 4)}, ticks=[0, 64, 128, 192, 256]))
    s.drawing(charts, columns=2)
