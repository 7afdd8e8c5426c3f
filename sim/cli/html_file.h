// SPDX-License-Identifier: Apache-2.0
// Where a report is written to.
#pragma once
#include <filesystem>
#include <string>

namespace gpuloom::cli {

// A file as it is named; of a folder, the report.html in it.
inline std::string html_file(const std::string& name) {
  const bool folder = name.ends_with('/') || std::filesystem::is_directory(name);
  return folder ? (std::filesystem::path(name) / "report.html").string() : name;
}

}  // namespace gpuloom::cli
