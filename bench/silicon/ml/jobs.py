#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cases.json as the launcher reads it: jobs.txt, one cubin a module (ptxas -lineinfo), the data files as raw bytes.

  jobs.py OUT_FOLDER [--suite FOLDER] [--ptxas PATH] [--only NAMES]
"""
import argparse
import ast
import gzip
import json
import struct
import subprocess
from pathlib import Path

FORMATS = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}
# CUtensorMapDataType, in the order of cuda.h.
MAP_TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"]
WIDTHS = {"none": 0, "32B": 1, "64B": 2, "128B": 3}


def npy_data(path):
    """What an .npy file holds behind its header."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    assert not ast.literal_eval(data[10:10 + length].decode())["fortran_order"]
    return data[10 + length:]


def raw_data(path, out):
    (out / (path.stem + ".bin")).write_bytes(npy_data(path))
    return path.stem + ".bin"


def buffer_line(name, b, out, suite):
    init = b.get("init", "none")
    if isinstance(init, dict):
        init = "file:" + raw_data(suite / init["file"], out)
    return f"buffer {name} {b['type']} {b['count']} {init} {b.get('seed', 1)} {b.get('param', 0)} {int(b.get('output', False))}"


def map_line(m, order, buffers):
    dims, kind = m["dims"], m.get("type", buffers[m["buffer"]]["type"])
    strides, packed = [], {"u8": 1, "f16": 2, "bf16": 2, "u16": 2, "u64": 8, "s64": 8, "f64": 8}.get(kind, 4)
    for extent in dims[:-1]:
        packed *= extent
        strides.append(packed)
    numbers = [order[m["buffer"]], m.get("offset", 0), MAP_TYPES.index(kind), len(dims), *dims, *m.get("strides", strides), *m["box"],
               *m.get("element_strides", [1] * len(dims)), 0, WIDTHS[m.get("swizzle", "none")],
               {"none": 0, "64B": 1, "128B": 2, "256B": 3}[m.get("l2_promotion", "none")], 0]
    return "map " + " ".join(map(str, numbers))


def argument_line(a, buffers, maps):
    if isinstance(a, str):
        return f"arg m {maps[a]} 0" if a in maps else f"arg p {buffers[a]} 0"
    if "buffer" in a:
        return f"arg p {buffers[a['buffer']]} {a.get('offset', 0)}"
    return "arg b " + (a["bytes"] if "bytes" in a else struct.pack("<" + FORMATS[a["type"]], a["value"]).hex())


def patch_line(p, buffers, maps):
    into = f"a {p['arg']}" if "arg" in p else f"b {buffers[p['buffer']]}"
    put = f"m {maps[p['tensor_map']]} 0" if "tensor_map" in p else f"p {buffers[p['address_of']]} {p.get('plus', 0)}"
    return f"patch {into} {p['at']} {put}"


def lines(c, out, suite):
    buffers = {name: i for i, name in enumerate(c["buffers"])}
    maps = {name: i for i, name in enumerate(c.get("tensor_maps", {}))}
    yield f"case {c['name']} {c['module']}.cubin {c['kernel']}"
    yield "dims " + " ".join(map(str, c["grid"] + c["block"] + c["cluster"] + [c["dynamic_shared"], int(c.get("cooperative", False))]))
    for name, b in c["buffers"].items():
        yield buffer_line(name, b, out, suite)
    for m in c.get("tensor_maps", {}).values():
        yield map_line(m, buffers, c["buffers"])
    for a in c["args"]:
        yield argument_line(a, buffers, maps)
    for p in c.get("patch", []):
        yield patch_line(p, buffers, maps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--suite", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    suite = options.suite
    options.out.mkdir(parents=True, exist_ok=True)
    only = set(filter(None, options.only.split(",")))
    cases = [c for c in json.load(open(suite / "cases.json")) if not only or c["name"] in only]
    for module in sorted({c["module"] for c in cases}):
        packed, cubin = suite / "ptx" / f"{module}.ptx.gz", options.out / f"{module}.cubin"
        if cubin.exists() and cubin.stat().st_mtime > packed.stat().st_mtime:
            continue
        ptx = options.out / f"{module}.ptx"
        ptx.write_bytes(gzip.open(packed).read())
        made = subprocess.run([options.ptxas, "-arch=sm_90a", "-lineinfo", "-O3", "-o", cubin, ptx], capture_output=True, text=True)
        ptx.unlink()
        if made.returncode != 0:
            print(f"{module}: {made.stderr[-600:]}", flush=True)
    (options.out / "jobs.txt").write_text("\n".join(line for c in cases for line in lines(c, options.out, suite)) + "\n")
    (options.out / "cases.json").write_text(json.dumps(cases))
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
