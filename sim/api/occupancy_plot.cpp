// SPDX-License-Identifier: Apache-2.0
// Occupancy as text, JSON and SVG.
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

std::string axis_number(const OccupancyCurve& c, uint32_t x) {
  return c.unit == "bytes a block" && x >= 1024 ? fmt::format("{}K", x / 1024) : std::to_string(x);
}

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
  const std::string first = axis_number(c, c.points.front().x), last = axis_number(c, c.points.back().x);
  out += "        +" + std::string(columns, '-') + "\n";
  if (mark < columns) out += std::string(9 + mark, ' ') + fmt::format("^ {}\n", c.now);
  out += "         " + first +
         std::string(columns > first.size() + last.size() ? columns - first.size() - last.size() : 1, ' ') +
         last + "  " + c.unit + "\n";
  return out;
}

}  // namespace

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

namespace {

struct Panel {
  double left, top, width, height;
};

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string label(double x, double y, const char* anchor, const std::string& text, int size = 11) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
                     anchor, size, escape(text));
}

std::string axes(const Panel& p, const OccupancyCurve& c, double last) {
  std::string out = label(p.left + p.width / 2, p.top - 10, "middle", "by " + c.name, 13);
  for (int tick = 0; tick <= 100; tick += 25) {
    const double y = p.top + p.height * (1 - tick / 100.0);
    out += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                       p.left, y, p.left + p.width, y);
    out += label(p.left - 6, y + 4, "end", std::to_string(tick));
  }
  const double rough = last / 4;
  const double unit = std::pow(2.0, std::ceil(std::log2(std::max(1.0, rough))));
  for (double x = 0; x <= last * 1.001; x += unit) {
    const double at = p.left + p.width * x / last;
    out += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\"/>\n",
                       at, p.top + p.height, at, p.top + p.height + 4);
    out += label(at, p.top + p.height + 17, "middle", axis_number(c, static_cast<uint32_t>(x)));
  }
  out += label(p.left + p.width / 2, p.top + p.height + 34, "middle", c.unit);
  const double now = p.left + p.width * c.now / last;
  out += fmt::format(
      "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#555\" "
      "stroke-dasharray=\"3 3\"/>\n",
      now, p.top, p.top + p.height);
  return out;
}

// Steps: what is between two values asked needs as much as the upper one.
std::string steps(const Panel& p, const OccupancyCurve& c, double last, const std::string& style) {
  std::string path;
  for (const OccupancyPoint& point : c.points) {
    const double x = p.left + p.width * point.x / last, y = p.top + p.height * (1 - point.percent / 100);
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x, y) : fmt::format("V{:.1f}H{:.1f}", y, x);
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke-width=\"1.8\" {}/>\n", path, style);
}

}  // namespace

std::string occupancy_svg(const std::vector<OccupancyReport>& reports) {
  // Eight colours that stay apart for colour-blind readers (Okabe and Ito), then the same dashed.
  constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#000000", "#e69f00", "#56b4e9", "#999999"};
  std::vector<const OccupancyReport*> shown;
  for (const OccupancyReport& r : reports)
    if (r.refusal.empty()) shown.push_back(&r);
  const double width = 1120, panel = 300, height = 230;
  const size_t legend_rows = (shown.size() + 2) / 3;
  const double total = 60 + height + 60 + 18 * static_cast<double>(legend_rows) + 10;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" fill=\"#222\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      width, total);
  if (!shown.empty()) {
    const OccupancyReport& first = *shown[0];
    out += label(20, 22, "start",
                 fmt::format("Theoretical occupancy in % of an SM's warps{}{}: {} threads a block, {} "
                             "registers, {} bytes of shared memory",
                             first.kernel.empty() ? "" : ", ", first.kernel, first.resources.threads,
                             first.resources.registers_per_thread,
                             first.resources.shared_static + first.resources.shared_dynamic),
                 14);
  }
  for (size_t i = 0; i < 3 && !shown.empty(); ++i) {
    const Panel p{55 + static_cast<double>(i) * (panel + 60), 60, panel, height};
    double last = 1;
    for (const OccupancyReport* r : shown) last = std::max<double>(last, r->curves[i].points.back().x);
    out += axes(p, shown[0]->curves[i], last);
    for (size_t g = 0; g < shown.size(); ++g)
      out += steps(p, shown[g]->curves[i], last,
                   fmt::format("stroke=\"{}\"{}", kColours[g % 8],
                               g < 8    ? ""
                               : g < 16 ? " stroke-dasharray=\"6 3\""
                                        : " stroke-dasharray=\"2 3\""));
  }
  for (size_t g = 0; g < shown.size(); ++g) {
    const double x = 55 + static_cast<double>(g % 3) * 355,
                 y = 60 + height + 62 + 18 * static_cast<double>(g / 3);
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"3\" "
        "stroke=\"{}\"{}/>\n",
        x, y - 4, x + 24, y - 4, kColours[g % 8],
        g < 8    ? ""
        : g < 16 ? " stroke-dasharray=\"6 3\""
                 : " stroke-dasharray=\"2 3\"");
    out += label(x + 30, y, "start",
                 fmt::format("{} ({}): {} blocks, {:.4g} %, {}", shown[g]->gpu, shown[g]->capability,
                             shown[g]->occupancy.blocks, shown[g]->percent, join(shown[g]->limiters, ", ")));
  }
  return out + "</svg>\n";
}

}  // namespace gpuloom::sim
