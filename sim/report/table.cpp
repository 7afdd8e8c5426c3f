// SPDX-License-Identifier: Apache-2.0
#include "sim/report/table.h"

#include <algorithm>

namespace gpuloom {
namespace {

// Columns that text takes in the terminal: UTF-8 continuation bytes take none.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

constexpr size_t kGap = 2, kNarrowest = 16;

// The beginning and the end, which say most of a path or a metric's name.
std::string fitted(const std::string& text, size_t width) {
  if (width_of(text) <= width || width_of(text) != text.size()) return text;
  const size_t head = (width - 2) / 2, tail = width - 2 - head;
  return text.substr(0, head) + ".." + text.substr(text.size() - tail);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& h : headings_) {
    const bool right = !h.empty() && h[0] == '>';
    align_.push_back(right ? Align::kRight : Align::kLeft);
    if (right) h.erase(0, 1);
  }
}

void TextTable::row(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  rows_.push_back(std::move(cells));
}

std::vector<size_t> TextTable::widths(size_t indent, size_t width) const {
  std::vector<size_t> widths;
  for (const std::string& h : headings_) widths.push_back(width_of(h));
  for (const auto& r : rows_)
    for (size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], width_of(r[i]));
  size_t total = indent + kGap * (widths.size() - 1);
  for (const size_t w : widths) total += w;
  // Text gives way, numbers do not.
  while (width != 0 && total > width) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i)
      if (align_[i] == Align::kLeft && widths[i] > kNarrowest &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string TextTable::str(const std::string& indent, size_t width) const {
  const std::vector<size_t> widths = this->widths(indent.size(), width);
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = indent;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = fitted(cells[i], widths[i]);
      const size_t pad = widths[i] - std::min(widths[i], width_of(cell));
      if (i != 0) text += std::string(kGap, ' ');
      text += align_[i] == Align::kRight ? std::string(pad, ' ') + cell : cell + std::string(pad, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line(headings_);
  std::vector<std::string> rule;
  for (const size_t w : widths) rule.emplace_back(w, '-');
  line(rule);
  for (const auto& r : rows_) line(r);
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    out += '|';
    for (const std::string& cell : cells) out += ' ' + cell + " |";
    out += '\n';
  };
  line(headings_);
  out += '|';
  for (const Align a : align_) out += a == Align::kRight ? "---:|" : "---|";
  out += '\n';
  for (const auto& r : rows_) line(r);
  return out;
}

}  // namespace gpuloom
