// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_comments.h"

#include <fstream>

namespace gpuloom {
namespace {

// Position of the `#` that begins a comment, npos without one: outside quotes, at the begin or after a blank.
size_t comment_begin(const std::string& line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return std::string::npos;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t#");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::string ConfigComments::of(const FilePosition& where) {
  const std::vector<std::string>& lines = file(where.file);
  const size_t at = where.line;
  if (at == 0 || at > lines.size()) return {};
  const std::string& own = lines[at - 1];
  if (const size_t begin = comment_begin(own); begin != std::string::npos) return trimmed(own.substr(begin));
  std::string above;
  for (size_t k = at - 1; k > 0; --k) {
    const size_t first = lines[k - 1].find_first_not_of(" \t");
    if (first == std::string::npos || lines[k - 1][first] != '#') break;
    above = trimmed(lines[k - 1]) + (above.empty() ? "" : " " + above);
  }
  return above;
}

uint32_t ConfigComments::group(const FilePosition& where) {
  const std::vector<std::string>& lines = file(where.file);
  if (where.line == 0 || where.line > lines.size()) return 0;
  const size_t mine = lines[where.line - 1].find_first_not_of(' ');
  for (uint32_t k = where.line - 1; k > 0; --k) {
    const size_t first = lines[k - 1].find_first_not_of(' ');
    if (first == std::string::npos || lines[k - 1][first] == '#' || first >= mine) continue;
    return k;
  }
  return 0;
}

std::string ConfigComments::explaining(FilePosition where) {
  std::string comment = of(where);
  while (comment.empty() && (where.line = group(where)) != 0) comment = of(where);
  return comment;
}

const std::vector<std::string>& ConfigComments::file(const std::string& name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  std::vector<std::string>& lines = files_[name];
  std::ifstream in(name);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace gpuloom
