// SPDX-License-Identifier: Apache-2.0
// The load/store unit without an SM: what it sends, when results are there, whom it tells.
#include "arch/sm/lsu.h"

#include <algorithm>
#include <bit>

#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom::arch;

namespace {

struct Clients final : MemoryClients {
  unsigned freed = 0;
  std::vector<unsigned> all_sent_by, copies, bulk_lines;
  void queue_freed(unsigned, Cycle) override { ++freed; }
  void all_sent(unsigned warp, Cycle) override { all_sent_by.push_back(warp); }
  void copy_here(uint32_t copy, Cycle) override { copies.push_back(copy); }
  void bulk_line_here(uint32_t bulk, Cycle) override { bulk_lines.push_back(bulk); }
  void late_answered(const gpuloom::ptx::DeferredAtomic&, Cycle) override {}
  ClusterLink& link_of(unsigned, unsigned) override { return *link; }
  bool hears(uint32_t) const override { return false; }
  void accessed(unsigned, gpuloom::policy::L1Access) override {}
  void evicted(uint64_t, Cycle) override {}
  ClusterLink* link = nullptr;
};

struct OneLsu : AroundUnit {
  Clients clients;
  Lsu lsu{gpu.sm,
          gpu.noc,
          0,
          {events, stats, counts, outbox, grids, writes, atomics, queues, fences, constants, link, clients}};
  Cycle now = 0;
  OneLsu() { lsu.start_kernel(64 * 1024); }

  // A warp's access to `count` lines from `line` on.
  MemoryOp access(MemoryKind kind, uint64_t line, unsigned count = 1, uint8_t sectors = 0xf) {
    MemoryOp op;
    op.kind = kind;
    op.access = kind == MemoryKind::kStore ? gpuloom::ptx::AccessOp::kStore : gpuloom::ptx::AccessOp::kLoad;
    op.latency = 30;
    op.lane_bytes = 4;
    op.write_scoreboard = 1;
    op.lines.lines = count;
    if (kind == MemoryKind::kStore) op.lines.passes = count;
    for (unsigned i = 0; i < count; ++i) {
      LineAccess& a = op.lines.line[i];
      a = {line + i * 128, sectors, 32, static_cast<uint16_t>(32 * std::popcount(sectors)), true};
      op.lines.sectors += static_cast<unsigned>(std::popcount(sectors));
    }
    return op;
  }
  void put(const MemoryOp& op) {
    queues.reserve(0) = op;
    if (op.kind == MemoryKind::kStore) {
      writes[op.warp].issued();
      ++grids[0].stores_in_flight;
    }
    queues.commit(0, now);
  }
  // The L1 holds the line, and it is cycle 1000.
  void hold(uint64_t line) {
    put(access(MemoryKind::kLoad, line));
    run_until(100);
    lsu.filled(outbox[0].request.id, 200);
    happen(999);
    outbox.clear();
    run_until(1000);
  }
  void run_until(Cycle end) {
    for (now = std::max(now, lsu.next()); now < end; now = std::max(now + 1, lsu.next())) lsu.tick(now);
    now = end;
  }
};

}  // namespace

TEST_CASE("A load that misses asks for its sectors, and its result is there after the answer",
          "[arch][lsu]") {
  OneLsu u;
  u.put(u.access(MemoryKind::kLoad, 0x1000, 1, 0b0011));
  u.run_until(100);
  REQUIRE(u.outbox.size() == 1);
  CHECK(u.outbox[0].request.line == 0x1000);
  CHECK(u.outbox[0].request.sectors == 0b0011);
  CHECK(count_of(u.happen(400), EventKind::kRelease) == 0);
  u.lsu.filled(u.outbox[0].request.id, 500);
  const Cycle done = first_of(u.happen(1000), EventKind::kRelease);
  CHECK(done > 500);
  CHECK(done < 530);
  CHECK(u.lsu.idle());
}

TEST_CASE("A sector that is on its way is not asked for again, and both loads get it", "[arch][lsu]") {
  OneLsu u;
  u.put(u.access(MemoryKind::kLoad, 0x1000));
  u.run_until(50);
  u.put(u.access(MemoryKind::kLoad, 0x1000));
  u.run_until(100);
  REQUIRE(u.outbox.size() == 1);
  u.now = 500;
  u.lsu.filled(u.outbox[0].request.id, 500);
  u.run_until(520);
  CHECK(count_of(u.happen(1000), EventKind::kRelease) == 2);
}

TEST_CASE("Loads that waited for a line have their passes one after another when it is here", "[arch][lsu]") {
  OneLsu u;
  for (unsigned warp = 0; warp < 8; ++warp) {
    MemoryOp op = u.access(MemoryKind::kLoad, 0x1000);
    op.warp = static_cast<uint16_t>(warp);
    u.put(op);
    u.run_until(u.now + 10);
  }
  REQUIRE(u.outbox.size() == 1);
  u.now = 500;
  u.lsu.filled(u.outbox[0].request.id, 500);
  u.run_until(600);
  std::vector<Cycle> released;
  for (const auto& [cycle, event] : u.happen(1000))
    if (event.kind == EventKind::kRelease) released.push_back(cycle);
  REQUIRE(released.size() == 8);
  for (size_t i = 1; i < released.size(); ++i) CHECK(released[i] == released[0] + i);
}

TEST_CASE("A load that hits is there after its latency without a request", "[arch][lsu]") {
  OneLsu u;
  u.hold(0x1000);
  u.put(u.access(MemoryKind::kLoad, 0x1000));
  u.run_until(1100);
  CHECK(u.outbox.empty());
  CHECK(first_of(u.happen(1200), EventKind::kRelease) == 1000 + 30);
}

TEST_CASE("After the L1 has been forgotten a load asks again", "[arch][lsu]") {
  OneLsu u;
  u.put(u.access(MemoryKind::kLoad, 0x1000));
  u.run_until(100);
  u.lsu.filled(u.outbox[0].request.id, 200);
  u.lsu.fence();
  u.now = 300;
  u.put(u.access(MemoryKind::kLoad, 0x1000));
  u.run_until(400);
  CHECK(u.outbox.size() == 2);
}

TEST_CASE("Stores of one line that come together leave as one write", "[arch][lsu]") {
  OneLsu u;
  u.put(u.access(MemoryKind::kStore, 0x2000, 1, 0b0001));
  u.put(u.access(MemoryKind::kStore, 0x2000, 1, 0b0010));
  u.run_until(1000);
  REQUIRE(u.outbox.size() == 1);
  CHECK(u.outbox[0].request.sectors == 0b0011);
  CHECK(u.clients.all_sent_by == std::vector<unsigned>{0});  // told once, of the last
  CHECK(u.writes[0].unanswered == 2);
}

TEST_CASE("The more lines a store has, the longer later stores can join them", "[arch][lsu]") {
  const auto writes = [](unsigned lines, Cycle apart) {
    OneLsu u;
    u.put(u.access(MemoryKind::kStore, 0x2000, lines, 0b0001));
    u.run_until(apart);
    u.put(u.access(MemoryKind::kStore, 0x2000, lines, 0b0010));
    u.run_until(1000);
    return u.outbox.size();
  };
  CHECK(writes(1, 4) == 1);
  CHECK(writes(1, 12) == 2);
  CHECK(writes(8, 12) == 8);
  CHECK(writes(8, 20) == 8);
  CHECK(writes(8, 40) == 16);
  CHECK(writes(16, 40) == 16);
  CHECK(writes(16, 70) == 32);
}

TEST_CASE("A load goes on when the stores before it have left, whatever the L1 has", "[arch][lsu]") {
  const auto back = [](unsigned stores) {
    OneLsu u;
    u.hold(0x1000);
    for (unsigned i = 0; i < stores; ++i) u.put(u.access(MemoryKind::kStore, 0x20000 + i * 0x1000, 32));
    u.put(u.access(MemoryKind::kLoad, 0x1000));
    u.run_until(3000);
    return first_of(u.happen(3000), EventKind::kRelease) - 1000;
  };
  const Cycle alone = back(0);
  CHECK(alone == 30);
  // Four cycles of the port for each whole line, but for those that can still be joined.
  CHECK(back(3) > alone + (3 * 32 - 28) * 4 - 60);
}

TEST_CASE("An access to shared memory passes a load that waits for stores", "[arch][lsu]") {
  OneLsu u;
  for (unsigned i = 0; i < 3; ++i) u.put(u.access(MemoryKind::kStore, 0x20000 + i * 0x1000, 32));
  MemoryOp load = u.access(MemoryKind::kLoad, 0x1000);
  load.write_scoreboard = 2;
  u.put(load);
  MemoryOp op = u.access(MemoryKind::kShared, 0, 0);
  op.passes = {1, 1, 1};
  u.put(op);
  u.run_until(90);
  const auto released = u.happen(200);
  CHECK(count_of(released, EventKind::kRelease) == 1);
  u.run_until(400);
  u.lsu.write_passed(200);  // L2 has taken some
  u.run_until(1000);
  REQUIRE(!u.outbox.empty());
  const auto asked = std::find_if(u.outbox.begin(), u.outbox.end(),
                                  [](const OutMessage& m) { return m.request.line == 0x1000; });
  REQUIRE(asked != u.outbox.end());
  CHECK(asked->cycle > 200);
}

TEST_CASE("A store's registers are free while its lines wait to leave", "[arch][lsu]") {
  OneLsu u;
  for (unsigned i = 0; i < 4; ++i) {
    MemoryOp op = u.access(MemoryKind::kStore, 0x20000 + i * 0x1000, 32);
    op.read_scoreboard = static_cast<uint8_t>(i);
    u.put(op);
  }
  u.run_until(60);
  CHECK(count_of(u.happen(60), EventKind::kRelease) == 4);
  CHECK(u.writes[0].unsent != 0);
}

TEST_CASE("Accesses that take effect at L2 leave in order, and reductions count as stores do",
          "[arch][lsu]") {
  OneLsu u;
  const auto put = [&](gpuloom::ptx::AccessOp access, bool has_result) {
    MemoryOp op = u.access(MemoryKind::kAtomic, 0x9000, 2, 0b0001);
    op.access = access;
    op.record = static_cast<int32_t>(u.atomics.take());
    u.atomics.at(static_cast<uint32_t>(op.record)).store = !has_result;
    u.writes[0].issued();
    u.put(op);
  };
  u.put(u.access(MemoryKind::kStore, 0x20000, 16));
  put(gpuloom::ptx::AccessOp::kReduce, false);
  put(gpuloom::ptx::AccessOp::kAtomic, true);
  put(gpuloom::ptx::AccessOp::kReduce, false);
  u.run_until(1000);
  REQUIRE(u.outbox.size() == 16 + 6);
  std::vector<gpuloom::sim::RequestOp> order;
  for (const OutMessage& m : u.outbox)
    if (m.reply == Reply::kAtomic) order.push_back(m.request.op);
  using enum gpuloom::sim::RequestOp;
  CHECK(order == std::vector{kReduce, kReduce, kAtomic, kAtomic, kReduce, kReduce});
  CHECK(u.writes[0].unsent == 1);  // the one with a result, which its warp waits for
}

TEST_CASE("Each line of a store is answered for itself", "[arch][lsu]") {
  OneLsu u;
  u.put(u.access(MemoryKind::kStore, 0x2000, 3));
  u.run_until(1000);
  CHECK(u.outbox.size() == 3);
  CHECK(u.writes[0].unanswered == 3);
  CHECK(u.grids[0].stores_in_flight == 3);
  CHECK(u.writes[0].unsent == 0);
}

TEST_CASE("Stores wait in the SM while as many are on their way as may be, until L2 has taken some",
          "[arch][lsu]") {
  OneLsu u;
  const unsigned stores = u.gpu.noc.sm_writes / 4 + 2;
  for (unsigned i = 0; i < stores; ++i) {
    u.put(u.access(MemoryKind::kStore, 0x10000 + i * 128));
    u.run_until(u.now + 200);
  }
  const size_t sent = u.outbox.size();
  CHECK(sent < stores);
  CHECK_FALSE(u.lsu.idle());
  for (size_t i = 0; i < sent; ++i) u.lsu.write_passed(4);
  u.run_until(u.now + 1000);
  CHECK(u.outbox.size() == stores);
}

TEST_CASE("Loads that take effect at L2 count with the lines that are on their way, not with the writes",
          "[arch][lsu]") {
  OneLsu u;
  const unsigned loads = u.gpu.noc.sm_writes / 4 + 2;
  u.gpu.sm.l1.mshrs = u.gpu.sm.memory.outstanding_requests = loads - 1;
  std::vector<uint32_t> records;
  for (unsigned i = 0; i < loads; ++i) {
    MemoryOp op = u.access(MemoryKind::kAtomic, 0x10000 + i * 128);
    records.push_back(u.atomics.take());
    op.record = static_cast<int32_t>(records.back());
    u.writes[0].issued();
    u.put(op);
    u.run_until(u.now + 200);
  }
  CHECK(u.outbox.size() == loads - 1);
  u.lsu.atomic_answered(records[0], false, u.now);
  u.run_until(u.now + 200);
  CHECK(u.outbox.size() == loads);
}

TEST_CASE("Bytes of a copy to shared memory take no pass before they are here", "[arch][lsu]") {
  OneLsu u;
  MemoryOp copy = u.access(MemoryKind::kCopy, 0x1000, 4);
  copy.bypass_l1 = true;
  copy.record = 7;
  copy.lines.passes = 4;
  MemoryOp shared = u.access(MemoryKind::kShared, 0);
  shared.passes = {};
  shared.passes.passes = 1;
  const auto done_behind = [&](bool copies) {
    OneLsu other;
    if (copies) other.put(copy);
    other.put(shared);
    other.run_until(100);
    return first_of(other.happen(1000), EventKind::kRelease);
  };
  CHECK(done_behind(true) - done_behind(false) <= 4);  // one address unit, which takes four cycles
  u.put(copy);
  u.run_until(100);
  REQUIRE(u.outbox.size() == 4);
  for (const OutMessage& m : u.outbox) u.lsu.filled(m.request.id, 500);
  CHECK(u.clients.copies.empty());  // it has its way back before it
  CHECK(first_of(u.happen(1000), EventKind::kCopyHere) == 500 + 14);
}

TEST_CASE("An access to shared memory takes a pass after another", "[arch][lsu]") {
  const auto done = [](uint16_t passes) {
    OneLsu u;
    MemoryOp op = u.access(MemoryKind::kShared, 0, 0);
    op.passes = {1, passes, passes};
    u.put(op);
    u.run_until(100);
    return first_of(u.happen(1000), EventKind::kRelease);
  };
  const OneLsu u;
  CHECK(done(5) - done(1) == 4 * u.gpu.sm.shared.return_interval);
}

TEST_CASE("Where a pass takes an SM two cycles, accesses of other warps wait twice as long", "[arch][lsu]") {
  constexpr uint16_t kWarps = 4, kPasses = 8;
  const auto last_done = [](uint32_t pass_interval) {
    OneLsu u;
    u.gpu.sm.shared.pass_interval = pass_interval;
    for (uint16_t warp = 0; warp < kWarps; ++warp) {
      MemoryOp op = u.access(MemoryKind::kShared, 0, 0);
      op.warp = warp;
      op.passes = {1, kPasses, kPasses};
      u.put(op);
    }
    u.run_until(400);
    Cycle last = 0;
    for (const auto& [cycle, event] : u.happen(1000))
      if (event.kind == EventKind::kRelease) last = std::max(last, cycle);
    return last;
  };
  CHECK(last_done(2) - last_done(1) == (kWarps - 1) * kPasses);
}

TEST_CASE("Conflicts of shared memory are counted as the H200 counts them", "[arch][lsu]") {
  OneLsu u;
  MemoryOp op = u.access(MemoryKind::kShared, 0, 0);
  op.passes = {1, 4, 4};
  u.put(op);
  u.run_until(100);
  CHECK(u.stats.conflicts_ld.value() == 3);
  CHECK(u.stats.wavefronts_shared_ld.value() == 4);
}

TEST_CASE("Lines of a bulk copy come back to the copy that asked for them", "[arch][lsu]") {
  OneLsu u;
  const uint32_t load = u.lsu.begin_bulk_load(3, 0, 9);
  u.lsu.request_bulk_line(load, 0x3000, 0xf, 10);
  u.lsu.request_bulk_line(load, 0x3080, 0xf, 12);
  REQUIRE(u.outbox.size() == 2);
  for (const OutMessage& m : u.outbox) u.lsu.filled(m.request.id, 600);
  CHECK(u.clients.bulk_lines == std::vector<unsigned>{9, 9});
  u.lsu.end_bulk_load(load);
  CHECK(u.lsu.idle());
}
