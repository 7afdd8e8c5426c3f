// SPDX-License-Identifier: Apache-2.0
#include "base/stats/stats.h"

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom;

namespace {

constexpr std::array<const char*, 2> kReasons = {"wait", "barrier"};

struct SmStats : stats::Group {
  stats::Counter inst_executed{this, "smsp__inst_executed", "inst", "Warp instructions executed."};
  stats::Vector<2> stalled{this, "smsp__warps_issue_stalled_{}", "warp", "Warps that could not issue.",
                           kReasons};
  stats::Maximum deepest{this, "sim__queue_depth", "entry", "Most entries at once."};
};

struct OtherStats : stats::Group {
  stats::Counter inst_executed{this, "smsp__inst_executed", "cycle", "Something else."};
};

}  // namespace

TEST_CASE("Equal names of several groups become one metric with a value an instance") {
  SmStats a, b;
  stats::Collector collector;
  collector.add(a, "sm0");
  collector.add(b, "sm1");
  ++a.inst_executed;
  b.inst_executed += 5;
  a.stalled[1] += 2;
  a.deepest.see(4);
  a.deepest.see(3);
  b.deepest.see(9);
  const stats::Snapshot snapshot = collector.freeze();
  REQUIRE(snapshot.metrics().size() == 4);
  CHECK(snapshot.metrics()[0].name == "smsp__inst_executed");
  CHECK(snapshot.metrics()[1].name == "smsp__warps_issue_stalled_wait");
  CHECK(snapshot.metrics()[2].name == "smsp__warps_issue_stalled_barrier");
  const stats::Metric& inst = snapshot.at("smsp__inst_executed");
  CHECK(inst.unit == "inst");
  CHECK(inst.values == std::vector<uint64_t>{1, 5});
  CHECK(*inst.instances == std::vector<std::string>{"sm0", "sm1"});
  CHECK(inst.sum() == 6);
  CHECK(inst.avg() == 3.0);
  CHECK(inst.min() == 1);
  CHECK(inst.max() == 5);
  CHECK(snapshot.at("smsp__warps_issue_stalled_barrier").total() == 2);
  CHECK(snapshot.at("sim__queue_depth").total() == 9);
  CHECK(snapshot.find("none") == nullptr);
}

TEST_CASE("The difference of two snapshots is what happened between them") {
  SmStats a;
  stats::Collector collector;
  collector.add(a);
  a.inst_executed += 10;
  const stats::Snapshot before = collector.freeze();
  a.inst_executed += 7;
  a.deepest.see(2);
  const stats::Snapshot since = collector.freeze().since(before);
  CHECK(since.at("smsp__inst_executed").sum() == 7);
  CHECK(since.at("sim__queue_depth").max() == 2);
}

TEST_CASE("A snapshot keeps its values, whichever groups count after it") {
  SmStats a, b;
  stats::Collector collector;
  collector.add(a, "sm0");
  collector.add(b, "sm1");
  const stats::Snapshot first = collector.freeze();
  b.inst_executed += 3;
  const stats::Snapshot second = collector.freeze();
  ++a.inst_executed;
  b.deepest.see(7);
  const stats::Snapshot third = collector.freeze();
  const auto values = [](const stats::Snapshot& s) { return s.at("smsp__inst_executed").values; };
  CHECK(values(first) == std::vector<uint64_t>{0, 0});
  CHECK(values(second) == std::vector<uint64_t>{0, 3});
  CHECK(values(third) == std::vector<uint64_t>{1, 3});
  CHECK(values(second.since(first)) == std::vector<uint64_t>{0, 3});
  CHECK(values(third.since(second)) == std::vector<uint64_t>{1, 0});
  CHECK(values(collector.freeze().since(third)) == std::vector<uint64_t>{0, 0});
  CHECK(collector.freeze().since(third).at("sim__queue_depth").values == std::vector<uint64_t>{0, 7});
}

TEST_CASE("A group that is added later counts from zero") {
  SmStats a, b;
  stats::Collector collector;
  collector.add(a);
  ++a.inst_executed;
  const stats::Snapshot before = collector.freeze();
  collector.add(b);
  b.inst_executed += 2;
  CHECK(collector.freeze().since(before).at("smsp__inst_executed").values == std::vector<uint64_t>{0, 2});
}

TEST_CASE("Resetting a collector zeroes every group") {
  SmStats a;
  stats::Collector collector;
  collector.add(a);
  ++a.inst_executed;
  a.stalled[0] = 3;
  collector.reset();
  const stats::Snapshot snapshot = collector.freeze();
  for (const stats::Metric& metric : snapshot.metrics()) CHECK(metric.total() == 0);
}

TEST_CASE("One name with two meanings is a bug") {
  SmStats a;
  OtherStats b;
  stats::Collector collector;
  collector.add(a);
  collector.add(b);
  CHECK_THROWS_AS(collector.freeze(), Error);
}

TEST_CASE("A counter is one integer") { CHECK(sizeof(stats::Counter) == sizeof(uint64_t)); }
