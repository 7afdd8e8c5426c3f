// SPDX-License-Identifier: Apache-2.0
#include "sim/host/properties.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "arch/sm/issue_rate.h"
#include "base/config/config.h"
#include "base/config/config_schema.h"
#include "base/config/units.h"
#include "base/error.h"

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

int number_at(const ConfigNode& entry, const char* key) {
  int64_t value = 0;
  for (const ConfigNode& field : entry.children)
    if (field.key == key && parse_integer(field.scalar, value)) return static_cast<int>(value);
  throw Error(ErrorKind::kInput, "an attribute of a device lacks its '" + std::string(key) + "'",
              entry.where);
}

}  // namespace

DeviceAttributes::DeviceAttributes(const arch::GpuConfig& gpu, const Costs& costs, unsigned device)
    : values_(configured(gpu, costs)) {
  const std::string path = config_directory() + "/about/device_attributes.yaml";
  for (const ConfigNode& group : parse_yaml_file(path, path).children)
    for (const ConfigNode& entry : group.children)
      values_.emplace(number_at(entry, "number"), number_at(entry, "value"));
  // Each device has a bus of its own.
  values_[kPciBusAttribute] += static_cast<int>(device);
  // Single to double precision: lanes a cycle of their pipes.
  const double single = arch::issue_rate(gpu.sm, ptx::OpClass::ffma);
  const double both = arch::issue_rate(gpu.sm, ptx::OpClass::dfma);
  values_[kSingleToDoubleAttribute] = whole(both > 0 ? std::max(1.0, single / both) : 1.0);
}

std::optional<int> DeviceAttributes::value(int attribute) const {
  const auto known = values_.find(attribute);
  return known == values_.end() ? std::nullopt : std::optional(known->second);
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
