# SPDX-License-Identifier: Apache-2.0
"""Occupancy of a register-blocked GEMM against block size and shared memory on eight GPUs, and what it is worth."""
import json

from studylib import Chart

GPUS = ["t4", "a100-80g", "rtx3090", "orin-agx", "rtx4090", "h200", "b200", "rtx5090"]
THREADS = {"tile_32x32_t2x2": 256, "tile_64x64_t4x4": 256, "tile_64x64_t8x4": 128, "tile_128x64_t8x4": 256,
           "tile_128x128_t8x8": 256, "tile_128x128_t8x8_k32": 256}
SHOWN = ["tile_64x64_t4x4", "tile_128x128_t8x8"]
# A slice of an H200 with four SMs, so that a small matrix fills it.
SLICE = ["gpc.count=1", "gpc.sms=[4]", "gpc.cluster_groups=[4]"]
KIB = 1024


def run(s):
    def occupancy(gpu, kernel):
        return json.loads(s.call("occupancy", s.folder / "gemm.ptx.gz", "-k", kernel, "--block", THREADS[kernel], "--gpu", gpu,
                                 "--json"))[0]

    points = [(gpu, kernel) for kernel in THREADS for gpu in GPUS]
    reports = dict(zip(points, s.each(occupancy, points)))
    s.table([{"kernel": k, "gpu": g, "threads": r["block_threads"], "registers": r["registers_per_thread"],
              "shared_bytes": r["shared_static_bytes"], "blocks_per_sm": r["blocks_per_sm"], "warps_per_sm": r["warps_per_sm"],
              "occupancy_percent": r["occupancy_percent"], "limiters": "+".join(r["limiters"]),
              "advice": r["advice"][0] if r["advice"] else ""} for (g, k), r in reports.items()])

    def curve(gpu, kernel, name, scale=1):
        c = next(c for c in reports[gpu, kernel]["curves"] if c["name"] == name)
        return [(p["x"] / scale, p["occupancy_percent"]) for p in c["points"]]

    charts = []
    for kernel in SHOWN:
        registers = sorted({reports[g, kernel]["registers_per_thread"] for g in GPUS})
        charts.append(Chart(f"{kernel} ({'/'.join(map(str, registers))} registers)", "threads a block", "occupancy, %",
                            {g: curve(g, kernel, "block size") for g in GPUS}, step=True, ticks=[32, 256, 512, 768, 1024]))
        charts.append(Chart(f"{kernel}: shared memory", "KiB a block", "occupancy, %",
                            {g: curve(g, kernel, "shared memory", KIB) for g in GPUS}, step=True, ticks=[0, 32, 64, 96, 128, 160, 192, 224]))

    # What it is worth: the same kernels with ever more dynamic shared memory, which nobody uses.
    n = 128 if s.quick else 256
    extra = [0, 24, 48, 64, 96, 160, 200]
    size = {"tile_64x64_t4x4": (64, 64), "tile_32x32_t2x2": (32, 32)}

    def timed(kernel, kib):
        m = s.run({"ptx": "gemm.ptx.gz", "kernel": kernel, "grid": [n // size[kernel][1], 2 * n // size[kernel][0]],
                   "block": [THREADS[kernel]], "dynamic_shared": kib * KIB,
                   "buffers": {"c": {"type": "f32", "count": 2 * n * n}, "a": {"type": "f32", "count": 2 * n * n, "init": "uniform"},
                               "b": {"type": "f32", "count": n * n, "init": "uniform"}},
                   "args": ["c", "a", "b", n]}, "h200", SLICE)
        return {"kernel": kernel, "n": n, "extra_kib": kib, "achieved_warps": m["sm__warps_active.avg.per_cycle_active"],
                "cycles": m["sm__cycles_elapsed.max"]}

    rows = s.each(timed, [(k, kib) for k in size for kib in extra])
    s.table(rows, "cycles.csv")
    charts.append(Chart("four SMs of an H200: what it is worth", "achieved warps an SM", "cycles", {
        k: [(r["achieved_warps"], r["cycles"]) for r in rows if r["kernel"] == k] for k in size}))
    s.drawing(charts)
