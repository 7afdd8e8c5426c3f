# SPDX-License-Identifier: Apache-2.0
"""Gluon: layouts, copies, barriers and warp groups said by the kernel itself."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from spec import Desc, case, out, rnd


@gluon.jit
def copy_layout(x, y, n, VEC: gl.constexpr, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([VEC], [32], [4], [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.store(y + at, gl.load(x + at, mask=at < n), mask=at < n)


case("gluon_copy_vec1", copy_layout, 250, dict(x=rnd("f32", 256000, 1), y=out("f32", 256000), n=256000, VEC=1, BLOCK=1024), num_warps=4)


@gluon.jit
def transpose_shared(x, y, rows, cols, R: gl.constexpr, C: gl.constexpr):
    """In by rows, through swizzled shared memory, out by columns."""
    inward: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    outward: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0])
    r, c = gl.program_id(0) * R + gl.arange(0, R, gl.SliceLayout(1, inward)), gl.program_id(1) * C + gl.arange(0, C, gl.SliceLayout(0, inward))
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [R, C], shared)
    tile.store(gl.load(x + r[:, None] * cols + c[None, :]))
    gl.barrier()
    r2, c2 = gl.program_id(0) * R + gl.arange(0, R, gl.SliceLayout(1, outward)), gl.program_id(1) * C + gl.arange(0, C, gl.SliceLayout(0, outward))
    gl.store(y + c2[None, :] * rows + r2[:, None], tile.load(outward))


case("gluon_transpose", transpose_shared, (24, 32), dict(x=rnd("f32", 768 * 1024, 1), y=out("f32", 768 * 1024), rows=768, cols=1024, R=32, C=32), num_warps=4)


@gluon.jit
def pipelined_add(x, y, z, cols, C: gl.constexpr, STAGES: gl.constexpr):
    """A row a block, cp.async STAGES deep."""
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    sx = gl.allocate_shared_memory(gl.float32, [STAGES, C], shared)
    sy = gl.allocate_shared_memory(gl.float32, [STAGES, C], shared)
    base, at = gl.program_id(0) * cols, gl.arange(0, C, layout)
    for i in gl.static_range(STAGES - 1):
        async_copy.async_load(sx.index(i), x + base + i * C + at, mask=i * C + at < cols)
        async_copy.async_load(sy.index(i), y + base + i * C + at, mask=i * C + at < cols)
        async_copy.commit_group()
    for step in range(gl.cdiv(cols, C)):
        ahead = step + STAGES - 1
        slot = ahead % STAGES
        async_copy.async_load(sx.index(slot), x + base + ahead * C + at, mask=ahead * C + at < cols)
        async_copy.async_load(sy.index(slot), y + base + ahead * C + at, mask=ahead * C + at < cols)
        async_copy.commit_group()
        async_copy.wait_group(STAGES - 1)
        v = sx.index(step % STAGES).load(layout) + sy.index(step % STAGES).load(layout)
        gl.store(z + base + step * C + at, v, mask=step * C + at < cols)


case("gluon_pipelined_add", pipelined_add, 132, dict(x=rnd("f32", 132 * 6000, 1), y=rnd("f32", 132 * 6000, 2), z=out("f32", 132 * 6000), cols=6000, C=512, STAGES=3), num_warps=4)


@gluon.jit
def mma_product(a, b, c, m, n, k, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    """mma.sync on layouts of the kernel's own choice."""
    load: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    r, q = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, load)), gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(0, load))
    ka, kb = gl.arange(0, BK, gl.SliceLayout(0, load)), gl.arange(0, BK, gl.SliceLayout(1, load))
    sa = gl.allocate_shared_memory(gl.float16, [BM, BK], shared)
    sb = gl.allocate_shared_memory(gl.float16, [BK, BN], shared)
    acc = gl.zeros([BM, BN], gl.float32, acc_layout)
    for start in range(0, k, BK):
        x = gl.load(a + r[:, None] * k + (start + ka)[None, :])
        y = gl.load(b + (start + kb)[:, None] * n + q[None, :])
        gl.barrier()
        sa.store(x)
        sb.store(y)
        gl.barrier()
        acc = mma_v2(sa.load(gl.DotOperandLayout(0, acc_layout, 2)), sb.load(gl.DotOperandLayout(1, acc_layout, 2)), acc)
    r2, q2 = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, acc_layout)), gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(0, acc_layout))
    gl.store(c + r2[:, None] * n + q2[None, :], acc.to(gl.float16))


case("gluon_mma_v2", mma_product, (8, 16), dict(a=rnd("f16", 512 * 256, 1), b=rnd("f16", 256 * 1024, 2), c=out("f16", 512 * 1024), m=512, n=1024, k=256, BM=64, BN=64, BK=32), num_warps=4)


@gluon.jit
def wgmma_product(a, b, c, k, STAGES: gl.constexpr):
    """TMA into a ring, wgmma with one product in flight, TMA out."""
    BM: gl.constexpr = a.block_type.shape[0]
    BK: gl.constexpr = a.block_type.shape[1]
    BN: gl.constexpr = b.block_type.shape[1]
    row, col = gl.program_id(0) * BM, gl.program_id(1) * BN
    sa = gl.allocate_shared_memory(a.dtype, [STAGES, BM, BK], a.layout)
    sb = gl.allocate_shared_memory(b.dtype, [STAGES, BK, BN], b.layout)
    bars = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=1)
    fence_async_shared()
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    acc = gl.zeros([BM, BN], gl.float32, layout)
    steps = k // BK
    for i in gl.static_range(STAGES - 1):
        mbarrier.expect(bars.index(i), a.block_type.nbytes + b.block_type.nbytes)
        tma.async_load(a, [row, i * BK], bars.index(i), sa.index(i))
        tma.async_load(b, [i * BK, col], bars.index(i), sb.index(i))
    for step in range(steps):
        slot = step % STAGES
        mbarrier.wait(bars.index(slot), step // STAGES & 1)
        acc = warpgroup_mma(sa.index(slot), sb.index(slot), acc, is_async=True)
        acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
        ahead = step + STAGES - 1
        into = ahead % STAGES
        more = ahead < steps
        mbarrier.expect(bars.index(into), a.block_type.nbytes + b.block_type.nbytes, pred=more)
        tma.async_load(a, [row, ahead * BK], bars.index(into), sa.index(into), pred=more)
        tma.async_load(b, [ahead * BK, col], bars.index(into), sb.index(into), pred=more)
    for i in gl.static_range(STAGES):
        mbarrier.invalidate(bars.index(i))
    sc = gl.allocate_shared_memory(c.dtype, [BM, BN], c.layout)
    sc.store(acc.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [row, col], sc)
    tma.store_wait(0)


def layout(block):
    return gl.NVMMASharedLayout.get_default_for(block, gl.float16)


case("gluon_wgmma_tma", wgmma_product, (8, 8), dict(a=Desc(rnd("f16", 512 * 512, 1), [512, 512], [64, 64], layout([64, 64])),
     b=Desc(rnd("f16", 512 * 1024, 2), [512, 1024], [64, 128], layout([64, 128])), c=Desc(out("f16", 512 * 1024), [512, 1024], [64, 128], layout([64, 128])), k=512,
     STAGES=4), num_warps=4)


@gluon.jit
def produce(a, b, sa, sb, full, empty, row, col, steps, STAGES: gl.constexpr):
    BK: gl.constexpr = a.block_type.shape[1]
    for step in range(steps):
        slot = step % STAGES
        mbarrier.wait(empty.index(slot), (step // STAGES & 1) ^ 1)
        mbarrier.expect(full.index(slot), a.block_type.nbytes + b.block_type.nbytes)
        tma.async_load(a, [row, step * BK], full.index(slot), sa.index(slot))
        tma.async_load(b, [col, step * BK], full.index(slot), sb.index(slot))


@gluon.jit
def consume(c, sa, sb, full, empty, row, col, steps, STAGES: gl.constexpr, BM: gl.constexpr, BN: gl.constexpr):
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, BN, 16])
    acc = gl.zeros([BM, BN], gl.float32, layout)
    for step in range(steps):
        slot = step % STAGES
        mbarrier.wait(full.index(slot), step // STAGES & 1)
        acc = warpgroup_mma(sa.index(slot), sb.index(slot).permute((1, 0)), acc, is_async=True)
        acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
        mbarrier.arrive(empty.index(slot), count=1)
    sc = gl.allocate_shared_memory(c.dtype, [BM, BN], c.layout)
    sc.store(acc.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [row, col], sc)
    tma.store_wait(0)


@gluon.jit
def specialised_product(a, b, c, k, STAGES: gl.constexpr):
    """One warp loads, one warp group multiplies."""
    BM: gl.constexpr = a.block_type.shape[0]
    BK: gl.constexpr = a.block_type.shape[1]
    BN: gl.constexpr = b.block_type.shape[0]
    row, col = gl.program_id(0) * BM, gl.program_id(1) * BN
    sa = gl.allocate_shared_memory(a.dtype, [STAGES, BM, BK], a.layout)
    sb = gl.allocate_shared_memory(b.dtype, [STAGES, BN, BK], b.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    fence_async_shared()
    steps = k // BK
    gl.warp_specialize([(consume, (c, sa, sb, full, empty, row, col, steps, STAGES, BM, BN)), (produce, (a, b, sa, sb, full, empty, row, col, steps, STAGES))], [1], [24])


case("gluon_warp_specialised", specialised_product, (8, 8), dict(a=Desc(rnd("f16", 512 * 512, 1), [512, 512], [64, 64], layout([64, 64])),
     b=Desc(rnd("f16", 1024 * 512, 2), [1024, 512], [128, 64], layout([128, 64])), c=Desc(out("f16", 512 * 1024), [512, 1024], [64, 128], layout([64, 128])), k=512,
     STAGES=4), num_warps=4)
