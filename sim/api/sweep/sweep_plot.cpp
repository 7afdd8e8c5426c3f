// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "sim/report/figure.h"

namespace gpuloom::sim {
namespace {

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

size_t axis_column(const SweepTable& table, const std::string& name) {
  const size_t column = table.column(name);
  if (column >= table.axes_begin && column < table.axes_end) return column;
  const auto begin = table.head.begin();
  throw Error(ErrorKind::kUsage, "'" + name + "' is not an axis of the sweep", {},
              "expected " + either({begin + static_cast<ptrdiff_t>(table.axes_begin),
                                    begin + static_cast<ptrdiff_t>(table.axes_end)}));
}

size_t place_in(std::vector<std::string>& labels, const std::string& label) {
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

constexpr size_t kMostPanels = 12;  // more maps than that cannot be read

// A heat map, or one for each combination of the axes that it does not show.
class HeatMap {
 public:
  HeatMap(const SweepTable& table, const std::string& x, const std::string& y, const std::string& value,
          bool mean)
      : table_(table),
        x_(x),
        y_(y),
        value_(value),
        cx_(axis_column(table, x)),
        cy_(axis_column(table, y)),
        cv_(table.column(value)) {
    for (const auto& row : table.rows) {
      place_in(xs_, row[cx_]);
      place_in(ys_, row[cy_]);
    }
    find_rest();
    if (mean || panels_ > kMostPanels) {
      averaged_ = rest_;
      rest_.clear();
    }
    fill();
  }

  SweepPlot draw() {
    const double cell = std::max(76.0, 7.5 * longest(xs_) + 12),
                 left = std::max(70.0, 7.5 * longest(ys_) + 50);
    const double map_width = left + cell * static_cast<double>(xs_.size()) + 20;
    const double map_height = kCellHeight * static_cast<double>(ys_.size()) + (rest_.empty() ? 60 : 84);
    const size_t columns =
        std::min<size_t>(maps_.size(), std::max<size_t>(1, static_cast<size_t>(1400 / map_width)));
    const size_t rows = (maps_.size() + columns - 1) / columns;
    const double width = std::max(map_width * static_cast<double>(columns) + 100, 520.0);
    Figure figure(width, kTop + map_height * static_cast<double>(rows));
    figure.text(20, 24, Anchor::kStart, with_unit(table_, value_), {15});
    if (const std::string over = mean_words(); !over.empty())
      figure.text(20, 41, Anchor::kStart, "each cell: " + over, {11});
    for (size_t m = 0; m < maps_.size(); ++m)
      map(figure, maps_[m], map_width * static_cast<double>(m % columns) + left,
          kTop + map_height * static_cast<double>(m / columns), cell, left);
    scale(figure, map_width * static_cast<double>(columns));
    return {figure.svg(), fmt::format("heatmap_{}_{}_{}.svg", x_, y_, value_), summary()};
  }

 private:
  static constexpr double kCellHeight = 36, kTop = 50;
  struct Map {
    std::string title;  // of the panel: "gpu=h200"
    std::vector<Cell> cells;
  };

  // The axes that have more than one value and are not shown.
  void find_rest() {
    for (size_t c = table_.axes_begin; c < table_.axes_end; ++c) {
      if (c == cx_ || c == cy_) continue;
      std::vector<std::string> values;
      for (const auto& row : table_.rows) place_in(values, row[c]);
      if (values.size() < 2) continue;
      panels_ *= values.size();
      rest_.push_back({c, values.size()});
    }
  }

  void fill() {
    std::vector<std::string> titles;
    for (const auto& row : table_.rows) {
      std::vector<std::string> words;
      for (const auto& [c, values] : rest_) words.push_back(table_.head[c] + "=" + row[c]);
      const size_t m = place_in(titles, join(words, ", "));
      if (m == maps_.size()) maps_.push_back({titles[m], std::vector<Cell>(xs_.size() * ys_.size())});
      const auto v = number_in(row[cv_]);
      if (!v) continue;
      Cell& cell = maps_[m].cells[place_in(ys_, row[cy_]) * xs_.size() + place_in(xs_, row[cx_])];
      cell.sum += *v;
      ++cell.count;
    }
    for (const Map& m : maps_)
      for (const Cell& c : m.cells) {
        if (c.count == 0) continue;
        low_ = std::min(low_, c.mean());
        high_ = std::max(high_, c.mean());
      }
  }

  double share(const Cell& c) const { return high_ <= low_ ? 0 : (c.mean() - low_) / (high_ - low_); }

  void map(Figure& figure, const Map& m, double left, double top, double cell, double margin) const {
    if (!m.title.empty()) {
      figure.text(left, top + 14, Anchor::kStart, m.title, {13});
      top += 24;
    }
    for (size_t j = 0; j < ys_.size(); ++j) {
      const double y = top + kCellHeight * static_cast<double>(j);
      figure.text(left - 8, y + kCellHeight / 2 + 4, Anchor::kEnd, ys_[j]);
      for (size_t i = 0; i < xs_.size(); ++i) {
        const Cell& c = m.cells[j * xs_.size() + i];
        const double x = left + cell * static_cast<double>(i);
        figure.box(x, y, cell, kCellHeight, c.count == 0 ? "#e0e0e0" : shade(share(c)), "#fff");
        if (c.count != 0)
          figure.text(x + cell / 2, y + kCellHeight / 2 + 4, Anchor::kMiddle, short_number(c.mean()),
                      {12, share(c) > 0.5 ? "#fff" : ""});
      }
    }
    const double bottom = top + kCellHeight * static_cast<double>(ys_.size());
    for (size_t i = 0; i < xs_.size(); ++i)
      figure.text(left + cell * (static_cast<double>(i) + 0.5), bottom + 18, Anchor::kMiddle, xs_[i]);
    figure.text(left + cell * static_cast<double>(xs_.size()) / 2, bottom + 42, Anchor::kMiddle, x_, {13});
    figure.text(left - margin + 24, (top + bottom) / 2, Anchor::kMiddle, y_, {13, "", true});
  }

  // To the right of the maps; one for all of them.
  void scale(Figure& figure, double left) const {
    if (high_ <= low_) return;
    const double height = std::max(80.0, kCellHeight * static_cast<double>(ys_.size())),
                 bottom = kTop + height;
    constexpr size_t kSteps = 20;
    for (size_t i = 0; i < kSteps; ++i)
      figure.box(left, bottom - (static_cast<double>(i) + 1) * height / kSteps, 16, height / kSteps + 0.3,
                 shade((static_cast<double>(i) + 0.5) / kSteps));
    figure.text(left + 22, kTop + 10, Anchor::kStart, short_number(high_));
    figure.text(left + 22, bottom, Anchor::kStart, short_number(low_));
  }

  std::string mean_words() const {
    std::vector<std::string> words;
    for (const auto& [c, values] : averaged_)
      words.push_back(fmt::format("{} ({} values)", table_.head[c], values));
    return words.empty() ? "" : "mean over " + join(words, ", ");
  }

  std::string summary() const {
    std::string text = "no point has a value";
    for (const Map& m : maps_)
      for (size_t k = 0; k < m.cells.size(); ++k)
        if (m.cells[k].count != 0 && m.cells[k].mean() == low_)
          text =
              fmt::format("{} is least, {}, at {}={}, {}={}{}{}", value_, short_number(low_), x_,
                          xs_[k % xs_.size()], y_, ys_[k / xs_.size()], m.title.empty() ? "" : ", ", m.title);
    if (maps_.size() > 1) text += fmt::format("; {} maps with one scale", maps_.size());
    if (const std::string over = mean_words(); !over.empty()) text += "; each cell is the " + over;
    return text;
  }

  const SweepTable& table_;
  std::string x_, y_, value_;
  size_t cx_, cy_, cv_, panels_ = 1;
  std::vector<std::string> xs_, ys_;
  std::vector<std::pair<size_t, size_t>> rest_, averaged_;  // column of an axis, its values
  std::vector<Map> maps_;
  double low_ = INFINITY, high_ = -INFINITY;
};

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

SweepPlot pareto(const SweepTable& table, const Measure& x, const Measure& y) {
  std::vector<Dot> dots;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const auto vx = number_in(table.rows[r][x.column]), vy = number_in(table.rows[r][y.column]);
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
  Figure figure(kLeft + kWidth + 30, kTop + kHeight + 60);
  const Stroke grid{"#ddd"};
  for (const double t : round_ticks(x0, x1)) {
    figure.line(sx(t), kTop, sx(t), kTop + kHeight, grid);
    figure.text(sx(t), kTop + kHeight + 18, Anchor::kMiddle, short_number(t));
  }
  for (const double t : round_ticks(y0, y1)) {
    figure.line(kLeft, sy(t), kLeft + kWidth, sy(t), grid);
    figure.text(kLeft - 8, sy(t) + 4, Anchor::kEnd, short_number(t));
  }
  figure.frame(kLeft, kTop, kWidth, kHeight, {});
  std::string line;
  std::vector<std::string> front;
  const auto axes_of = [&](const Dot& d) {
    std::vector<std::string> axes;
    for (size_t c = table.axes_begin; c < table.axes_end; ++c)
      axes.push_back(table.head[c] + "=" + table.rows[d.row][c]);
    return join(axes, ", ");
  };
  for (const Dot& d : dots) {
    if (!d.front) continue;
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : " L", sx(d.x), sy(d.y));
    front.push_back(fmt::format("({}: {}, {})", axes_of(d), short_number(d.x), short_number(d.y)));
  }
  figure.path(line, {"#d55e00", 1.5});
  for (const bool on_top : {false, true})
    for (const Dot& d : dots)
      if (d.front == on_top)
        figure.dot(sx(d.x), sy(d.y), on_top ? 5 : 3.5, on_top ? "#d55e00" : "#9ab", axes_of(d));
  figure.text(kLeft, 24, Anchor::kStart, fmt::format("{} points, {} on the front", dots.size(), front.size()),
              {15});
  const auto title = [&](const Measure& m) {
    return with_unit(table, m.name) + (m.more_is_better ? ", more is better" : ", less is better");
  };
  figure.text(kLeft + kWidth / 2, kTop + kHeight + 42, Anchor::kMiddle, title(x), {13});
  figure.text(22, kTop + kHeight / 2, Anchor::kMiddle, title(y), {13, "", true});
  return {figure.svg(), fmt::format("pareto_{}_{}.svg", x.name, y.name), "on the front: " + join(front, " ")};
}

}  // namespace

SweepPlot plot_sweep(const SweepTable& table, const std::string& request) {
  std::vector<std::string> parts;
  std::string spaced = request;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  for (const std::string& part : split(spaced, ' '))
    if (!part.empty()) parts.push_back(part);
  const bool mean = parts.size() == 5 && parts[4] == "mean";
  if ((parts.size() == 4 || mean) && parts[0] == "heatmap")
    return HeatMap(table, parts[1], parts[2], parts[3], mean).draw();
  if (parts.size() == 3 && parts[0] == "pareto")
    return pareto(table, measure(table, parts[1]), measure(table, parts[2]));
  throw Error(ErrorKind::kUsage, "'" + request + "' is not a plot", {},
              "'heatmap X Y VALUE' or 'pareto X Y'");
}

}  // namespace gpuloom::sim
