// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/data_stage.h"

#include "tests/catch2.h"

using gpuloom::arch::Cycle;
using gpuloom::arch::DataStage;

namespace {

struct Begun {
  uint32_t load = 0;
  Cycle start = 0;
};

std::vector<Begun> serve(DataStage& stage, Cycle now, Cycle until, unsigned least) {
  std::vector<Begun> all;
  stage.serve(now, until, least, [&](const DataStage::Turn& turn, Cycle start) {
    all.push_back({turn.load, start});
  });
  return all;
}

}  // namespace

TEST_CASE("Accesses have the data stage one after another", "[arch]") {
  DataStage stage;
  CHECK(stage.take(10, 4) == 10);
  CHECK(stage.take(11, 2) == 14);
  CHECK(stage.free() == 16);
  CHECK(stage.take(30, 1) == 30);
}

TEST_CASE("Lines that have come have the data stage as far as it is free", "[arch]") {
  DataStage stage;
  for (uint32_t load = 0; load < 4; ++load) stage.wait({load, 2, true});
  const std::vector<Begun> begun = serve(stage, 100, 103, 0);
  REQUIRE(begun.size() == 2);
  CHECK(begun[0].start == 100);
  CHECK(begun[1].start == 102);
  CHECK(stage.waits());
  CHECK(serve(stage, 104, 200, 0).size() == 2);
  CHECK_FALSE(stage.waits());
}

TEST_CASE("A line that has come has a turn behind an access, however much else comes", "[arch]") {
  DataStage stage;
  for (uint32_t load = 0; load < 3; ++load) stage.wait({load, 1, true});
  Cycle end = 0;
  for (int access = 0; access < 3; ++access) {
    const Cycle start = stage.take(0, 8);
    CHECK(start == end);
    const std::vector<Begun> begun = serve(stage, 0, 0, 1);
    REQUIRE(begun.size() == 1);
    CHECK(begun[0].load == static_cast<uint32_t>(access));
    CHECK(begun[0].start == start + 8);
    end = start + 9;
  }
  CHECK_FALSE(stage.waits());
}
