// SPDX-License-Identifier: Apache-2.0
#include "tests/behaviour/configuration_keys/launches.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/text.h"
#include "sim/api/occupancy.h"
#include "sim/api/simulator.h"
#include "tests/places.h"

namespace gpuloom::tests::keys {
namespace fs = std::filesystem;
using namespace gpuloom::sim;

namespace {

constexpr uint64_t kMaxCycles = 500'000;

// Straight code of more than the instruction caches hold, run twice.
std::string long_code(size_t operations) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry code(.param .u64 out)\n{\n"
      "  .reg .b64 %rd<2>;\n  .reg .b32 %r<16>;\n  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [out];\n"
      "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, 0;\n  mov.u32 %r3, %ctaid.x;\n"
      "  mov.u32 %r12, %nctaid.x;\n  shr.u32 %r12, %r12, 2;\n";  // two rounds, unknown to the lowering
  for (int i = 4; i < 12; ++i) text += "  mov.u32 %r" + std::to_string(i) + ", %tid.x;\n";
  text += "LOOP:\n";
  for (size_t i = 0; i < operations; ++i) {
    const std::string r = "%r" + std::to_string(4 + i % 8);
    text +=
        std::string(i / 8 % 2 == 0 ? "  add.u32 " : "  xor.b32 ") + r + ", " + r + ", %r3;\n";  // none join
  }
  for (int i = 4; i < 12; ++i) text += "  xor.b32 %r1, %r1, %r" + std::to_string(i) + ";\n";
  return text +
         "  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p1, %r2, %r12;\n  @%p1 bra LOOP;\n  st.global.u32 [%rd1], "
         "%r1;\n  ret;\n}\n";
}

Launch code_launch(const std::string& scratch, const char* name, size_t operations) {
  const std::string ptx = scratch + "/" + name + ".ptx";
  std::ofstream(ptx) << long_code(operations);
  return {name, parse_launch_file("ptx: " + ptx +
                                      "\nbuffers: {out: {type: u32, count: 64, init: zero, output: true}}\n"
                                      "kernel: code\ngrid: [8]\nblock: [128]\nargs: [out]\n",
                                  name)};
}

// What the calculator says of blocks and clusters, of the most registers that it takes, and of many amounts
// of shared memory.
std::string occupancy_text_of(const std::string& machine, const Change& change) {
  const Config config = Config::load(machine, change);
  const arch::GpuConfig gpu = arch::load_gpu_config(config.root());
  config.check();
  std::vector<OccupancyReport> reports;
  for (const auto& [registers, shared, cluster] :
       {std::tuple{32u, 1024u, 2u}, {256u, 0u, 0u}, {64u, 5000u, 4u}, {32u, 40000u, 0u}})
    reports.push_back(occupancy_report(
        gpu, {.threads = 64, .registers_per_thread = registers, .shared_static = shared}, cluster));
  for (const int percent : {0, 2, 6, 12, 25, 42, 55, 70, 80, 100})  // each size that shared memory may have
    reports.push_back(
        occupancy_report(gpu, {.threads = 64, .registers_per_thread = 32, .carveout_percent = percent}, 0));
  return occupancy_json(reports);
}

std::string text_of(const RunReport& run) {
  std::string text;
  for (const ReportKernel& kernel : run.kernels) {
    for (const ReportMetric& m : kernel.metrics) text += m.name + "=" + format_number(m.value) + "\n";
    for (const auto& [reason, cycles] : kernel.stalls) text += reason + "=" + format_number(cycles) + "\n";
    for (const auto& [opcode, count] : kernel.opcodes) text += opcode + "=" + std::to_string(count) + "\n";
  }
  for (const ReportBuffer& b : run.outputs) text += b.name + "=" + std::to_string(b.fnv1a64) + "\n";
  return text;
}

}  // namespace

std::vector<Launch> read_launches(const std::string& scratch) {
  std::vector<Launch> all;
  for (const auto& entry : fs::directory_iterator(in_tree("/tests/behaviour/configuration_keys")))
    if (entry.path().extension() == ".yaml" && entry.path().stem() != "shown_by")
      all.push_back({entry.path().stem().string(), read_launch_file(entry.path().string())});
  std::sort(all.begin(), all.end(), [](const Launch& a, const Launch& b) { return a.name < b.name; });
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].name == "memory") {
      all.push_back({"memory_as_written", all[i].file, false});
      break;
    }
  all.push_back(code_launch(scratch, "code", 9000));
  all.push_back(code_launch(scratch, "loop", 2600));
  all.push_back({.name = "occupancy", .file = {}, .occupancy = true});
  return all;
}

Outcome outcome_of(const Launch& launch, const std::string& machine, const Change& change) {
  std::optional<Simulator> gpu;
  try {
    if (launch.occupancy) return {occupancy_text_of(machine, change), {}};
    gpu.emplace(DeviceOptions{.config = machine,
                              .overrides = change,
                              .lowering = launch.lowered ? Lowering::kMachine : Lowering::kNone,
                              .per_instruction = false,
                              .warn = [](const std::string&) {}});
  } catch (const Error& e) {
    return {{}, e.what()};
  }
  try {
    return {text_of(gpu->run(launch.file, {.max_cycles = kMaxCycles})), {}};
  } catch (const Error& e) {
    return {std::string("refused: ") + e.what() + "\n", {}};
  }
}

std::string seen_of(const std::string& before, const std::string& after) {
  if (after.starts_with("refused:")) return "the launch is " + after.substr(0, after.find('\n'));
  const auto values = [](const std::string& text) {
    std::map<std::string, std::string> all;
    for (const std::string& line : split(text, '\n'))
      if (const size_t equal = line.find('='); equal != std::string::npos)
        all[line.substr(0, equal)] = line.substr(equal + 1);
    return all;
  };
  const auto was = values(before), now = values(after);
  size_t differing = 0;
  for (const auto& [name, value] : was) differing += now.count(name) == 0 || now.at(name) != value;
  for (const auto& [name, value] : now) differing += was.count(name) == 0;
  const char* const kElapsed = "sm__cycles_elapsed.max";
  if (was.count(kElapsed) == 0 || now.count(kElapsed) == 0) return first_difference(before, after);
  const std::string values_differ =
      std::to_string(differing) + (differing == 1 ? " value differs" : " values differ");
  return was.at(kElapsed) == now.at(kElapsed)
             ? "elapsed cycles stay " + was.at(kElapsed) + "; " + values_differ
             : "elapsed cycles " + was.at(kElapsed) + " -> " + now.at(kElapsed) + "; " + values_differ;
}

std::string first_difference(const std::string& before, const std::string& after) {
  if (before == after) return "";
  const auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto line = [](const std::string& text, size_t at) {
    const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, std::min(text.find('\n', begin), begin + 120) - begin);
  };
  return line(before, static_cast<size_t>(a - before.begin())) + " -> " +
         line(after, static_cast<size_t>(b - after.begin()));
}

}  // namespace gpuloom::tests::keys
