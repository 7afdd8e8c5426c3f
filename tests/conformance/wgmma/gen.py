#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the wgmma probe suite (format of tests/conformance; standard library only, deterministic).

    gen.py OUTDIR      writes OUTDIR/{cases.jsonl,cases.tsv,inputs.bin,mNN.ptx}

A case is one kernel of 128 threads. It fills shared memory from a hash (or with each element's own address, or an
identity matrix), runs one or two matrix instructions and stores its accumulators.
See README.md for the names of cases.
"""
import json
import os
import sys

from kernel import A_AT, BITS, B_AT, CASES, PER_MODULE, RANGES, THREADS, accumulators, case

# ---- where the elements of B and A are read from -----------------------------------------------------------------
def map_b8(lbo, sbo, swizzle, start=0, base=0, n=16):
    size = 16384
    k = case(f"map.b.u8.n{n}.sw{swizzle}.lbo{lbo}.sbo{sbo}.start{start}.base{base}", size)
    parts = []
    a = k.one_hot(8)
    for part in (0, 1):
        k.add("bar.sync 0;")
        k.fill_address(size, 8, part)
        k.ready()
        d = k.zero_registers(n // 2)
        k.descriptor("%db", start, lbo, sbo, swizzle, base)
        k.wgmma(f"sync.aligned.m64n{n}k32.s32.u8.u8", d, a, ", %scale")
        parts.append(d)
    for low, high in zip(*parts):
        k.add(f"shl.b32 {high}, {high}, 8;", f"or.b32 {low}, {low}, {high};")
    k.store(parts[0])


def combine_f16(k, parts):
    for low, high in zip(*parts):
        k.add(f"cvt.rzi.u32.f32 {low}, {low};", f"cvt.rzi.u32.f32 {high}, {high};", f"mad.lo.u32 {low}, {high}, 1024, {low};")
    k.store(parts[0])


def map_b16(trans, lbo, sbo, swizzle, start=0, base=0, n=16, size=16384):
    k = case(f"map.b.f16.{'mn' if trans else 'k'}.n{n}.sw{swizzle}.lbo{lbo}.sbo{sbo}.start{start}.base{base}", size)
    parts = []
    a = k.one_hot(16)
    for part in (0, 1):
        k.add("bar.sync 0;")
        k.fill_address(size, 16, part)
        k.ready()
        d = k.zero_registers(n // 2)
        k.descriptor("%db", start, lbo, sbo, swizzle, base)
        k.wgmma(f"sync.aligned.m64n{n}k16.f32.f16.f16", d, a, f", %scale, 1, 1, {trans}")
        parts.append(d)
    combine_f16(k, parts)


def map_a16(trans, lbo, sbo, swizzle, start=0, base=0, size=16384):
    k = case(f"map.a.f16.{'mn' if trans else 'k'}.sw{swizzle}.lbo{lbo}.sbo{sbo}.start{start}.base{base}", size + 512)
    parts = []
    k.fill_identity(size)
    for part in (0, 1):
        k.add("bar.sync 0;")
        k.fill_address(size, 16, part)
        k.ready()
        d = k.zero_registers(8)
        k.descriptor("%da", start, lbo, sbo, swizzle, base)
        k.descriptor("%db", size, 128, 256, "none")
        k.wgmma("sync.aligned.m64n16k16.f32.f16.f16", d, "%da", f", %scale, 1, 1, {trans}, 0")
        parts.append(d)
    combine_f16(k, parts)


ATOM = {"32": 32, "64": 64, "128": 128}


def maps():
    for lbo, sbo in ((128, 256), (1024, 128), (512, 2048)):
        map_b8(lbo, sbo, "none")
    map_b8(128, 256, "none", start=144)
    map_b8(128, 256, "none", base=3)
    for swizzle, atom in ATOM.items():
        eight = 8 * atom
        map_b8(16, eight, swizzle)
        map_b8(512, eight, swizzle)
        map_b8(16, 2 * eight, swizzle)
        map_b8(16, 1040, swizzle)
        for start in (32, 64, 96, 128, 512, 640):
            map_b8(16, eight, swizzle, start=start)
        map_b8(16, eight, swizzle, base=1)
        map_b8(16, eight, swizzle, base=4)
        map_b8(16, eight, swizzle, start=128, base=1)
        map_b8(16, eight, swizzle, start=640, base=5)
        map_b16(0, 16, eight, swizzle, start=32)
        map_b16(1, 2 * eight, eight, swizzle, n=32)
        map_b16(1, 3072, 4096, swizzle, n=32)
        map_b16(1, 2048 if swizzle == "32" else 4096, 1024, swizzle, n=128, size=18432)
        map_b16(1, 2 * eight, eight, swizzle, n=32, start=32)
        map_b16(1, 2 * eight, eight, swizzle, n=32, start=256)
        map_a16(0, 16, eight, swizzle)
        map_a16(0, 16, eight, swizzle, start=32)
        map_a16(1, 2 * eight, eight, swizzle)
        map_a16(1, 3072, 1024, swizzle)
    for lbo, sbo in ((128, 256), (1024, 256), (256, 1024)):
        map_b16(1, lbo, sbo, "none", n=32)
        map_a16(0, lbo, sbo, "none")
        map_a16(1, lbo, sbo, "none")
        map_b16(0, lbo, sbo, "none")


# ---- values -------------------------------------------------------------------------------------------------------
def tail_of(a_type, a_registers, scale_a=1, scale_b=1, trans_a=0, trans_b=0, scale="%scale"):
    if a_type in ("s8", "u8", "b1"):
        return f", {scale}"
    tail = f", {scale}, {scale_a}, {scale_b}"
    if BITS[a_type] == 16:
        tail += f", {trans_b}" if a_registers else f", {trans_a}, {trans_b}"
    return tail


def mnemonic_of(n, d_type, a_type, b_type, saturate=False, sparse=False):
    depth = 256 // BITS[a_type] * (2 if sparse else 1)
    ends = ".and.popc" if a_type == "b1" else ""
    return (f"{'sp.' if sparse else ''}sync.aligned.m64n{n}k{depth}{'.satfinite' if saturate else ''}"
            f".{d_type}.{a_type}.{b_type}{ends}")


def value(d_type, a_type, b_type, values="near", c_values="near", n=8, a_registers=True, fold=False, saturate=False,
          times=1, scale=True, signs=(1, 1), swizzle="none", trans=(0, 0), name=""):
    words = [d_type, a_type, b_type, f"n{n}", values, "c" + c_values, "rs" if a_registers else "ss"]
    words += ["sat"] * saturate + [f"x{times}"] * (times > 1) + ["set"] * (not scale)
    words += [f"scale{signs[0]}{signs[1]}"] * (signs != (1, 1)) + [f"sw{swizzle}"] * (swizzle != "none")
    words += [f"trans{trans[0]}{trans[1]}"] * (trans != (0, 0))
    b_bytes = n * 32 if swizzle == "none" else n * ATOM[swizzle]
    if trans[1]:
        b_bytes = max(b_bytes, 16384)
    k = case("value." + ".".join(words), B_AT + max(b_bytes, 1024))
    if not a_registers:
        k.fill_random(A_AT, B_AT, 1, RANGES[a_type][values])
    k.fill_random(B_AT, b_bytes, 2, RANGES[b_type][values])
    k.ready()
    a = k.random_registers(4, 10, RANGES[a_type][values]) if a_registers else "%da"
    d = k.random_registers(accumulators(n, d_type), 100, RANGES[d_type][c_values])
    if swizzle == "none":
        lbo, sbo = 128, 256
    else:
        lbo, sbo = (2048, 1024) if trans[1] else (16, 8 * ATOM[swizzle])
    k.descriptor("%da", A_AT, lbo, sbo, swizzle)
    k.descriptor("%db", B_AT, lbo, sbo, swizzle)
    if not scale:
        k.add("not.pred %scale, %scale;")
    for _ in range(times):
        k.wgmma(mnemonic_of(n, d_type, a_type, b_type, saturate), d, a,
                tail_of(a_type, a_registers, *signs, *trans))
    (k.store_folded if fold else k.store)(d)


FLOATS = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"),
          ("f32", "e4m3", "e4m3"), ("f16", "e4m3", "e4m3"), ("f32", "e5m2", "e5m2"), ("f16", "e5m2", "e5m2"),
          ("f32", "e4m3", "e5m2"), ("f32", "e5m2", "e4m3")]


def values():
    for types in FLOATS:
        mixed = types[1] != types[2]
        for kind, c_kind in (("near", "near"), ("near", "big"), ("wide", "near"), ("wide", "zero"), ("full", "full"),
                             ("raw", "raw")):
            if mixed and kind in ("raw", "wide"):
                continue
            if types[0] == "f16" and c_kind == "full":
                c_kind = "wide"
            value(*types, kind, c_kind)
        value(*types, "near", "near", times=3, fold=True)
        value(*types, "near", "near", a_registers=False, fold=True)
        value(*types, "near", "raw", scale=False, fold=True)
        value(*types, "near", "near", signs=(-1, 1), fold=True)
        value(*types, "near", "near", signs=(1, -1), fold=True, a_registers=False)
        value(*types, "raw", "near", signs=(-1, -1), fold=True)
    for a in ("s8", "u8"):
        for b in ("s8", "u8"):
            value("s32", a, b, c_values="edge", fold=True)
            value("s32", a, b, c_values="edge", saturate=True, fold=True, a_registers=False)
    value("s32", "s8", "u8", n=16, scale=False, fold=True)
    value("s32", "b1", "b1", fold=True)
    value("s32", "b1", "b1", n=24, fold=True, a_registers=False, c_values="edge")
    for n in range(16, 257, 8):
        value("f32", "f16", "f16", n=n, fold=True, a_registers=n % 16 == 0)
    for n in (24, 128, 256):
        value("f16", "f16", "f16", n=n, fold=True)
        value("f32", "bf16", "bf16", n=n, fold=True)
        value("f32", "tf32", "tf32", n=n, fold=True)
        value("f32", "e4m3", "e4m3", n=n, fold=True)
        value("f16", "e5m2", "e5m2", n=n, fold=True)
        value("s32", "s8", "s8", n=n, fold=True)
        value("s32", "b1", "b1", n=n, fold=True)
    for swizzle in ATOM:
        value("f32", "f16", "f16", n=64, fold=True, swizzle=swizzle, a_registers=False)
        value("f32", "bf16", "bf16", n=128, fold=True, swizzle=swizzle, a_registers=False, trans=(1, 1))
        value("f32", "tf32", "tf32", n=64, fold=True, swizzle=swizzle, a_registers=False)
        value("f32", "e4m3", "e4m3", n=64, fold=True, swizzle=swizzle, a_registers=False)


# ---- sparse A ------------------------------------------------------------------------------------------------------
def metadata(k, a_type):
    """A register of eight valid nibbles: which two of four elements (or, tf32, one of two) are there."""
    to = k.reg()
    nibbles, choices = (0xE4, 2) if a_type == "tf32" else (0xED9C84, 6)
    k.hash("%v", "%me", 50)
    k.add(f"mov.b32 {to}, 0;")
    for i in range(8):
        k.add(f"bfe.u32 %t0, %v, {4 * i}, 4;", f"rem.u32 %t0, %t0, {choices};", "shl.b32 %t0, %t0, 2;",
              f"mov.u32 %t1, 0x{nibbles:X};", "shr.u32 %t1, %t1, %t0;", "and.b32 %t1, %t1, 15;", f"shl.b32 {to}, {to}, 4;",
              f"or.b32 {to}, {to}, %t1;")
    return to


def sparse(d_type, a_type, values="near", n=8, a_registers=True, selector=0, fold=True):
    k = case(f"sparse.{d_type}.{a_type}.n{n}.{values}.{'rs' if a_registers else 'ss'}.sel{selector}", B_AT + max(n * 64, 1024))
    k.fill_random(A_AT, B_AT, 1, RANGES[a_type][values])
    k.fill_random(B_AT, n * 64, 2, RANGES[a_type][values])
    k.ready()
    a = k.random_registers(4, 10, RANGES[a_type][values]) if a_registers else "%da"
    d = k.random_registers(accumulators(n, d_type), 100, RANGES[d_type]["near"])
    m = metadata(k, a_type)
    k.descriptor("%da", A_AT, 128, 256, "none")
    k.descriptor("%db", B_AT, 128, 512, "none")
    k.wgmma(mnemonic_of(n, d_type, a_type, a_type, sparse=True), d, a,
            f", {m}, {selector}" + tail_of(a_type, a_registers))
    (k.store_folded if fold else k.store)(d)


def sparses():
    for d, a in (("f32", "f16"), ("f32", "bf16"), ("f32", "tf32"), ("f32", "e4m3"), ("f16", "e5m2"), ("s32", "s8")):
        sparse(d, a, fold=False)
        sparse(d, a, n=16, a_registers=False)
        if a != "s8":
            sparse(d, a, "wide", fold=False)
        if BITS[a] >= 16:
            sparse(d, a, selector=1)
            sparse(d, a, selector=1, n=16, a_registers=False)
    sparse("f16", "f16", n=64)
    sparse("s32", "u8", n=64)


# ---- mma.sync of the types whose sums were a guess ---------------------------------------------------------------
def warp_mma(d_type, a_type, b_type, depth, values, c_values="near", is_sparse=False):
    head = "mma.sp::ordered_metadata" if is_sparse else "mma"
    k = case(f"{'mma_sp' if is_sparse else 'mma'}.m16n8k{depth}.{d_type}.{a_type}.{b_type}.{values}.c{c_values}", 1024)
    a_words = 16 * depth * BITS[a_type] // 1024 // (2 if is_sparse else 1)
    a = k.random_registers(a_words, 10, RANGES[a_type][values])
    b = k.random_registers(8 * depth * BITS[b_type] // 1024, 30, RANGES[b_type][values])
    d = k.random_registers(2 if d_type == "f16" else 4, 100, RANGES[d_type][c_values])
    extra = ""
    if is_sparse:
        extra = f", {metadata(k, a_type)}, 0"
    lists = ["{" + ", ".join(x) + "}" for x in (d, a, b, d)]
    k.add(f"{head}.sync.aligned.m16n8k{depth}.row.col.{d_type}.{a_type}.{b_type}.{d_type} {', '.join(lists)}{extra};")
    k.store(d)


def warp_mmas():
    for a, b in (("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e4m3", "e5m2"), ("e5m2", "e4m3")):
        warp_mma("f32", a, b, 32, "near")
        if a == b:
            warp_mma("f32", a, b, 32, "wide")
            warp_mma("f32", a, b, 32, "full", "big")
            warp_mma("f16", a, b, 32, "near")
            warp_mma("f32", a, b, 16, "near")
            warp_mma("f16", a, b, 16, "wide")
    for a, depth in (("f16", 16), ("f16", 32), ("bf16", 16), ("bf16", 32), ("tf32", 8), ("tf32", 16), ("e4m3", 64),
                     ("e5m2", 64)):
        warp_mma("f32", a, a, depth, "near", is_sparse=True)
        warp_mma("f32", a, a, depth, "wide", is_sparse=True)
    warp_mma("f16", "f16", "f16", 32, "near", is_sparse=True)


# ---- sparse: where B is read from, layouts, mixes -----------------------------------------------------------------
def map_sp(width, trans, lbo, sbo, swizzle, start=0, base=0, n=16, size=16384):
    """Row m of A holds one element; the metadata puts it into the lower or the upper pair of its group of four."""
    kind = "u8" if width == 8 else "f16"
    k = case(f"map_sp.b.{kind}.{'mn' if trans else 'k'}.n{n}.sw{swizzle}.lbo{lbo}.sbo{sbo}.start{start}.base{base}", size)
    a = k.one_hot(width)
    meta = k.reg()
    all_regs = []
    for pairs in ("0x44444444", "0xEEEEEEEE"):
        k.add(f"mov.b32 {meta}, {pairs};")
        parts = []
        for part in (0, 1):
            k.add("bar.sync 0;")
            k.fill_address(size, width, part)
            k.ready()
            d = k.zero_registers(n // 2)
            k.descriptor("%db", start, lbo, sbo, swizzle, base)
            k.wgmma("sp." + (f"sync.aligned.m64n{n}k64.s32.u8.u8" if width == 8 else f"sync.aligned.m64n{n}k32.f32.f16.f16"), d, a,
                    f", {meta}, 0, %scale" + ("" if width == 8 else f", 1, 1, {trans}"))
            parts.append(d)
        for low, high in zip(*parts):
            if width == 8:
                k.add(f"shl.b32 {high}, {high}, 8;", f"or.b32 {low}, {low}, {high};")
            else:
                k.add(f"cvt.rzi.u32.f32 {low}, {low};", f"cvt.rzi.u32.f32 {high}, {high};", f"mad.lo.u32 {low}, {high}, 1024, {low};")
        all_regs += parts[0]
    k.store(all_regs)


def sparse_layout(d_type, a_type, b_type, swizzle, trans=(0, 0), n=16, a_registers=False, selector=0):
    k = case(f"sparse.{d_type}.{a_type}.{b_type}.n{n}.sw{swizzle}.trans{trans[0]}{trans[1]}.{'rs' if a_registers else 'ss'}.sel{selector}",
             B_AT + 24576)
    k.fill_random(A_AT, B_AT, 1, RANGES[a_type]["near"])
    k.fill_random(B_AT, 24576, 2, RANGES[b_type]["near"])
    k.ready()
    a = k.random_registers(4, 10, RANGES[a_type]["near"]) if a_registers else "%da"
    d = k.random_registers(accumulators(n, d_type), 100, RANGES[d_type]["near"])
    m = metadata(k, a_type)
    eight = 128 if swizzle == "none" else 8 * ATOM[swizzle]
    k.descriptor("%da", A_AT, 2048 if trans[0] else 128, 1024 if trans[0] else max(eight, 256), swizzle)
    k.descriptor("%db", B_AT, 4096, 1024, swizzle)
    k.wgmma(mnemonic_of(n, d_type, a_type, b_type, sparse=True), d, a, f", {m}, {selector}" + tail_of(a_type, a_registers, 1, 1, *trans))
    k.store_folded(d)


def sparse_layouts():
    for lbo, sbo in ((128, 512), (1024, 128), (512, 2048)):
        map_sp(8, 0, lbo, sbo, "none")
        map_sp(16, 0, lbo, sbo, "none")
    for lbo, sbo in ((128, 256), (1024, 256), (256, 1024), (512, 128)):
        map_sp(16, 1, lbo, sbo, "none", n=32)
    for swizzle, atom in ATOM.items():
        eight = 8 * atom
        for width in (8, 16):
            map_sp(width, 0, 16, eight, swizzle)
            map_sp(width, 0, 2048, eight, swizzle)
            map_sp(width, 0, 1040, 4096, swizzle)
            map_sp(width, 0, 2048, eight, swizzle, start=32)
            map_sp(width, 0, 2048, eight, swizzle, start=64)
            map_sp(width, 0, 2048, eight, swizzle, start=128, base=1)
        map_sp(16, 1, 2 * eight, eight, swizzle, n=32)
        map_sp(16, 1, 3072, 4096, swizzle, n=32)
        map_sp(16, 1, 4096, 1024, swizzle, n=64)
        map_sp(16, 1, 2048, 1024, swizzle, n=128, size=18432)
        map_sp(16, 1, 2 * eight, eight, swizzle, n=32, start=32)
        map_sp(16, 1, 2 * eight, eight, swizzle, n=32, start=256)
    for swizzle in ("none", *ATOM):
        for d, t in (("f32", "f16"), ("f32", "bf16"), ("f16", "f16")):
            for trans in ((0, 0), (0, 1), (1, 0), (1, 1)):
                sparse_layout(d, t, t, swizzle, trans, n=32 if t == "f16" else 16)
            sparse_layout(d, t, t, swizzle, (0, 1), n=64, a_registers=True, selector=1)
        for d, a, b in (("f32", "tf32", "tf32"), ("f32", "e4m3", "e5m2"), ("f16", "e5m2", "e4m3"), ("s32", "s8", "u8"), ("s32", "u8", "s8"),
                        ("s32", "u8", "u8")):
            sparse_layout(d, a, b, swizzle)
            sparse_layout(d, a, b, swizzle, n=64, a_registers=True)


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    maps()
    values()
    sparses()
    warp_mmas()
    sparse_layouts()
    assert len({k.id for k in CASES}) == len(CASES), "ids are unique"
    at, modules, lines, table = 0, [], [], []
    for i, k in enumerate(CASES):
        if i == 0 or len(texts) == PER_MODULE:
            texts = [".version 8.7\n.target sm_90a\n.address_size 64\n"]
            modules.append(texts)
        name, module = f"c{i:04d}", f"m{len(modules) - 1:02d}.ptx"
        texts.append(k.text(name, k.smem))
        lines.append(json.dumps({"id": k.id, "group": k.id.split(".")[0], "kernel": name, "module": module, "kind": "warp",
                                 "inputs": ["b64"], "outputs": ["b64"] * k.words, "compare": "bits", "raw": True,
                                 "in_offset": 0, "out_offset": at, "n": THREADS}))
        table.append(f"{name} {module} {THREADS} 1 {k.words} 0 {at}")
        at += k.words * THREADS
    for i, texts in enumerate(modules):
        with open(f"{out}/m{i:02d}.ptx", "w") as f:
            f.write("".join(texts))
    with open(f"{out}/cases.jsonl", "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(f"{out}/cases.tsv", "w") as f:
        f.write("\n".join(table) + "\n")
    with open(f"{out}/inputs.bin", "wb") as f:
        f.write(bytes(8 * THREADS))
    print(len(CASES), "cases,", at, "words")


main()
