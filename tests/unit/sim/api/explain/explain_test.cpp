// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/api/explain/switches.h"
#include "sim/api/metric_list.h"
#include "sim/api/simulator.h"
#include "sim/memory/scratch_folder.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

ReportKernel run(const std::string& name) {
  const LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/kernels/" + name + ".yaml"));
  Simulator gpu({.config = file.config});
  return gpu.run(file).kernels[0];
}

Explanation explained(const std::string& name, const std::vector<std::string>& only, unsigned pair_of = 0) {
  const LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/kernels/" + name + ".yaml"));
  ExplainOptions options;
  options.runs.device.config = file.config;
  options.runs.jobs = 2;
  options.only = only;
  options.pair_of = pair_of;
  return explain(file, options);
}

}  // namespace

TEST_CASE("The parts of a CPI stack sum to the cycles, and to the CPI", "[explain]") {
  for (const char* name : {"one_load", "divergent_loop", "tail", "barrier_imbalance", "atomic_word"}) {
    const CpiStack stack = cpi_stack(run(name));
    double cycles = 0, cpi = 0;
    for (const CpiPart& part : stack.parts) {
      CHECK(part.cycles >= 0);
      cycles += part.cycles;
      cpi += part.per_inst;
    }
    INFO(name);
    CHECK(stack.cycles > 0);
    CHECK(std::fabs(cycles - stack.cycles) < 1e-6 * stack.cycles);
    CHECK(std::fabs(cpi - stack.cpi) < 1e-6 * stack.cpi);
  }
}

TEST_CASE("Every piece of advice names facts that a run can have, and a source", "[explain]") {
  std::set<std::string> known;
  for (const KnownMetric& m : known_metrics("h200")) known.insert(m.name);
  ReportKernel something;
  something.metrics = {{"smsp__inst_executed.sum", "inst", 1}};
  const Facts derived(something);
  const auto is_known = [&](const std::string& fact) {
    if (known.contains(fact)) return true;
    for (const char* prefix : {"stall.", "opcode.", "limiter.", "switch."})
      if (fact.starts_with(prefix)) return true;
    return fact == "launch.buffer_bytes" || derived.find(fact).has_value();
  };
  const std::vector<Advice> all = load_advice();
  CHECK(all.size() >= 20);
  for (const Advice& a : all) {
    INFO(a.id);
    CHECK(!a.title.empty());
    CHECK(!a.source.empty());
    CHECK(!a.check.empty());
    CHECK(!a.error_cases.empty());
    for (const AdviceCondition& c : a.when) {
      INFO(c.fact << " over " << c.over);
      CHECK(is_known(c.fact));
      CHECK((c.over.empty() || is_known(c.over)));
    }
    for (const std::string& fact : a.evidence) {
      INFO(fact);
      CHECK(is_known(fact));
    }
  }
}

TEST_CASE("A last wave is spoken of where there is one that leaves SMs empty", "[explain]") {
  const auto told = [](double blocks, double waves) {
    ReportKernel kernel;
    kernel.metrics = {{"launch__grid_size", "block", blocks},
                      {"device__attribute_multiprocessor_count", "", 132},
                      {"launch__waves_per_multiprocessor", "", waves}};
    const Facts facts(kernel);
    std::set<std::string> ids;
    for (const Advice& a : load_advice())
      if (a.switches == std::vector<std::string>{"ideal.tail"} && a.fits(facts, true)) ids.insert(a.id);
    return ids;
  };
  using Ids = std::set<std::string>;
  CHECK(told(100, 0.09) == Ids{"small_grid"});
  CHECK(told(256, 0.24) == Ids{"uneven_work"});
  CHECK(told(1056, 1) == Ids{"uneven_work"});
  CHECK(told(1320, 1.25) == Ids{"tail"});
  CHECK(told(2112, 2) == Ids{"uneven_work"});
}

TEST_CASE("An uneven end that a launch's hand-out makes is not called uneven work", "[explain]") {
  ReportKernel kernel;
  kernel.metrics = {{"launch__grid_size", "block", 256},
                    {"device__attribute_multiprocessor_count", "", 132},
                    {"launch__waves_per_multiprocessor", "", 0.24}};
  Facts facts(kernel);
  const auto all = load_advice();
  const auto advice =
      std::find_if(all.begin(), all.end(), [](const Advice& a) { return a.id == "uneven_work"; });
  REQUIRE(advice != all.end());
  facts.set("switch.ideal.tail.pct", 11);
  facts.set("switch.ideal.launch.pct", 5);
  CHECK(advice->fits(facts, true));
  facts.set("switch.ideal.launch.pct", 49);
  CHECK_FALSE(advice->fits(facts, true));
}

TEST_CASE("What streams through once is not told to keep it in tiles", "[explain]") {
  // As an H200 counts a saxpy: each element is loaded once, and half of the lines come from L2's other half.
  ReportKernel kernel;
  kernel.metrics = {{"l1tex__t_sector_hit_rate.pct", "%", 33},
                    {"lts__t_sectors_op_read.sum", "sector", 25432},
                    {"lts__t_sectors_srcunit_tex.sum", "sector", 24576},
                    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", 8192}};
  Facts facts(kernel);
  const auto all = load_advice();
  const auto advice =
      std::find_if(all.begin(), all.end(), [](const Advice& a) { return a.id == "l1_misses"; });
  REQUIRE(advice != all.end());
  facts.set("launch.buffer_bytes", 16384 * 32);
  CHECK_FALSE(advice->fits(facts, true));
  facts.set("launch.buffer_bytes", 8192 * 32);
  CHECK(advice->fits(facts, true));
}

TEST_CASE("A launch costs by itself or by the handing out of its blocks, not both", "[explain]") {
  const auto told = [](double active) {
    ReportKernel kernel;
    kernel.metrics = {{"launch__waves_per_multiprocessor", "", 3.9},
                      {"sm__cycles_elapsed.max", "cycle", 10000},
                      {"sm__cycles_active.max", "cycle", active}};
    Facts facts(kernel);
    facts.set("switch.ideal.launch.pct", 30);
    std::set<std::string> ids;
    for (const Advice& a : load_advice())
      if (a.switches == std::vector<std::string>{"ideal.launch"} && a.fits(facts, true)) ids.insert(a.id);
    return ids;
  };
  CHECK(told(7200) == std::set<std::string>{"launch_bound"});
  CHECK(told(9700) == std::set<std::string>{"tiny_blocks"});
}

TEST_CASE("A branch that no lane takes is not a thread alone, and a parameter is not a table of constants",
          "[explain]") {
  const auto told = [](const char* operation, double threads, double saved = 1) {
    ReportKernel kernel;
    kernel.metrics = {{"launch__block_size", "", 256}, {"smsp__inst_executed.sum", "inst", 100}};
    kernel.opcodes = {{"LDC", 40}, {"BRA", 60}};
    ReportLine line;
    line.operation = operation;
    line.counters = {{"inst_executed", 40}, {"thread_inst_executed", threads}};
    kernel.lines = {line};
    Facts facts(kernel);
    facts.set("switch.ideal.constants.pct", saved);
    std::set<std::string> ids;
    for (const Advice& a : load_advice())
      if ((a.id == "thread_alone" || a.id == "constants") && a.fits(facts, true)) ids.insert(a.id);
    return ids;
  };
  CHECK(told("bra", 0).empty());
  CHECK(told("ld.param.u64", 1280).empty());
  CHECK(told("bra", 40) == std::set<std::string>{"thread_alone"});
  CHECK(told("ld.const.f32", 1280) == std::set<std::string>{"constants"});
  CHECK(told("ld.const.f32", 1280, 0).empty());  // the lanes read one address
}

TEST_CASE("Lines are blamed by counters that lines have", "[explain]") {
  std::set<std::string> counters = {"excess_sectors", "idle_lanes", "lone_inst"};
  for (const char* name : {"shared_store", "one_load", "divergent_loop", "code_too_long", "wait_for_all"})
    for (const ReportLine& line : run(name).lines)
      for (const auto& [counter, value] : line.counters) counters.insert(counter);
  for (const Advice& a : load_advice()) {
    INFO(a.id << " blames lines by " << a.lines_by);
    CHECK((a.lines_by.empty() || counters.contains(a.lines_by)));
  }
}

TEST_CASE("A small defect stands behind a limit that takes far more", "[explain]") {
  // The warps of a block wait for each other, since each waits for its loads.
  // Refreshes that are much longer than an H200's keep warps apart.
  const LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/unseen3/tensor_tiles.yaml"));
  ExplainOptions options;
  options.runs.device.config = file.config;
  options.runs.device.overrides = {"dram.timing.tRFC=600ns", "dram.timing.tREFI=3.9us"};
  options.runs.jobs = 2;
  options.only = {"ideal.barriers", "ideal.dependences"};
  options.pair_of = 0;
  const Explanation all = explain(file, options);  // its kernels point into it
  const KernelExplanation& k = all.kernels.at(0);
  REQUIRE(k.findings.size() >= 2);
  CHECK(k.findings[0].advice->id == "memory_latency");
  CHECK(k.findings[1].advice->id == "barriers");
  CHECK(k.findings[1].saved > 0);
}

TEST_CASE("Loads are blamed where the switch takes them away", "[explain]") {
  const LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/unseen3/reloaded_factors.yaml"));
  ExplainOptions options;
  options.runs.device.config = file.config;
  options.only = {"ideal.reloads"};
  options.pair_of = 0;
  const Explanation all = explain(file, options);  // its kernels point into it
  const KernelExplanation& k = all.kernels.at(0);
  REQUIRE(k.findings.size() == 1);
  CHECK(k.findings[0].advice->id == "loads_again");
  REQUIRE(k.findings[0].lines.size() == 1);
  CHECK(k.findings[0].lines[0].line == 11);
}

TEST_CASE("Advice with a wrong key or switch is refused with its place", "[explain]") {
  const ScratchFolder folder;
  const std::string path = folder.file("bad.yaml");
  std::ofstream(path)
      << "title: t\nkind: defect\nswitches: [ideal.nothing]\nleast_pct: 1\nremedy: r\nevidence: []\n"
         "check: c\nsource: s\nmodel_error: {pct: 1, cases: [x], from: f}\nwhat: 1\n";
  try {
    read_advice(path);
    FAIL("it was taken");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kInput);
    const std::string text = e.what();
    CHECK(text.find("bad.yaml:3") != std::string::npos);
    CHECK(text.find("ideal.nothing") != std::string::npos);
    CHECK(text.find("bad.yaml:10") != std::string::npos);
  }
}

TEST_CASE("Explain names a planted bank conflict, its line and what it costs", "[explain]") {
  const Explanation e = explained("shared_store", {"ideal.bank_conflicts"});
  REQUIRE(e.kernels.size() == 1);
  const KernelExplanation& k = e.kernels[0];
  REQUIRE(!k.findings.empty());
  const Finding& f = k.findings[0];
  CHECK(f.advice->id == "bank_conflicts");
  REQUIRE(!f.lines.empty());
  CHECK(f.lines[0].file.ends_with("shared_store.cu"));
  CHECK(f.saved == k.cycles - f.cycles);
  CHECK(f.saved_pct > 50);
  CHECK(f.confidence == "high");
  const std::string sentence = finding_sentence(f, k);
  CHECK(sentence.find("bank conflicts at shared_store.cu:") == 0);
  CHECK(sentence.find(" %): pad the row") != std::string::npos);
  CHECK(explain_json(e).find("\"id\": \"bank_conflicts\"") != std::string::npos);
}

TEST_CASE("Explain names a defect that the counters show, though other waits hide what it costs",
          "[explain]") {
  // A warp an SM, whose threads walk a row each: it waits for one load after the other, in any order of the
  // lanes.
  LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/kernels/column_walk.yaml"));
  file.launches.at(0).grid = {2, 1, 1};
  file.launches.at(0).block = {32, 1, 1};
  ExplainOptions options;
  options.runs.device.config = file.config;
  options.runs.device.overrides = {"dram.latency=1us"};
  options.only = {"ideal.coalescing", "ideal.dependences"};
  options.pair_of = 0;
  const Explanation e = explain(file, options);
  const KernelExplanation& k = e.kernels.at(0);
  for (const Finding& f : k.findings) CHECK(f.advice->id != "uncoalesced");
  REQUIRE(k.seen.size() == 1);
  CHECK(k.seen[0].advice->id == "uncoalesced");
  REQUIRE(!k.seen[0].lines.empty());
  CHECK(k.seen[0].lines[0].line == 7);
  CHECK(explain_text(e, 0, 100).find("uncoalesced accesses at column_walk.cu:7") != std::string::npos);
  CHECK(explain_json(e).find("\"seen\": [") != std::string::npos);
  // What costs is not said twice.
  CHECK(explained("column_walk", {"ideal.coalescing"}).kernels.at(0).seen.empty());
}

TEST_CASE("Explain runs pairs, and says how the sum of both differs", "[explain]") {
  const Explanation e = explained("one_load", {"ideal.l2", "ideal.dependences"}, 2);
  const KernelExplanation& k = e.kernels[0];
  REQUIRE(k.pairs.size() == 1);
  // Where nothing is waited for, what would be waited for is worth nothing more.
  CHECK(k.pairs[0].effect == "sub-additive");
  CHECK(k.pairs[0].saved < k.pairs[0].sum);
}

TEST_CASE("Explain gives the same with one process and with several", "[explain]") {
  const LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/kernels/one_chain.yaml"));
  std::vector<std::string> texts;
  for (const unsigned jobs : {1u, 3u}) {
    ExplainOptions options;
    options.runs.device.config = file.config;
    options.runs.jobs = jobs;
    options.only = {"ideal.dependences", "ideal.issue", "ideal.l2"};
    Explanation e = explain(file, options);
    e.seconds = 0;
    texts.push_back(explain_json(e));
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("A launch that fails is reported as run reports it", "[explain]") {
  LaunchFile file = read_launch_file(tests::in_tree("/tests/explain/kernels/one_chain.yaml"));
  file.launches[0].kernel = "nothing";
  ExplainOptions options;
  options.runs.device.config = file.config;
  try {
    explain(file, options);
    FAIL("it ran");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kInput);
    CHECK(std::string(e.what()).find("nothing") != std::string::npos);
  }
}
