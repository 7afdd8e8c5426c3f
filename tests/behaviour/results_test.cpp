// SPDX-License-Identifier: Apache-2.0
// What results say of their hardware and their metrics, and how they are compared.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/api/metric_list.h"
#include "sim/memory/files.h"
#include "sim/report/csv.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

namespace {

const std::string kRun =
    "run add.ptx -k add_one --grid 64 --block 256 --arg 'd=u32[16384]=iota' --arg 16384 -q ";

// Where library.h:7 is inlined into user.cu:5, and helper.cuh:3 into user.cu:6.
const char* kInlined = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "/home/me/project/user.cu"
.file 2 "/opt/library/include/library.h"
.file 3 "/home/me/project/helper.cuh"
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<4>; .reg .b32 %r<8>;
  .loc 1 4 0
  ld.param.u64 %rd1, [p];
  .loc 2 7 0, function_name $S, inlined_at 1 5 0
  ld.global.u32 %r1, [%rd1];
  .loc 2 8 0, function_name $S, inlined_at 1 5 0
  ld.global.u32 %r2, [%rd1+4];
  .loc 3 3 0, function_name $S, inlined_at 1 6 0
  add.u32 %r3, %r1, %r2;
  .loc 1 7 0
  st.global.u32 [%rd1], %r3;
  ret;
}
.section .debug_str {
$S:
 .b8 102, 0
}
)";

}  // namespace

TEST_CASE("Changed hardware is labelled, in results and in comparisons", "[results]") {
  const tests::ProgramFolder folder;
  REQUIRE(folder.run(kRun + "-o a").code == 0);
  REQUIRE(folder.run(kRun + "-o b -s dram.bandwidth=2.4TB/s -s sm.shared.banks=64").code == 0);
  const Outcome same = folder.run(kRun + "-o c -s sm.shared.banks=32");  // what it has anyway
  REQUIRE(same.code == 0);
  const auto config = [&](const char* name) {
    return parse_result_json(sim::read_file(folder.file(std::string(name) + "/result.json")), name)
        .provenance;
  };
  CHECK(config("a").config == "h200");
  CHECK(config("c").config == "h200");
  CHECK(config("b").config == "h200 + 2 changes");
  REQUIRE(config("b").changes.size() == 2);
  CHECK(config("b").changes[0].key == "dram.bandwidth");
  const Outcome two = folder.run("compare a b");
  INFO(two.out);
  CHECK(two.code == 0);
  CHECK(two.out.find("sm.shared.banks") < two.out.find("launch 0"));
  CHECK_THAT(two.out, ContainsSubstring("b: h200 + 2 changes") && ContainsSubstring("verdict: b is") &&
                          ContainsSubstring("outputs equal"));
  const Outcome three = folder.run("compare a b c --filter sm__cycles_elapsed.max --all");
  INFO(three.out);
  CHECK_THAT(three.out, ContainsSubstring("(=)") && ContainsSubstring("verdict: c equals a"));
  const Outcome both =
      folder.run("compare a b --filter '*bank_conflicts*' --filter sm__cycles_elapsed.max --all");
  INFO(both.out);
  CHECK_THAT(both.out, ContainsSubstring("bank_conflicts") && ContainsSubstring("sm__cycles_elapsed.max") &&
                           !ContainsSubstring("dram__bytes"));
  const Outcome wrong = folder.run("compare a b --filter sm__cycles_elapsed.max --filter no_such_metric");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.out, ContainsSubstring("no metric fits 'no_such_metric'"));
  CHECK(folder.run("compare a").code == 2);
}

TEST_CASE("A user's file extends a configuration by its name, even its own", "[results]") {
  const tests::ProgramFolder folder;
  folder.write("h200.yaml", "extends: h200\nl2: {size: 49.5MiB}\n");
  const Outcome r = folder.run(kRun + "--functional -o mine -c ./h200.yaml");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(sim::read_file(folder.file("mine/result.json")),
             ContainsSubstring("\"config\": \"h200 + 1 change\""));
}

TEST_CASE("A name that stands for several products and a size that does not fit name what there is",
          "[results]") {
  const tests::ProgramFolder folder;
  CHECK_THAT(folder.run("config show a100").out,
             ContainsSubstring("unknown configuration 'a100' (there are a100-40g and a100-80g)"));
  const Outcome size = folder.run(kRun + "-s l2.size=50MiB");
  INFO(size.out);
  CHECK(size.code == 3);
  CHECK_THAT(size.out, ContainsSubstring("the nearest that fit are 49.875MiB and 50.0625MiB"));
}

TEST_CASE("gpuloom metrics knows every metric of a result, with its unit", "[results]") {
  const tests::ProgramFolder folder;
  std::map<std::string, std::string> units;
  for (const sim::KnownMetric& m : sim::known_metrics("h200")) units[m.name] = m.unit;
  for (const char* mode : {"", "--functional", "--counts"}) {
    const Outcome r = folder.run(kRun + "--json " + mode);
    REQUIRE(r.code == 0);
    const RunReport run = parse_result_json(r.out, "stdout");
    for (const ReportMetric& m : run.kernels.at(0).metrics) {
      INFO(m.name);
      REQUIRE(units.count(m.name) == 1);
      CHECK(units[m.name] == m.unit);
    }
  }
  CHECK_THAT(folder.run("metrics smsp__issue_active.avg").out, ContainsSubstring("Mean over units"));
  CHECK_THAT(folder.run("metrics smsp__issue_active").out,
             ContainsSubstring("smsp__issue_active.{sum,avg,min,max}"));
}

TEST_CASE("CSV holds the sections that were asked for, and speed of light has its memory throughput",
          "[results]") {
  const tests::ProgramFolder folder;
  const auto rows = [&](const char* more) {
    return parse_csv(folder.run(kRun + "--csv " + more).out, "stdout").rows.size();
  };
  const size_t all = rows(""), basic = rows("--set basic"), one = rows("--section SpeedOfLight");
  CHECK((all > basic && basic > one && one > 3));
  CHECK_THAT(folder.run(kRun + "--csv --section SpeedOfLight").out,
             ContainsSubstring("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"));
}

TEST_CASE("run and occupancy name the same limiters", "[results]") {
  const tests::ProgramFolder folder;
  for (const char* block : {"32", "256", "1024"}) {
    const Outcome run = folder.run(
        std::string("run add.ptx --functional --counts --arg 'u32[1]' --arg 1 --json --block ") + block);
    const Outcome occupancy = folder.run(std::string("occupancy add.ptx --json --block ") + block);
    const auto a = nlohmann::json::parse(run.out).at("kernels").at(0);
    const auto b = nlohmann::json::parse(occupancy.out).at(0);
    INFO(block);
    CHECK(a.at("limiters") == b.at("limiters"));
    CHECK(a.at("metrics").at("launch__occupancy_limit_shared_mem").at("value") ==
          b.at("launch_limit_shared_memory"));
  }
  CHECK_THAT(folder.run("occupancy add.ptx --no-curves -s limits.warps_per_sm=32").out,
             ContainsSubstring("h200 + 1 change"));
  CHECK_THAT(folder.run("run add.ptx --counts --block 1024 --arg 'u32[1]' --arg 1").out,
             ContainsSubstring("Blocks Limited By"));
}

TEST_CASE("Instructions inlined from a library count for the user's line", "[results]") {
  const tests::ProgramFolder folder;
  folder.write("i.ptx", kInlined);
  const auto lines = [&](const char* more) {
    std::vector<std::string> places;
    const Outcome r = folder.run(std::string("run i.ptx --json --arg 'u32[4]' ") + more);
    INFO(r.out);
    REQUIRE(r.code == 0);
    const auto result = nlohmann::json::parse(r.out);
    for (const auto& line : result.at("kernels").at(0).at("lines"))
      places.push_back(line.at("file").get<std::string>() + ":" + std::to_string(line.at("line").get<int>()) +
                       " " + line.value("ptx", ""));
    std::sort(places.begin(), places.end());
    return places;
  };
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const char* mode : {"", "--counts "}) {
    const std::vector<std::string> user = lines(mode);
    CHECK(std::count(user.begin(), user.end(), "/home/me/project/user.cu:5 ld.global.u32") == 2);
    CHECK(has(user, "/home/me/project/helper.cuh:3 add.u32"));
    CHECK(has(lines((std::string(mode) + "--library-lines").c_str()),
              "/opt/library/include/library.h:7 ld.global.u32"));
  }
  const Outcome text = folder.run("run i.ptx --section SourceCounters --arg 'u32[4]'");
  INFO(text.out);
  CHECK_THAT(text.out, ContainsSubstring("user.cu:5 ") && ContainsSubstring("ld.global.u32 (library.h:7)"));
}

TEST_CASE("Inlined code counts for the user's line where the PTX names the source without a folder",
          "[results]") {
  const tests::ProgramFolder folder;
  std::string bare = kInlined;
  for (size_t at = bare.find("/home/me/project/"); at != std::string::npos;
       at = bare.find("/home/me/project/"))
    bare.erase(at, std::string("/home/me/project/").size());
  folder.write("i.ptx", bare);
  const Outcome text = folder.run("run i.ptx --section SourceCounters --arg 'u32[4]'");
  INFO(text.out);
  CHECK_THAT(text.out, ContainsSubstring(" user.cu:5 ") && ContainsSubstring(" helper.cuh:3 ") &&
                           ContainsSubstring("ld.global.u32 (library.h:7)"));
}

TEST_CASE("A kernel and a file of PTX are axes of a sweep", "[results]") {
  const tests::ProgramFolder folder;
  folder.write("two.ptx", sim::read_file(folder.file("add.ptx")));
  folder.write("s.yaml",
               "name: s\nconfig: test/tiny\nmode: functional\n"
               "launch: {ptx: add.ptx, kernel: add_one, grid: 2, block: 32, args: [d, 64], buffers: {d: "
               "{type: u32, count: 64}}}\n"
               "axes:\n  kernel: {launch: kernel, values: [add_one]}\n  ptx: {launch: ptx, values: [add.ptx, "
               "two.ptx]}\n");
  const Outcome r = folder.run("sweep run s.yaml -d out --progress none");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(folder.run("sweep collect out").out,
             ContainsSubstring("run_kernel") && ContainsSubstring("two.ptx"));
}

TEST_CASE("PTX for a newer GPU says which architecture to compile for", "[results]") {
  const tests::ProgramFolder folder;
  folder.write("new.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n");
  CHECK_THAT(folder.run("run new.ptx -c a100-40g").out, ContainsSubstring("compile with -arch=sm_80"));
}
