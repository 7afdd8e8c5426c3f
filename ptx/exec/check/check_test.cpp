// SPDX-License-Identifier: Apache-2.0
// The parts of the checks on their own; whole programs are in tests/error/programs.
#include "ptx/exec/check/init_map.h"
#include "ptx/exec/check/vector_clock.h"
#include "ptx/exec/memory_view.h"
#include "tests/catch2.h"

using namespace gpuloom::ptx;

TEST_CASE("Written bytes are remembered one by one, across pages", "[check]") {
  InitMap map;
  const uint64_t at = kGlobalBase + (uint64_t{1} << 16) - 3;
  CHECK(map.first_unset(at, 8) == at);
  map.set(at, 6);
  CHECK(map.first_unset(at, 6) == at + 6);
  CHECK(map.first_unset(at, 7) == at + 6);
  CHECK(map.first_unset(at - 1, 2) == at - 1);
  map.clear(at + 2, 1);
  CHECK(map.first_unset(at, 6) == at + 2);
}

TEST_CASE("A long range is written and forgotten as a whole", "[check]") {
  InitMap map;
  map.set(kGlobalBase + 1, 300'000);
  CHECK(map.first_unset(kGlobalBase + 1, 300'000) == kGlobalBase + 300'001);
  CHECK(map.first_unset(kGlobalBase, 1) == kGlobalBase);
  map.clear(kGlobalBase, 1 << 20);
  CHECK(map.first_unset(kGlobalBase + 150'000, 1) == kGlobalBase + 150'000);
  map.clear(kGlobalBase + (uint64_t{1} << 40), 64);  // never seen: nothing to forget
}

TEST_CASE("A join of clocks is their maximum in every component", "[check]") {
  const ClockRef a = std::make_shared<const Clock>(Clock{3, 1, 0}),
                 b = std::make_shared<const Clock>(Clock{1, 5});
  ClockJoin join;
  CHECK(join.empty());
  join.add(a);
  CHECK(join.sum() == a);  // of one clock: the clock itself
  join.add(b);
  join.raise(4, 7);
  join.raise(0, 2);
  CHECK(*join.sum() == Clock{3, 5, 0, 0, 7});
  join.clear();
  CHECK(join.empty());
  CHECK(component(a, 9) == 0);
  CHECK(component(nullptr, 0) == 0);
}
