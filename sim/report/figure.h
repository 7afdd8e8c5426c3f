// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG, for all that draws: shapes, colours and axes in one place. They open in any browser,
// without a network.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

enum class Anchor : unsigned char { kStart, kMiddle, kEnd };

struct Stroke {
  std::string colour = "#222";
  double width = 1;
  std::string dash = {};  // "6 3"; "" for a whole line
};

struct TextStyle {
  int size = 12;
  std::string colour = {};  // "" for the figure's
  bool upright = false;     // reads from below to above
};

class Figure {
 public:
  Figure(double width, double height) : width_(width), height_(height) {}

  void text(double x, double y, Anchor anchor, std::string_view words, const TextStyle& style = {});
  void line(double x0, double y0, double x1, double y1, const Stroke& stroke);
  void frame(double left, double top, double width, double height, const Stroke& stroke);
  void box(double left, double top, double width, double height, const std::string& fill,
           const std::string& border = {});
  // `path`: SVG path data, "M0 0H10".
  void path(const std::string& path, const Stroke& stroke);
  // `words` are shown where the pointer rests on it.
  void dot(double x, double y, double radius, const std::string& fill, std::string_view words);

  std::string svg() const;

 private:
  double width_, height_;
  std::string body_;
};

// From light (0) to dark (1) in equal steps of lightness, so that it reads in grey too.
std::string shade(double share);
// Of the n-th line of a chart: eight colours that stay apart for colour-blind readers (Okabe and Ito), then
// the same dashed.
Stroke series_stroke(size_t n, double width);
// Round numbers from low to high, five or so.
std::vector<double> round_ticks(double low, double high);
// "12.3k", "1.5M": for labels.
std::string short_number(double value);

}  // namespace gpuloom
