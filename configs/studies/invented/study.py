# SPDX-License-Identifier: Apache-2.0
"""An invented GPU beside the H200 that it extends: each change alone, and all of them."""
from studylib import Chart

CHANGES = {
    "twice the L1": ["sm.l1.size=512KiB"],
    "half the DRAM bandwidth": ["dram.bandwidth=2407GB/s"],
    "eight schedulers": ["sm.sub_cores=8"],
    "two-level scheduler": ["sm.scheduler=two_level"],
}
CASES = ["matmul_tiled16_256", "transpose_padded_1k", "spmv_csr", "reread_l1", "vecadd_1m", "softmax_rows", "gather_local", "pipeline_2_w64"]


def run(s):
    cases = CASES[:5] if s.quick else CASES
    machines = {"h200": ("h200", []), **{name: ("h200", sets) for name, sets in CHANGES.items()}, "invented": ("invented", [])}

    def one(case, machine):
        m = s.suite(case, *machines[machine])
        return {"case": case, "machine": machine, "cycles": m["sm__cycles_elapsed.max"],
                "ipc": m["sm__inst_executed.avg.per_cycle_active"], "l1_hit_percent": m["l1tex__t_sector_hit_rate.pct"],
                "dram_bytes": m.get("dram__bytes_read.sum", 0) + m.get("dram__bytes_write.sum", 0)}

    rows = s.each(one, [(c, m) for c in cases for m in machines])
    base = {r["case"]: r["cycles"] for r in rows if r["machine"] == "h200"}
    for r in rows:
        r["speedup"] = round(base[r["case"]] / r["cycles"], 4)
    s.table(rows)
    s.drawing([bars(cases, [m for m in machines if m != "h200"], rows)], columns=1)


def bars(cases, machines, rows):
    """Speed-up over the H200 by case: a line a machine over the cases' numbers."""
    at = {(r["case"], r["machine"]): r["speedup"] for r in rows}
    return Chart("speed over the H200; cases " + ", ".join(f"{i + 1} {c}" for i, c in enumerate(cases)), "case", "times as fast", {
        m: [(i + 1, at[c, m]) for i, c in enumerate(cases)] for m in machines}, from_zero=True)
