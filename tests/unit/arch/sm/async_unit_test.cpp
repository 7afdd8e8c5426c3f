// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies without an SM: groups, lines of bulk copies, whom the unit tells.
#include "arch/sm/async_unit.h"

#include "ptx/exec/tensor_map.h"
#include "tests/unit/arch/sm/around_unit.h"
#include "tests/unit/arch/sm/copy_neighbours.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

// The unit with a block of one warp.
struct OneUnit : AroundUnit {
  CopyTrafficSeen traffic;
  CopyBlocksTold blocks;
  AsyncUnit unit{gpu.sm, gpu.noc, {events, stats, grids, late, recorders, traffic, blocks}};
  std::unique_ptr<ptx::Cta> cta = ptx::create_cta(grid.launch, 0);
  OneUnit() {
    unit.launch(0, {cta->warps[0].get(), 0, 0});
    cta->warps[0]->async = unit.capture(0);
  }
  // cp.async that only fills with zeros: no global memory is needed for it.
  uint32_t copy(Cycle now) {
    ptx::AsyncOperation o;
    o.kind = ptx::AsyncKind::kCopy;
    o.bytes = 16;
    unit.capture(0)->push_back(o);
    return static_cast<uint32_t>(unit.begin_copy(0, 4, 0, now));
  }
  static ptx::AsyncOperation prefetch(uint64_t address, uint32_t bytes) {
    ptx::AsyncOperation o;
    o.kind = ptx::AsyncKind::kBulkPrefetch;
    o.source = address;
    o.bytes = bytes;
    o.source_space = o.target_space = ptx::Space::kGlobal;
    return o;
  }
  // A tensor load of these runs.
  static ptx::AsyncOperation load(std::vector<ptx::TensorRun> runs, uint64_t map = 0) {
    auto transfer = std::make_shared<ptx::TensorTransfer>();
    for (const ptx::TensorRun& run : runs) transfer->bytes += run.bytes;
    transfer->map = map;
    ptx::AsyncOperation o;
    o.kind = ptx::AsyncKind::kBulkCopy;
    o.source = runs[0].address;
    o.bytes = transfer->bytes;
    transfer->runs = std::move(runs);
    o.tensor = std::move(transfer);
    return o;
  }
  // Hands the unit its own events up to a cycle; returns when the last bulk copy was done.
  Cycle run_until(Cycle end) {
    Cycle done = kNever;
    for (Cycle at = events.next(); at <= end; at = events.next())
      events.run(at, [&](const Event& e) {
        if (e.kind == EventKind::kAsyncStart) unit.go_on(at);
        if (e.kind == EventKind::kCopyArrived) unit.copy_done(e.b, at);
        if (e.kind == EventKind::kGroupClosed) unit.group_closed(e.a, at);
        if (e.kind != EventKind::kAsyncDone) return;
        unit.finish_bulk(e.b, at);
        done = at;
      });
    return done;
  }
};

ptx::CopyWait groups_left(uint32_t groups) {
  ptx::CopyWait wait;
  wait.waits = true;
  wait.groups = groups;
  return wait;
}

}  // namespace

TEST_CASE("A warp without a wait waits for no copies", "[arch][async]") {
  OneUnit u;
  u.copy(100);
  u.unit.commit(0, 0);
  CHECK(u.unit.wait_done(0));
}

TEST_CASE("A wait for a group ends when the bytes of its copies are in shared memory", "[arch][async]") {
  OneUnit u;
  const uint32_t copy = u.copy(100);
  u.unit.commit(0, 150);
  u.run_until(150);
  u.blocks.changed.clear();
  u.unit.waits_for(0, groups_left(0));
  CHECK_FALSE(u.unit.wait_done(0));
  CHECK(u.unit.awaited_group(0) == 0u);
  u.unit.data_arrived(copy, 500);
  CHECK_FALSE(u.unit.wait_done(0));  // the data stage writes them pass by pass
  CHECK(u.events.next() == 504);
  u.run_until(504);
  CHECK(u.unit.wait_done(0));
  CHECK(u.unit.none_on_way(0));
  CHECK(u.blocks.changed == std::vector<unsigned>{0});
  CHECK(u.blocks.barriers == 1);
}

TEST_CASE("A wait for a group does not end before it is known to collect no more", "[arch][async]") {
  OneUnit u;
  const uint32_t copy = u.copy(100);
  u.unit.commit(0, 700);
  u.unit.data_arrived(copy, 500);
  u.unit.waits_for(0, groups_left(0));
  u.run_until(699);
  CHECK_FALSE(u.unit.wait_done(0));
  CHECK_FALSE(u.unit.none_on_way(0));
  u.run_until(700);
  CHECK(u.unit.wait_done(0));
  CHECK(u.unit.none_on_way(0));
}

TEST_CASE("A copy holds the data stage for its passes and what more it takes", "[arch][async]") {
  OneUnit u;
  ptx::AsyncOperation o;
  o.kind = ptx::AsyncKind::kCopy;
  o.bytes = 16;
  u.unit.capture(0)->push_back(o);
  u.unit.data_arrived(static_cast<uint32_t>(u.unit.begin_copy(0, 4, 3, 100)), 500);
  CHECK(u.events.next() == 507);
}

TEST_CASE("The newest groups may be left on their way", "[arch][async]") {
  OneUnit u;
  const uint32_t first = u.copy(100);
  u.unit.commit(0, 0);
  u.copy(110);
  u.unit.commit(0, 0);
  u.unit.waits_for(0, groups_left(1));
  CHECK_FALSE(u.unit.wait_done(0));
  u.unit.data_arrived(first, 500);
  u.run_until(600);
  CHECK(u.unit.wait_done(0));
  u.unit.waits_for(0, groups_left(0));
  CHECK_FALSE(u.unit.wait_done(0));
}

TEST_CASE("A wait for all copies waits for uncommitted ones too", "[arch][async]") {
  OneUnit u;
  const uint32_t copy = u.copy(100);
  u.unit.waits_for(0, groups_left(0));
  CHECK(u.unit.wait_done(0));
  u.unit.waits_for(0, groups_left(UINT32_MAX));
  CHECK_FALSE(u.unit.wait_done(0));
  u.unit.data_arrived(copy, 500);
  u.run_until(600);
  CHECK(u.unit.wait_done(0));
}

TEST_CASE("A bulk copy asks for its lines one after another", "[arch][async]") {
  OneUnit u;
  u.unit.capture(0)->push_back(OneUnit::prefetch(0x1000, 512));
  u.unit.begin_bulk(0, false, false, 100, 110);
  CHECK_FALSE(u.unit.none_on_way(0));
  u.run_until(5000);
  REQUIRE(u.traffic.fetched.size() == 4);
  const TmaConfig& tma = u.gpu.sm.tma;
  CHECK(u.traffic.fetched[0] == std::pair<uint64_t, Cycle>{0x1000, 110 + tma.start_latency});
  for (size_t i = 1; i < 4; ++i)
    CHECK(
        u.traffic.fetched[i] ==
        std::pair<uint64_t, Cycle>{0x1000 + i * 128, u.traffic.fetched[i - 1].second + tma.request_interval});
  CHECK(u.unit.none_on_way(0));
  CHECK(u.unit.idle());
  CHECK(u.stats.bulk_copies.value() == 1);
  CHECK(u.stats.bulk_bytes.value() == 512);
}

TEST_CASE("A row of a tensor that does not begin with a line is fetched in parts", "[arch][async]") {
  OneUnit u;
  u.unit.capture(0)->push_back(OneUnit::load({{0x1030, 0, 128}, {0x2000, 128, 128}, {0x3050, 256, 48}}));
  u.unit.begin_bulk(0, true, false, 100, 110);
  u.run_until(5000);
  std::vector<uint64_t> lines;
  for (const auto& [line, at] : u.traffic.asked) lines.push_back(line);
  CHECK(lines == std::vector<uint64_t>{0x1000, 0x1000, 0x1080, 0x2000, 0x3000});
}

TEST_CASE("Behind an acquire the first copy by each tensor map waits for the map", "[arch][async]") {
  OneUnit u;
  Cycle now = 0;
  const auto first_line = [&](uint64_t map) {
    u.unit.capture(0)->push_back(OneUnit::load({{0x1000, 0, 128}}, map));
    const Cycle begin = now += 10000;
    u.unit.begin_bulk(0, true, false, begin, begin);
    u.run_until(begin + 5000);
    return u.traffic.asked.back().second - begin;
  };
  const TmaConfig& tma = u.gpu.sm.tma;
  const Cycle start = tma.start_latency + tma.tensor_latency;
  CHECK(first_line(0x8000) == start);
  u.unit.forget_maps();
  CHECK(first_line(0x8000) == start + tma.map_fetch);
  CHECK(first_line(0x8000) == start);
  CHECK(first_line(0x9000) == start + tma.map_fetch);
}

TEST_CASE("Lanes that prefetch the same do it once, others one after another", "[arch][async]") {
  OneUnit u;
  for (int lane = 0; lane < 4; ++lane) u.unit.capture(0)->push_back(OneUnit::prefetch(0x1000, 128));
  u.unit.capture(0)->push_back(OneUnit::prefetch(0x4000, 128));
  u.unit.begin_bulk(0, false, false, 100, 110);
  u.run_until(5000);
  REQUIRE(u.traffic.fetched.size() == 2);
  CHECK(u.traffic.fetched[0].first == 0x1000);
  CHECK(u.traffic.fetched[1].first == 0x4000);
}

TEST_CASE("A loop over lanes begins one copy a turn", "[arch][async]") {
  OneUnit u;
  u.unit.capture(0)->push_back(OneUnit::prefetch(0x1000, 128));
  u.unit.capture(0)->push_back(OneUnit::prefetch(0x2000, 128));
  u.unit.begin_bulk(0, false, true, 100, 110);
  CHECK(u.unit.next_turn(0));
  u.unit.begin_bulk(0, false, true, 150, 160);
  CHECK_FALSE(u.unit.next_turn(0));
  CHECK(u.stats.bulk_copies.value() == 2);
}

TEST_CASE("Bulk writes stop while as many as may be are on their way", "[arch][async]") {
  OneUnit u;
  u.traffic.full = true;
  u.unit.capture(0)->push_back(OneUnit::prefetch(0x1000, 256));
  u.unit.begin_bulk(0, false, false, 100, 110);
  u.run_until(5000);
  CHECK(u.traffic.fetched.empty());
  u.traffic.full = false;
  u.unit.write_answered(6000);
  u.run_until(9000);
  CHECK(u.traffic.fetched.size() == 2);
}
