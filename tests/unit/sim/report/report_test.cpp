// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "sim/report/access_metrics.h"
#include "sim/report/compare.h"
#include "sim/report/csv.h"
#include "sim/report/metric_table.h"
#include "sim/report/table.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

namespace {

RunReport example() {
  RunReport run;
  run.provenance = {"0.1", "H200", "c0", "k.ptx", "p0", "k.yaml", "timed", "machine"};
  ReportKernel k;
  k.name = "kernel";
  k.grid = {4, 1, 1};
  k.block = {256, 1, 1};
  k.metrics = {{"sm__cycles_elapsed.max", "cycle", 12345, MetricBasis::kMachine},
               {"l1tex__t_sector_hit_rate.pct", "%", 12.5, MetricBasis::kMachine},
               {"sim__ptx_inst_executed.sum", "inst", 777, MetricBasis::kPtx}};
  k.stalls = {{"long_scoreboard", 300}, {"wait", 100}, {"selected", 0}};
  run.kernels.push_back(k);
  run.outputs = {{"c", "f32", 2, 0x00ff, {1.5, -2}}};
  run.host = {1.25, 1e6, 1};
  return run;
}

}  // namespace

TEST_CASE("A result survives the way through result.json", "[report]") {
  const RunReport run = example();
  const RunReport back = parse_result_json(result_json(run), "result.json");
  REQUIRE(back.kernels.size() == 1);
  REQUIRE(back.kernels[0].metrics.size() == 3);
  CHECK(back.kernels[0].find("sm__cycles_elapsed.max")->value == 12345);
  CHECK(back.kernels[0].find("l1tex__t_sector_hit_rate.pct")->unit == "%");
  CHECK(back.kernels[0].stalls.size() == 3);
  CHECK(back.outputs[0].fnv1a64 == 0xff);
  CHECK(back.outputs[0].values == std::vector<double>{1.5, -2});
}

TEST_CASE("What result.json holds is all there when it is read: written again, it is the same text",
          "[report]") {
  RunReport run = example();
  ReportKernel& k = run.kernels[0];
  k.clustered = true;
  k.cluster = {2, 1, 1};
  k.complete = run.complete = false;
  k.dynamic_shared_bytes = 4096;
  k.repeat = 3;
  k.limiters = {"registers", "warps"};
  k.opcodes = {{"FFMA", 12}, {"LDG.E", 4}};
  k.lines = {{"k.cu", 7, 21, "ld.global.f32", "lib.h:3", {{"inst_executed", 4}, {"stall_cycles", 2.5}}}};
  k.async = {{"k.cu", 9, 30, "bulk copy", 3, 4096, 812.5, 1200, 10, 90}};
  run.checks = {{"c", "c.npy", false, 2, 4, "element 1 is 2, not 3"}};
  run.notes = {"a note with \"quotes\", a tab\t and an \x01"};
  run.findings = {{"race", "kernel", "k.ptx", "k.cu", "two writes", 12, 5}};
  run.provenance.changes = {{"sm.shared.banks", "32", "64"}};
  k.metrics.push_back({"x", "", NAN, MetricBasis::kSimulator});
  const std::string text = result_json(run);
  CHECK(result_json(parse_result_json(text, "result.json")) == text);
}

TEST_CASE("Two results of the same run differ in the host's times only", "[report]") {
  RunReport a = example(), b = example();
  b.host.wall_seconds = 9;
  const std::string ja = result_json(a), jb = result_json(b);
  CHECK(ja != jb);
  CHECK(ja.substr(0, ja.find("\"host\"")) == jb.substr(0, jb.find("\"host\"")));
}

TEST_CASE("Counters are written whole and what is not a number is not invented", "[report]") {
  RunReport run = example();
  run.kernels[0].metrics.push_back({"x", "", NAN, MetricBasis::kSimulator});
  CHECK_THAT(result_json(run),
             ContainsSubstring("\"value\": 12345,") && ContainsSubstring("\"value\": null"));
  CHECK(show_value(NAN, "") == "n/a");
  CHECK(show_value(1234567, "inst") == "1,234,567");
  CHECK(show_value(12.5, "%") == "12.50");
}

TEST_CASE("The summary shows sections of collected metrics and leaves the others out", "[report]") {
  const std::string text = summary_text(example(), {"basic"});
  CHECK_THAT(text, ContainsSubstring("Section: GPU Speed Of Light Throughput") &&
                       ContainsSubstring("Elapsed Cycles"));
  CHECK_THAT(text, ContainsSubstring("long_scoreboard") && ContainsSubstring("75.0 %"));
  CHECK_THAT(text, !ContainsSubstring("Section: Occupancy"));
  CHECK_THAT(text, !ContainsSubstring("DRAM Throughput"));
  CHECK_THROWS_WITH(summary_text(example(), {"Ocupancy"}), ContainsSubstring("Occupancy"));
}

TEST_CASE("A comparison lists what changed and by how much", "[report]") {
  RunReport b = example();
  b.kernels[0].metrics[0].value = 13579.5;
  const std::string text = compare_text({{"before", example()}, {"after", b}}, {});
  CHECK_THAT(text, ContainsSubstring("+10.00 %") && ContainsSubstring("2 are equal"));
  CHECK_THAT(text, !ContainsSubstring("l1tex__t_sector_hit_rate.pct"));
}

TEST_CASE("Quoted fields of CSV may hold commas, quotes and newlines", "[report]") {
  const std::vector<std::string> fields = {"a,b", "say \"x\"", "two\nlines", "plain", ""};
  const CsvTable t = parse_csv("1,2,3,4,5\n" + csv_line(fields), "t.csv");
  REQUIRE(t.rows.size() == 1);
  CHECK(t.rows[0] == fields);
  CHECK(t.column("4") == 3);
  CHECK_THROWS_WITH(parse_csv("a,b\n1,2\n3\n", "t.csv"), ContainsSubstring("t.csv:3"));
}

TEST_CASE("Tables are aligned and have no blanks at the ends of lines", "[report]") {
  TextTable t({"Name", ">Count"});
  t.row({"a", "1"});
  t.row({"long name", "1,000"});
  CHECK(t.str() == "Name       Count\n---------  -----\na              1\nlong name  1,000\n");
  CHECK(t.markdown() == "| Name | Count |\n|---|---:|\n| a | 1 |\n| long name | 1,000 |\n");
}

TEST_CASE("Every metric of the table has a section that exists, a sentence and a name of its own",
          "[report]") {
  std::set<std::string_view> names, sections;
  for (const ReportSection& s : report_sections()) sections.insert(s.id);
  for (const MetricInfo& m : metric_table()) {
    INFO(m.name);
    CHECK(names.insert(m.name).second);
    CHECK((m.section.empty() || sections.count(m.section) == 1));
    CHECK(m.description.ends_with('.'));
  }
  CHECK(find_metric("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio") != nullptr);
}

TEST_CASE("An access report gives the metrics of loads, stores and asynchronous copies apart") {
  AccessReport report;
  const auto site = [&](const char* operation, const char* space, AccessCounts counts) {
    report.sites.emplace_back();
    report.sites.back().operation = operation;
    report.sites.back().space = space;
    report.sites.back().counts = counts;
  };
  site("ld.global", "global", {10, 320, 1280, 40, 40, 0, 0, 0});
  site("cp.async", "global", {4, 128, 2048, 64, 64, 16, 8, 8});
  site("ld.shared", "shared", {2, 64, 256, 0, 0, 64, 2, 62});
  site("ldmatrix", "shared", {1, 8, 128, 0, 0, 4, 1, 3});
  site("st.shared", "shared", {3, 96, 384, 0, 0, 3, 3, 0});
  std::map<std::string, double> metrics;
  for (const auto& [name, value] : access_metrics(report)) metrics.emplace(name, value);
  CHECK(metrics.at("smsp__inst_executed_op_global_ld.sum") == 10);
  CHECK(metrics.at("smsp__inst_executed_op_ldgsts.sum") == 4);
  CHECK(metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 104);
  CHECK(metrics.at("smsp__inst_executed_op_shared_ld.sum") == 2);
  CHECK(metrics.at("smsp__inst_executed_op_ldsm.sum") == 1);
  CHECK(metrics.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") == 65);
  CHECK(metrics.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") == 65);
  CHECK(metrics.at("sim__wavefronts_mem_shared_ideal.sum") == 6);
}
