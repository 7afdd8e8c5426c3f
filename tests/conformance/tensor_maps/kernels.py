# SPDX-License-Identifier: Apache-2.0
"""Kernels of tensor copies: one for each form."""

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
