// SPDX-License-Identifier: Apache-2.0
// Occupancy against NVIDIA's cuda_occupancy.h (CUDA 13.0) on every capability, and against what an H200's
// driver answered.
#include "arch/gpc/occupancy.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/config/config.h"
#include "sim/api/occupancy_table.h"
#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

GpuConfig load(const std::string& name) {
  const Config config = Config::load(name);
  GpuConfig gpu = load_gpu_config(config.root());
  config.check();
  return gpu;
}

// Calls `visit` with each line of a file of JSON lines that has `key`; returns how many.
template <class Visit>
unsigned each_line(const std::string& path, const std::string& key, Visit visit) {
  const std::string text = sim::read_file(tests::in_tree("/" + path));
  unsigned lines = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const nlohmann::json line = nlohmann::json::parse(text.substr(at, end - at));
    at = end + 1;
    if (!line.contains(key)) continue;
    INFO(line.dump());
    visit(line);
    ++lines;
  }
  return lines;
}

struct Asked {
  uint32_t registers, shared, threads;
};
const std::map<std::string, Asked> kAsked = {{"plain", {4, 0, 1024}},     {"static40k", {4, 40000, 1024}},
                                             {"dynamic", {4, 0, 1024}},   {"regs200", {254, 0, 256}},
                                             {"regs120", {128, 0, 512}},  {"regs60", {72, 0, 896}},
                                             {"maxntid128", {4, 0, 128}}, {"maxntid16x16", {4, 0, 256}}};

}  // namespace

TEST_CASE("Occupancy equals NVIDIA's calculator on 139,810 rows of all capabilities", "[arch][occupancy]") {
  const sim::OccupancyTable table =
      sim::compare_occupancy_table(tests::in_tree("/tests/unit/arch/gpc/occupancy_golden.csv.gz"));
  CHECK(table.rows == 139810);
  CHECK(table.capabilities.size() == 19);
  CHECK(table.differences.empty());
}

TEST_CASE("Occupancy equals what an H200's driver answers", "[arch][occupancy]") {
  const GpuConfig h200 = load("gpu/h200");
  CHECK(each_line("bench/silicon/h200/device.jsonl", "occ", [&](const nlohmann::json& line) {
          KernelResources k;
          k.threads = line.at("block");
          k.registers_per_thread = line.at("regs");
          k.shared_static = line.at("static");
          k.shared_dynamic = line.at("dyn");
          CHECK(occupancy(h200, k).blocks == line.at("blocks"));
        }) == 792);
}

TEST_CASE("As many clusters fit as an H200's driver answers", "[arch][occupancy]") {
  const GpuConfig h200 = load("gpu/h200");
  const auto clusters = [&](const nlohmann::json& line, uint32_t size) {
    KernelResources k;
    k.threads = line.at("block");
    k.registers_per_thread = 10;
    k.shared_dynamic = line.at("dyn");
    CHECK(max_active_clusters(h200, occupancy(h200, k), size) == line.at("n"));
  };
  CHECK(each_line("bench/silicon/h200/device.jsonl", "clusters",
                  [&](const nlohmann::json& line) { clusters(line, line.at("cluster")); }) == 100);
  CHECK(each_line("tests/conformance/limits/answers.jsonl", "clusters", [&](const nlohmann::json& line) {
          if (line.at("err") == "cudaSuccess") clusters(line, line.at("clusters"));
        }) == 2160);
}

TEST_CASE("A carve-out and static shared memory limit blocks as on an H200", "[arch][occupancy]") {
  const GpuConfig h200 = load("gpu/h200");
  const unsigned lines =
      each_line("tests/conformance/limits/answers.jsonl", "kernel", [&](const nlohmann::json& line) {
        if (!line.contains("n")) return;
        const Asked& asked = kAsked.at(line.at("kernel"));
        KernelResources k;
        k.threads = line.at("block");
        k.registers_per_thread = asked.registers;
        k.shared_static = asked.shared;
        k.shared_dynamic = line.at("dyn");
        k.carveout_percent = line.at("carveout");
        k.optin = line.at("kernel") == "dynamic";
        CHECK(occupancy(h200, k).blocks == line.at("n"));
      });
  CHECK(lines > 1000);
}

TEST_CASE("A launch without a preference gets the carve-out that the driver gave it on an H200 or an H100",
          "[arch][occupancy]") {
  const GpuConfig h200 = load("gpu/h200");
  CHECK(each_line("tests/conformance/limits/carveouts.jsonl", "config", [&](const nlohmann::json& line) {
          KernelResources k;
          k.threads = line.at("block");
          k.registers_per_thread = line.at("regs");
          k.shared_static = line.at("static");
          k.shared_dynamic = line.at("dyn");
          CHECK(launch_carveout(h200, k, occupancy(h200, k)) == line.at("config"));
        }) == 385);
}

TEST_CASE("A launch's preferred carve-out is the smallest size that has it and holds a block",
          "[arch][occupancy]") {
  const GpuConfig h200 = load("gpu/h200");
  KernelResources k{
      .threads = 256, .registers_per_thread = 32, .shared_static = 40000, .carveout_percent = 0};
  CHECK(launch_carveout(h200, k, occupancy(h200, k)) == 64 * 1024);
  CHECK(occupancy(h200, k).blocks == 1);
  k.carveout_percent = 50;
  CHECK(launch_carveout(h200, k, occupancy(h200, k)) == 132 * 1024);
  CHECK(occupancy(h200, k).blocks == 3);
}

TEST_CASE("The best block size is what an H200's driver answers", "[arch][occupancy]") {
  const GpuConfig h200 = load("gpu/h200");
  unsigned lines = 0;
  each_line("tests/conformance/limits/answers.jsonl", "potential", [&](const nlohmann::json& line) {
    const auto asked = kAsked.find(line.at("potential"));
    if (asked == kAsked.end()) return;
    KernelResources k;
    k.registers_per_thread = asked->second.registers;
    k.shared_static = asked->second.shared;
    k.shared_dynamic = line.at("dyn");
    k.optin = line.at("potential") == "dynamic";
    const BlockChoice best = max_potential_block_size(h200, k, asked->second.threads);
    CHECK(best.block == line.at("block"));
    CHECK(best.grid == line.at("grid"));
    ++lines;
  });
  CHECK(lines == 16);
  each_line("tests/conformance/limits/answers.jsonl", "potential_cluster", [&](const nlohmann::json& line) {
    KernelResources k;
    k.threads = line.at("block");
    k.registers_per_thread = 4;
    k.shared_dynamic = line.at("dyn");
    CHECK(max_potential_cluster_size(h200, occupancy(h200, k), line.at("nonportable") == 1) ==
          line.at("potential_cluster"));
  });
}
