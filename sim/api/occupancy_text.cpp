// SPDX-License-Identifier: Apache-2.0
// Occupancy as text and JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/api/occupancy.h"

namespace gpuloom::sim {
namespace {

std::string limit_text(uint32_t limit) { return limit == arch::kUnlimited ? "-" : std::to_string(limit); }

// A chart of eight rows, as filled columns; under it a mark where the query stands.
std::string terminal_plot(const OccupancyCurve& c) {
  constexpr size_t kColumns = 64, kRows = 8;
  constexpr std::array<const char*, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t n = c.points.size(), columns = std::min(kColumns, n);
  std::vector<int> eighths;
  size_t mark = columns;
  for (size_t i = 0; i < columns; ++i) {
    const OccupancyPoint& p = c.points[i * n / columns];
    eighths.push_back(static_cast<int>(std::lround(p.percent / 100 * kRows * 8)));
    if (p.x <= c.now) mark = i;
  }
  std::string out = fmt::format("  occupancy by {}\n", c.name);
  for (size_t row = kRows; row-- > 0;) {
    out += row == kRows - 1 ? "  100 % |" : row == kRows / 2 - 1 ? "   50 % |" : "        |";
    for (int e : eighths)
      out += kEighths[static_cast<size_t>(std::clamp(e - static_cast<int>(row) * 8, 0, 8))];
    out += "\n";
  }
  const std::string first = curve_number(c, c.points.front().x), last = curve_number(c, c.points.back().x);
  out += "        +" + std::string(columns, '-') + "\n";
  if (mark < columns) out += std::string(9 + mark, ' ') + fmt::format("^ {}\n", c.now);
  out += "         " + first +
         std::string(columns > first.size() + last.size() ? columns - first.size() - last.size() : 1, ' ') +
         last + "  " + c.unit + "\n";
  return out;
}

}  // namespace

std::string curve_number(const OccupancyCurve& c, uint32_t x) {
  return c.unit == "bytes a block" && x >= 1024 ? fmt::format("{}K", x / 1024) : std::to_string(x);
}

std::string occupancy_text(const OccupancyReport& r, bool curves) {
  std::string out = fmt::format("{} (compute capability {}){}{}\n", r.gpu, r.capability,
                                r.kernel.empty() ? "" : ", kernel ", demangled(r.kernel));
  if (!r.refusal.empty()) return out + "  does not run here: " + r.refusal + "\n";
  const arch::KernelResources& k = r.resources;
  const arch::Occupancy& o = r.occupancy;
  out += fmt::format("  block           {} threads, {} warps\n", k.threads, o.warps_per_block);
  out += fmt::format("  registers       {} a thread{}, {} a block\n", k.registers_per_thread,
                     r.registers_estimated ? " (estimated by the lowering)" : "", o.allocated_registers);
  out +=
      fmt::format("  shared memory   {} bytes a block ({} static, {} dynamic), {} taken, carve-out {} KiB\n",
                  k.shared_static + k.shared_dynamic, k.shared_static, k.shared_dynamic, o.allocated_shared,
                  o.carveout / 1024);
  out += fmt::format("  limits          warps {}, registers {}, shared memory {}, blocks {}, barriers {}\n",
                     limit_text(o.limit_warps), limit_text(o.limit_registers), limit_text(o.limit_shared),
                     limit_text(o.limit_blocks), limit_text(o.limit_barriers));
  if (r.launch_limit_shared != 0 && r.launch_limit_shared != o.limit_shared)
    out += fmt::format(
        "                  a launch gets a carve-out of {} KiB, in which {} blocks have room: a profile's "
        "Block "
        "Limit Shared Mem\n",
        r.launch_carveout / 1024, r.launch_limit_shared);
  out += fmt::format("  occupancy       {} blocks, {} of {} warps, {:.4g} %; limited by {}\n", o.blocks,
                     r.warps, r.warps_max, r.percent, join(r.limiters, ", "));
  if (r.cluster > 0)
    out += fmt::format("  clusters        {} of {} blocks at once; the largest cluster that fits has {}\n",
                       r.clusters, r.cluster, r.largest_cluster);
  out += fmt::format("  best block      {} threads; {} blocks fill the GPU\n", r.best.block, r.best.grid);
  for (const std::string& advice : r.advice) out += "  to gain         " + advice + "\n";
  if (curves)
    for (const OccupancyCurve& c : r.curves) out += "\n" + terminal_plot(c);
  return out;
}

std::string occupancy_json(const std::vector<OccupancyReport>& reports) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  const auto limit = [](uint32_t v) {
    return v == arch::kUnlimited ? ordered_json(nullptr) : ordered_json(v);
  };
  for (const OccupancyReport& r : reports) {
    ordered_json j = {{"gpu", r.gpu}, {"description", r.description}, {"compute_capability", r.capability}};
    if (!r.refusal.empty()) {
      j["refusal"] = r.refusal;
      all.push_back(std::move(j));
      continue;
    }
    const arch::KernelResources& k = r.resources;
    const arch::Occupancy& o = r.occupancy;
    j["kernel"] = r.kernel;
    j["block_threads"] = k.threads;
    j["registers_per_thread"] = k.registers_per_thread;
    j["registers_estimated"] = r.registers_estimated;
    j["shared_static_bytes"] = k.shared_static;
    j["shared_dynamic_bytes"] = k.shared_dynamic;
    j["barriers"] = k.barriers;
    j["blocks_per_sm"] = o.blocks;
    j["warps_per_sm"] = r.warps;
    j["warps_per_sm_max"] = r.warps_max;
    j["occupancy_percent"] = r.percent;
    j["limiters"] = r.limiters;
    j["launch_carveout_bytes"] = r.launch_carveout;
    if (r.launch_limit_shared != 0) j["launch_limit_shared_memory"] = r.launch_limit_shared;
    j["limits"] = {{"warps", limit(o.limit_warps)},
                   {"registers", limit(o.limit_registers)},
                   {"shared_memory", limit(o.limit_shared)},
                   {"blocks", limit(o.limit_blocks)},
                   {"barriers", limit(o.limit_barriers)}};
    j["allocated_registers"] = o.allocated_registers;
    j["allocated_shared_bytes"] = o.allocated_shared;
    j["carveout_bytes"] = o.carveout;
    j["best_block_threads"] = r.best.block;
    j["best_grid_blocks"] = r.best.grid;
    if (r.cluster > 0)
      j["clusters"] = {{"blocks", r.cluster}, {"active", r.clusters}, {"largest", r.largest_cluster}};
    j["advice"] = r.advice;
    for (const OccupancyCurve& c : r.curves) {
      ordered_json points = ordered_json::array();
      for (const OccupancyPoint& p : c.points)
        points.push_back({{"x", p.x}, {"blocks", p.blocks}, {"occupancy_percent", p.percent}});
      j["curves"].push_back({{"name", c.name}, {"unit", c.unit}, {"now", c.now}, {"points", points}});
    }
    all.push_back(std::move(j));
  }
  return all.dump(1) + "\n";
}

}  // namespace gpuloom::sim
