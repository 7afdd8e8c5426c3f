// SPDX-License-Identifier: Apache-2.0
// Fills of shared-memory buffers by asynchronous copies, of real runs.
#include "sim/api/pipeline/pipeline.h"

#include <map>
#include <nlohmann/json.hpp>

#include "sim/api/pipeline/measure.h"
#include "sim/report/writers.h"
#include "sim/runtime/suite.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

PipelineOptions options() {
  PipelineOptions o;
  o.device.trace.timeline = true;
  o.device.trace.records = false;
  return o;
}

MeasuredPipeline measure(const std::string& name) {
  return measure_pipeline(read_suite_case(tests::in_tree("/bench/silicon"), name), options());
}

// What must hold of every fill.
void check_order(const Pipeline& p) {
  for (const PipelineSm& sm : p.sms) {
    std::map<std::pair<uint64_t, uint32_t>, uint64_t> reused;  // by block and buffer
    for (const traces::Fill& f : sm.fills) {
      CHECK(f.issued < f.complete);
      CHECK(f.complete <= p.cycles);
      if (f.wait_begin != traces::kNoCycle) {
        CHECK(f.wait_begin < f.wait_end);
        CHECK(f.waiting_warps != 0);
      }
      if (f.first_use != traces::kNoCycle) {
        CHECK(f.complete <= f.first_use);
        CHECK(f.first_use <= f.last_use);
        CHECK(f.last_use <= f.reused);
      }
    }
  }
}

}  // namespace

TEST_CASE("Fills of cp.async groups hold all bytes of a block, in as many buffers as there are stages",
          "[pipeline]") {
  for (const unsigned stages : {1u, 2u, 4u}) {
    const MeasuredPipeline m = measure("pipeline_" + std::to_string(stages) + "_w4");
    REQUIRE(m.report.launches.size() == 1);
    const Pipeline& p = m.report.launches[0];
    check_order(p);
    REQUIRE(p.sms.size() == 1);
    std::map<uint64_t, uint64_t> bytes, fills;
    for (const traces::Fill& f : p.sms[0].fills) {
      bytes[f.block] += f.bytes;
      ++fills[f.block];
      CHECK(f.first_use != traces::kNoCycle);
    }
    REQUIRE(!bytes.empty());
    for (const auto& [block, sum] : bytes) {
      CHECK(sum == 32 * 4096);  // 32 batches of 1,024 floats
      CHECK(fills[block] == 32);
    }
    unsigned buffers = 0;
    for (const PipelineProducer& producer : p.producers) buffers = std::max(buffers, producer.buffers);
    CHECK(buffers == stages);
  }
}

TEST_CASE("One stage is late in every fill, and more stages are less late", "[pipeline]") {
  const auto late = [](const Pipeline& p) {
    double cycles = 0;
    for (const PipelineProducer& m : p.producers) cycles += m.late * static_cast<double>(m.late_fills);
    return cycles;
  };
  const Pipeline one = measure("pipeline_1_w4").report.launches.at(0),
                 two = measure("pipeline_2_w4").report.launches.at(0),
                 four = measure("pipeline_4_w4").report.launches.at(0);
  CHECK(late(one) > late(two));
  CHECK(late(one) > late(four));
  const PipelineProducer& m = *one.main();
  CHECK(m.late_fills == m.fills);
  CHECK(m.buffers_needed > 1);
  CHECK(lateness(m).starts_with("late by "));
}

TEST_CASE("Fills of mbarrier phases name the mbarrier", "[pipeline]") {
  const Pipeline p = measure("bulk_copy_w4").report.launches.at(0);
  check_order(p);
  REQUIRE(p.main() != nullptr);
  CHECK(p.main()->barrier);
  CHECK(p.main()->kind == traces::CopyKind::kBulk);
  CHECK(p.main()->buffers == 2);
  std::map<uint64_t, uint64_t> bytes;
  for (const traces::Fill& f : p.sms.at(0).fills) {
    CHECK(f.barrier != traces::kNoCycle);
    bytes[f.block] += f.bytes;
  }
  for (const auto& [block, sum] : bytes) CHECK(sum == 32 * 4096);
}

TEST_CASE("Buffers beyond those that are kept are left out, and that is said", "[pipeline]") {
  PipelineOptions few = options();
  few.device.trace.fills_per_sm = 3;
  const MeasuredPipeline m =
      measure_pipeline(read_suite_case(tests::in_tree("/bench/silicon"), "pipeline_2_w4"), few);
  const Pipeline& p = m.report.launches.at(0);
  CHECK(p.sms.at(0).fills.size() == 3);
  REQUIRE(p.notes.size() == 1);
  CHECK(p.notes[0].find("left out of the pipelines") != std::string::npos);
  CHECK(pipeline_text(m.report, 100).find(p.notes[0]) != std::string::npos);
  CHECK(nlohmann::json::parse(pipeline_json(m.report))["launches"][0]["notes"].size() == 1);
  CHECK(measure("pipeline_2_w4").report.launches.at(0).notes.empty());
}

TEST_CASE("A look at pipelines changes no result", "[pipeline]") {
  const LaunchFile file = read_suite_case(tests::in_tree("/bench/silicon"), "bulk_copy_w4");
  RunReport looked = measure_pipeline(file, options()).run, plain = Simulator().run(file, {});
  looked.host = plain.host = {};
  CHECK(result_json(looked) == result_json(plain));
}

TEST_CASE("pipeline.json says what the structures hold", "[pipeline]") {
  const MeasuredPipeline m = measure("pipeline_2_w4");
  const auto j = nlohmann::json::parse(pipeline_json(m.report));
  const Pipeline& p = m.report.launches.at(0);
  const auto& launch = j.at("launches").at(0);
  CHECK(launch.at("cycles") == p.cycles);
  REQUIRE(launch.at("producers").size() == p.producers.size());
  for (size_t i = 0; i < p.producers.size(); ++i) {
    CHECK(launch.at("producers")[i].at("fills") == p.producers[i].fills);
    CHECK(launch.at("producers")[i].at("late_fills") == p.producers[i].late_fills);
  }
  for (const auto& block : launch.at("blocks"))
    for (const auto& fill : block.at("fills")) CHECK(fill.at("producer") < p.producers.size());
}

TEST_CASE("A sweep over stages wants CUDA C++ that names the macro", "[pipeline]") {
  PipelineOptions o = options();
  o.stages = {1, 2};
  const LaunchFile file = read_launch_file(tests::in_tree("/docs/tutorial/code/pipeline_2.yaml"));
  CHECK_THROWS_AS(measure_pipeline(file, o), Error);
}
