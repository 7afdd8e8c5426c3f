// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

Shape block(uint32_t threads) {
  Shape s;
  s.block.x = threads;
  return s;
}

}  // namespace

TEST_CASE("A barrier orders shared memory between the warps of a block") {
  const PtxRun run(R"(
    .shared .b32 cells[128];
    mov.u32 %r1, cells; mad.lo.u32 %r2, %tid, 4, %r1; st.shared.u32 [%r2], %tid;
    bar.sync 0;
    xor.b32 %r3, %tid, 127; mad.lo.u32 %r2, %r3, 4, %r1; ld.shared.u32 %r0, [%r2];)",
                   block(128));
  for (unsigned t = 0; t < 128; ++t) CHECK(run[t] == (t ^ 127));
}

TEST_CASE("A barrier reduction counts over a block whose last warp is not full") {
  const PtxRun run(R"(
    and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 0;
    bar.red.popc.u32 %r0, 0, %p1;)",
                   block(50));
  for (unsigned t = 0; t < 50; ++t) CHECK(run[t] == 25);
}

TEST_CASE("bar.red.and and .or hold for all threads") {
  const PtxRun run(R"(
    setp.lt.u32 %p1, %tid, 63; setp.eq.u32 %p2, %tid, 70;
    bar.red.and.pred %p3, 0, %p1; bar.red.or.pred %p4, 0, %p2; bar.red.and.pred %p5, 0, !%p2;
    selp.u32 %r0, 1, 0, %p3; @%p4 add.u32 %r0, %r0, 2; @%p5 add.u32 %r0, %r0, 4;)",
                   block(96));
  for (unsigned t = 0; t < 96; ++t) CHECK(run[t] == 2);
}

TEST_CASE("Producers arrive at a named barrier and consumers wait there") {
  const PtxRun run(R"(
    .shared .b32 cell;
    setp.ge.u32 %p1, %tid, 32; @%p1 bra CONSUME;
    st.shared.u32 [cell], 41; bar.arrive 1, 64; bra DONE;
    CONSUME: bar.sync 1, 64; ld.shared.u32 %r0, [cell];
    DONE:)",
                   block(64));
  CHECK(run[0] == 0);
  CHECK(run[40] == 41);
}

TEST_CASE("Divergent lanes of a warp arrive at a barrier from different places") {
  const PtxRun run(R"(
    setp.lt.u32 %p1, %lane, 16; @%p1 bra LOW;
    barrier.sync 0; mov.u32 %r0, 1; bra DONE;
    LOW: barrier.sync 0; mov.u32 %r0, 2;
    DONE:)",
                   block(64));
  for (unsigned t = 0; t < 64; ++t) CHECK(run[t] == (t % 32 < 16 ? 2u : 1u));
}

TEST_CASE("Warps that have ended are not waited for") {
  const PtxRun run(R"(
    setp.ge.u32 %p1, %tid, 32; st.global.u32 [%out], 9; @%p1 exit;
    bar.sync 0; mov.u32 %r0, 8;)",
                   block(96));
  CHECK(run[0] == 8);
  CHECK(run[95] == 9);
}

TEST_CASE("Wrong participation in a barrier is a fault") {
  CHECK(contains(fault_of("mov.u32 %r1, 40; bar.sync 1, %r1;", block(64)), "not a multiple of 32"));
  CHECK(contains(fault_of("mov.u32 %r1, 16; bar.sync %r1;"), "barriers 0 to 15"));
  CHECK(
      contains(fault_of("bar.arrive 1, 64; bar.arrive 1, 64;", block(64)), "again before the other threads"));
  CHECK(contains(fault_of(R"(
    setp.ge.u32 %p1, %tid, 32; @%p1 bra B; bar.sync 2, 96; B: bar.sync 2, 64;)",
                          block(96)),
                 "wait there for"));
}

TEST_CASE("A deadlock names who waits where") {
  const std::string text = fault_of(
      "setp.lt.u32 %p1, %tid, 32; @%p1 bra ONE; bar.sync 0; bra DONE; ONE: bar.sync 1; DONE:", block(64));
  CHECK(contains(text, "kernel 'k' is deadlocked: block (0,0,0): warp 0 waits at barrier 1 (test.ptx:"));
  CHECK(contains(text, "warp 1 waits at barrier 0"));
  CHECK(contains(text, "1 of 2 warps have arrived"));
}

TEST_CASE("A .sync instruction brings the lanes of its mask together") {
  const PtxRun run(R"(
    setp.lt.u32 %p1, %lane, 8; @%p1 bra LOW;
    mov.u32 %r1, 100; shfl.sync.idx.b32 %r0, %r1, 0, 31, 0xffffff00; bra DONE;
    LOW: add.u32 %r1, %lane, 50; shfl.sync.idx.b32 %r0, %r1, 3, 31, 0xff;
    DONE: bar.warp.sync 0xffffffff; activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r0, %r2, 1000, %r0;)");
  CHECK(run[0] == 32053);
  // Lane 0 is not in the mask; what its register holds is read.
  CHECK(run[8] / 1000 == 32);
}

TEST_CASE("bar.warp.sync releases lanes that arrive at it in different places") {
  const PtxRun run(R"(
    setp.lt.u32 %p1, %lane, 8; @%p1 bra LOW;
    st.global.u32 [%scratch], 5; bar.warp.sync -1; bra DONE;
    LOW: bar.warp.sync -1; ld.global.u32 %r0, [%scratch];
    DONE:)");
  CHECK(run[0] == 5);
}

TEST_CASE("A warp-wide instruction that leaves out the lane that executes it is a fault") {
  CHECK(contains(fault_of("bar.warp.sync 0xffff;"), "member mask leaves it out"));
}

TEST_CASE("A mask that names lanes which never come is a deadlock that says so") {
  const std::string text = fault_of(R"(
    setp.lt.u32 %p1, %lane, 4; @%p1 bra LOW; bar.sync 0; bra DONE; LOW: bar.warp.sync -1; DONE:)");
  CHECK(contains(text, "wait for other lanes of the warp"));
}

TEST_CASE("Blocks of a grid that wait for each other take turns") {
  Shape s = block(64);
  s.grid.x = 20;
  const PtxRun run(R"(
    bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra WAIT;
    atom.global.add.u32 %r1, [%scratch], 1;
    SPIN: ld.acquire.gpu.global.u32 %r2, [%scratch]; setp.lt.u32 %p2, %r2, 20; @%p2 bra SPIN;
    WAIT: bar.sync 0; ld.volatile.global.u32 %r0, [%scratch];)",
                   s);
  for (uint32_t value : run.values) CHECK(value == 20);
}
