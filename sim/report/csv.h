// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180): quoted fields may hold commas, quotes and newlines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

struct CsvTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head
  // Column of that name, or -1.
  int column(std::string_view name) const;
};
// The first line is the head. Throws Error (kInput) with the line where a row has the wrong number of fields.
CsvTable parse_csv(std::string_view text, const std::string& file);
// One line with its newline; fields are quoted where they need to be.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace gpuloom
