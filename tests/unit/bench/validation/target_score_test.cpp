// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/target_score.h"

#include <algorithm>

#include "base/error.h"
#include "tests/catch2.h"
#include "tests/places.h"

namespace gpuloom::validation {
namespace {

const std::string kSuite = tests::in_tree("/bench/silicon");

TEST_CASE("Nine targets have tables of what ptxas makes") {
  const std::vector<std::string> targets = lowering_targets(kSuite);
  CHECK(targets.size() == 9);
  CHECK(targets.front() == "sm_61");
  CHECK(targets.back() == "sm_120");
}

TEST_CASE("A target's kernels lie in two halves that share none") {
  const std::vector<TargetHalf> halves = score_lowering_targets(kSuite, {"sm_80"}, {"reduce_*", "vecadd*"});
  REQUIRE(halves.size() == 2);
  CHECK(!halves[0].unseen);
  CHECK(halves[1].unseen);
  CHECK(halves[0].lowered + halves[1].lowered > 2);
  for (const LoweredKernel& a : halves[0].kernels)
    for (const LoweredKernel& b : halves[1].kernels) CHECK((a.module != b.module || a.name != b.name));
}

TEST_CASE("The page names what must be reached, and no kernel of the unseen half") {
  const std::vector<TargetHalf> halves = score_lowering_targets(kSuite, {"sm_90"}, {"reduce_*"});
  const std::string page = lowering_targets_page(halves);
  CHECK(page.find("to reach") != std::string::npos);
  CHECK(page.find("unseen") != std::string::npos);
  CHECK(page.find("reduce_") == std::string::npos);
}

TEST_CASE("A target without a table is refused, with the nearest") {
  try {
    score_lowering_targets(kSuite, {"sm_87"}, {});
    FAIL("not refused");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find("no table of what ptxas makes for 'sm_87'") != std::string::npos);
  }
}

// What the lowering has reached must not get lost.
TEST_CASE("Static code of 8.0 is as near to ptxas's as it was") {
  const std::vector<TargetHalf> halves = score_lowering_targets(kSuite, {"sm_80"}, {"s*"});
  for (const TargetHalf& half : halves) {
    CHECK(half.lowered == half.kernels.size());
    CHECK(half.median_error <= 7);
  }
}

}  // namespace
}  // namespace gpuloom::validation
