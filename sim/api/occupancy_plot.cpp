// SPDX-License-Identifier: Apache-2.0
// Occupancy curves as a picture: a panel by block size, by registers, by shared memory; a line a GPU.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/api/occupancy.h"
#include "sim/report/figure.h"

namespace gpuloom::sim {
namespace {

struct Panel {
  double left, top, width, height, last;  // last: the largest value of the axis
  double x(double value) const { return left + width * value / last; }
  double y(double percent) const { return top + height * (1 - percent / 100); }
};

void axes(Figure& figure, const Panel& p, const OccupancyCurve& c) {
  figure.text(p.left + p.width / 2, p.top - 10, Anchor::kMiddle, "by " + c.name, {13});
  for (int tick = 0; tick <= 100; tick += 25) {
    figure.line(p.left, p.y(tick), p.left + p.width, p.y(tick), {"#ddd"});
    figure.text(p.left - 6, p.y(tick) + 4, Anchor::kEnd, std::to_string(tick), {11});
  }
  const double bottom = p.top + p.height;
  const double unit = std::pow(2.0, std::ceil(std::log2(std::max(1.0, p.last / 4))));
  for (double x = 0; x <= p.last * 1.001; x += unit) {
    figure.line(p.x(x), bottom, p.x(x), bottom + 4, {"#888"});
    figure.text(p.x(x), bottom + 17, Anchor::kMiddle, curve_number(c, static_cast<uint32_t>(x)), {11});
  }
  figure.text(p.left + p.width / 2, bottom + 34, Anchor::kMiddle, c.unit, {11});
  figure.line(p.x(c.now), p.top, p.x(c.now), bottom, {"#555", 1, "3 3"});
}

// Steps: what is between two values asked needs as much as the upper one.
std::string steps(const Panel& p, const OccupancyCurve& c) {
  std::string path;
  for (const OccupancyPoint& point : c.points) {
    const double x = p.x(point.x), y = p.y(point.percent);
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x, y) : fmt::format("V{:.1f}H{:.1f}", y, x);
  }
  return path;
}

std::string figure_title(const OccupancyReport& r) {
  return fmt::format(
      "Theoretical occupancy in % of an SM's warps{}{}: {} threads a block, {} registers, {} bytes of shared "
      "memory",
      r.kernel.empty() ? "" : ", ", demangled(r.kernel), r.resources.threads,
      r.resources.registers_per_thread, r.resources.shared_static + r.resources.shared_dynamic);
}

}  // namespace

std::string occupancy_svg(const std::vector<OccupancyReport>& reports) {
  std::vector<const OccupancyReport*> shown;
  for (const OccupancyReport& r : reports)
    if (r.refusal.empty()) shown.push_back(&r);
  constexpr double kWidth = 1120, kPanel = 300, kTop = 60, kHeight = 230, kRow = 18;
  constexpr size_t kPanels = 3, kLegendColumns = 3;
  const size_t legend_rows = (shown.size() + kLegendColumns - 1) / kLegendColumns;
  Figure figure(kWidth, kTop + kHeight + 70 + kRow * static_cast<double>(legend_rows));
  if (!shown.empty()) figure.text(20, 22, Anchor::kStart, figure_title(*shown[0]), {14});
  for (size_t i = 0; i < kPanels && !shown.empty(); ++i) {
    Panel p{55 + static_cast<double>(i) * (kPanel + 60), kTop, kPanel, kHeight, 1};
    for (const OccupancyReport* r : shown) p.last = std::max<double>(p.last, r->curves[i].points.back().x);
    axes(figure, p, shown[0]->curves[i]);
    for (size_t g = 0; g < shown.size(); ++g)
      figure.path(steps(p, shown[g]->curves[i]), series_stroke(g, 1.8));
  }
  for (size_t g = 0; g < shown.size(); ++g) {
    const double x = 55 + static_cast<double>(g % kLegendColumns) * 355,
                 y = kTop + kHeight + 62 + kRow * static_cast<double>(g / kLegendColumns);
    figure.line(x, y - 4, x + 24, y - 4, series_stroke(g, 3));
    figure.text(x + 30, y, Anchor::kStart,
                fmt::format("{} ({}): {} blocks, {:.4g} %, {}", shown[g]->gpu, shown[g]->capability,
                            shown[g]->occupancy.blocks, shown[g]->percent, join(shown[g]->limiters, ", ")),
                {11});
  }
  return figure.svg();
}

}  // namespace gpuloom::sim
