// SPDX-License-Identifier: Apache-2.0
// Timelines of real runs.
#include <algorithm>
#include <map>

#include "sim/api/simulator.h"
#include "sim/runtime/suite.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "traces/timeline.h"
#include "traces/writers.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

const std::string kSuite = tests::in_tree("/bench/silicon");

RunReport run(const std::string& name, const traces::TraceRequest& trace, unsigned threads = 1) {
  DeviceOptions o;
  o.trace = trace;
  o.threads = threads;
  Simulator simulator(o);
  return simulator.run(read_suite_case(kSuite, name), {});
}

traces::TraceRequest everything() {
  traces::TraceRequest request;
  request.timeline = true;
  request.issues_to = request.end;
  request.sms = {0, 3};
  return request;
}

double cycles(const RunReport& report) { return report.kernels.back().find("sm__cycles_elapsed.max")->value; }

}  // namespace

TEST_CASE("A trace changes nothing, and is the same for any number of threads", "[trace]") {
  const RunReport plain = run("vecadd_64k", {}), traced = run("vecadd_64k", everything()),
                  threads = run("vecadd_64k", everything(), 2);
  CHECK(cycles(plain) == cycles(traced));
  REQUIRE(traced.timelines.size() == 1);
  REQUIRE(threads.timelines.size() == 1);
  CHECK(traces::perfetto_json({*traced.timelines[0]}) == traces::perfetto_json({*threads.timelines[0]}));
  CHECK(plain.timelines.empty());
}

TEST_CASE("States and issues of a warp fill its life without overlap", "[trace]") {
  const RunReport report = run("reduce_sequential", everything());
  REQUIRE(report.timelines.size() == 1);
  for (const traces::SmTimeline& sm : report.timelines[0]->sms) {
    std::map<unsigned, std::vector<std::pair<uint64_t, uint64_t>>> spans;
    size_t barriers = 0, blocks = 0, warps = 0;
    for (const traces::Record& r : sm.records) {
      if (r.kind == traces::RecordKind::kState) spans[r.unit].emplace_back(r.begin, r.end);
      if (r.kind == traces::RecordKind::kIssue) spans[r.unit].emplace_back(r.begin, r.begin + 1);
      barriers += r.kind == traces::RecordKind::kBarrier;
      blocks += r.kind == traces::RecordKind::kBlock;
      warps += r.kind == traces::RecordKind::kWarp;
    }
    CHECK(sm.dropped == 0);
    CHECK(barriers > 0);
    CHECK(warps == report.kernels.back().block[0] / 32 * blocks);
    for (auto& [warp, list] : spans) {
      std::sort(list.begin(), list.end());
      for (size_t i = 1; i < list.size(); ++i) CHECK(list[i - 1].second <= list[i].first);
    }
  }
}

TEST_CASE("The asynchronous section knows bytes and overlap of each copy", "[trace]") {
  const ReportKernel one = run("pipeline_1_w64", {}).kernels.back(),
                     four = run("pipeline_4_w64", {}).kernels.back();
  uint64_t bytes = 0;
  for (const ReportAsync& a : one.async) bytes += a.bytes;
  CHECK(bytes == 34603008);  // 264 blocks x 32 tiles x 4 KiB
  const auto overlap = [](const ReportKernel& k) {
    double weighted = 0, total = 0;
    for (const ReportAsync& a : k.async) {
      weighted += a.overlap_pct * static_cast<double>(a.copies);
      total += static_cast<double>(a.copies);
    }
    return weighted / total;
  };
  CHECK(overlap(one) < 50);
  CHECK(overlap(four) > 90);
}
