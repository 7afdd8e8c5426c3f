// SPDX-License-Identifier: Apache-2.0
// The load/store unit without an SM: what it sends, when results are there, whom it tells.
#include "arch/sm/lsu.h"

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
  u.put(u.access(MemoryKind::kLoad, 0x1000));
  u.run_until(100);
  u.lsu.filled(u.outbox[0].request.id, 200);
  u.happen(999);
  u.outbox.clear();
  u.run_until(1000);
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
  u.lsu.fence(300);
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

TEST_CASE("A fence lets go at once what waits for further stores", "[arch][lsu]") {
  OneLsu held, fenced;
  for (OneLsu* u : {&held, &fenced}) {
    u->put(u->access(MemoryKind::kStore, 0x2000));
    u->run_until(20);
  }
  REQUIRE(fenced.outbox.empty());
  fenced.lsu.fence(20);
  REQUIRE(fenced.outbox.size() == 1);
  held.run_until(1000);
  REQUIRE(held.outbox.size() == 1);
  CHECK(fenced.outbox[0].cycle < held.outbox[0].cycle);
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

TEST_CASE("An SM with as many writes on their way as may be keeps further stores", "[arch][lsu]") {
  OneLsu u;
  const unsigned stores = u.gpu.noc.sm_writes / 4 + 2;
  for (unsigned i = 0; i < stores; ++i) {
    u.put(u.access(MemoryKind::kStore, 0x10000 + i * 128));
    u.run_until(u.now + 200);
  }
  const size_t sent = u.outbox.size();
  CHECK(sent < stores);
  CHECK_FALSE(u.lsu.idle());
  for (size_t i = 0; i < sent; ++i) u.lsu.write_answered(4);
  u.run_until(u.now + 1000);
  CHECK(u.outbox.size() == stores);
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
