// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "sim/report/markup.h"

namespace gpuloom {
namespace {

// Text as XML takes it. Control characters have no place in XML 1.0 and become a space.
std::string escaped(std::string_view text) {
  std::string out = escaped_markup(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

const char* anchor_name(Anchor anchor) {
  return anchor == Anchor::kStart ? "start" : anchor == Anchor::kMiddle ? "middle" : "end";
}

std::string attributes(const Stroke& s) {
  return fmt::format(R"(fill="none" stroke="{}" stroke-width="{:g}"{})", s.colour, s.width,
                     s.dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", s.dash));
}

}  // namespace

void Figure::text(double x, double y, Anchor anchor, std::string_view words, const TextStyle& style) {
  fmt::format_to(
      std::back_inserter(body_),
      R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-size="{}"{}{}>{}</text>)", x, y,
      anchor_name(anchor), style.size, style.colour.empty() ? "" : fmt::format(R"( fill="{}")", style.colour),
      style.upright ? fmt::format(R"_( transform="rotate(-90 {:.1f} {:.1f})")_", x, y) : "", escaped(words));
  body_ += '\n';
}

void Figure::line(double x0, double y0, double x1, double y1, const Stroke& stroke) {
  fmt::format_to(std::back_inserter(body_), R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)",
                 x0, y0, x1, y1, attributes(stroke));
  body_ += '\n';
}

void Figure::frame(double left, double top, double width, double height, const Stroke& stroke) {
  fmt::format_to(std::back_inserter(body_),
                 R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" {}/>)", left, top, width,
                 height, attributes(stroke));
  body_ += '\n';
}

void Figure::box(double left, double top, double width, double height, const std::string& fill,
                 const std::string& border) {
  fmt::format_to(std::back_inserter(body_),
                 R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"{}/>)", left, top,
                 width, height, fill, border.empty() ? "" : fmt::format(R"( stroke="{}")", border));
  body_ += '\n';
}

void Figure::path(const std::string& path, const Stroke& stroke) {
  fmt::format_to(std::back_inserter(body_), R"(<path d="{}" {}/>)", path, attributes(stroke));
  body_ += '\n';
}

void Figure::dot(double x, double y, double radius, const std::string& fill, std::string_view words) {
  fmt::format_to(std::back_inserter(body_),
                 R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:g}" fill="{}"><title>{}</title></circle>)", x, y,
                 radius, fill, escaped(words));
  body_ += '\n';
}

std::string Figure::svg() const {
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
             R"(font-family="sans-serif" fill="#222">)"
             "\n"
             R"(<rect width="100%" height="100%" fill="#fff"/>)"
             "\n",
             width_, height_) +
         body_ + "</svg>\n";
}

std::string shade(double share) {
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

Stroke series_stroke(size_t n, double width) {
  static constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                          "#000000", "#e69f00", "#56b4e9", "#999999"};
  return {kColours[n % 8], width, n < 8 ? "" : n < 16 ? "6 3" : "2 3"};
}

std::vector<double> round_ticks(double low, double high) {
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

std::string short_number(double value) {
  const double size = std::fabs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

}  // namespace gpuloom
