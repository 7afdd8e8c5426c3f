# SPDX-License-Identifier: Apache-2.0
"""A persisting L2 window: hit ratio against the size of the data and the part of L2 set aside (sliding-window experiment)."""
from studylib import Chart

KIB = 1024
# Two SMs with an L2 of 256 KiB, of which 160 KiB can be set aside: the proportions of a GPU, in small.
GPU = "test/tiny"
STREAMED = 1024 * KIB
L2, SET_ASIDE = 256 * KIB, 128 * KIB


def run(s):
    sizes = [32, 64, 128, 256] if s.quick else [16, 32, 64, 128, 256, 512]
    rounds = 2 if s.quick else 4

    def one(kib, ratio, aside):
        size = kib * KIB
        launch = {"ptx": "window.ptx.gz", "kernel": "sliding", "grid": [8], "block": [256],
                  "buffers": {"out": {"type": "f32", "count": 2048}, "p": {"type": "f32", "count": size // 4, "init": "uniform"},
                              "s": {"type": "f32", "count": STREAMED // 4, "init": "uniform"}},
                  "args": ["out", "p", "s", size // 16 - 1, STREAMED // 16, rounds]}
        if ratio is not None:
            launch["l2_window"] = {"buffer": "p", "bytes": size, "hit_ratio": ratio, "hit_prop": "persisting",
                                   "miss_prop": "streaming", "set_aside": aside}
        m = s.run(launch, GPU, ["dram.bandwidth=48GB/s"])  # so that it is what limits
        return {"persistent_kib": kib, "hit_ratio": "" if ratio is None else ratio, "set_aside_kib": aside // KIB,
                "cycles": m["sm__cycles_elapsed.max"], "l2_hit_percent": m["lts__t_sector_hit_rate.pct"],
                "dram_read_bytes": m["dram__bytes_read.sum"]}

    modes = {"no window": lambda kib: None, "hit ratio 1": lambda kib: 1.0,
             "hit ratio = set-aside / size": lambda kib: min(1.0, SET_ASIDE / (kib * KIB))}
    rows = s.each(one, [(kib, mode(kib), SET_ASIDE) for mode in modes.values() for kib in sizes])
    by_mode = {name: rows[i * len(sizes):(i + 1) * len(sizes)] for i, name in enumerate(modes)}
    asides = [32, 64, 96, 128, 160]
    ratios = [0.25, 0.5, 0.75, 1.0]
    size = 128
    grid = s.each(one, [(size, r, a * KIB) for r in ratios for a in asides])
    s.table(rows + grid)
    s.drawing([
        Chart(f"set aside {SET_ASIDE // KIB} KiB of {L2 // KIB}: cycles", "KiB of persistent data", "cycles",
              {n: [(r["persistent_kib"], r["cycles"]) for r in found] for n, found in by_mode.items()}, log_x=True),
        Chart("L2 hit rate", "KiB of persistent data", "%",
              {n: [(r["persistent_kib"], r["l2_hit_percent"]) for r in found] for n, found in by_mode.items()}, log_x=True),
        Chart(f"{size} KiB of data: L2 hit rate", "KiB set aside", "%",
              {f"hit ratio {q:g}": [(r["set_aside_kib"], r["l2_hit_percent"]) for r in grid if r["hit_ratio"] == q] for q in ratios})])
