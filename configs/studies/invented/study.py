# SPDX-License-Identifier: Apache-2.0
"""An invented GPU beside the H200 that it extends: each change alone, and all of them."""
CHANGES = {
    "twice the L1": ["sm.l1.size=512KiB"],
    "half the DRAM bandwidth": ["dram.bandwidth=2407GB/s"],
    "eight schedulers": ["sm.sub_cores=8"],
    "two-level scheduler": ["sm.scheduler=two_level"],
}
CASES = ["matmul_tiled16_256", "transpose_padded_1k", "spmv_csr", "reread_256k", "vecadd_1m", "softmax_rows", "gather_local", "pipeline_2_w64"]

# Every block reads the same 256 KiB three times: as much as an H200 has for L1 and shared memory, with nothing left for the rest.
REREAD = {"ptx": "../../../bench/silicon/ptx/memory.ptx.gz", "kernel": "reread", "grid": [16], "block": [1024],
          "buffers": {"out": {"type": "f32", "count": 16384}, "hot": {"type": "f32", "count": 65536, "init": "uniform"}},
          "args": ["out", "hot", 65536, 3]}


def run(s):
    cases = CASES[:5] if s.quick else CASES
    machines = {"h200": ("h200", []), **{name: ("h200", sets) for name, sets in CHANGES.items()}, "invented": ("invented", [])}

    def one(case, machine):
        config, sets = machines[machine]
        m = s.run(REREAD, config, sets) if case == "reread_256k" else s.suite(case, config, sets)
        return {"case": case, "machine": machine, "cycles": m["sm__cycles_elapsed.max"],
                "ipc": m["sm__inst_executed.avg.per_cycle_active"], "l1_hit_percent": m["l1tex__t_sector_hit_rate.pct"],
                "dram_bytes": m.get("dram__bytes_read.sum", 0) + m.get("dram__bytes_write.sum", 0)}

    rows = s.each(one, [(c, m) for c in cases for m in machines])
    base = {r["case"]: r["cycles"] for r in rows if r["machine"] == "h200"}
    for r in rows:
        r["speedup"] = round(base[r["case"]] / r["cycles"], 4)
    s.table(rows)
    at = {(r["case"], r["machine"]): r["speedup"] for r in rows}
    s.bars("speed over the H200", "times as fast", cases, {m: [at[c, m] for c in cases] for m in machines if m != "h200"}, line=1)

