// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/score_targets.h"

#include "bench/validation/score_facts.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::validation;

namespace {

ScoreCase with_cycles(const std::string& name, double silicon, double simulated) {
  ScoreCase c;
  c.name = name;
  c.values.resize(score_metrics().size());
  c.values[score_metric_index("cycles")] = {silicon, simulated};
  return c;
}

ScoreTarget target(const std::vector<ScoreTarget>& targets, const std::string& what) {
  for (const ScoreTarget& t : targets)
    if (t.what == what) return t;
  throw std::runtime_error("no target " + what);
}

}  // namespace

TEST_CASE("Targets are judged over the kernel cases, and probes apart", "[score]") {
  std::vector<ScoreCase> cases = {with_cycles("a", 100, 110), with_cycles("b", 100, 160),
                                  with_cycles("lat_x", 100, 900)};
  cases[2].kind = CaseClass::kLatency;
  cases[2].values[score_metric_index("probe")] = {100.0, 104.0};
  const auto targets = score_targets(cases);
  const ScoreTarget mean = target(targets, "elapsed cycles, mean error");
  CHECK(mean.cases == 2);
  CHECK(mean.reached == "35.0 %");
  CHECK_FALSE(mean.met);
  const ScoreTarget share = target(targets, "elapsed cycles");
  CHECK(share.reached == "50.0 %");
  CHECK(share.worst == "b +60.0 %");
  CHECK(target(targets, "probes of latency").met);
}

TEST_CASE("A ratio between cases is judged by the ratio, not by the cycles", "[score]") {
  const auto pair = [](double padded, double conflict) {
    std::vector<ScoreCase> cases = {with_cycles("padded", 100, padded),
                                    with_cycles("conflict", 300, conflict)};
    cases[1].ratio_to = "padded";
    return cases;
  };
  const auto good = score_targets(pair(200, 620));
  CHECK(target(good, "ratios between related cases").met);
  const auto bad = score_targets(pair(100, 340));
  CHECK_FALSE(target(bad, "ratios between related cases").met);
}

TEST_CASE("The simulator's main stall reason may be the silicon's second", "[score]") {
  ScoreCase c = with_cycles("a", 100, 100);
  c.stall_silicon = "wait", c.stall_silicon_second = "barrier", c.stall_simulated = "barrier";
  CHECK(target(score_targets({c}), "main stall reason is silicon's first or second").met);
  c.stall_simulated = "drain";
  const auto targets = score_targets({c});
  CHECK(target(targets, "main stall reason is silicon's first or second").worst == "a (drain, not wait)");
}

TEST_CASE("Counts that differ between launches of the silicon are judged by range or by percent", "[score]") {
  const auto judged = [](double wavefronts, double conflicts) {
    ScoreCase c = with_cycles("a", 100, 100);
    c.values[score_metric_index("shared_wavefronts")] = {1000.0, wavefronts, 900.0, 1010.0};
    c.values[score_metric_index("conflicts")] = {10.0, conflicts, 5.0, 12.0};
    return score_targets({c});
  };
  for (const auto& [wavefronts, met] :
       {std::pair{905.0, true}, {1025.0, true}, {1040.0, false}, {880.0, false}})
    CHECK(target(judged(wavefronts, 10), "shared wavefronts, differing between launches").met == met);
  for (const auto& [conflicts, met] : {std::pair{0.0, true}, {12.0, true}, {40.0, true}, {41.0, false}})
    CHECK(target(judged(1000, conflicts), "bank conflicts, differing between launches").met == met);
}

TEST_CASE("Counts that repeat on the silicon have to be exact", "[score]") {
  ScoreCase c = with_cycles("a", 100, 100);
  c.values[score_metric_index("shared_wavefronts")] = {1000.0, 1001.0};
  const auto targets = score_targets({c});
  CHECK_FALSE(target(targets, "shared wavefronts, static patterns").met);
  CHECK(target(targets, "shared wavefronts, static patterns nearly").met);
}

TEST_CASE("Opcodes fall into classes by their base name", "[score]") {
  CHECK(opcode_class("LDG.E.128") == OpcodeClass::kMemory);
  CHECK(opcode_class("UTMALDG/UTMASTG") == OpcodeClass::kMemory);
  CHECK(opcode_class("IMAD.WIDE") == OpcodeClass::kInteger);
  CHECK(opcode_class("HMMA.16816") == OpcodeClass::kFloat);
  CHECK(opcode_class("BAR.SYNC") == OpcodeClass::kControl);
}

TEST_CASE("What limits occupancy is the smallest of the limits, all of them where several are", "[score]") {
  SiliconCase silicon;
  silicon.metrics = {{"launch__occupancy_limit_blocks", 32},
                     {"launch__occupancy_limit_registers", 8},
                     {"launch__occupancy_limit_warps", 8}};
  CHECK(limiters(silicon, nullptr).silicon == "registers+warps");
  CHECK(limiters(silicon, nullptr).simulated.empty());
}
