# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A Triton kernel on GPUs that are not there
# Tunes a product of matrices on two simulated GPUs by simulated time, checks it against numpy, and shows where time went.
# `python triton_matmul.py [GPU ...]` (needs Triton: scripts/setup --triton)

# %%
import sys

import numpy as np
import triton
import triton.language as tl

import gpuloom.triton as gt


# %%
@triton.autotune(configs=[triton.Config({"BM": m, "BN": n, "BK": 32}, num_warps=w, num_stages=s)
                          for m, n, w, s in ((32, 32, 2, 2), (64, 64, 4, 3), (128, 64, 4, 3))], key=["m", "n", "k"])
@triton.jit
def product(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r, q, ks = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + r[:, None] * k + (start + ks)[None, :])
        y = tl.load(b + (start + ks)[:, None] * n + q[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + r[:, None] * n + q[None, :], total.to(tl.float16))


# %%
m, n, k = 256, 256, 128
for name in sys.argv[1:] or ["h200", "rtx4090"]:
    with gt.use(name, mode="timed") as gpu:
        a, b, c = gt.randn(m, k, dtype="float16"), gt.randn(k, n, dtype="float16", seed=1), gt.empty(m, n, dtype="float16")

        def run() -> None:
            product[lambda meta: (m // meta["BM"], n // meta["BN"])](a, b, c, m, n, k)

        product.cache.clear()  # what was best on another GPU
        run()
        np.testing.assert_allclose(c.numpy(), a.numpy().astype(np.float32) @ b.numpy().astype(np.float32), rtol=1e-2, atol=1e-2)
        for config, times in product.configs_timings.items():
            print(f"{name}: {config.kwargs['BM']:3} x {config.kwargs['BN']} {1e3 * times[0]:7.2f} us")
        print(f"{name}: the best takes {1e3 * triton.testing.do_bench(run):.2f} us, {gpu.last.cycles:.0f} cycles of the SMs")
        lines = gpu.last.lines().groupby("line")[["inst_executed", "stall_cycles"]].sum()
        print(lines.sort_values("stall_cycles", ascending=False).head(4), "\n")
