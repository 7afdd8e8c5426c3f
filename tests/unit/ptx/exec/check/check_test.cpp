// SPDX-License-Identifier: Apache-2.0
// The parts of the checks on their own; whole programs are in tests/error/programs.
#include "ptx/exec/check/vector_clock.h"
#include "tests/catch2.h"

using namespace gpuloom::ptx;

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
