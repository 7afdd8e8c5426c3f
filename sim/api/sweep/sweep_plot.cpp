// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.h"

namespace gpuloom::sim {
namespace {

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string short_number(double value) {
  const double size = std::fabs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

std::string words(double x, double y, const char* anchor, const std::string& text, int size = 12,
                  const std::string& more = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", x,
                     y, anchor, size, more, escaped(text));
}

std::string page(double width, double height, const std::string& body) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
             "{0:.0f} "
             "{1:.0f}\" font-family=\"sans-serif\" fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"#fff\"/>\n",
             width, height) +
         body + "</svg>\n";
}

std::string upright(double x, double y, const std::string& text) {
  return words(x, y, "middle", text, 13, fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
}

// From light to dark in equal steps of lightness, so that it reads in grey too.
std::string colour(double share) {
  static constexpr std::array<std::array<double, 3>, 4> kStops = {
      {{255, 247, 214}, {253, 174, 97}, {188, 55, 84}, {59, 15, 112}}};
  const double at = std::clamp(share, 0.0, 1.0) * 3;
  const size_t i = std::min<size_t>(static_cast<size_t>(at), 2);
  std::array<int, 3> rgb{};
  for (size_t c = 0; c < 3; ++c)
    rgb[c] = static_cast<int>(
        std::lround(kStops[i][c] + (at - static_cast<double>(i)) * (kStops[i + 1][c] - kStops[i][c])));
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

size_t axis_column(const SweepTable& table, const std::string& name) {
  const size_t column = table.column(name);
  if (column >= table.axes_begin && column < table.axes_end) return column;
  const auto begin = table.head.begin();
  throw Error(ErrorKind::kUsage, "'" + name + "' is not an axis of the sweep", {},
              "there are " + either({begin + static_cast<ptrdiff_t>(table.axes_begin),
                                     begin + static_cast<ptrdiff_t>(table.axes_end)}));
}

size_t place(std::vector<std::string>& labels, const std::string& label) {
  const auto at = std::find(labels.begin(), labels.end(), label);
  if (at == labels.end()) labels.push_back(label);
  return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

std::string with_unit(const SweepTable& table, const std::string& name) {
  const auto unit = table.units.find(name);
  return unit == table.units.end() || unit->second.empty() ? name : name + " (" + unit->second + ")";
}

struct Cell {
  double sum = 0;
  size_t count = 0;
  double mean() const { return sum / static_cast<double>(count); }
};

// Letters of the longest label.
double longest(const std::vector<std::string>& labels) {
  size_t letters = 0;
  for (const std::string& label : labels) letters = std::max(letters, label.size());
  return static_cast<double>(letters);
}

// The axes that a map of two does not show and that have more than one value: a cell is the mean over them.
std::string averaged(const SweepTable& table, size_t cx, size_t cy) {
  std::string text;
  for (size_t c = table.axes_begin; c < table.axes_end; ++c) {
    if (c == cx || c == cy) continue;
    std::set<std::string> values;
    for (const auto& row : table.rows) values.insert(row[c]);
    if (values.size() > 1)
      text +=
          fmt::format("{}{} ({} values)", text.empty() ? "mean over " : ", ", table.head[c], values.size());
  }
  return text;
}

SweepPlot heatmap(const SweepTable& table, const std::string& x, const std::string& y,
                  const std::string& value) {
  const size_t cx = axis_column(table, x), cy = axis_column(table, y), cv = table.column(value);
  std::vector<std::string> xs, ys;
  for (const auto& row : table.rows) {
    place(xs, row[cx]);
    place(ys, row[cy]);
  }
  std::vector<Cell> cells(xs.size() * ys.size());
  for (const auto& row : table.rows) {
    const auto v = number(row[cv]);
    if (!v) continue;
    Cell& cell = cells[place(ys, row[cy]) * xs.size() + place(xs, row[cx])];
    cell.sum += *v;
    ++cell.count;
  }
  double low = INFINITY, high = -INFINITY;
  for (const Cell& c : cells) {
    if (c.count == 0) continue;
    low = std::min(low, c.mean());
    high = std::max(high, c.mean());
  }
  constexpr double kCellHeight = 36, kTop = 50;
  const double cell_width = std::max(76.0, 7.5 * longest(xs) + 12),
               left_edge = std::max(70.0, 7.5 * longest(ys) + 50);
  const double width = std::max(left_edge + cell_width * static_cast<double>(xs.size()) + 120, 520.0);
  const double bottom = kTop + kCellHeight * static_cast<double>(ys.size());
  const std::string over = averaged(table, cx, cy);
  std::string body = words(20, 24, "start", with_unit(table, value), 15);
  if (!over.empty()) body += words(20, 41, "start", "each cell: " + over, 11);
  std::string best = "no point has a value";
  for (size_t j = 0; j < ys.size(); ++j) {
    const double top = kTop + kCellHeight * static_cast<double>(j);
    body += words(left_edge - 8, top + kCellHeight / 2 + 4, "end", ys[j]);
    for (size_t i = 0; i < xs.size(); ++i) {
      const Cell& c = cells[j * xs.size() + i];
      const double left = left_edge + cell_width * static_cast<double>(i);
      const double share = c.count == 0 || high <= low ? 0 : (c.mean() - low) / (high - low);
      body += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#fff\"/>\n", left,
          top, cell_width, kCellHeight, c.count == 0 ? "#e0e0e0" : colour(share));
      if (c.count == 0) continue;
      body += words(left + cell_width / 2, top + kCellHeight / 2 + 4, "middle", short_number(c.mean()), 12,
                    share > 0.5 ? " fill=\"#fff\"" : "");
      if (c.mean() == low)
        best = fmt::format("{} is least, {}, at {}={}, {}={}", value, short_number(low), x, xs[i], y, ys[j]);
    }
  }
  for (size_t i = 0; i < xs.size(); ++i)
    body += words(left_edge + cell_width * (static_cast<double>(i) + 0.5), bottom + 18, "middle", xs[i]);
  body += words(left_edge + cell_width * static_cast<double>(xs.size()) / 2, bottom + 42, "middle", x, 13);
  body += upright(24, (kTop + bottom) / 2, y);
  // The scale stands to the right of the map.
  const double scale = left_edge + cell_width * static_cast<double>(xs.size()) + 20;
  for (size_t i = 0; i < 20 && high > low; ++i)
    body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                        scale, bottom - (static_cast<double>(i) + 1) * (bottom - kTop) / 20,
                        (bottom - kTop) / 20 + 0.3, colour((static_cast<double>(i) + 0.5) / 20));
  if (high > low) {
    body += words(scale + 22, kTop + 10, "start", short_number(high));
    body += words(scale + 22, bottom, "start", short_number(low));
  }
  if (!over.empty()) best += "; each cell is the " + over;
  return {page(width, bottom + 60, body), fmt::format("heatmap_{}_{}_{}.svg", x, y, value), best};
}

struct Dot {
  double x, y;
  size_t row;
  bool front = false;
};

struct Measure {
  std::string name;
  size_t column;
  bool more_is_better;
};

Measure measure(const SweepTable& table, const std::string& text) {
  const bool more = text.starts_with("-");
  const std::string name = more ? text.substr(1) : text;
  return {name, table.column(name), more};
}

bool beats(const Dot& a, const Dot& b, const Measure& x, const Measure& y) {
  const double ax = x.more_is_better ? -a.x : a.x, bx = x.more_is_better ? -b.x : b.x;
  const double ay = y.more_is_better ? -a.y : a.y, by = y.more_is_better ? -b.y : b.y;
  return ax <= bx && ay <= by && (ax < bx || ay < by);
}

// Round numbers from low to high, five or so.
std::vector<double> ticks(double low, double high) {
  const double raw = (high - low) / 5, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = raw / power > 5   ? 10 * power
                      : raw / power > 2 ? 5 * power
                      : raw / power > 1 ? 2 * power
                                        : power;
  std::vector<double> at;
  for (double t = std::ceil(low / step) * step; t <= high + step * 1e-9; t += step)
    at.push_back(std::fabs(t) < step * 1e-9 ? 0 : t);
  return at;
}

SweepPlot pareto(const SweepTable& table, const Measure& x, const Measure& y) {
  std::vector<Dot> dots;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const auto vx = number(table.rows[r][x.column]), vy = number(table.rows[r][y.column]);
    if (vx && vy) dots.push_back({*vx, *vy, r});
  }
  if (dots.empty())
    throw Error(ErrorKind::kUsage,
                fmt::format("no point has numbers for both '{}' and '{}'", x.name, y.name));
  std::sort(dots.begin(), dots.end(),
            [](const Dot& a, const Dot& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  for (Dot& d : dots)
    d.front = std::none_of(dots.begin(), dots.end(), [&](const Dot& other) { return beats(other, d, x, y); });
  double x0 = dots.front().x, x1 = dots.back().x, y0 = dots[0].y, y1 = y0;
  for (const Dot& d : dots) {
    y0 = std::min(y0, d.y);
    y1 = std::max(y1, d.y);
  }
  const double mx = x1 > x0 ? (x1 - x0) * 0.05 : std::max(std::fabs(x0), 1.0),
               my = y1 > y0 ? (y1 - y0) * 0.05 : std::max(std::fabs(y0), 1.0);
  x0 -= mx, x1 += mx, y0 -= my, y1 += my;
  constexpr double kLeft = 90, kTop = 40, kWidth = 600, kHeight = 400;
  const auto sx = [&](double v) { return kLeft + (v - x0) / (x1 - x0) * kWidth; };
  const auto sy = [&](double v) { return kTop + kHeight - (v - y0) / (y1 - y0) * kHeight; };
  std::string body;
  for (const double t : ticks(x0, x1)) {
    body += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/>\n",
                        sx(t), kTop, kTop + kHeight);
    body += words(sx(t), kTop + kHeight + 18, "middle", short_number(t));
  }
  for (const double t : ticks(y0, y1)) {
    body += fmt::format("<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>\n",
                        sy(t), kLeft, kLeft + kWidth);
    body += words(kLeft - 8, sy(t) + 4, "end", short_number(t));
  }
  body += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#222\"/>\n",
                      kLeft, kTop, kWidth, kHeight);
  std::string line, circles, on_top;
  std::vector<std::string> front;
  for (const Dot& d : dots) {
    std::vector<std::string> axes;
    for (size_t c = table.axes_begin; c < table.axes_end; ++c)
      axes.push_back(table.head[c] + "=" + table.rows[d.row][c]);
    (d.front ? on_top : circles) += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}</title></circle>\n", sx(d.x),
        sy(d.y), d.front ? 5 : 3.5, d.front ? "#d55e00" : "#9ab", escaped(join(axes, ", ")));
    if (!d.front) continue;
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : " L", sx(d.x), sy(d.y));
    front.push_back(fmt::format("({}: {}, {})", join(axes, ", "), short_number(d.x), short_number(d.y)));
  }
  body +=
      "<path d=\"" + line + "\" fill=\"none\" stroke=\"#d55e00\" stroke-width=\"1.5\"/>\n" + circles + on_top;
  body += words(kLeft, 24, "start", fmt::format("{} points, {} on the front", dots.size(), front.size()), 15);
  body += words(kLeft + kWidth / 2, kTop + kHeight + 42, "middle",
                with_unit(table, x.name) + (x.more_is_better ? ", more is better" : ", less is better"), 13);
  body += upright(22, kTop + kHeight / 2,
                  with_unit(table, y.name) + (y.more_is_better ? ", more is better" : ", less is better"));
  return {page(kLeft + kWidth + 30, kTop + kHeight + 60, body),
          fmt::format("pareto_{}_{}.svg", x.name, y.name), "on the front: " + join(front, " ")};
}

}  // namespace

SweepPlot plot_sweep(const SweepTable& table, const std::string& request) {
  std::vector<std::string> parts;
  std::string spaced = request;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  for (const std::string& part : split(spaced, ' '))
    if (!part.empty()) parts.push_back(part);
  if (parts.size() == 4 && parts[0] == "heatmap") return heatmap(table, parts[1], parts[2], parts[3]);
  if (parts.size() == 3 && parts[0] == "pareto")
    return pareto(table, measure(table, parts[1]), measure(table, parts[2]));
  throw Error(ErrorKind::kUsage, "'" + request + "' is not a plot", {},
              "'heatmap X Y VALUE' or 'pareto X Y'");
}

}  // namespace gpuloom::sim
