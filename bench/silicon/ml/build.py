#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile the kernels of this folder to PTX and write cases.json.  Needs no GPU.

  build.py [--only NAMES] [--nvcc PATH]     # a Python that has the triton package; nvcc for the CUDA sources

Triton's part is compiled for cuda:90 (sm_90a) as its JIT would specialise it: pointers and integers divisible by 16
say so, integers equal to 1 become constants. Directories are cut out of the debug information.
"""
import argparse
import gzip
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import spec  # noqa: E402

TMA_TYPES = {"f16": "f16", "bf16": "bf16", "f32": "f32", "u8": "u8", "s8": "u8", "s32": "s32"}
SWIZZLES = ["none", "32B", "64B", "128B"]


def without_directories(ptx):
    """The compilation's directory and the sources' are this machine's: out of .file and of the debug sections."""
    ptx = re.sub(r'(\.file\s+\d+ ")[^"]*/([^"/]+")', r"\1\2", ptx)
    found = re.search(r"((?:^\.b8 \d+ .*// DW_AT_comp_dir\n)(?:\.b8 [1-9]\d*\n)*)(\.b8 0\n)", ptx, re.M)
    if not found:
        return ptx
    removed = found.group(1).count("\n")
    ptx = ptx[: found.start()] + ".b8 46                                  // DW_AT_comp_dir\n" + ptx[found.start(2):]
    return re.sub(r"(\.b32 )(\d+)(\s+// Length of Unit)", lambda m: f"{m[1]}{int(m[2]) - removed + 1}{m[3]}", ptx, count=1)


def write_ptx(name, ptx):
    path = HERE / "ptx" / f"{name}.ptx.gz"
    path.parent.mkdir(exist_ok=True)
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as f:
        f.write(ptx.encode())


def scalar(value, type):
    return {"type": type, "value": value}


class TritonCase:
    """One case of tri/: the signature that the JIT would make, the PTX, and the launch."""

    def __init__(self, c):
        self.c, self.buffers, self.maps = c, {}, {}
        self.signature, self.constants, self.attrs = {}, {}, {}

    def sign(self):
        for i, p in enumerate(self.c.kernel.params):
            value = self.c.args.get(p.name, p.default)
            if p.is_constexpr or value is None or (type(value) is int and value == 1):
                self.signature[p.name], self.constants[(i,)] = "constexpr", value
            else:
                self.signature[p.name] = self.type_of(value)
                if isinstance(value, (spec.Buf, spec.Ref)) or (type(value) is int and value % 16 == 0):
                    self.attrs[(i,)] = [["tt.divisibility", 16]]

    def type_of(self, value):
        if isinstance(value, spec.Ref):
            value = self.c.args[value.name]
        if isinstance(value, spec.Buf):
            return "*" + (value.seen or spec.POINTED[value.type])
        if isinstance(value, spec.Desc):
            of, shape = value.buf.seen or spec.POINTED[value.buf.type], ", ".join(map(str, value.block))
            return f"tensordesc<{of}[{shape}]" + (f",{value.layout!r}>" if value.layout else ">")
        return "fp32" if isinstance(value, float) else "i32"

    def compile(self):
        import triton
        from triton.backends.compiler import GPUTarget
        self.sign()
        source = triton.compiler.ASTSource
        if type(self.c.kernel).__name__ == "GluonJITFunction":
            from triton.experimental.gluon._runtime import GluonASTSource as source
        made = triton.compile(source(self.c.kernel, self.signature, self.constants, self.attrs),
                              target=GPUTarget("cuda", 90, 32), options={"ptx_version": 90, **self.c.options})  # what ptxas 13.0 reads
        return made.asm["ptx"], made.metadata

    def descriptor(self, name, value, meta):
        if isinstance(value.buf, spec.Buf):
            self.buffers[name] = value.buf.json()
        buffer = value.buf.name if isinstance(value.buf, spec.Ref) else name
        type_ = (value.buf if isinstance(value.buf, spec.Buf) else self.c.args[value.buf.name].buf).type
        size = {"f16": 2, "bf16": 2, "f32": 4, "s32": 4}.get(type_, 1)
        strides, packed = [], size
        for extent in reversed(value.shape[1:]):
            packed *= extent
            strides.append(packed)
        block = meta["block_size"] if meta else value.block
        self.maps["map_" + name] = {"buffer": buffer, "type": TMA_TYPES[type_], "dims": value.shape[::-1], "strides": strides,
                                    "box": list(block)[::-1], "swizzle": SWIZZLES[meta["swizzle"]], "l2_promotion": "128B"}
        steps, n = [], 1
        for extent in reversed(value.shape):
            steps.append(n)
            n *= extent
        return ["map_" + name] + [scalar(e, "s32") for e in value.shape] + [scalar(s, "s64") for s in reversed(steps)]

    def arguments(self, metadata):
        args, descs = [], iter(getattr(metadata, "tensordesc_meta", None) or [])
        for name, kind in self.signature.items():
            value = self.c.args.get(name)
            if kind == "constexpr":
                continue
            if isinstance(value, spec.Buf):
                self.buffers[name] = value.json()
                args.append({"buffer": name})
            elif isinstance(value, spec.Ref):
                args.append({"buffer": value.name, "offset": value.offset})
            elif isinstance(value, spec.Desc):
                args += self.descriptor(name, value, next(descs))
            else:
                args.append(scalar(value, "f32" if isinstance(value, float) else "s32"))
        return args

    def launch(self):
        """PTX in self.ptx, and what a launch file says."""
        ptx, metadata = self.compile()
        self.ptx = without_directories(ptx)
        block = int(re.search(r"\.(?:req|max)ntid (\d+)", ptx).group(1))
        ctas = metadata.num_ctas
        grid = [self.c.grid[0] * ctas, *self.c.grid[1:]]
        args = self.arguments(metadata)
        if metadata.global_scratch_size:
            blocks = grid[0] * grid[1] * grid[2]
            self.buffers["global_scratch"] = {"type": "u8", "count": metadata.global_scratch_size * blocks, "init": "zero"}
        args.append({"buffer": "global_scratch"} if metadata.global_scratch_size else scalar(0, "u64"))
        args.append(scalar(0, "u64"))
        return self.c.kernel.__name__, grid, [block, 1, 1], [ctas if ctas > 1 else 0, 0, 0], metadata.shared, args


class CudaCase:
    """One case of cuda/: `kernel` is (source file, name of the extern "C" kernel)."""

    def __init__(self, c):
        self.c, self.buffers, self.maps = c, {}, {}

    def launch(self):
        args = []
        for name, value in self.c.args.items():
            if isinstance(value, spec.Buf):
                self.buffers[name] = value.json()
                if value.seen != "hidden":
                    args.append({"buffer": name})
            elif isinstance(value, spec.Map):
                m = {"buffer": value.buffer, "type": value.type, "dims": value.dims}
                if value.strides:
                    m["strides"] = value.strides
                m.update({"box": value.box, "swizzle": value.swizzle, "l2_promotion": value.l2})
                self.maps[name] = m
                args.append(name)
            elif isinstance(value, dict):
                args.append(value)
            else:
                args.append(scalar(value, "f32" if isinstance(value, float) else "s32"))
        o = self.c.options
        cluster = list(o.get("cluster", ())) + [1] * (3 - len(o["cluster"])) if "cluster" in o else [0, 0, 0]
        block = o["block"] if isinstance(o["block"], tuple) else (o["block"],)
        return self.c.kernel[1], list(self.c.grid), list(block) + [1] * (3 - len(block)), cluster, o.get("shared", 0), args


def write_data():
    """What no generator makes: blocks of quantised weights, scales, structures of a grouped product."""
    import numpy as np
    from cuda.launches import PROBLEM_BYTES
    rng = np.random.default_rng(2026)
    (HERE / "data").mkdir(exist_ok=True)

    def blocks(count, low, high, bytes_each, heads):
        scales = rng.uniform(low, high, (count, heads)).astype(np.float16).view(np.uint8)
        return np.concatenate([scales, rng.integers(0, 256, (count, bytes_each), dtype=np.uint8)], axis=1).reshape(-1)

    files = {"q4": blocks(256 * 64, 0.005, 0.02, 16, 1), "q8": blocks(128 * 64, 0.0005, 0.002, 32, 1),
             "problems": np.frombuffer(PROBLEM_BYTES, np.uint8), "first": np.arange(12, dtype=np.int32) * 32,
             "scales": rng.uniform(1e-4, 1e-3, 768).astype(np.float32)}
    q = rng.integers(-127, 128, (64, 32)).astype(np.int8)
    d = rng.uniform(0.001, 0.01, (64, 1)).astype(np.float32)
    sums = (q.astype(np.float32) * d).sum(1, keepdims=True)
    heads = np.concatenate([d, sums], axis=1).astype(np.float16).view(np.uint8).reshape(64, 4)
    files["q8sum"] = np.concatenate([heads, q.view(np.uint8)], axis=1).reshape(-1)
    for name, data in files.items():
        np.save(HERE / "data" / f"{name}.npy", data)


def cuda_modules(sources, nvcc):
    for source in sources:
        ptx = subprocess.run([nvcc, "-ptx", "-lineinfo", "-O3", "-std=c++17", "-arch=sm_90a", "-o", "-", source],
                             cwd=HERE / "cuda", check=True, capture_output=True, text=True).stdout
        write_ptx(Path(source).stem, without_directories(ptx))


def entry(c, made):
    kernel, grid, block, cluster, shared, args = made.launch()
    if isinstance(made, TritonCase):
        write_ptx(c.name, made.ptx)
    module = c.name if isinstance(made, TritonCase) else Path(c.kernel[0]).stem
    out = {"name": c.name, "module": module, "kernel": kernel, "about": c.about, "grid": grid, "block": block, "cluster": cluster,
           "dynamic_shared": shared, "repeat": 1, "buffers": made.buffers}
    if made.maps:
        out["tensor_maps"] = made.maps
    if "patch" in c.options:
        out["patch"] = c.options["patch"]
    out["args"] = args
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names, with commas: the others stay as they are")
    parser.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    for folder in ("tri", "cuda"):
        for path in sorted((HERE / folder).glob("*.py")):
            importlib.import_module(f"{folder}.{path.stem}")
    path = HERE / "cases.json"
    known = {c["name"]: c for c in json.load(open(path))} if path.exists() else {}
    wanted = [c for c in spec.CASES if not only or c.name in only or c.name not in known]
    write_data()
    cuda_modules(sorted({c.kernel[0] for c in wanted if isinstance(c.kernel, tuple)}), options.nvcc)
    failed = 0
    for c in wanted:
        try:
            known[c.name] = entry(c, CudaCase(c) if isinstance(c.kernel, tuple) else TritonCase(c))
        except Exception as error:
            print(f"{c.name}: {type(error).__name__}: {str(error)[-1500:]}", flush=True)
            failed += 1
    order = [c.name for c in spec.CASES if c.name in known]
    path.write_text("[\n" + ",\n".join(json.dumps(known[name]) for name in order) + "\n]\n")
    print(f"{len(order)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
