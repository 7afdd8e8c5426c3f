// SPDX-License-Identifier: Apache-2.0
// The sub-cores' memory queues and the L1's input, without an SM.
#include "arch/sm/memory_queues.h"

#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom::arch;

namespace {

struct Queues {
  GpuConfig gpu = tiny_gpu();
  MemoryQueues q{gpu.sm};
  std::vector<unsigned> freed;
  std::vector<uint16_t> past;
  void put(unsigned sub, uint16_t warp, MemoryKind kind, Cycle now) {
    MemoryOp& op = q.reserve(sub);
    op = MemoryOp{};
    op.kind = kind;
    op.warp = warp;
    q.commit(sub, now);
  }
  bool arbitrate(Cycle now) {
    return q.arbitrate(
        now, [&](MemoryOp& op) { past.push_back(op.warp); }, [](const MemoryOp&) {},
        [&](unsigned sub) { freed.push_back(sub); });
  }
};

}  // namespace

TEST_CASE("A sub-core's queue is full when all its places are taken", "[arch][queues]") {
  Queues s;
  const unsigned places = s.gpu.sm.memory.queue_entries + s.gpu.sm.memory.latch_entries;
  for (unsigned i = 0; i < places; ++i) {
    REQUIRE_FALSE(s.q.full(0));
    s.put(0, 0, MemoryKind::kLoad, 100);
  }
  CHECK(s.q.full(0));
  CHECK_FALSE(s.q.full(1));
}

TEST_CASE("One sub-core's instruction goes on at a time, and the next is asked first then",
          "[arch][queues]") {
  Queues s;
  for (unsigned sub = 0; sub < s.gpu.sm.sub_cores; ++sub)
    s.put(sub, static_cast<uint16_t>(sub), MemoryKind::kLoad, 100);
  for (Cycle now = s.q.next(); !s.freed.empty() || now != kNever; now = s.q.next()) {
    if (s.freed.size() == s.gpu.sm.sub_cores) break;
    s.arbitrate(now);
  }
  CHECK(s.freed == std::vector<unsigned>{0, 1, 2, 3});
  CHECK(s.q.input()->warp == 0);
}

TEST_CASE("What has a unit of its own does not stand in front of the tags", "[arch][queues]") {
  Queues s;
  s.put(0, 7, MemoryKind::kConstant, 100);
  s.arbitrate(s.q.next());
  CHECK(s.past == std::vector<uint16_t>{7});
  CHECK(s.q.input() == nullptr);
  CHECK(s.q.empty());
}

TEST_CASE("A full input keeps what needs the tags, and no other", "[arch][queues]") {
  Queues s;
  Cycle now = 100;
  for (unsigned i = 0; i < s.gpu.sm.memory.input_entries; ++i) {
    s.put(0, 0, MemoryKind::kLoad, now);
    while (s.freed.size() == i) s.arbitrate(now = s.q.next());
  }
  REQUIRE(s.q.input_full());
  s.put(0, 1, MemoryKind::kLoad, now);
  s.put(1, 2, MemoryKind::kSimple, now);
  const size_t gone = s.freed.size();
  s.arbitrate(now += 100);
  CHECK(s.arbitrate(now += 100));  // one waits
  CHECK(s.past == std::vector<uint16_t>{2});
  CHECK(s.freed.size() == gone + 1);
}

TEST_CASE("A fence keeps what comes behind it in its sub-core's queue", "[arch][queues]") {
  Queues s;
  s.q.hold(0, 500);
  s.put(0, 0, MemoryKind::kLoad, 100);
  CHECK(s.q.drained(0, 100) == 500 + s.gpu.sm.memory.address_interval);
  s.arbitrate(s.q.next());
  CHECK(s.freed.empty());
  CHECK(s.q.next() == 500);
}
