# SPDX-License-Identifier: Apache-2.0
"""Bank conflicts of three tiles against the padding of their rows, the bank count, and the generation."""
from studylib import Chart

GPUS = ["t4", "a100-80g", "h200"]
BANKS = [16, 32, 64]
N = 256
# kernel: row length in words without padding, block, grid, rows in shared memory
TILES = {
    "transpose": (32, [32, 8], [N // 32, N // 32], 32),
    "reduce_rows": (32, [256], [N * N // 8192], 256),
    "stencil": (10, [8, 32], [N // 8, N // 32], 34),
}
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"


def run(s):
    pads = [0, 1, 2, 4, 6, 8] if s.quick else [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 14, 16]
    points = [(gpu, banks, kernel, pad) for kernel in TILES for gpu in GPUS for banks in BANKS for pad in pads
              if gpu == "h200" or banks == 32]

    def one(gpu, banks, kernel, pad):
        words, block, grid, rows = TILES[kernel]
        m = s.run({"ptx": "tiles.ptx.gz", "kernel": kernel, "grid": grid, "block": block,
                   "dynamic_shared": rows * (words + pad) * 4,
                   "buffers": {"out": {"type": "f32", "count": N * N}, "in": {"type": "f32", "count": N * N, "init": "uniform"}},
                   "args": ["out", "in", N, words + pad]}, gpu, [f"sm.shared.banks={banks}"])
        blocks = grid[0] * (grid[1] if len(grid) > 1 else 1)
        return {"gpu": gpu, "banks": banks, "kernel": kernel, "padding": pad, "conflicts_per_block": m[CONFLICTS] / blocks,
                "cycles": m["sm__cycles_elapsed.max"]}

    rows = s.each(one, points)
    s.table(rows)
    charts = []
    for kernel in TILES:
        charts.append(Chart(f"{kernel}: bank conflicts", "words of padding a row", "conflicts a block", {
            f"h200, {b} banks": [(r["padding"], r["conflicts_per_block"]) for r in rows
                                 if r["kernel"] == kernel and r["gpu"] == "h200" and r["banks"] == b] for b in BANKS}))
    for kernel in TILES:
        charts.append(Chart(f"{kernel}: cycles, 32 banks", "words of padding a row", "cycles", {
            gpu: [(r["padding"], r["cycles"]) for r in rows
                  if r["kernel"] == kernel and r["gpu"] == gpu and r["banks"] == 32] for gpu in GPUS}))
    s.drawing(charts)
