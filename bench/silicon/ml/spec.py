# SPDX-License-Identifier: Apache-2.0
"""How the kernels of this set say what they are launched with: buffers, descriptors and cases."""
from dataclasses import dataclass, field
from typing import Any

CASES = []
POINTED = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64", "u8": "u8", "s8": "i8", "s16": "i16", "s32": "i32", "s64": "i64"}


@dataclass
class Buf:
    """A device buffer and the pointer to it; `seen` is the Triton type where the suite's types have none (fp8), or "hidden":
    no argument of its own."""
    type: str
    count: int
    init: Any = "zero"
    seed: int = 0
    param: int = 0
    out: bool = False
    seen: str = ""

    def json(self):
        init = {"file": f"data/{self.init[5:]}.npy"} if self.init.startswith("file:") else self.init
        out = {"type": self.type, "count": self.count, "init": init}
        if self.seed:
            out["seed"] = self.seed
        if self.param:
            out["param"] = self.param
        if self.out:
            out["output"] = True
        return out


@dataclass
class Ref:
    """Another argument's buffer, from an element on."""
    name: str
    offset: int = 0


@dataclass
class Desc:
    """A tensor descriptor made on the host: shape and block outermost first, as Triton has them."""
    buf: Any
    shape: list
    block: list
    layout: Any = None


@dataclass
class Map:
    """A tensor map for a CUDA kernel: innermost first, as cuTensorMapEncodeTiled has it."""
    buffer: str
    type: str
    dims: list
    box: list
    swizzle: str = "none"
    strides: list = field(default_factory=list)
    l2: str = "none"


@dataclass
class Case:
    name: str
    kernel: Any
    grid: tuple
    args: dict
    about: str
    options: dict


def case(name, kernel, grid, args, about="", **options):
    grid = (grid,) if isinstance(grid, int) else tuple(grid)
    CASES.append(Case(name, kernel, grid + (1,) * (3 - len(grid)), args, about, options))


def rnd(type, count, seed):
    return Buf(type, count, "uniform", seed)


def pos(type, count, seed):
    return Buf(type, count, "positive", seed)


def ints(type, count, below, seed):
    return Buf(type, count, "range", seed, below)


def out(type, count, init="zero", seed=0, param=0):
    return Buf(type, count, init, seed, param, True)
