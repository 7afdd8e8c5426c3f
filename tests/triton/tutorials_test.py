#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels of tutorials.py with the Triton at hand, runs them on gpuloom without and with time, compares with numpy.

  tutorials_test.py GPULOOM      # exit code 77: Triton or numpy is not here, nothing was tested
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "bench/silicon/ml")]
try:
    import numpy as np
    import triton  # noqa: F401
except ImportError as error:
    installed = ROOT / "build/triton/bin/python"  # by scripts/setup --triton
    if installed.exists() and Path(sys.prefix) != installed.parents[1]:
        os.execv(installed, [str(installed), *sys.argv])
    print(f"skipped: {error.name} is not installed here, so there is nothing that makes the PTX of these kernels")
    sys.exit(77)
import build
import spec
from cases import Out, cases

NAMES = {"float16": "f16", "float32": "f32", "int32": "s32"}


def described(name, array, folder, save):
    (folder / "data").mkdir(exist_ok=True)
    np.save(folder / "data" / f"{name}.npy", np.ascontiguousarray(array))
    buffer = spec.Buf(NAMES[str(array.dtype)], array.size, f"file:{name}")
    return buffer, (str(folder / f"{name}.out.npy") if save else None)


def launch(gpuloom, kernel, grid, args, options, mode):
    """Runs one launch; the arrays of the outputs as the kernel leaves them."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, saved, given = Path(scratch), {}, {}
        for name, value in args.items():
            array = value.array if isinstance(value, Out) else value
            given[name] = value
            if isinstance(array, np.ndarray):
                given[name], saved[name] = described(name, array, folder, isinstance(value, Out))
        grid = (*grid, 1, 1)[:3]
        made = build.TritonCase(spec.Case(kernel.__name__, kernel, grid, given, "", options))
        entry, grid, block, cluster, shared, arguments = made.launch()
        (folder / "kernel.ptx").write_text(made.ptx)
        for name, path in saved.items():
            if path:
                made.buffers[name]["save"] = path
        text = {"ptx": "kernel.ptx", "config": "h200", "buffers": made.buffers, "launches": [
            {"kernel": entry, "grid": grid, "block": block, "cluster": cluster, "dynamic_shared": shared, "args": arguments}]}
        (folder / "launch.yaml").write_text(json.dumps(text))
        done = subprocess.run([gpuloom, "run", str(folder / "launch.yaml"), "--quiet", *mode], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"gpuloom ended with {done.returncode}: {done.stderr[-1500:]}")
        return {name: np.load(path).reshape(args[name].array.shape) for name, path in saved.items() if path}


def main():
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache  # what an earlier run left in HOME is not tested, and HOME may not be written
        return failures(sys.argv[1]) != 0


def failures(gpuloom):
    failed = 0
    for name, kernel, grid, args, options, expected, tolerance in cases():
        for mode in (["--functional"], ["-j", "1"]):
            try:
                got = launch(gpuloom, kernel, grid, args, options, mode)
                for output, want in expected.items():
                    np.testing.assert_allclose(got[output].astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance, err_msg=output)
                print(f"ok      {name} ({'without' if mode[0] == '--functional' else 'with'} time)", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"FAILED  {name} ({' '.join(mode)}): {error}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
