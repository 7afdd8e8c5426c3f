// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/mbarrier.h"
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

TEST_CASE("An mbarrier word keeps its counts apart") {
  ptx::MbarrierWord word = ptx::MbarrierWord::initial(5);
  word.set_pending(3);
  word.set_transactions(-1000);
  CHECK(word.initialised());
  CHECK(word.pending() == 3);
  CHECK(word.expected() == 5);
  CHECK(word.transactions() == -1000);
  CHECK(word.parity() == 0);
  CHECK_FALSE(word.advance());
  word.set_pending(0);
  word.set_transactions(0);
  CHECK(word.advance());
  CHECK(word.parity() == 1);
  CHECK(word.pending() == 5);
}

TEST_CASE("A bulk copy completes the mbarrier's transactions, and waiting warps go on") {
  Shape s;
  s.block.x = 64;
  const PtxRun run(R"(
    .shared .align 128 .b8 buffer[256]; .shared .align 8 .b64 bar;
    mul.wide.u32 %w1, %tid, 4; add.u64 %w1, %scratch, %w1; st.global.u32 [%w1], %tid;
    setp.eq.u32 %p1, %tid, 0;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
    bar.sync 0;
    setp.ge.u32 %p2, %tid, 32; @%p2 bra WAIT;
    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer], [%scratch], 256, [bar];
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra WAIT;
    mov.u32 %r1, buffer; xor.b32 %r2, %tid, 63; mad.lo.u32 %r1, %r2, 4, %r1; ld.shared.u32 %r0, [%r1];)",
                   s);
  for (unsigned t = 0; t < 64; ++t) CHECK(run[t] == (t ^ 63));
}

TEST_CASE("A wait for a phase that nobody completes is a deadlock") {
  const std::string text = fault_of(R"(
    .shared .align 8 .b64 bar; setp.eq.u32 %p1, %tid, 0;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 1; bar.warp.sync -1;
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra WAIT;)");
  CHECK(contains(text, "wait for a phase of an mbarrier"));
}

TEST_CASE("One lane may wait at an mbarrier for lanes of its own warp") {
  const PtxRun run(R"(
    .shared .align 8 .b64 bar; setp.eq.u32 %p1, %tid, 0;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 31; bar.warp.sync -1;
    @!%p1 bra ARRIVE;
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra WAIT;
    mov.u32 %r0, 3; bra DONE;
    ARRIVE: mbarrier.arrive.shared::cta.b64 %w1, [bar];
    DONE:)");
  CHECK(run[0] == 3);
}

TEST_CASE("Misuse of an mbarrier is a fault") {
  const std::string head = ".shared .align 8 .b64 bar; setp.eq.u32 %p1, %tid, 0;\n";
  CHECK(
      contains(fault_of(head + "@%p1 mbarrier.arrive.shared::cta.b64 %w1, [bar];"), "not been initialised"));
  CHECK(contains(fault_of(head + "@%p1 mbarrier.init.shared::cta.b64 [bar], 2;\n"
                                 "@%p1 mbarrier.arrive.shared::cta.b64 %w1, [bar], 3;"),
                 "arrives with a count of 3 where the phase waits for 2"));
}

TEST_CASE("Bulk copies want multiples of 16 bytes") {
  CHECK(contains(fault_of(R"(.shared .align 16 .b8 b[64]; setp.eq.u32 %p1, %tid, 0;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%scratch], [b], 20;)"),
                 "not a multiple of 16"));
}

TEST_CASE("Blocks of a cluster see each other's shared memory") {
  Shape s;
  s.grid.x = 8;
  s.cluster.x = 4;
  const PtxRun run(R"(
    .shared .b32 cell;
    mov.u32 %r1, %cluster_ctarank; st.shared.u32 [cell], %cta;
    barrier.cluster.arrive; barrier.cluster.wait;
    add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3;
    mov.u32 %r3, cell; mapa.shared::cluster.u32 %r3, %r3, %r2;
    ld.shared::cluster.u32 %r0, [%r3];
    barrier.cluster.arrive; barrier.cluster.wait;)",
                   s);
  for (unsigned c = 0; c < 8; ++c) CHECK(run[32 * c] == c / 4 * 4 + (c + 1) % 4);
}

TEST_CASE("A generic pointer to shared memory means the same place in every block of the cluster") {
  Shape s;
  s.grid.x = 2;
  s.cluster.x = 2;
  const PtxRun run(R"(
    .shared .b32 cell; .shared .align 8 .b64 pointer;
    mov.u64 %w1, cell; cvta.shared.u64 %w1, %w1; add.u32 %r1, %cta, 500; st.shared.u32 [cell], %r1;
    mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1;
    mov.u64 %w2, pointer; mapa.shared::cluster.u64 %w2, %w2, %r2; st.shared::cluster.u64 [%w2], %w1;
    barrier.cluster.arrive; barrier.cluster.wait;
    ld.shared.u64 %w3, [pointer]; ld.u32 %r0, [%w3];
    barrier.cluster.arrive; barrier.cluster.wait;)",
                   s);
  CHECK(run[0] == 501);
  CHECK(run[32] == 500);
}

TEST_CASE("A multicast copy reaches each block of its mask and completes each one's mbarrier") {
  Shape s;
  s.grid.x = 4;
  s.cluster.x = 4;
  const PtxRun run(R"(
    .shared .align 128 .b8 buffer[128]; .shared .align 8 .b64 bar;
    mul.wide.u32 %w1, %tid, 4; add.u64 %w1, %scratch, %w1; add.u32 %r1, %tid, 90; st.global.u32 [%w1], %r1;
    mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %tid, 0;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
    barrier.cluster.arrive; barrier.cluster.wait;
    setp.eq.and.u32 %p2, %r2, 1, %p1;
    .reg .b16 %h; mov.b16 %h, 13;
    @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [buffer], [%scratch], 128, [bar], %h;
    setp.eq.u32 %p4, %r2, 1; @%p4 bra SKIP;
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0; @!%p3 bra WAIT;
    mov.u32 %r3, buffer; mad.lo.u32 %r3, %tid, 4, %r3; ld.shared.u32 %r0, [%r3];
    SKIP: barrier.cluster.arrive; barrier.cluster.wait;)",
                   s);
  for (unsigned c = 0; c < 4; ++c) CHECK(run[32 * c + 7] == (c == 1 ? 0u : 97u));
}

TEST_CASE("A wait at the cluster barrier without an arrival is a fault") {
  CHECK(contains(fault_of("barrier.cluster.wait;"), "without having arrived"));
}
