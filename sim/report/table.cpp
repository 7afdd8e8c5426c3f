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

std::string TextTable::str(const std::string& indent) const {
  std::vector<size_t> widths;
  for (const std::string& h : headings_) widths.push_back(width_of(h));
  for (const auto& r : rows_)
    for (size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], width_of(r[i]));
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = indent;
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t pad = widths[i] - width_of(cells[i]);
      if (i != 0) text += "  ";
      text +=
          align_[i] == Align::kRight ? std::string(pad, ' ') + cells[i] : cells[i] + std::string(pad, ' ');
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
