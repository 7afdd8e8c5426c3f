// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/score.h"

#include <algorithm>

#include "sim/api/process_pool.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::validation;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

RunReport run_with(double cycles, uint64_t hash, double conflicts) {
  RunReport run;
  run.provenance.mode = "timed";
  ReportKernel k;
  k.metrics = {{"sm__cycles_elapsed.max", "cycle", cycles, MetricBasis::kMachine},
               {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", conflicts, MetricBasis::kMachine},
               {"dram__bytes_read.sum", "byte", 60, MetricBasis::kMachine},
               {"dram__bytes_write.sum", "byte", 50, MetricBasis::kMachine}};
  run.kernels.push_back(k);
  run.outputs = {{"c", "u32", 2, hash, {100, 2}}};
  return run;
}

SiliconCase silicon() {
  SiliconCase s;
  s.metrics = {{"cycles_median", 1000},
               {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 0},
               {"dram__bytes_read.sum", 50},
               {"dram__bytes_write.sum", 50}};
  s.outputs = {{"c", 7}};
  s.probe_cycles = 80;
  return s;
}

const ScoreTotal& total(const std::vector<ScoreTotal>& totals, std::string_view id) {
  for (const ScoreTotal& t : totals)
    if (t.id == id) return t;
  throw std::runtime_error("no such total");
}

}  // namespace

TEST_CASE("A case is scored by its outputs and by each metric that both sides have", "[score]") {
  const ScoreCase c = score_case("x", silicon(), run_with(1100, 7, 0));
  CHECK(*c.outputs_equal);
  CHECK(*c.values[0].error_pct() == Approx(10));
  const std::vector<ScoreTotal> t = score_totals({c});
  CHECK(total(t, "cycles").within == 1);
  CHECK(total(t, "conflicts").exact == 1);
  CHECK(total(t, "dram_bytes").mape == Approx(10));
  CHECK(total(t, "dram_bytes").within == 0);
  CHECK(total(t, "probe").worst == Approx(25));
  CHECK(total(t, "registers").compared == 0);
}

TEST_CASE("A different output and a count where silicon has none are told apart from errors", "[score]") {
  const ScoreCase c = score_case("x", silicon(), run_with(1000, 8, 5));
  CHECK_FALSE(*c.outputs_equal);
  CHECK(c.different == "c");
  const std::vector<ScoreTotal> totals = score_totals({c});
  const ScoreTotal& t = total(totals, "conflicts");
  CHECK(t.spurious == 1);
  CHECK(t.mape == 0);
  CHECK(total(totals, "cycles").exact == 1);
}

TEST_CASE("Means, correlation and the worst case cover all cases", "[score]") {
  std::vector<ScoreCase> cases;
  for (const double factor : {1.0, 0.5, 1.5, 1.0}) {
    SiliconCase s = silicon();
    s.metrics["cycles_median"] = 1000.0 * static_cast<double>(cases.size() + 1);
    cases.push_back(score_case("case" + std::to_string(cases.size()), s,
                               run_with(1000.0 * static_cast<double>(cases.size() + 1) * factor, 7, 0)));
  }
  const std::vector<ScoreTotal> t = score_totals(cases);
  CHECK(total(t, "cycles").mape == Approx(25));
  CHECK(total(t, "cycles").worst == Approx(-50));
  CHECK(total(t, "cycles").worst_case == "case1");
  CHECK(total(t, "cycles").correlation > 0.5);
  CHECK(sorted_by_error(cases).front().name == "case1");
}

TEST_CASE("A score survives the way through JSON and is compared with a later one", "[score]") {
  const std::vector<ScoreCase> before = {score_case("x", silicon(), run_with(1500, 8, 0))};
  const std::vector<ScoreCase> now = {score_case("x", silicon(), run_with(1010, 7, 0))};
  const std::vector<ScoreCase> back = parse_score_json(score_json(before), "s.json");
  REQUIRE(back.size() == 1);
  CHECK(*back[0].values[0].simulated == 1500);
  CHECK_FALSE(*back[0].outputs_equal);
  const std::string text = score_comparison(back, now);
  CHECK_THAT(text, ContainsSubstring("DIFFER") && ContainsSubstring("+50.0") && ContainsSubstring("+1.0"));
  CHECK_THAT(score_text(now), ContainsSubstring("outputs equal on 1 of 1"));
  CHECK_THAT(score_markdown(now, "T"), ContainsSubstring("# T\n") && !ContainsSubstring("Host s"));
  CHECK_THAT(score_csv(now), ContainsSubstring("x,ran,equal,cycles,1000,1010,1\n"));
}

TEST_CASE("More launches of a case say which of its counts vary", "[score]") {
  const SiliconTables tables = load_silicon(tests::in_tree("/bench/silicon"));
  const char* wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
  const auto [least, most] = tables.at("wmma_gemm_512").launches.at(wavefronts);
  CHECK(least < most);
  const double recorded = tables.at("wmma_gemm_512").metrics.at(wavefronts);
  CHECK((least <= recorded && recorded <= most));
  SiliconCase s = silicon();
  s.launches["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = {0, 3};
  const ScoreCase c = parse_score_json(score_json({score_case("x", s, run_with(1000, 7, 2))}), "s.json")[0];
  const ScoreValue& conflicts = c.values[score_metric_index("conflicts")];
  CHECK(conflicts.in_range());
  CHECK_FALSE(conflicts.exact());
  CHECK_FALSE(c.values[0].varies());
}

TEST_CASE("A probe is held against the nearest outcome of its launches, lone ones left out", "[score]") {
  SiliconCase s = silicon();
  s.probe_outcomes = {400, 104};
  const ScoreCase c = score_case("x", s, run_with(1000, 7, 2));  // it reads 100
  CHECK(*c.values[score_metric_index("probe")].silicon == 104);
  const SiliconTables tables = load_silicon(tests::in_tree("/bench/silicon"));
  const auto reads = [&](const char* probe, double least, double most) {
    return std::ranges::any_of(tables.at(probe).probe_outcomes,
                               [&](double v) { return v >= least && v <= most; });
  };
  CHECK(reads("rate_mix", 1300, 1600));
  CHECK(reads("rate_mix", 6200, 6400));
  CHECK_FALSE(reads("rate_mix", 1700, 6000));
}

TEST_CASE("Opcodes that make the difference come first, without their modifiers", "[score]") {
  SiliconCase s = silicon();
  s.opcodes = {{"IMAD.WIDE", 60}, {"IMAD", 40}, {"LDG.E", 10}, {"NOP", 100}};
  RunReport run = run_with(1000, 7, 0);
  run.kernels[0].opcodes = {{"IMAD", 150}, {"LDG", 10}};
  const ScoreCase c = score_case("x", s, run);
  CHECK(*c.opcodes.at("IMAD").silicon == 100);
  const std::string text = score_opcodes({c});
  CHECK(text.find("NOP") < text.find("IMAD"));
  CHECK_THAT(text, ContainsSubstring("+50") && !ContainsSubstring("LDG"));
}

TEST_CASE("Child processes report how they ended, and one that takes too long is killed", "[score]") {
  const std::vector<ProcessJob> jobs = {{{"/bin/sh", "-c", "exit 3"}, "/dev/null"},
                                        {{"/bin/sh", "-c", "kill -SEGV $$"}, "/dev/null"},
                                        {{"/bin/sh", "-c", "sleep 20"}, "/dev/null"},
                                        {{"/nowhere/program"}, "/dev/null"}};
  size_t calls = 0;
  const std::vector<ProcessResult> r =
      run_processes(jobs, 2, 2.0, [&](size_t, const ProcessResult&) { ++calls; });
  CHECK(calls == 4);
  CHECK(r[0].exit_code == 3);
  CHECK(r[1].signal == 11);
  CHECK(r[2].timed_out);
  CHECK(r[3].exit_code == 127);
}
