// SPDX-License-Identifier: Apache-2.0
#include "sim/report/csv.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace gpuloom {
namespace {

// Reads one record and moves `at` behind it.
std::vector<std::string> record(std::string_view text, size_t& at, uint32_t& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        fields.back() += c;
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

int CsvTable::column(std::string_view name) const {
  const auto at = std::find(head.begin(), head.end(), name);
  return at == head.end() ? -1 : static_cast<int>(at - head.begin());
}

CsvTable parse_csv(std::string_view text, const std::string& file) {
  CsvTable table;
  size_t at = 0;
  uint32_t line = 1;
  if (!text.empty()) table.head = record(text, at, line);
  while (at < text.size()) {
    const uint32_t first = line;
    std::vector<std::string> row = record(text, at, line);
    if (row.size() == 1 && row[0].empty()) continue;
    if (row.size() != table.head.size())
      throw Error(ErrorKind::kInput, fmt::format("expected {} fields, got {}", table.head.size(), row.size()),
                  {file, first, 0});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i != 0) out += ',';
    if (fields[i].find_first_of(",\"\n\r") == std::string::npos) {
      out += fields[i];
      continue;
    }
    out += '"';
    for (const char c : fields[i]) out.append(c == '"' ? 2 : 1, c);
    out += '"';
  }
  return out + '\n';
}

}  // namespace gpuloom
