// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/published_data.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/config/config_node.h"
#include "base/config/units.h"
#include "base/text.h"
#include "sim/memory/files.h"
#include "sim/report/csv.h"
#include "sim/runtime/suite.h"

namespace gpuloom::validation {
namespace {

ProbeWords words_of(const ConfigNode& map) {
  ProbeWords words;
  for (const ConfigNode& child : map.children) {
    std::string text = child.scalar;
    for (const ConfigNode& element : child.children) text += (text.empty() ? "" : " ") + element.scalar;
    words[child.key] = text;
  }
  return words;
}

// "block=64 resident=1"
ProbeWords words_of(const std::string& text) {
  ProbeWords words;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const size_t equals = word.find('=');
    words[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return words;
}

PublishedBoard board_of(const ConfigNode& node) {
  PublishedBoard board;
  board.name = node.key;
  for (const ConfigNode& child : node.children) {
    if (child.key == "config") board.config = child.scalar;
    if (child.key == "note") board.note = child.scalar;
    if (child.key == "unknown") board.unknown = child.scalar;
    if (child.key != "set") continue;
    for (const ConfigNode& s : child.children) board.overrides.push_back(s.scalar);
  }
  if (board.config.empty())
    throw Error(ErrorKind::kInput, "board '" + board.name + "' names no configuration", node.where);
  return board;
}

double figure_in(const std::string& text, const FilePosition& where) {
  double value = 0;
  if (!parse_number(text, value) || value <= 0)
    throw Error(ErrorKind::kInput, "'" + text + "' is not a number above 0", where);
  return value;
}

void read_rows(PublishedData& data, const std::string& path) {
  const CsvTable table = parse_csv(sim::read_file(path), path);
  const auto column = [&](const char* name) {
    const int at = table.column(name);
    if (at < 0)
      throw Error(ErrorKind::kInput, std::string("the column '") + name + "' is missing", {path, 1, 0});
    return static_cast<size_t>(at);
  };
  const size_t board = column("board"), kind = column("class"), quantity = column("quantity"),
               value = column("value"), unit = column("unit"), probe = column("probe"),
               words = column("words"), used = column("used"), grade = column("grade"),
               source = column("source");
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const auto& r = table.rows[i];
    const FilePosition where{path, static_cast<uint32_t>(i + 2), 0};
    PublishedRow row;
    row.board = r[board], row.kind = r[kind], row.quantity = r[quantity], row.unit = r[unit];
    row.probe = r[probe], row.used = r[used] == "yes", row.grade = r[grade], row.source = r[source];
    row.value = figure_in(r[value], where);
    row.words = row.probe.empty() ? ProbeWords{{"why", r[words]}} : words_of(r[words]);
    if (!row.probe.empty() && !data.probes.contains(row.probe))
      throw Error(ErrorKind::kInput, "unknown probe '" + row.probe + "' in probes.yaml", where);
    if (std::ranges::none_of(data.boards, [&](const auto& b) { return b.name == row.board; }))
      throw Error(ErrorKind::kInput, "unknown board '" + row.board + "' in boards.yaml", where);
    data.rows.push_back(std::move(row));
  }
}

}  // namespace

const PublishedBoard& PublishedData::board(std::string_view name) const {
  const auto at = std::ranges::find(boards, name, &PublishedBoard::name);
  if (at != boards.end()) return *at;
  std::vector<std::string> names;
  for (const PublishedBoard& b : boards) names.push_back(b.name);
  throw Error(ErrorKind::kUsage, "unknown board '" + std::string(name) + "' in bench/published", {},
              did_you_mean(std::string(name), names));
}

std::string published_folder() {
  const auto suites = sim::named_suites();
  if (!suites.empty()) {
    const auto folder = std::filesystem::path(suites.front().folder).parent_path() / "published";
    if (sim::file_exists((folder / "rows.csv").string())) return folder.string();
  }
  throw Error(ErrorKind::kUsage, "cannot find the folder bench/published", {},
              "run it in a source tree of gpuloom");
}

PublishedData read_published(const std::string& folder) {
  PublishedData data;
  data.folder = folder;
  const std::string boards = folder + "/boards.yaml", probes = folder + "/probes.yaml";
  const ConfigNode board_tree = parse_yaml_file(boards, boards), probe_tree = parse_yaml_file(probes, probes);
  for (const ConfigNode& node : board_tree.children) data.boards.push_back(board_of(node));
  for (const ConfigNode& node : probe_tree.children) data.probes[node.key] = words_of(node);
  read_rows(data, folder + "/rows.csv");
  return data;
}

}  // namespace gpuloom::validation
