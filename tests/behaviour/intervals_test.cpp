// SPDX-License-Identifier: Apache-2.0
// Counters over time of real runs.
#include "base/stats/intervals.h"

#include "sim/api/simulator.h"
#include "sim/report/intervals.h"
#include "sim/report/writers.h"
#include "sim/runtime/suite.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

RunReport run(const std::string& name, uint64_t interval, unsigned threads = 1, uint32_t run_ahead = 2048) {
  DeviceOptions o;
  o.interval_cycles = interval;
  o.threads = threads;
  o.run_ahead = run_ahead;
  Simulator simulator(o);
  RunReport report = simulator.run(read_suite_case(tests::in_tree("/bench/silicon"), name), {});
  report.host = {};
  return report;
}

// Every counter of every table against the metric of the same name.
void check_sums(const RunReport& report) {
  REQUIRE(report.intervals.size() == report.kernels.size());
  for (size_t i = 0; i < report.kernels.size(); ++i)
    for (const stats::IntervalTable& table : report.intervals[i]->tables) {
      CHECK(!table.columns.empty());
      for (const auto& column : table.columns) {
        INFO(table.kind << " " << column.name);
        const ReportMetric* metric = report.kernels[i].find(column.name + ".sum");
        REQUIRE(metric != nullptr);
        CHECK(static_cast<double>(column.sum()) == metric->value);
      }
    }
}

}  // namespace

TEST_CASE("Counters over time change no result, and their sums are the totals", "[intervals]") {
  for (const char* name : {"vecadd_64k", "reduce_sequential", "cluster_ring4", "pipeline_2_w4"}) {
    INFO(name);
    const RunReport plain = run(name, 0), timed = run(name, 500);
    CHECK(result_json(plain) == result_json(timed));
    CHECK(plain.intervals.empty());
    check_sums(timed);
  }
}

TEST_CASE("Counters over time do not depend on threads, nor on how far an SM runs on", "[intervals]") {
  const std::string one = intervals_json(run("vecadd_64k", 300));
  CHECK(one == intervals_json(run("vecadd_64k", 300, 2)));
  CHECK(one == intervals_json(run("vecadd_64k", 300, 8)));
  CHECK(one == intervals_json(run("vecadd_64k", 300, 1, 0)));
}

TEST_CASE("An SM issues no more in an interval than its schedulers can", "[intervals]") {
  const RunReport report = run("fma_chain", 100);
  for (const stats::IntervalTable& table : report.intervals.at(0)->tables) {
    if (table.kind != "sm") continue;
    const auto* issued = table.find("smsp__issue_active");
    const auto* active = table.find("smsp__cycles_active");
    REQUIRE(issued != nullptr);
    REQUIRE(active != nullptr);
    for (size_t i = 0; i < issued->values.size(); ++i) {
      CHECK(issued->values[i] <= active->values[i]);
      CHECK(active->values[i] <= 4 * 100);
    }
  }
}

TEST_CASE("Intervals of a cycle are joined until there are few enough, and still sum", "[intervals]") {
  const RunReport report = run("vecadd_64k", 1);
  CHECK(report.intervals.at(0)->cycles_asked == 1);
  CHECK(report.intervals.at(0)->cycles_each > 1);
  check_sums(report);
}
