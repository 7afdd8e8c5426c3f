// SPDX-License-Identifier: Apache-2.0
#include "sim/report/ncu/ncu_compare.h"

#include "base/error.h"
#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

// The raw page: a row a launch, units below the heading, the profiler's own lines around it.
const std::string kRaw =
    "==PROF== Connected to process 7 (app)\n"
    "the program prints, too\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\","
    "\"Grid Size\",\"Device\",\"CC\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\","
    "\"sm__cycles_elapsed.avg.per_second\",\"sm__cycles_elapsed.max\",\"smsp__inst_executed.sum\",\"tpc__x."
    "sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"us\",\"Ghz\",\"cycle\",\"inst\","
    "\"\"\n"
    "\"0\",\"7\",\"app\",\"h\",\"void saxpy<float>(float *, int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(4, 1, "
    "1)\",\"0\",\"9.0\","
    "\"2.10\",\"3.2\",\"1.50\",\"12,000\",\"777\",\"n/a\"\n"
    "\"1\",\"7\",\"app\",\"h\",\"void saxpy<float>(float *, int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(4, 1, "
    "1)\",\"0\",\"9.0\","
    "\"2.30\",\"3.4\",\"1.50\",\"13,000\",\"777\",\"n/a\"\n"
    "\"2\",\"7\",\"app\",\"h\",\"other(int *)\",\"1\",\"7\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\","
    "\"0\",\"1\",\"1.50\",\"1,000\",\"5\",\"n/a\"\n"
    "==PROF== Disconnected from process 7\n";

NamedRun saxpy() {
  RunReport run;
  run.provenance.config = "h200";
  ReportKernel k;
  k.name = "_Z5saxpyIfEvPT_i";
  k.grid = {4, 1, 1};
  k.block = {256, 1, 1};
  k.metrics = {{"dram__bytes_read.sum", "byte", 2.2e6, MetricBasis::kMachine},
               {"gpu__time_duration.sum", "ns", 3300, MetricBasis::kMachine},
               {"sm__cycles_elapsed.avg.per_second", "Hz", 1.98e9, MetricBasis::kMachine},
               {"sm__cycles_elapsed.max", "cycle", 13000, MetricBasis::kMachine},
               {"smsp__inst_executed.sum", "inst", 777, MetricBasis::kMachine}};
  run.kernels.push_back(k);
  return {"out", run};
}

std::string compared(const NamedRun& run, const std::string& csv, bool all = true) {
  CompareOptions options;
  options.all = all;
  return ncu_compare_text(run, parse_ncu_csv(csv, "profile.csv"), "profile.csv", options);
}

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  return text.replace(text.find(part), part.size(), instead);
}

}  // namespace

TEST_CASE("The raw page of Nsight Compute is read in base units", "[report][ncu]") {
  const auto launches = parse_ncu_csv(kRaw, "profile.csv");
  REQUIRE(launches.size() == 3);
  CHECK(launches[0].kernel == "void saxpy<float>(float *, int)");
  CHECK(launches[0].block == std::array<uint32_t, 3>{256, 1, 1});
  CHECK(launches[0].grid == std::array<uint32_t, 3>{4, 1, 1});
  REQUIRE(launches[0].metrics.size() == 6);
  CHECK(launches[0].metrics[0].unit == "byte");
  CHECK_THAT(*launches[0].metrics[0].value, WithinRel(2.1e6, 1e-12));
  CHECK(launches[0].metrics[1].unit == "ns");
  CHECK_THAT(*launches[0].metrics[1].value, WithinRel(3200.0, 1e-12));
  CHECK_THAT(*launches[0].metrics[2].value, WithinRel(1.5e9, 1e-12));
  CHECK(*launches[0].metrics[3].value == 12000);
  CHECK(!launches[0].metrics[5].value);
}

TEST_CASE("A profile that an H200 gave, a row a metric, is read whole", "[report][ncu]") {
  const std::string text = sim::read_file(tests::in_tree("/bench/silicon/probes/sm/ncu.csv.gz"));
  const auto launches = parse_ncu_csv(text, "ncu.csv");
  size_t metrics = 0;
  for (const NcuLaunch& l : launches) metrics += l.metrics.size();
  CHECK(launches.size() ==
        538);  // two profiles one after the other: `zcat | grep -c smsp__inst_executed.sum`
  CHECK(metrics == 4304);
  CHECK(launches[0].kernel == "empty()");
  CHECK(launches[0].metrics[0].name == "gpc__cycles_elapsed.max");
  CHECK(*launches[0].metrics[0].value == 3132);
}

TEST_CASE("Units of a profile become base units", "[report][ncu]") {
  const auto is = [](const char* unit, double factor, const char* base) {
    INFO(unit);
    const NcuUnit u = ncu_unit(unit);
    CHECK(u.factor == factor);
    CHECK(u.base == base);
  };
  is("Kbyte", 1e3, "byte");
  is("Gbyte/s", 1e9, "byte/s");
  is("Tbyte/second", 1e12, "byte/s");
  is("Kbyte/block", 1e3, "byte/block");
  is("usecond", 1e3, "ns");
  is("ms", 1e6, "ns");
  is("cycle/nsecond", 1e9, "Hz");
  is("Mhz", 1e6, "Hz");
  is("inst/cycle", 1, "inst/cycle");
  is("%", 1, "%");
  is("", 1, "");
}

TEST_CASE("A result stands beside the median of the profile's launches of the same kernel, grid and block",
          "[report][ncu]") {
  const std::string text = compared(saxpy(), kRaw);
  CHECK_THAT(text, ContainsSubstring("beside the median of 2 launches"));
  CHECK_THAT(text, ContainsSubstring("verdict: 13,000 cycles simulated, 12,500 measured: +4.00 %"));
  CHECK_THAT(text, ContainsSubstring("3 of 5 metrics are equal"));
  CHECK_THAT(text, ContainsSubstring("not in the result (1): tpc__x.sum"));
  CHECK_THAT(text, ContainsSubstring("the GPU ran at 1.50 GHz and the simulation at 1.98 GHz"));
}

TEST_CASE("Launches of a kernel are compared one by one where both sides have as many", "[report][ncu]") {
  NamedRun run = saxpy();
  run.run.kernels.push_back(run.run.kernels[0]);
  const std::string text = compared(run, kRaw);
  CHECK_THAT(text, ContainsSubstring("beside ID 0"));
  CHECK_THAT(text, ContainsSubstring("beside ID 1"));
  CHECK_THAT(text, ContainsSubstring("12,000 measured: +8.33 %"));
  CHECK_THAT(text, ContainsSubstring("13,000 measured: ="));
  // What is not compared is said once, however many launches there are.
  CHECK(text.find("not in the result") == text.rfind("not in the result"));
}

TEST_CASE("Small differences are summed up unless all are asked for", "[report][ncu]") {
  const std::string text = compared(saxpy(), kRaw, false);
  CHECK_THAT(text, ContainsSubstring("not shown: 3 differ by less than 1 %"));
  CHECK(text.find("smsp__inst_executed.sum  ") == std::string::npos);
}

TEST_CASE("A profile of other kernels is refused with the names of both sides", "[report][ncu]") {
  NamedRun run = saxpy();
  run.run.kernels[0].grid = {5, 1, 1};
  CHECK_THROWS_WITH(compared(run, kRaw), ContainsSubstring("no launch of the profile 'profile.csv'") &&
                                             ContainsSubstring("saxpy (5x1x1 of 256x1x1)") &&
                                             ContainsSubstring("saxpy (4x1x1 of 256x1x1), other"));
}

TEST_CASE("A damaged profile is one error with its line", "[report][ncu]") {
  const auto says = [](const std::string& text, const char* what) {
    INFO(text);
    CHECK_THROWS_WITH(parse_ncu_csv(text, "profile.csv"), ContainsSubstring(what));
  };
  says("", "no table of Nsight Compute");
  says("a,b\n1,2\n", "no table of Nsight Compute");
  says(kRaw.substr(0, kRaw.find("\"777\"")) + "\n", "profile.csv:5");                   // cut inside a row
  says(kRaw.substr(0, kRaw.find("777")) + "\n", "a quote in this line is not closed");  // cut inside a field
  says(without(kRaw, "12,000", "12k"), "profile.csv:5: '12k' of sm__cycles_elapsed.max is not a number");
  says(without(kRaw, "(256, 1, 1)", "256"), "is not a size");
  says(without(kRaw, "\"Kernel Name\"", "\"Kernel\""), "the heading has no column \"Kernel Name\"");
  says(kRaw.substr(0, kRaw.find("\"\",\"\"")), "the row of units below the heading is missing");
}
