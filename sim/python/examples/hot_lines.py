# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Where a kernel's time goes, and what half the bandwidth would do to it
# Runs a launch file on two machines, in two processes, and shows the lines with the most stalls and the comparison.
# `python hot_lines.py [launch.yaml]`

# %%
import multiprocessing
import pathlib
import sys

import gpuloom

here = pathlib.Path(__file__).resolve().parent
launch = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[1] / "examples" / "vecadd.yaml"


def run(config: gpuloom.Config) -> gpuloom.Run:
    return gpuloom.run_file(launch, config)


if __name__ == "__main__":
    stock = gpuloom.Config("h200")
    half = stock.override({"dram.bandwidth": "2.4TB/s"})
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        before, after = pool.map(run, [stock, half])

    # %%
    lines = before[0].lines()
    by_line = lines.groupby(["file", "line"])[["inst_executed", "stall_cycles"]].sum()
    print(by_line.sort_values("stall_cycles", ascending=False).head(10))

    # %%
    print(gpuloom.compare(before, after, names=["stock", "half the bandwidth"], threshold=5))
