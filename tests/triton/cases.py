# SPDX-License-Identifier: Apache-2.0
"""What the kernels of tutorials.py are launched with, and what numpy says of their outputs: for launch files (tutorials_test.py) and for
gpuloom.triton (tests/python/test_triton.py)."""
import math

import numpy as np
import tutorials as t

RNG = np.random.default_rng(7)


class Out:
    """An array that the kernel writes, as it is before."""

    def __init__(self, shape, dtype):
        self.array = np.zeros(shape, dtype)


def uniform(shape, dtype=np.float32):
    return RNG.uniform(-1, 1, shape).astype(dtype)


def philox(seed, count):
    """Philox 4 x 32 with ten rounds, first word: what tl.rand makes uniform numbers of."""
    c = [np.arange(count, dtype=np.uint64), *(np.zeros(count, np.uint64) for _ in range(3))]
    k0, k1, low = seed & 0xFFFFFFFF, seed >> 32, np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), b & low, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), a & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    x = c[0].astype(np.uint32).astype(np.int32)
    x = np.where(x < 0, -x - 1, x)
    return x.astype(np.float32) * np.float32(4.6566127342e-10)


def cases():
    """(name, kernel, grid, arguments, options, what the outputs should be, tolerance)"""
    x, y = uniform(3000), uniform(3000)
    yield "a vector sum", t.vector_sum, (3,), dict(x=x, y=y, z=Out(3000, np.float32), n=3000, BLOCK=1024), {}, {"z": x + y}, 0

    x = uniform((40, 300))
    e = np.exp(x - x.max(1, keepdims=True))
    yield "a softmax of every row", t.softmax, (16,), dict(y=Out((40, 300), np.float32), x=x, rows=40, cols=300, BLOCK=512, STAGES=2), {}, {
        "y": e / e.sum(1, keepdims=True)}, 1e-5

    for tile, warps, stages in (((64, 64, 32), 4, 3), ((128, 64, 64), 4, 2), ((32, 32, 32), 2, 1)):
        a, b = uniform((150, 200), np.float16), uniform((200, 136), np.float16)
        c = a.astype(np.float32) @ b.astype(np.float32)
        blocks = math.ceil(150 / tile[0]) * math.ceil(136 / tile[1])
        yield f"a product with leaky relu by tiles of {tile[0]} x {tile[1]}", t.product, (blocks,), dict(
            a=a, b=b, c=Out((150, 136), np.float16), m=150, n=136, k=200, BM=tile[0], BN=tile[1], BK=tile[2], BAND=2, LEAKY=True), dict(
                num_warps=warps, num_stages=stages), {"c": np.where(c >= 0, c, 0.01 * c)}, 2e-3

    x = uniform(2000)
    yield "dropout by a seed", t.dropout, (2,), dict(x=x, y=Out(2000, np.float32), n=2000, p=0.4, seed=123, BLOCK=1024), {}, {
        "y": np.where(philox(123, 2000) > np.float32(0.4), x / np.float32(0.6), 0)}, 1e-6

    x, w, b, dy = uniform((24, 200)), uniform(200), uniform(200), uniform((24, 200))
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
    hat = (x - mean[:, None]) * rstd[:, None]
    yield "layer norm", t.layer_norm, (24,), dict(y=Out((24, 200), np.float32), x=x, w=w, b=b, mean=Out(24, np.float32), rstd=Out(24, np.float32), cols=200,
                                                  eps=1e-5, BLOCK=256), {}, {"y": hat * w + b, "mean": mean, "rstd": rstd}, 1e-4
    wg = dy * w
    dx = (wg - hat * (hat * wg).mean(1, keepdims=True) - wg.mean(1, keepdims=True)) * rstd[:, None]
    groups = [np.arange(24) % 4 == g for g in range(4)]
    yield "layer norm's gradients behind locks", t.layer_norm_back, (24,), dict(
        dx=Out((24, 200), np.float32), dy=dy, dw=Out((4, 200), np.float32), db=Out((4, 200), np.float32), x=x, w=w, mean=mean.astype(np.float32),
        rstd=rstd.astype(np.float32), lock=np.zeros(4, np.int32), cols=200, GROUPS=4, BLOCK=256), {}, {
            "dx": dx, "dw": np.stack([(dy * hat)[g].sum(0) for g in groups]), "db": np.stack([dy[g].sum(0) for g in groups])}, 1e-4

    for causal in (False, True):
        q, k, v = (uniform((2, 128, 64), np.float16) for _ in range(3))
        s = np.einsum("hmd,hnd->hmn", q.astype(np.float32), k.astype(np.float32)) * 0.125
        s = np.where(np.tril(np.ones((128, 128), bool)), s, -np.inf) if causal else s
        p = np.exp(s - s.max(2, keepdims=True))
        o = np.einsum("hmn,hnd->hmd", p / p.sum(2, keepdims=True), v.astype(np.float32))
        yield f"attention{', causal' if causal else ''}", t.attention, (2, 2), dict(q=q, k=k, v=v, o=Out((2, 128, 64), np.float16), seq=128, scale=0.125,
                                                                                     CAUSAL=causal, BM=64, BN=32, D=64), dict(num_stages=2), {"o": o}, 2e-3

    sizes = np.array([70, 5, 64], np.int32)
    a, b = uniform((139, 64), np.float16), uniform((3, 64, 128), np.float16)
    group = np.repeat(np.arange(3), sizes)
    c = np.einsum("rk,rkn->rn", a.astype(np.float32), b.astype(np.float32)[group])
    yield "products by groups", t.grouped, (3,), dict(a=a, b=b, c=Out((139, 128), np.float16), sizes=sizes, k=64, n=128, GROUPS=3, BM=32, BN=64, BK=32), {}, {
        "c": c}, 2e-3
