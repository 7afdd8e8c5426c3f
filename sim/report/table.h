// SPDX-License-Identifier: Apache-2.0
// Aligned tables for the terminal.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gpuloom {

class TextTable {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  // One column a heading; headings that begin with '>' are right-aligned (the sign is not shown).
  explicit TextTable(std::vector<std::string> headings);
  void row(std::vector<std::string> cells);  // missing cells are empty
  size_t rows() const { return rows_.size(); }
  // With a rule below the headings; every line begins with `indent` and has no blanks at its end.
  // `width` columns of a terminal, 0: any: what does not fit is cut in the middle of the widest texts.
  std::string str(const std::string& indent = "", size_t width = 0) const;
  // GitHub-flavoured Markdown.
  std::string markdown() const;

 private:
  // Columns that each column takes.
  std::vector<size_t> widths(size_t indent, size_t width) const;

  std::vector<std::string> headings_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gpuloom
