// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/html_report.h"

#include <nlohmann/json.hpp>

#include "base/config/config.h"
#include "base/error.h"
#include "sim/api/describe_lowering.h"
#include "sim/api/html/hardware.h"
#include "sim/api/html/machine_listing.h"
#include "sim/api/html/program_page.h"
#include "sim/api/html/source_texts.h"
#include "sim/api/simulator.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;
using Json = nlohmann::ordered_json;

namespace {

double rate(const Json& hardware, const std::string& id) {
  for (const Json& r : hardware.at("rates"))
    if (r.at("id") == id) return r.at("operations_per_s").get<double>();
  return 0;
}

// A launch of `gpuloom exec`; with metrics where it ran in time.
Json launch(int number, const char* name, double took, bool timed) {
  Json j = {{"launch", number}, {"name", name},   {"grid", {1, 2, 3}},   {"block", {32, 1, 1}},
            {"stream", 0},      {"start_ns", 10}, {"end_ns", 10 + took}, {"warp_instructions", 5}};
  if (timed) {
    j["metrics"]["sm__cycles_elapsed.max"] = {{"value", took * 2}, {"unit", "cycle"}, {"basis", "machine"}};
    j["text"] = std::string(1000, 'x');
  }
  return j;
}

std::string program(const Json& launches) {
  return Json{{"schema", 1}, {"provenance", {{"config", "h200"}, {"program", "app"}}}, {"launches", launches}}
      .dump();
}

}  // namespace

TEST_CASE("The roofs of an H200 are those of its data sheet", "[report][html]") {
  const Json hardware = sim::hardware_json(sim::gpu_of("h200"));
  // NVIDIA's H200 data sheet: 67 TFLOPS of FP32, 34 of FP64 at 1.98 GHz; 4.8 TB/s.
  CHECK_THAT(rate(hardware, "fp32"), WithinRel(67e12, 0.01));
  CHECK_THAT(rate(hardware, "fp64"), WithinRel(34e12, 0.02));
  CHECK_THAT(rate(hardware, "issue"), WithinRel(132 * 4 * 1.98e9, 1e-9));
  CHECK_THAT(hardware.at("bandwidths").back().at("bytes_per_s").get<double>(), WithinRel(4.8e12, 0.005));
  for (const Json& r : hardware.at("rates")) CHECK(!r.at("from").get<std::string>().empty());
}

TEST_CASE("Every configuration has roofs", "[report][html]") {
  for (const char* name : {"a100-80g", "rtx4090", "t4", "v100", "b200"}) {
    INFO(name);
    const Json hardware = sim::hardware_json(sim::gpu_of(name));
    CHECK(rate(hardware, "fp32") > 1e12);
    CHECK(hardware.at("bandwidths").size() == 4);
  }
}

TEST_CASE("A program's launches become rows, and the longest of each kernel can be opened",
          "[report][html]") {
  const Json launches = {launch(0, "a", 100, true), launch(1, "b", 5, true), launch(2, "a", 300, true),
                         launch(3, "c", 7, false)};
  const Json page = sim::page_result(program(launches), "result.json", 2500);
  const Json& table = page.at("launch_table");
  CHECK(table.at("count") == 4);
  CHECK(table.at("kernels") == Json({"a", "b", "c"}));
  CHECK(table.at("rows").at(2).at(0) == 2);
  CHECK(table.at("rows").at(0).at(2) == "1x2x3");
  CHECK(table.at("rows").at(0).at(8) == 200);  // cycles, of a launch in time
  CHECK(table.at("rows").at(3).size() == 8);   // none without
  REQUIRE(page.at("kernels").size() == 2);     // there is room for two
  CHECK(page.at("kernels").at(0).at("launch") == 1);
  CHECK(page.at("kernels").at(1).at("launch") == 2);
  CHECK_THAT(table.at("notes").at(0).get<std::string>(), ContainsSubstring("2 of 3 launches in time"));
  CHECK(!page.contains("launches"));
}

TEST_CASE("What is not a result is refused with its name", "[report][html]") {
  for (const char* text :
       {"", "[1, 2", "{}", R"({"provenance": {"config": "h200"}})", R"({"kernels": []})"}) {
    INFO(text);
    CHECK_THROWS_WITH(sim::page_result(text, "out/result.json", 1000),
                      ContainsSubstring("out/result.json") && ContainsSubstring("not a result of gpuloom"));
  }
}

TEST_CASE("A report has the source, the PTX, the machine operations and the definitions of a run",
          "[report][html]") {
  const sim::ScratchFolder folder;
  const std::string file = tests::in_tree("/sim/examples/vecadd.yaml");
  RunReport report;
  {
    sim::Simulator simulator;
    report = simulator.run(sim::read_launch_file(file));
    sim::write_file(folder.file("result.json"), result_json(report));
  }
  SECTION("With everything in place") {
    sim::PageRun run = sim::read_page_run(folder.path());
    CHECK(run.gpu);  // by its name: nothing was changed
    const Json texts = sim::source_texts(run, run.result);
    REQUIRE(texts.contains("vecadd.cu"));
    CHECK_THAT(texts.at("vecadd.cu").at("lines").at(4).get<std::string>(), ContainsSubstring("a[i] + b[i]"));
    const Json ptx = sim::ptx_lines(run, run.result);
    const auto first = ptx.at("first").get<uint32_t>();
    for (const Json& line : run.result.at("kernels").at(0).at("lines"))
      CHECK_THAT(ptx.at("lines").at(line.at("ptx_line").get<uint32_t>() - first).get<std::string>(),
                 ContainsSubstring(line.at("ptx").get<std::string>()));
    const Json machine = sim::machine_listing(run);
    REQUIRE(machine.contains("vecadd"));
    std::string all = machine.dump();
    for (const auto& [opcode, count] : report.kernels[0].opcodes) CHECK_THAT(all, ContainsSubstring(opcode));
    const Json curves = sim::occupancy_curves(run);
    REQUIRE(curves.size() == 1);
    CHECK(curves.at(0).size() >= 2);
    const std::string page = sim::html_report({std::move(run)}, {});
    CHECK_THAT(page,
               ContainsSubstring("Core cycles from launch to the grid's end, launch overhead included."));
    CHECK(page.size() < 1000000);
  }
  SECTION("What cannot be found is said, and the page is there all the same") {
    Json result = Json::parse(result_json(report));
    result["provenance"]["ptx"] = "gone.ptx";
    result["provenance"]["launch"] = "gone.yaml";
    result["provenance"]["changes"]["l2.size"] = {{"from", "1"}, {"to", "2"}};
    for (Json& line : result["kernels"][0]["lines"]) line["file"] = "gone.cu";
    sim::write_file(folder.file("result.json"), result.dump());
    sim::PageRun run = sim::read_page_run(folder.path());
    CHECK(!run.gpu);
    CHECK(run.ptx.empty());
    CHECK(sim::source_texts(run, run.result).empty());
    REQUIRE(run.missing.size() == 3);
    CHECK_THAT(run.missing[0], ContainsSubstring("resolved.yaml"));
    CHECK_THAT(run.missing[1], ContainsSubstring("gone.ptx"));
    CHECK_THAT(run.missing[2], ContainsSubstring("gone.cu"));
    CHECK_THAT(sim::html_report({std::move(run)}, {}), ContainsSubstring("gone.cu"));
  }
}
