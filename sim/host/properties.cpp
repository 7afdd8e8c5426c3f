// SPDX-License-Identifier: Apache-2.0
#include "sim/host/properties.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace gpuloom::host {
namespace {

int whole(double value) { return static_cast<int>(std::min<double>(std::llround(value), INT32_MAX)); }

// Attributes that follow from the configuration. Numbers are cudaDeviceAttr's.
std::unordered_map<int, int> configured(const arch::GpuConfig& g, const Costs& costs) {
  const arch::LimitsConfig& l = g.sm.limits;
  // Two transfers a clock.
  const double bus_bits = costs.dram_bandwidth() * 8 / (2 * g.dram.clock_hz);
  return {
      {1, whole(l.threads_per_block)},
      {2, whole(l.block[0])},
      {3, whole(l.block[1])},
      {4, whole(l.block[2])},
      {5, whole(l.grid[0])},
      {6, whole(l.grid[1])},
      {7, whole(l.grid[2])},
      {8, whole(l.shared_per_block)},
      {9, whole(l.constant_bytes)},
      {10, 32},
      {12, whole(l.registers_per_block)},
      {13, whole(g.clock_hz / 1e3)},
      {16, whole(g.sm_count())},
      {36, whole(g.dram.clock_hz / 1e3)},
      {37, whole(std::round(bus_bits / 32) * 32)},
      {38, whole(static_cast<double>(g.l2.size))},
      {39, whole(l.warps_per_sm * 32)},
      {40, whole(costs.copy_engines())},
      {75, whole(g.cc_major)},
      {76, whole(g.cc_minor)},
      {81, whole(l.shared_per_sm)},
      {82, whole(l.registers_per_sm)},
      {97, whole(l.shared_per_block_optin)},
      {106, whole(l.blocks_per_sm)},
      {108, whole(static_cast<double>(g.l2.persisting_max))},
      {109, whole(static_cast<double>(g.l2.window_max))},
      {111, whole(l.shared_reserved_per_block)},
      {120, l.cluster_max > 1 ? 1 : 0},
  };
}

// What the runtime does or does not do, whatever the device.
const std::unordered_map<int, int>& of_the_runtime() {
  static const std::unordered_map<int, int> values =
      {
          {15, 1},                                 // copies beside kernels
          {17, 0},                                 // no limit of a kernel's run time
          {18, 0},                                 // not integrated
          {19, 1},                                 // maps host memory
          {20, 0},                                 // compute mode: default
          {31, 1},                                 // concurrent kernels
          {32, 1},                                 // ECC
          {33, 1},  {34, 0},   {50, 0},            // PCI bus 1, device 0, domain 0
          {35, 0},  {41, 1},                       // TCC is a thing of Windows; unified addressing
          {78, 1},  {79, 1},   {80, 1},            // stream priorities, caching in L1
          {83, 1},                                 // managed memory
          {84, 0},  {85, 0},                       // one GPU a board
          {86, 0},                                 // host atomics over the link
          {88, 0},                                 // pageable memory of the host is not the device's
          {89, 1},                                 // managed memory by both sides at once
          {90, 1},                                 // preemption
          {91, 1},                                 // a registered pointer is valid on both sides
          {92, 0},  {93, 0},   {94, 0},  {95, 1},  // cooperative launch
          {96, 0},  {98, 0},   {99, 1},            // registering host memory
          {100, 0}, {101, 0},  {112, 0}, {113, 1}, {114, 0}, {115, 1},  // pools
          {116, 0}, {117, 0},  {118, 0}, {119, 0}, {121, 0}, {122, 0},  {123, 0},
          {124, 0}, {125, 0},  // no events between processes
          {126, 1}, {127, 0},  {128, 0}, {129, 0}, {130, 0}, {131, -1}, {132, 0},
          {133, 0}, {134, -1}, {135, 0}, {138, 0}, {139, 0}, {140, 0},  {141, 0},
          {142, 0}, {143, 0},  {144, 0}, {145, 0}, {147, 0},
      };
  return values;
}

// Extents and alignments of textures and surfaces, as an H200 answers. The CUDA C++ programming guide
// ("Technical specifications per compute capability") has the same extents for 7.5 to 12.x.
const std::unordered_map<int, int>& of_textures() {
  static const std::unordered_map<int, int> values = {
      {11, INT32_MAX},  // pitch of a copy
      {14, 512},        // alignment of a texture's base
      {51, 32},         // and of its pitch
      {30, 512},        // of a surface
      {21, 131072},    {22, 131072},  {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384},     {27, 32768},
      {28, 32768},     {29, 2048},    {42, 32768}, {43, 2048},  {45, 32768}, {46, 32768},     {47, 8192},
      {48, 8192},      {49, 32768},   {52, 32768}, {53, 32768}, {54, 2046},  {55, 32768},     {56, 131072},
      {57, 65536},     {58, 16384},   {59, 16384}, {60, 16384}, {61, 32768}, {62, 2048},      {63, 32768},
      {64, 32768},     {65, 2048},    {66, 32768}, {67, 32768}, {68, 2046},  {69, 268435456}, {70, 131072},
      {71, 65000},     {72, 2097120}, {73, 32768}, {74, 32768}, {77, 32768},
  };
  return values;
}

}  // namespace

std::optional<int> device_attribute(const arch::GpuConfig& gpu, const Costs& costs, int attribute) {
  if (attribute == 87) {  // single to double precision: lanes a cycle of their pipes
    const double single = gpu.sm.operation(ptx::OpClass::ffma).interval;
    const double both = gpu.sm.operation(ptx::OpClass::dfma).interval;
    return whole(std::max(1.0, both / std::max(1.0, single)));
  }
  const auto from_config = configured(gpu, costs);
  for (const auto* values : {&from_config, &of_the_runtime(), &of_textures()})
    if (const auto known = values->find(attribute); known != values->end()) return known->second;
  return std::nullopt;
}

std::string device_name(const arch::GpuConfig& gpu) {
  std::string name = gpu.description;
  if (name.empty()) return gpu.name;
  // "NVIDIA H200 SXM 141 GB"
  constexpr std::string_view kUnit = " GB";
  if (!name.ends_with(kUnit)) return name;
  const size_t number = name.find_last_of(' ', name.size() - kUnit.size() - 1);
  return number == std::string::npos ? name : name.substr(0, number);
}

}  // namespace gpuloom::host
