// SPDX-License-Identifier: Apache-2.0
// Fences beyond the block, without an SM: events, what warps have written, turns.
#include "arch/sm/fence_unit.h"

#include "tests/catch2.h"

using namespace gpuloom::arch;
using gpuloom::ptx::Scope;

namespace {

struct Fences {
  BarrierConfig config;
  EventQueue events;
  WarpWritesTable writes{8};
  FenceUnit unit{config, 100, events, writes};
  Fences() {
    config.fence_gpu = 200;
    config.fence_sys = 700;
    config.fence_written = 300;
    config.fence_drain = 50;
    config.fence_interval = 10;
    config.fences_together = 2;
  }
};

}  // namespace

TEST_CASE("A fence of a warp that has written nothing takes a round trip", "[arch][fence]") {
  Fences f;
  CHECK(f.unit.begin(0, Scope::kGpu, 1000, 1000) == 1200);
  CHECK(f.events.empty());
}

TEST_CASE("A fence ends no earlier than its operation allows", "[arch][fence]") {
  Fences f;
  CHECK(f.unit.begin(0, Scope::kGpu, 5000, 1000) == 5000);
}

TEST_CASE("Fences take turns at the unit", "[arch][fence]") {
  Fences f;
  CHECK(f.unit.begin(0, Scope::kGpu, 0, 1000) == 1200);
  CHECK(f.unit.begin(1, Scope::kGpu, 0, 1000) == 1210);
  CHECK(f.unit.turn(1000) == 1020);  // an invalidation has its turn there too
}

TEST_CASE("A fence of the system's scope takes longer than one of the GPU's", "[arch][fence]") {
  Fences f;
  CHECK(f.unit.begin(0, Scope::kSys, 0, 1000) == 1700);
}

TEST_CASE("A fence waits for the answers to what its warp wrote and ends some time after the last",
          "[arch][fence]") {
  Fences f;
  f.writes[3].issued();
  REQUIRE(f.unit.begin(3, Scope::kGpu, 0, 1000) == kNever);
  CHECK_FALSE(f.writes[3].wrote);  // the fence has taken account of it
  REQUIRE(f.writes[3].answered());
  CHECK(f.unit.answered(3, 2000) == 2050);
}

TEST_CASE("Answers that come soon leave a fence the trip of a warp that has written", "[arch][fence]") {
  Fences f;
  f.writes[3].issued();
  f.writes[3].wrote_far = true;
  REQUIRE(f.unit.begin(3, Scope::kGpu, 0, 1000) == kNever);
  REQUIRE(f.writes[3].answered());
  CHECK(f.unit.answered(3, 1010) == 1400);  // to L2's other side
}

TEST_CASE("Fences behind writes go so many together, and later ones when these are done", "[arch][fence]") {
  Fences f;
  for (uint16_t warp = 0; warp < 4; ++warp) f.writes[warp].issued();
  for (uint16_t warp = 0; warp < 4; ++warp) CHECK(f.unit.begin(warp, Scope::kGpu, 0, 1000) == kNever);
  for (uint16_t warp = 0; warp < 3; ++warp) f.writes[warp].answered();
  const Cycle first = f.unit.answered(0, 1500), second = f.unit.answered(1, 1600);
  CHECK(first == 1550);
  CHECK(second == 1650);
  CHECK(f.unit.answered(2, 1600) == kNever);  // it waits for its turn
  REQUIRE(f.events.next() == second);
  std::vector<std::pair<unsigned, Cycle>> ended;
  f.events.run(second, [&](const Event& e) {
    REQUIRE(e.kind == EventKind::kFencesDone);
    f.unit.go_on(second, [&](unsigned warp, Cycle at) { ended.emplace_back(warp, at); });
  });
  // Warp 2's writes have been answered; warp 3's have not.
  REQUIRE(ended.size() == 1);
  CHECK(ended[0] == std::pair<unsigned, Cycle>{2, second + 200});
  REQUIRE(f.writes[3].answered());
  CHECK(f.unit.answered(3, 3000) == 3050);
}
