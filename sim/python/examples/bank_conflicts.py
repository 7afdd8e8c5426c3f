# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Bank conflicts of a transpose against the padding of its tile
# A 32x32 tile of floats is written by rows and read by columns. Without padding all 32 lanes of a warp read one bank.
# Run the cells in an editor that knows `# %%`, or the whole file: `python bank_conflicts.py [-o plot.png]`.

# %%
import pathlib
import sys

import numpy as np

import gpuloom

here = pathlib.Path(__file__).resolve().parent
ptx = here.parents[2] / "configs" / "studies" / "bank_padding" / "tiles.ptx.gz"
n = 64

# %% [markdown]
# ## Count conflicts without time: one analysis a padding


# %%
def conflicts(padding: int, banks: int = 32) -> int:
    source = np.arange(n * n, dtype=np.float32).reshape(n, n)
    out = np.zeros_like(source)
    pitch = 32 + padding
    result = gpuloom.analyze(ptx, (n // 32, n // 32), (32, 8), [out, gpuloom.In(source), n, pitch],
                             config=gpuloom.Config("h200", {"sm.shared.banks": banks}), name="transpose",
                             dynamic_shared=32 * pitch * 4)
    assert (out == source.T).all()
    return result.total("ld", "shared").conflicts


paddings = list(range(0, 9))
counts = {banks: [conflicts(p, banks) for p in paddings] for banks in (16, 32, 64)}
for banks, row in counts.items():
    print(f"{banks} banks:", row)

# %% [markdown]
# ## What it costs: the same with time


# %%
def cycles(padding: int) -> float:
    source = np.arange(n * n, dtype=np.float32)
    return gpuloom.run(ptx, (n // 32, n // 32), (32, 8), [np.zeros_like(source), source, n, 32 + padding],
                       name="transpose", dynamic_shared=32 * (32 + padding) * 4).cycles


print("cycles without and with one word of padding:", cycles(0), cycles(1))

# %% [markdown]
# ## Plot

# %%
try:
    import matplotlib
except ImportError:
    print("no matplotlib, no plot")
else:
    if len(sys.argv) > 1:
        matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for banks, row in counts.items():
        axes.plot(paddings, row, marker="o", label=f"{banks} banks")
    axes.set(xlabel="words of padding a row", ylabel="bank conflicts of the loads", title="32x32 transpose tile")
    axes.legend()
    figure.tight_layout()
    if len(sys.argv) > 2 and sys.argv[1] == "-o":
        figure.savefig(sys.argv[2], dpi=120)
    else:
        pyplot.show()
