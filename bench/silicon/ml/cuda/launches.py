# SPDX-License-Identifier: Apache-2.0
"""What the CUDA kernels are launched with."""
from spec import Buf, Map, case, ints, out, pos, rnd


def hidden(buffer):
    """No argument of its own: a tensor map or a structure points to it."""
    buffer.seen = "hidden"
    return buffer


def ampere(name, grid, kind, m, n, k, c, stage, block, more=(), tail=(), k_bytes=2, **options):
    a, b = (ints(kind, m * k, 112 if kind == "u8" else 256, 1), ints(kind, n * k, 112 if kind == "u8" else 256, 2)) if kind in ("u8", "s8") else \
        (rnd(kind, m * k, 1), rnd(kind, n * k, 2))
    case(name, ("ampere.cu", name.split("-")[0]), grid, dict(a=a, b=b, c=c, **dict(more), m=m, n=n, k=k, **dict(tail)), f"{m} x {n} x {k}", block=block,
         shared=stage, **options)


ampere("ampere_f16", (9, 8), "f16", 1000, 1112, 512, out("f16", 1000 * 1112), 3 * 256 * 64, 128)
ampere("ampere_bf16_epilogue", (8, 12), "bf16", 750, 1024, 512, out("bf16", 750 * 1024), 4 * 192 * 128, 128,
       more=dict(bias=rnd("bf16", 1024, 3), residual=rnd("bf16", 750 * 1024, 4), alpha=0.25).items())
ampere("ampere_s8", (8, 8), "s8", 1024, 1024, 1024, out("s32", 1024 * 1024), 4 * 256 * 64, 256)
ampere("ampere_s8_requantised", (12, 10), "s8", 640, 768, 512, out("s8", 640 * 768), 3 * 128 * 128, 128, more=dict(scale=Buf("f32", 768, "file:scales")).items())
ampere("ampere_tf32", (8, 8), "f32", 512, 512, 256, out("f32", 512 * 512), 3 * 128 * 128, 128)
ampere("ampere_e4m3", (8, 8), "u8", 512, 1024, 512, out("bf16", 512 * 1024), 4 * 192 * 64, 128, more=dict(alpha=0.001).items())
ampere("ampere_stream_k", 132, "f16", 640, 704, 1024, out("f16", 640 * 704), 4 * 128 * 64, 128, more=dict(workspace=Buf("f32", 132 * 4096), flags=Buf("u32", 132)).items())
ampere("ampere_split_serial", (4, 8, 4), "bf16", 512, 256, 2048, out("f32", 512 * 256), 3 * 128 * 64, 128, more=dict(turn=Buf("s32", 32)).items(), tail=dict(parts=4).items())

case("ampere_batched", ("ampere.cu", "ampere_batched"), (3, 3, 16), dict(a=rnd("f16", 16 * 176 * 128, 1), b=rnd("f16", 16 * 160 * 128, 2), c=out("f16", 16 * 176 * 160),
     m=176, n=160, k=128), "16 products of 176 x 160 x 128", block=128, shared=3 * 128 * 64)
case("ampere_conv3x3", ("ampere.cu", "ampere_conv3x3"), (2, 49), dict(x=rnd("f16", 56 * 56 * 64, 1), w=rnd("f16", 128 * 576, 2), y=out("f16", 56 * 56 * 128), height=56, width=56,
     channels=64, filters=128), "56 x 56 pixels, 64 to 128 channels", block=128, shared=3 * 128 * 64)
case("ampere_simt", ("ampere.cu", "ampere_simt"), (8, 8), dict(a=rnd("f32", 512 * 256, 1), b=rnd("f32", 256 * 512, 2), c=out("f32", 512 * 512), m=512, n=512, k=256),
     "512 x 512 x 256 without tensor cores", block=256)
case("ampere_attention", ("ampere.cu", "ampere_attention"), (8, 8), dict(q=rnd("f16", 8 * 512 * 64, 1), k=rnd("f16", 8 * 512 * 64, 2), v=rnd("f16", 8 * 512 * 64, 3),
     o=out("f16", 8 * 512 * 64), seq=512, scale=0.125 * 1.44269504), "8 heads of 512 tokens, 64 wide", block=128, shared=5 * 8192)


def hopper(name, grid, kind, m, n, k, args, shared, block, rows=64, cols=128, result=None, **options):
    element = {"f16": 2, "bf16": 2, "f32": 4}.get(kind, 1)
    make = (lambda c, s: ints(kind, c, 112 if kind == "u8" else 256, s)) if element == 1 else (lambda c, s: rnd(kind, c, s))
    a, b = hidden(make(m * k, 1)), hidden(make(n * k, 2))
    of = "u8" if element == 1 else kind
    given = {"a": a, "b": b, "map_a": Map("a", of, [k, m], [128 // element, rows], "128B", [k * element], "128B"),
             "map_b": Map("b", of, [k, n], [128 // element, cols], "128B", [k * element], "128B")}
    case(name, ("hopper.cu", name), grid, {**given, **args}, f"{m} x {n} x {k}", block=block, shared=shared, **options)


def ring(rows, cols, stages):
    return (rows + cols) * 128 * stages + 1024


def half(count, type="f16"):
    return out(type, count)


def mapped(count, type, m, n):
    return dict(c=hidden(out(type, count)), map_c=Map("c", type, [n, m], [64, 64], "128B", [n * 2], "128B"))


hopper("hopper_plain", (8, 8), "f16", 512, 1024, 512, dict(c=half(512 * 1024), n=1024, steps=8), ring(64, 128, 4), 128)
hopper("hopper_specialised", (8, 16), "f16", 1024, 1024, 512, dict(c=half(1024 * 1024), n=1024, steps=8), ring(64, 128, 5), 256)
hopper("hopper_cooperative", 40, "bf16", 1280, 2048, 512, dict(**mapped(1280 * 2048, "bf16", 1280, 2048), tiles_m=10, tiles_n=8, steps=8), ring(128, 256, 3) + 65536, 384, rows=128, cols=256)
hopper("hopper_pingpong", 66, "f16", 1280, 1408, 384, dict(**mapped(1280 * 1408, "f16", 1280, 1408), tiles_m=20, tiles_n=11, steps=6), ring(64, 128, 6) + 32768, 384)
hopper("hopper_multicast", (16, 8), "f16", 1024, 1024, 512, dict(c=half(1024 * 1024), n=1024, steps=8), ring(64, 128, 4), 256, cols=64, cluster=(2,))
hopper("hopper_e4m3", (8, 8), "u8", 1024, 1024, 1024, dict(c=half(1024 * 1024, "bf16"), scales=pos("f32", 64, 3), n=1024, steps=8), ring(128, 128, 4), 384, rows=128)
hopper("hopper_s8", (8, 8), "s8", 1024, 1024, 1024, dict(c=half(1024 * 1024, "s32"), n=1024, steps=8), ring(128, 128, 4), 384, rows=128)
hopper("hopper_tf32", (4, 12), "f32", 768, 512, 256, dict(c=half(768 * 512, "f32"), n=512, steps=8), ring(64, 128, 4), 256)
hopper("hopper_stream_k", 66, "f16", 768, 1408, 512, dict(c=half(768 * 1408), workspace=Buf("f32", 66 * 16384), flags=Buf("u32", 67), tiles_m=6, tiles_n=11, steps=8), ring(128, 128, 4), 384, rows=128)
hopper("hopper_cluster_split", (32, 6), "f16", 384, 512, 1024, dict(c=half(384 * 512, "f32"), n=512, steps=4), ring(64, 64, 3) + 49152, 128, cols=64, cluster=(4,))
hopper("hopper_bulk_rows", (8, 12), "f16", 768, 1024, 384, dict(c=half(768 * 1024), bias=rnd("f32", 1024, 3), n=1024, steps=6), ring(64, 128, 4) + 64 * 272, 256)
hopper("hopper_bulk_reduce", (4, 8, 4), "s8", 512, 512, 2048, dict(c=half(512 * 512, "s32"), n=512, steps=4), ring(64, 128, 4) + 64 * 528, 256)

case("hopper_mixed", ("hopper.cu", "hopper_mixed"), (8, 8), dict(a=ints("s8", 512 * 512, 256, 1), b=hidden(rnd("f16", 1024 * 512, 2)), map_b=Map("b", "f16", [512, 1024], [64, 128], "128B", [1024], "128B"),
     c=out("f16", 512 * 1024), scale=pos("f32", 512, 3), n=1024, k=512), "bytes from registers times halves", block=128, shared=ring(0, 128, 4))
rows = 6 * 768
tokens = {name: hidden(rnd("f16", rows * 64, i + 1)) for i, name in enumerate("qkv")}
case("hopper_attention", ("hopper.cu", "hopper_attention"), (6, 6), dict(**tokens, **{"map_" + name: Map(name, "f16", [64, rows], [64, 128], "128B", [128], "128B") for name in "qkv"},
     o=out("f16", rows * 64), seq=768, scale=0.125 * 1.44269504), "6 heads of 768 tokens, 64 wide", block=384, shared=5 * 16384 + 1024)
case("hopper_bulk_stream", ("hopper.cu", "hopper_bulk_stream"), 132, dict(x=rnd("f32", 1000 * 1024, 1), y=out("f32", 1000 * 1024), factor=1.5, chunks=1000), "4 KiB a copy",
     block=160, shared=6 * 4096 + 1024)

PROBLEMS = [(200, 256, 256), (64, 512, 128), (448, 192, 320), (130, 330, 192), (320, 320, 256)]


def grouped():
    """Structures with pointers: where the launch file can put addresses into a buffer."""
    import struct
    data, patch, first = b"", [], 0
    at = {"a": 0, "b": 0, "c": 0}
    for m, n, k in PROBLEMS:
        for i, (name, size) in enumerate((("a", m * k), ("b", n * k), ("c", m * n))):
            patch.append({"buffer": "problems", "at": len(data) + i * 8, "address_of": name, "plus": at[name] * 2})
            at[name] += (size + 63) // 64 * 64
        data += struct.pack("<QQQiiii", 0, 0, 0, m, n, k, first)
        first += -(-m // 64) * -(-n // 64)
    return data, patch, first, at


PROBLEM_BYTES, patch, tiles, sizes = grouped()
case("ampere_grouped", ("ampere.cu", "ampere_grouped"), 60, dict(a=hidden(rnd("f16", sizes["a"], 1)), b=hidden(rnd("f16", sizes["b"], 2)), c=hidden(out("f16", sizes["c"])),
     problems=Buf("u8", len(PROBLEM_BYTES), "file:problems"), count=len(PROBLEMS), tiles=tiles), "five problems of different sizes, told by structures", block=128, shared=3 * 128 * 64,
     patch=patch)


def language(name, grid, args, block, about="", shared=0, **options):
    case("lm_" + name, ("language.cu", name), grid, args, about, block=block, shared=shared, **options)


language("quantise_q8", 1000, dict(x=rnd("f32", 255968, 1), y=out("u8", 255968 // 32 * 36), count=255968), 256)
language("matvec_q4", 256, dict(w=Buf("u8", 256 * 64 * 18, "file:q4"), x=Buf("u8", 64 * 36, "file:q8sum"), y=out("f32", 256), cols=2048, rows=256), 128)
language("matvec_q8", 64, dict(w=Buf("u8", 128 * 64 * 34, "file:q8"), x=Buf("u8", 64 * 36, "file:q8sum"), y=out("f32", 127), cols=2048, rows=127), 64)
language("matvec_f16", 600, dict(w=rnd("f16", 600 * 4096, 1), x=rnd("f32", 4096, 2), y=out("f32", 600), pairs=2048), 256)
language("rows_q8", (300, 4), dict(table=Buf("u8", 128 * 64 * 34, "file:q8"), ids=ints("s32", 300, 128, 1), y=out("f32", 300 * 2048), cols=2048), 256)
language("rms_norm_mul", 300, dict(x=rnd("f32", 300 * 4096, 1), w=pos("f32", 4096, 2), y=out("f32", 300 * 4096), cols=4096, eps=1e-5), 512)
language("fused_add_rms_norm", 264, dict(x=out("bf16", 264 * 4096, "uniform", 1), residual=out("bf16", 264 * 4096, "uniform", 2), w=pos("bf16", 4096, 3), cols=4096, eps=1e-6), 256, shared=16384)
language("rope_powers", (3000, 1), dict(x=rnd("f32", 3000 * 128, 1), y=out("f32", 3000 * 128), positions=ints("s32", 375, 4000, 2), width=128, heads=8, base_log2=13.287712, scale=1.0), 64)
language("softmax_masked", 256, dict(x=rnd("f32", 256 * 1500, 1), mask=rnd("f16", 64 * 1500, 2), y=out("f32", 256 * 1500), cols=1500, rows=64, scale=0.125, m0=0.7), 256, shared=6000)
language("route_warps", 250, dict(logits=rnd("f32", 1000 * 128, 1), weights=out("f32", 8000), ids=out("s32", 8000), tokens=1000, top=8), 128)
language("argsort_rows", 30, dict(x=rnd("f32", 30 * 900, 1), y=out("s32", 30 * 900), cols=900, padded=1024), 512, shared=4096)
language("image_columns", (36, 32), dict(x=rnd("f32", 32 * 64 * 64, 1), y=out("f16", 32 * 1024 * 9), height=64, width=64, out_width=32, outputs=1024, taps=3, stride=2, padding=1, channels=32), 256)
language("merge_states", (128, 2), dict(v=rnd("f16", 128 * 6 * 16 * 128, 1), s=rnd("f32", 128 * 6 * 16, 2), o=out("f16", 128 * 16 * 128), lse=out("f32", 128 * 16), parts=6, heads=16), (16, 8))
language("append_pages", 512, dict(k=rnd("f16", 500 * 1024, 1), v=rnd("f16", 500 * 1024, 2), keys=out("f16", 1024 * 1024), values=out("f16", 1024 * 1024), slots=Buf("s32", 1024, "perm", 3), row=128,
         tokens=500), 128)
language("silu_and_mul", 200, dict(x=rnd("f16", 200 * 2 * 5632, 1), y=out("f16", 200 * 5632), width=5632), 256)
language("sample_rows", 132, dict(p=pos("f32", 132 * 8192, 1), uniform=pos("f32", 132, 2), out=out("s32", 132), cols=8192), 256)
language("decode_vector", 64, dict(q=rnd("f32", 64 * 64, 1), k=rnd("f16", 16 * 600 * 64, 2), v=rnd("f16", 16 * 600 * 64, 3), o=out("f32", 64 * 64), length=600, heads_per_key=4, scale=0.125), 128, shared=2400)
PAGES = ("keys", "values", "table", "first", "lengths")
language("decode_pages", (12, 16), dict(keys=hidden(rnd("f16", 160 * 16 * 4 * 128, 1)), values=hidden(rnd("f16", 160 * 16 * 4 * 128, 2)), table=hidden(ints("s32", 12 * 32, 160, 3)), first=hidden(Buf("s32", 12, "file:first")),
         lengths=hidden(ints("s32", 12, 500, 5)), pages={"bytes": "00" * 40 + "100000000400000080000000" + "00" * 4}, q=rnd("f16", 12 * 16 * 128, 6), o=out("f16", 12 * 16 * 128), lse=out("f32", 12 * 16), group=4,
         scale=0.12752), 128, patch=[{"arg": 0, "at": 8 * i, "address_of": name} for i, name in enumerate(PAGES)])
