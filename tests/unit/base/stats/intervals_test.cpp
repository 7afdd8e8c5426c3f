// SPDX-License-Identifier: Apache-2.0
#include "base/stats/intervals.h"

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom;

namespace {

struct UnitStats : stats::Group {
  stats::Counter hits{this, "hits", "sector", "Found."};
  stats::Counter misses{this, "misses", "sector", "Not found."};
  stats::Maximum deepest{this, "deepest", "entry", "Most at once."};
};

}  // namespace

TEST_CASE("What a unit counts belongs to the interval of the cycle that it says", "[intervals]") {
  UnitStats unit;
  unit.hits += 100;  // before the launch
  stats::IntervalLog log({&unit}, 10);
  log.start(1000);
  unit.hits += 3;
  log.add(1009);
  unit.hits += 4;
  log.add(1010);
  unit.misses += 1;
  log.add(1035);
  const stats::IntervalTable table = stats::interval_table("l2", {&log});
  REQUIRE(table.intervals == 4);
  REQUIRE(table.find("hits") != nullptr);
  CHECK(table.find("hits")->values == std::vector<uint32_t>{3, 4, 0, 0});
  CHECK(table.find("misses")->values == std::vector<uint32_t>{0, 0, 0, 1});
  CHECK(table.find("deepest") == nullptr);
}

TEST_CASE("Equal names of a unit's groups are added up, and quiet counters are left out", "[intervals]") {
  UnitStats a, b;
  stats::IntervalLog log({&a, &b}, 10);
  log.start(0);
  a.hits += 1;
  b.hits += 2;
  log.add(5);
  const stats::IntervalTable table = stats::interval_table("sm", {&log});
  REQUIRE(table.columns.size() == 1);
  CHECK(table.columns[0].values == std::vector<uint32_t>{3});
}

TEST_CASE("What is told ahead of its counter is not counted twice", "[intervals]") {
  UnitStats unit;
  stats::IntervalLog log({&unit}, 10);
  log.start(0);
  std::vector<uint64_t> ahead(log.counters(), 0);
  ahead[log.index_of("hits")] = 6;
  log.add(9, ahead.data());  // six that the group will hear of later
  unit.hits += 8;
  log.add(19);
  const stats::IntervalTable table = stats::interval_table("sm", {&log});
  CHECK(table.find("hits")->values == std::vector<uint32_t>{6, 2});
  CHECK_THROWS_AS(log.index_of("nothing"), Error);
}

TEST_CASE("Too many intervals are joined by two, and nothing is lost", "[intervals]") {
  UnitStats unit, other;
  stats::IntervalLog log({&unit}, 1), coarse({&other}, 1);
  log.start(0);
  coarse.start(0);
  constexpr uint64_t kCycles = 5 * stats::IntervalLog::kMost / 2;
  for (uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    ++unit.hits;
    log.add(cycle);
  }
  ++other.hits;
  coarse.add(0);
  CHECK(log.cycles_each() == 4);
  coarse.widen_to(log.cycles_each());
  const stats::IntervalTable table = stats::interval_table("sm", {&log, &coarse});
  CHECK(table.intervals == kCycles / 4);
  CHECK(table.find("hits")->sum() == kCycles + 1);
  CHECK(table.find("hits")->values[0] == 4);
  CHECK(table.find("hits")->values[1] == 1);
}
