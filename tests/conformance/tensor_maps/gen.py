#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes kernels.ptx and cases.txt: what probe.cpp runs on a GPU and tensor_map_silicon_test.cpp in gpuloom.

One case a line, key=value. kernel=none only encodes the map. The fields are those of cuTensorMapEncodeTiled and
cuTensorMapEncodeIm2col; base is the offset of the tensor in its buffer of `bytes`, pat how that is filled, dump the
bytes of shared memory that a load copies out, tx what its mbarrier expects, soff where in shared memory the box is.
"""
import itertools
import random

random.seed(20261120)

# ---------------------------------------------------------------- kernels

PARAMS = """(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 in, .param .u64 extra, .param .u32 dump,
    .param .u32 tx, .param .u32 soff, .param .u32 c0, .param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4,
    .param .u32 o0, .param .u32 o1, .param .u32 o2)"""
HEAD = """{
  .shared .align 1024 .b8 data[32768];
  .shared .align 8 .b64 bar;
  .reg .pred %p<8>;
  .reg .b32 %r<32>, %c<5>;
  .reg .b16 %h<4>;
  .reg .b64 %d<16>;
  mov.u32 %r0, %tid.x;
  ld.param.u64 %d0, [out];
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [extra];
  ld.param.u32 %r1, [dump];
  ld.param.u32 %r2, [tx];
  ld.param.u32 %r3, [soff];
  ld.param.u32 %c0, [c0];
  ld.param.u32 %c1, [c1];
  ld.param.u32 %c2, [c2];
  ld.param.u32 %c3, [c3];
  ld.param.u32 %c4, [c4];
  ld.param.u32 %r4, [o0];
  ld.param.u32 %r5, [o1];
  ld.param.u32 %r6, [o2];
  cvt.u16.u32 %h0, %r4;
  cvt.u16.u32 %h1, %r5;
  cvt.u16.u32 %h2, %r6;
  mov.u64 %d3, map;
  cvta.param.u64 %d3, %d3;
  mov.u32 %r7, data;
  add.u32 %r8, %r7, %r3;
  mov.u32 %r9, bar;
  mov.u32 %r20, 0;
  setp.eq.u32 %p0, %r0, 0;
  shl.b32 %r10, %r0, 2;
"""


def fill(value):
    """All of the dump, from the buffer `in` or with a constant."""
    load = "" if value is not None else "  cvt.u64.u32 %d5, %r11;\n  add.u64 %d5, %d5, %d1;\n  ld.global.u32 %r13, [%d5];\n"
    const = f"  mov.u32 %r13, {value};\n" if value is not None else ""
    return (const + "  mov.u32 %r11, %r10;\nFILL:\n  setp.ge.u32 %p1, %r11, %r1;\n  @%p1 bra FILLED;\n" + load +
            "  add.u32 %r12, %r7, %r11;\n  st.shared.u32 [%r12], %r13;\n  add.u32 %r11, %r11, 512;\n  bra FILL;\nFILLED:\n"
            "  fence.proxy.async;\n  bar.sync 0;\n")


INIT = """  @!%p0 bra INITED;
  mbarrier.init.shared::cta.b64 [%r9], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d6, [%r9], %r2;
INITED:
"""
WAIT = """WAIT:
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r9], 0;
  @%p2 bra DONE;
  nanosleep.u32 200;
  add.u32 %r20, %r20, 1;
  setp.lt.u32 %p3, %r20, 5000;
  @%p3 bra WAIT;
DONE:
  bar.sync 0;
  mov.u32 %r11, %r10;
DUMP:
  setp.ge.u32 %p1, %r11, %r1;
  @%p1 bra DUMPED;
  add.u32 %r12, %r7, %r11;
  ld.shared.u32 %r13, [%r12];
  cvt.u64.u32 %d5, %r11;
  add.u64 %d5, %d5, %d0;
  st.global.u32 [%d5], %r13;
  add.u32 %r11, %r11, 512;
  bra DUMP;
DUMPED:
  setp.lt.u32 %p3, %r20, 5000;
  @%p3 bra END;
  @!%p0 bra END;
  cvt.u64.u32 %d5, %r1;
  add.u64 %d5, %d5, %d0;
  st.global.u32 [%d5], 1;
  ld.shared.u64 %d6, [%r9];
  st.global.u64 [%d5+8], %d6;
END:
  ret;
}
"""
SEND = """  @!%p0 bra SENT;
  {inst}
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
SENT:
  ret;
}}
"""
MBAR = ".mbarrier::complete_tx::bytes"


def coords(n):
    return "{" + ", ".join(f"%c{i}" for i in range(n)) + "}"


def entry(name, body, directives=""):
    return f".visible .entry {name}{PARAMS}{directives}\n{HEAD}{body}\n"


def load(name, inst, before=""):
    return entry(name, before + fill("0xeeeeeeee") + INIT + "  @!%p0 bra ISSUED;\n  " + inst + "\nISSUED:\n  bar.sync 0;\n" + WAIT)


def store(name, inst):
    return entry(name, fill(None) + SEND.format(inst=inst))


REPLACE = {  # kernel suffix: instruction; %c3 and extra give values
    "address": "tensormap.replace.tile.global_address.global.b1024.b64 [%d7], %d2;",
    "rank": "tensormap.replace.tile.rank.global.b1024.b32 [%d7], %c3;",
    "box0": "tensormap.replace.tile.box_dim.global.b1024.b32 [%d7], 0, %c3;",
    "box1": "tensormap.replace.tile.box_dim.global.b1024.b32 [%d7], 1, %c3;",
    "dim0": "tensormap.replace.tile.global_dim.global.b1024.b32 [%d7], 0, %c3;",
    "dim1": "tensormap.replace.tile.global_dim.global.b1024.b32 [%d7], 1, %c3;",
    "stride0": "tensormap.replace.tile.global_stride.global.b1024.b64 [%d7], 0, %d2;",
    "estride1": "tensormap.replace.tile.element_stride.global.b1024.b32 [%d7], 1, %c3;",
    "type_u8": "tensormap.replace.tile.elemtype.global.b1024.b32 [%d7], 0;",
    "type_u32": "tensormap.replace.tile.elemtype.global.b1024.b32 [%d7], 2;",
    **{f"type_{k}": f"tensormap.replace.tile.elemtype.global.b1024.b32 [%d7], {k};" for k in range(3, 13)},
    "swizzle0": "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d7], 0;",
    "swizzle1": "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d7], 1;",
    "swizzle2": "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d7], 2;",
    "swizzle3": "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d7], 3;",
    "fill1": "tensormap.replace.tile.fill_mode.global.b1024.b32 [%d7], 1;",
}


def kernels():
    out = ["// Written by gen.py\n.version 8.3\n.target sm_90a\n.address_size 64\n\n"]
    for n in range(1, 6):
        out.append(load(f"load_{n}d", f"cp.async.bulk.tensor.{n}d.shared::cluster.global.tile{MBAR} [%r8], [%d3, {coords(n)}], [%r9];"))
        out.append(store(f"store_{n}d", f"cp.async.bulk.tensor.{n}d.global.shared::cta.tile.bulk_group [%d3, {coords(n)}], [%r8];"))
    for n in range(3, 6):
        offs = "{" + ", ".join(f"%h{i}" for i in range(n - 2)) + "}"
        out.append(load(f"im2col_{n}d", f"cp.async.bulk.tensor.{n}d.shared::cluster.global.im2col{MBAR} [%r8], [%d3, {coords(n)}], [%r9], {offs};"))
        out.append(store(f"im2col_store_{n}d", f"cp.async.bulk.tensor.{n}d.global.shared::cta.im2col_no_offs.bulk_group [%d3, {coords(n)}], [%r8];"))
        out.append(store(f"im2col_red_add_{n}d", f"cp.reduce.async.bulk.tensor.{n}d.global.shared::cta.add.im2col_no_offs.bulk_group [%d3, {coords(n)}], [%r8];"))
    for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        out.append(store(f"red_{op}", f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [%d3, {coords(2)}], [%r8];"))
    out.append(entry("prefetch_2d", f"  @%p0 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d3, {coords(2)}];\n" + fill("0xeeeeeeee") +
                     "  mov.u32 %r20, 0;\n" + WAIT.replace("  @%p2 bra DONE;", "  bra DONE;").replace(
                         "  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n", "")))
    # Rank 0 of a cluster of two sends; o0 is the mask. A block that receives nothing waits for nothing.
    out.append(entry("multicast_2d", """  mov.u32 %r21, %cluster_ctarank;
  cvt.u64.u32 %d8, %r21;
  mul.wide.u32 %d9, %r21, %r1;
  add.u64 %d0, %d0, %d9;
  shr.u32 %r22, %r4, %r21;
  and.b32 %r22, %r22, 1;
  setp.eq.u32 %p5, %r22, 0;
  @%p5 mov.u32 %r2, 0;
""" + fill("0xeeeeeeee") + INIT + f"""  bar.sync 0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.ne.u32 %p6, %r21, 0;
  @!%p0 bra ISSUED;
  @%p6 bra ISSUED;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile{MBAR}.multicast::cluster [%r8], [%d3, {coords(2)}], [%r9], %h0;
ISSUED:
  bar.sync 0;
""" + WAIT.replace("END:\n", "END:\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"), "\n.reqnctapercluster 2, 1, 1"))
    # The map is copied to `in`, changed there, and used from there.
    for name, inst in REPLACE.items():
        before = f"""  setp.ge.u32 %p1, %r0, 32;
  @%p1 bra COPIED;
  cvt.u64.u32 %d5, %r10;
  add.u64 %d6, %d3, %d5;
  ld.u32 %r13, [%d6];
  add.u64 %d6, %d1, %d5;
  st.global.u32 [%d6], %r13;
  fence.acq_rel.gpu;
COPIED:
  bar.sync 0;
  @!%p0 bra CHANGED;
  mov.u64 %d7, %d1;
  {inst}
  fence.proxy.tensormap::generic.release.gpu;
CHANGED:
  bar.sync 0;
  mov.u64 %d3, %d1;
  fence.proxy.tensormap::generic.acquire.gpu [%d3], 128;
"""
        out.append(load(f"replace_{name}", f"cp.async.bulk.tensor.2d.shared::cluster.global.tile{MBAR} [%r8], [%d3, {coords(2)}], [%r9];", before))
    # The same through shared memory and tensormap.cp_fenceproxy.
    before = """  setp.ge.u32 %p1, %r0, 32;
  @%p1 bra COPIED;
  cvt.u64.u32 %d5, %r10;
  add.u64 %d6, %d3, %d5;
  ld.u32 %r13, [%d6];
  add.u32 %r14, %r7, %r10;
  st.shared.u32 [%r14], %r13;
  bar.warp.sync 0xffffffff;
  @%p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r7], %d2;
  bar.warp.sync 0xffffffff;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r7], 128;
COPIED:
  bar.sync 0;
  mov.u64 %d3, %d1;
  fence.proxy.tensormap::generic.acquire.gpu [%d3], 128;
"""
    out.append(load("replace_shared", f"cp.async.bulk.tensor.2d.shared::cluster.global.tile{MBAR} [%r8], [%d3, {coords(2)}], [%r9];", before))
    return "".join(out)


# ---------------------------------------------------------------- cases

SIZE = dict(u8=1, u16=2, u32=4, s32=4, u64=8, s64=8, f16=2, f32=4, f64=8, bf16=2, f32_ftz=4, tf32=4, tf32_ftz=4)
cases = []


def align(x, a):
    return (x + a - 1) // a * a


def case(kernel, type="u16", dims=(64, 8), box=(32, 4), at=(0, 0), **k):
    rank, size = len(dims), SIZE[type]
    inter = k.get("inter", "none")
    pad = k.get("pad", 0)
    strides = k.get("strides")
    if strides is None:
        strides, s = [], align(dims[0] * size, 16) + pad
        for d in dims[1:]:
            strides.append(s)
            s = align(s * d, 16) + pad
    estr = k.get("estr", (1,) * rank)
    im2col = "channels" in k
    unit = dict(none=size).get(inter) or int(inter[:-1])
    if im2col:
        tx = (k["channels"] if inter == "none" else 1) * k["pixels"] * unit
    else:
        tx = unit
        for i, (b, e) in enumerate(zip(box, estr)):
            if inter == "none" or i != rank - 2:  # one slice of channels
                tx *= b if i == 0 and inter == "none" else -(-b // max(e, 1))
    tx = k.get("tx", tx)
    span = (strides[-1] * dims[-1] if strides else dims[0] * size)
    base = k.get("base", 1024)
    c = dict(kernel=kernel, mode="im2col" if im2col else "tiled", type=type, dims=dims, strides=strides or (0,), box=box, estr=estr,
             inter=inter, swz=k.get("swz", "none"), oob=k.get("oob", "zero"), base=base,
             bytes=k.get("bytes", align(base + span + 1024, 1024)), pat=k.get("pat", "iota"), at=at, offs=k.get("offs", (0, 0, 0)),
             dump=k.get("dump", min(32768, align(k.get("soff", 0) + max(tx, 16) * k.get("roomy", 1), 256) + 256)),
             tx=tx, soff=k.get("soff", 0), extra=k.get("extra", 0), l2=k.get("l2", 0))
    if im2col:
        c.update(lower=k.get("lower", (0,) * (rank - 2)), upper=k.get("upper", (0,) * (rank - 2)), channels=k["channels"], pixels=k["pixels"])
    cases.append(c)


def tiled():
    shapes = [(64,), (32, 5), (16, 5, 4), (16, 4, 3, 3), (16, 3, 3, 2, 3)]
    for dims in shapes:
        n = len(dims)
        box = tuple([16 if n > 2 else 32] + [min(3, d) for d in dims[1:]])
        for type in ("u16", "u32"):
            b = (box[0] // (SIZE[type] // 2),) + box[1:]
            case(f"load_{n}d", type, dims, b, (0,) * n, pad=32)
            case(f"store_{n}d", type, dims, b, (0,) * n, pad=32)
            for axis in range(n):
                for start in ((-8, 8) if axis == 0 else (-1, dims[axis] - 1)):
                    at = tuple(start if i == axis else 0 for i in range(n))
                    case(f"load_{n}d", type, dims, b, at)
                    if type == "u16" or axis < 2:
                        case(f"store_{n}d", type, dims, b, at)
            case(f"load_{n}d", type, dims, b, tuple([-16] + [-1] * (n - 1)))
            case(f"load_{n}d", type, dims, b, (1000 * 8,) + (0,) * (n - 1))
            case(f"store_{n}d", type, dims, b, (-1000 * 8,) + (0,) * (n - 1))
    for type in SIZE:  # element types; the innermost extent is not a whole number of 16-byte units
        per = 16 // SIZE[type]
        case("load_2d", type, (per * 3 + 1, 5), (per * 4, 3), (0, 3))
        case("load_2d", type, (per * 3 + 1, 5), (per * 4, 3), (-per, -1), oob="nan" if "f" in type else "zero")
        case("store_2d", type, (per * 3 + 1, 5), (per * 4, 3), (per, 3))
        case("load_2d", type, (per * 4, 5), (per * 4, 4), (0, 1), pat="special")
        case("store_2d", type, (per * 4, 5), (per * 4, 4), (0, 1), pat="special")
    case("load_2d", "u16", (64, 8), (32, 4), (0, 0), oob="nan")
    for type, xs in dict(u8=(1, 8, 15, -1, -8, 24), u16=(1, 4, 7, -1, -3), u32=(1, 2, 3, -2), u64=(1, -1), f32=(1, 2, -3)).items():
        for x in xs:
            case("load_2d", type, (64, 8), (32, 4), (x, 1))
    for x in (1, 4, -3):
        case("store_2d", "u16", (64, 8), (32, 4), (x, 1))
        case("load_1d", "u16", (64,), (32,), (x,))
        case("load_2d", "u16", (64, 8), (32, 4), (x, 1), swz="64B")
    case("load_3d", "u16", (64, 4, 4), (32, 2, 2), (1, 1, 1))
    for soff in (16, 64, 128, 384, 1040):  # destination alignment
        case("load_2d", "u16", (64, 8), (32, 4), (0, 0), soff=soff)
        case("store_2d", "u16", (64, 8), (32, 4), (0, 0), soff=soff)


def swizzles():
    for swz, span in (("32B", 32), ("64B", 64), ("128B", 128)):
        for type in ("u8", "u16", "u32"):
            for width in (16, 32, 64, 128):
                if width > span:
                    continue
                case("load_2d", type, (256, 32), (width // SIZE[type], 20), (0, 1), swz=swz, roomy=span // width)
        for soff in (128, 256, 384, 512, 640, 896):
            case("load_2d", "u16", (64, 32), (span // 2, 16), (0, 0), swz=swz, soff=soff)
            case("store_2d", "u16", (64, 32), (span // 2, 16), (0, 0), swz=swz, soff=soff)
        case("load_2d", "u16", (64, 32), (span // 2, 16), (-8, -3), swz=swz)
        case("store_2d", "u16", (64, 32), (span // 2, 16), (-8, -3), swz=swz)
        case("load_3d", "u16", (64, 8, 8), (span // 2, 3, 5), (0, 6, 2), swz=swz)
        case("load_1d", "u16", (256,), (span // 2,), (0,), swz=swz)
        case("store_2d", "u16", (64, 32), (8, 16), (0, 0), swz=swz, roomy=span // 16)
        case("load_3d", "u16", (64, 8, 8), (8, 3, 5), (0, 6, 2), swz=swz, roomy=span // 16)


def steps():
    for e in (2, 3, 8):
        case("load_2d", "u16", (64, 32), (16, 12), (0, 1), estr=(1, e))
        case("load_2d", "u16", (64, 32), (16, 13), (8, -5), estr=(1, e))
        case("load_2d", "u16", (64, 32), (16, 12), (0, 25), estr=(1, e))
        case("store_2d", "u16", (64, 32), (16, 12), (0, 1), estr=(1, e))
        case("store_2d", "u16", (64, 32), (16, 13), (8, -5), estr=(1, e))
        case("load_2d", "u16", (64, 32), (32, 12), (0, 1), estr=(e, 1))
        case("load_3d", "u16", (64, 8, 8), (16, 5, 7), (0, 1, -1), estr=(1, 2, e))
        case("load_2d", "u16", (64, 32), (32, 12), (0, 1), estr=(1, e), swz="64B")


def interleaves():
    for inter, unit in (("16B", 16), ("32B", 32)):
        swzs = ("none",) if inter == "16B" else ("none", "32B")
        for type in ("u8", "u16", "u32"):
            per = unit // SIZE[type]
            for swz in swzs:
                k = dict(inter=inter, swz=swz, bytes=65536, dump=4096)
                # dims (w, c, n): a row of units, slices of channels, images
                case("load_3d", type, (per, 6, 4), (per, 3, 2), (0, 1, 1), strides=(unit * 8, unit * 64), **k)
                case("load_3d", type, (per * 3, 6, 4), (per, 3, 2), (0, 1, 1), strides=(unit * 8, unit * 64), **k)
        per = unit // 2
        k = dict(inter=inter, swz=swzs[-1], bytes=131072, dump=8192)
        case("load_3d", "u16", (5, 6, 4), (2, 3, 2), (1, 1, 1), strides=(unit * 8, unit * 64), **k)
        case("load_3d", "u16", (5, 6, 4), (2, 3, 2), (0, -1, 3), strides=(unit * 8, unit * 64), **k)
        case("load_3d", "u16", (5, 6, 4), (3, 4, 2), (3, 4, 0), strides=(unit * 8, unit * 64), **k)
        case("load_3d", "u16", (4, 6, 4), (4, 1, 1), (0, 0, 0), strides=(unit * 8, unit * 64), **k)
        case("load_4d", "u16", (3, 5, 4, 3), (2, 3, 2, 2), (0, 1, 1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("load_5d", "u16", (3, 4, 3, 2, 2), (2, 3, 2, 2, 1), (0, 1, 1, 0, 1), strides=(unit * 8, unit * 32, unit * 128, unit * 512), **k)
        case("load_4d", "u16", (per * 2, 5, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("load_5d", "u16", (per * 2, 4, 3, 2, 2), (per, 3, 2, 2, 1), (0, 1, 1, 0, 1), strides=(unit * 8, unit * 32, unit * 128, unit * 512), **k)
        case("load_4d", "u16", (per * 2, 5, 4, 3), (per * 2, 3, 2, 2), (-per, -1, -1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("store_4d", "u16", (per * 2, 5, 4, 3), (per * 2, 3, 2, 2), (-per, -1, -1, 1), strides=(unit * 8, unit * 64, unit * 256), **k)
        case("store_3d", "u16", (5, 6, 4), (2, 3, 2), (1, 1, 1), strides=(unit * 8, unit * 64), **k)
        case("load_4d", "u16", (per * 2, 5, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), strides=(unit * 8, unit * 64, unit * 256), estr=(1, 2, 1, 1), **k)
        case("im2col_4d", "u16", (per * 2, 6, 5, 3), (1,) * 4, (0, 0, 0, 0), strides=(unit * 8, unit * 64, unit * 512), channels=per, pixels=12,
             **k)
        case("im2col_4d", "u16", (4, 6, 5, 3), (1,) * 4, (1, 0, 0, 0), strides=(unit * 8, unit * 64, unit * 512), channels=per, pixels=12, **k)
        case("im2col_store_4d", "u16", (per * 2, 6, 5, 3), (1,) * 4, (0, 0, 0, 0), strides=(unit * 8, unit * 64, unit * 512), channels=per,
             pixels=12, **k)


def im2col():
    for dims in ((16, 9, 3), (16, 7, 5, 3), (16, 5, 4, 3, 3)):
        n, sp = len(dims), len(dims) - 2
        for lower, upper, offs, estr, pixels, at in (
                (0, 0, (0, 0, 0), 1, 20, 0), (-1, -1, (0, 0, 0), 1, 20, -1), (-1, -1, (1, 2, 1), 1, 20, -1), (-1, 1, (0, 1, 0), 1, 40, 0),
                (-2, -2, (4, 3, 2), 1, 64, 1), (0, 0, (0, 0, 0), 2, 20, 0), (-1, -1, (2, 0, 1), 2, 16, -1), (0, -2, (1, 1, 1), 3, 8, 0),
                (-1, 2, (0, 0, 0), 1, 128, -1), (0, -2, (2, 2, 2), 1, 8, 2)):
            for kernel in (f"im2col_{n}d", f"im2col_store_{n}d"):
                if "store" in kernel and any(offs):
                    continue
                start = (0,) + (at,) * sp + (1 if pixels < 30 else 0,)
                case(kernel, "u16", dims, (1,) * n, start, lower=(lower,) * sp, upper=(upper,) * sp, offs=offs,
                     estr=(1,) + (estr,) * sp + (1,), channels=8, pixels=pixels)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (8,) + (0,) * sp + (2,), channels=16, pixels=70)
        case(f"im2col_{n}d", "f32", dims, (1,) * n, (-4,) + (0,) * sp + (0,), lower=(-1,) * sp, upper=(-1,) * sp, channels=8, pixels=30, oob="nan")
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0,) * n, channels=16, pixels=33, swz="32B", soff=256)
        case(f"im2col_{n}d", "u16", (64,) + dims[1:], (1,) * n, (0,) * n, channels=64, pixels=20, swz="128B", lower=(-1,) * sp, upper=(0,) * sp, offs=(1, 1, 1))
        case(f"im2col_{n}d", "u16", (64,) + dims[1:], (1,) * n, (0,) * n, channels=8, pixels=20, swz="128B", roomy=8)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0, 1) + (0,) * (sp - 1) + (2,), lower=tuple(-i for i in range(sp)),
             upper=tuple(i - 1 for i in range(sp)), channels=8, pixels=100, estr=(1,) + (2, 1, 3)[:sp] + (1,))
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0, 100) + (0,) * (sp - 1) + (0,), channels=8, pixels=20)  # start beyond the box
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0, -3) + (0,) * (sp - 1) + (0,), channels=8, pixels=20)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0,) + (0,) * sp + (-1,), channels=8, pixels=100)
        case(f"im2col_{n}d", "u16", dims, (1,) * n, (0,) + (0,) * sp + (0,), channels=8, pixels=10, estr=(1,) * (n - 1) + (2,))
        case(f"im2col_store_{n}d", "u16", (21,) + dims[1:], (1,) * n, (8,) + (0,) * (n - 1), channels=16, pixels=20)
        case(f"im2col_red_add_{n}d", "u32", (13,) + dims[1:], (1,) * n, (8,) + (0,) * (n - 1), channels=8, pixels=20)
        case(f"im2col_red_add_{n}d", "u32", dims, (1,) * n, (0,) * n, channels=8, pixels=20, lower=(-1,) * sp)


def reductions():
    for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        for type in ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "f32_ftz", "tf32"):
            per = 16 // SIZE[type]
            pat = "number" if "f" in type else "special"
            case(f"red_{op}", type, (per * 3, 9), (per * 2, 6), (per, 1), pat=pat)
    for type in ("f16", "bf16", "f32", "f32_ftz", "f64"):
        case("red_add", type, (32, 9), (16, 6), (0, 1), pat="special")
        case("red_min", type, (32, 9), (16, 6), (0, 1), pat="special")
        case("red_max", type, (32, 9), (16, 6), (0, 1), pat="special")
    # Rows of the tensor that end inside of 16 bytes: what lies behind them.
    for type in ("u32", "u64", "f32", "f16"):
        per = 16 // SIZE[type]
        case("red_add", type, (per * 3 + 1, 9), (per * 2, 6), (per * 2, 1), pat="number" if "f" in type else "iota")
    case("red_max", "s32", (13, 9), (8, 6), (8, 1), pat="special")
    case("red_xor", "u32", (14, 9), (8, 6), (8, 1), pat="special")
    for type in ("f64", "f32", "f32_ftz", "tf32", "f16", "bf16"):
        for row in range(6):
            case("red_add", type, (128 // SIZE[type], 64), (128 // SIZE[type], 8), (0, row * 8), pat="special")
    case("red_add", "u32", (32, 9), (16, 6), (-4, -2), swz="64B")
    case("red_add", "u32", (32, 9), (16, 6), (24, 5), estr=(1, 2))


def others():
    case("prefetch_2d")
    case("prefetch_2d", at=(-8, 100))
    for mask in (1, 2, 3):
        case("multicast_2d", offs=(mask, 0, 0))
        case("multicast_2d", offs=(mask, 0, 0), at=(-8, 6), swz="64B")
    k = dict(dims=(32, 16), box=(16, 4), bytes=16384)
    case("replace_address", extra=2048, at=(0, 1), **k)
    case("replace_shared", extra=4096, at=(0, 1), **k)
    case("replace_rank", at=(0, 1, 0, 0), **k)
    case("replace_box0", at=(0, 1, 0, 8), tx=64, **k)
    case("replace_box1", at=(0, 1, 0, 2), tx=64, **k)
    case("replace_dim0", at=(8, 1, 0, 12), **k)
    case("replace_dim1", at=(8, 1, 0, 3), **k)
    case("replace_stride0", at=(8, 1), extra=128, **k)
    case("replace_estride1", at=(8, 1, 0, 2), tx=64, **k)
    case("replace_type_u8", at=(16, 1), tx=64, **k)
    case("replace_type_u32", at=(4, 1), tx=256, **k)
    for k_type, size in zip(range(3, 13), (4, 8, 8, 2, 4, 4, 8, 2, 4, 4)):
        case(f"replace_type_{k_type}", "u8", (240, 16), (16, 4), (16 // size, 1), bytes=16384, tx=64 * size, pat="special", dump=1024)
    k = dict(dims=(64, 16), box=(16, 12), bytes=16384, swz="32B")
    for s in range(4):
        case(f"replace_swizzle{s}", at=(0, 1), roomy=4, **k)
    case("replace_fill1", "f16", (32, 16), (16, 4), (24, 14))
    case("replace_fill1", "u16", (32, 16), (16, 4), (24, 14))


def encodings():
    """Parameters that the encoder takes or refuses."""
    e = lambda **k: case("none", **k)
    for inner in (4, 7, 8, 12, 16, 256, 257):
        e(dims=(512, 8), box=(inner, 2))
        e(type="u8", dims=(512, 8), box=(inner, 2))
        e(type="f64", dims=(512, 8), box=(inner, 2))
    for b in (0, 1, 256, 257):
        e(dims=(64, 512), box=(8, b))
    for swz in ("none", "32B", "64B", "128B"):
        for inner in (8, 16, 24, 32, 64, 72, 128):
            for inter in ("none", "16B", "32B"):
                e(dims=(256, 8, 4), box=(inner, 2, 2), swz=swz, inter=inter, strides=(512, 4096))
    for s in (8, 16, 24, 100, 127, 128, 1 << 39, 1 << 40, (1 << 40) - 16):
        e(dims=(64, 8), strides=(s,))
        e(dims=(64, 8, 8), box=(8, 1, 1), strides=(512, s))
    for s in (16, 32, 48):
        e(dims=(8, 8, 8), box=(8, 2, 2), strides=(s, 512), inter="32B")
    for d in (0, 1, 1 << 31, 1 << 32, (1 << 32) + 1):
        e(dims=(d, 8), strides=(128,))
        e(dims=(64, d))
    for x in (0, 1, 8, 9):
        e(estr=(1, x))
        e(estr=(x, 1))
    for base in (1024, 1032, 1040, 1025):
        e(base=base)
        e(base=base, dims=(8, 8, 8), box=(8, 2, 2), inter="32B", strides=(128, 1024))
    for inter in ("16B", "32B"):
        for dims in ((64,), (64, 8), (64, 8, 4)):
            e(dims=dims, box=(8,) + (1,) * (len(dims) - 1), inter=inter)
    for type in SIZE:
        e(type=type, oob="nan", dims=(64, 8), box=(16, 2))
    c = lambda **k: case("none", box=(1,) * len(k.get("dims", (16, 9, 7, 3))), at=(0,), **{"dims": (16, 9, 7, 3), "channels": 8, "pixels": 8, **k})
    for channels in (0, 4, 8, 9, 256, 257):
        c(channels=channels)
    for pixels in (0, 1, 1024, 1025):
        c(pixels=pixels)
    for lo in (-129, -128, -1, 0, 127, 128):
        c(lower=(lo, 0))
        c(upper=(lo, 0))
        c(lower=(0, lo), upper=(0, 0))
    for lo in (-17, -16, 15, 16):
        c(dims=(16, 9, 7, 5, 3), lower=(lo, 0, 0))
        c(dims=(16, 9, 7, 5, 3), upper=(0, lo, 0))
    for lo in (-32769, -32768, 32767, 32768):
        c(dims=(16, 9, 3), lower=(lo,))
        c(dims=(16, 9, 3), upper=(lo,))
    c(dims=(16, 9), lower=(0,), upper=(0,))
    for swz in ("32B", "64B", "128B"):
        for channels in (8, 16, 32, 64, 128):
            c(channels=channels, swz=swz, dims=(256, 9, 7, 3))
    c(lower=(5, 0), upper=(-9, 0))
    for x in (0, 8, 9):
        c(estr=(1, x, 1, 1))


def mixture():
    for _ in range(70):
        n = random.randint(1, 5)
        type = random.choice(["u8", "u16", "u32", "f32", "f64", "bf16"])
        per = 16 // SIZE[type]
        swz = random.choice(["none", "32B", "64B", "128B"])
        units = dict(none=8).get(swz) or int(swz[:-1]) // 16
        dims = (random.randint(1, per * 10),) + tuple(random.randint(1, 6) for _ in range(n - 1))
        box = (per * random.randint(1, units) if random.random() < 0.5 else per * units,) + tuple(random.randint(1, 4) for _ in range(n - 1))
        at = (per * random.randint(-3, 8),) + tuple(random.randint(-3, 6) for _ in range(n - 1))
        estr = (1,) + tuple(random.choice([1, 1, 2, 3]) for _ in range(n - 1))
        case(random.choice(["load", "load", "store"]) + f"_{n}d", type, dims, box, at, estr=estr, swz=swz, soff=128 * random.randint(0, 8),
             pad=16 * random.randint(0, 3), roomy=8 if swz != "none" else 1, oob=random.choice(["zero", "nan"]) if type[0] in "fb" else "zero")


def slices():
    """Interleaved maps: the innermost extent, start and box count units of 16 or 32 bytes, whatever the type."""
    for inter, unit in (("16B", 16), ("32B", 32)):
        def one(kernel, type, dims, box, at, **k):
            k.setdefault("dump", 16384)
            case(kernel, type, dims, box, at, inter=inter, bytes=65536, strides={3: s3, 4: s4, 5: s5}[len(dims)], **k)

        s3, s4, s5 = (unit * 21, unit * 130), (unit * 21, unit * 130, unit * 550), (unit * 21, unit * 68, unit * 220, unit * 810)
        for type in ("u64", "u32", "u16"):
            per = 16 // SIZE[type]
            for at0 in (0, 1, per, -1, -per, 2 * per - 1):
                one("load_3d", type, (per * 2 + 1, 6, 4), (per, 3, 2), (at0, 1, 1))
                one("load_4d", type, (per * 2 + 1, 6, 4, 3), (per, 3, 2, 2), (at0, 1, 1, 1))
                one("store_3d", type, (per * 2 + 1, 6, 4), (per, 3, 2), (at0, 1, 1))
            for at in ((0, -1, 0, 0), (0, 4, 0, 0), (0, 0, -1, 0), (0, 0, 3, 0), (0, 0, 0, -1), (0, 0, 0, 2), (-1, 5, 3, 1)):
                one("load_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), at)
                one("store_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), at)
            one("load_5d", type, (per * 2, 3, 3, 3, 2), (per, 2, 2, 2, 2), (1, 1, 1, 1, 0))
            one("store_5d", type, (per * 2, 3, 3, 3, 2), (per, 2, 2, 2, 2), (1, 1, 1, 1, 0))
            for estr in ((1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2), (1, 3, 2, 1), (2, 1, 1, 1)):
                one("load_4d", type, (per * 2, 6, 4, 3), (per, 4, 3, 2), (0, 0, 0, 0), estr=estr)
            one("load_3d", {"u64": "f64", "u32": "f32", "u16": "f16"}[type], (per * 2, 6, 4), (per, 3, 2), (per + 1, 4, 1), oob="nan")
            for swz in ("32B", "64B", "128B"):
                one("load_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), swz=swz, dump=16384)
                one("load_3d", type, (per * 2, 6, 4), (per, 6, 4), (0, 0, 0), swz=swz, dump=16384)
                one("load_3d", type, (per * 2, 6, 4), (per * 2, 3, 4), (0, 0, 0), swz=swz, soff=128, dump=24576)
                one("store_4d", type, (per * 2, 6, 4, 3), (per, 3, 2, 2), (0, 1, 1, 1), swz=swz, dump=16384)
            for channels, at0 in ((per, 0), (per, 1), (per * 2, 0)):
                one("im2col_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (at0, 0, 0, 0), channels=channels, pixels=12)
                one("im2col_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (at0 - 1, -1, 1, 0), channels=channels, pixels=20, lower=(-1, -2),
                    upper=(-1, -2), offs=(1, 2, 0))
                one("im2col_5d", type, (per * 2, 3, 3, 3, 2), (1,) * 5, (0, 1, -1, 2, 0), channels=channels, pixels=24, lower=(0, -1, -1),
                    upper=(-1, 0, -1), offs=(0, 1, 2), estr=(1, 2, 1, 1, 1))
                one("im2col_3d", type, (per * 2, 6, 4), (1,) * 3, (at0, 0, 0), channels=channels, pixels=10)
                one("im2col_5d", type, (per * 2, 3, 3, 3, 2), (1,) * 5, (at0, 0, 0, 0, 0), channels=channels, pixels=20)
                one("im2col_store_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (at0, 0, 0, 0), channels=channels, pixels=12)
            one("im2col_4d", type, (per * 2, 6, 4, 3), (1,) * 4, (0, 0, 0, 0), channels=per, pixels=12, swz="32B", dump=16384)


for part in (tiled, swizzles, steps, interleaves, im2col, reductions, others, encodings, mixture, slices):
    part()
open("kernels.ptx", "w").write(kernels())
with open("cases.txt", "w") as f:
    for c in cases:
        text = lambda v: ",".join(map(str, v)) if isinstance(v, (tuple, list)) else str(v)
        f.write(" ".join(f"{key}={text(v)}" for key, v in c.items()) + "\n")
print(len(cases), "cases")
