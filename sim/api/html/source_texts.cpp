// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/source_texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "base/text.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMostLines = 20000;  // of one text: more makes a page that nobody can load
constexpr uint32_t kAround = 40;      // lines around those with counters, of a longer one

struct Range {
  uint32_t first = std::numeric_limits<uint32_t>::max(), last = 0;
  void see(uint32_t line) {
    first = std::min(first, line);
    last = std::max(last, line);
  }
};

// As the PTX names it, beside the PTX, beside the launch file, or in the folder of the result.
std::optional<fs::path> find_source(const PageRun& run, const Json& provenance, const std::string& name) {
  std::vector<fs::path> places = {name};
  if (!fs::path(name).is_absolute()) {
    for (const char* key : {"ptx", "launch"})
      places.push_back(fs::path(provenance.value(key, "")).parent_path() / name);
    places.push_back(fs::path(run.folder) / name);
  }
  for (const fs::path& place : places)
    if (file_exists(place.string())) return place;
  return {};
}

Json lines_json(const std::vector<std::string>& lines, Range range) {
  Json text;
  text["first"] = range.first;
  Json& out = text["lines"] = Json::array();
  for (uint32_t line = range.first; line <= range.last && line <= lines.size(); ++line) {
    std::string_view one = lines[line - 1];
    if (!one.empty() && one.back() == '\r') one.remove_suffix(1);
    out.push_back(one);
  }
  return text;
}

std::map<std::string, Range> files_of(const Json& result) {
  std::map<std::string, Range> files;
  for (const Json& kernel : result.value("kernels", Json::array()))
    for (const Json& line : kernel.value("lines", Json::array()))
      files[line.at("file").get<std::string>()].see(line.at("line").get<uint32_t>());
  return files;
}

bool newer_than_result(const PageRun& run, const fs::path& source) {
  std::error_code failed;
  const auto result = fs::last_write_time(run.folder + "/result.json", failed);
  if (failed) return false;
  const auto text = fs::last_write_time(source, failed);
  return !failed && text > result;
}

}  // namespace

Json source_texts(PageRun& run, const Json& result) {
  Json texts = Json::object();
  for (auto [name, range] : files_of(result)) {
    const auto place = find_source(run, result.at("provenance"), name);
    if (!place) {
      run.missing.push_back(
          fmt::format("The text of '{}' was not found: the page shows its lines without it. Make the report "
                      "in the folder "
                      "where the kernel was compiled.",
                      name));
      continue;
    }
    if (newer_than_result(run, *place))
      run.missing.push_back(
          fmt::format("'{}' has changed after the run: its text may not fit the counters.", name));
    const std::vector<std::string> lines = split(read_file(place->string()), '\n');
    if (lines.size() <= kMostLines) {
      range = {1, static_cast<uint32_t>(lines.size())};
    } else {
      range.first -= std::min(range.first - 1, kAround);
      range.last = std::min<uint32_t>(range.last + kAround, range.first + kMostLines);
    }
    texts[name] = lines_json(lines, range);
  }
  return texts;
}

Json ptx_lines(const PageRun& run, const Json& result) {
  if (run.ptx.empty()) return nullptr;
  Range range;
  for (const Json& kernel : result.value("kernels", Json::array()))
    for (const Json& line : kernel.value("lines", Json::array()))
      range.see(line.at("ptx_line").get<uint32_t>());
  if (range.last == 0) return nullptr;
  range.last = std::min<uint32_t>(range.last, range.first + kMostLines);
  return lines_json(split(run.ptx, '\n'), range);
}

}  // namespace gpuloom::sim
