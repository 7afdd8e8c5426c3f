// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/suite.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/config/config.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "bench/silicon";
constexpr const char* kReference = "reference";

bool holds_cases(const fs::path& folder) { return fs::exists(folder / "cases.json"); }

// Of the working directory, else of the tree that the configurations are part of.
fs::path place_of_suites() {
  if (holds_cases(kPlace)) return kPlace;
  return (fs::path(config_directory()) / ".." / kPlace).lexically_normal();
}

nlohmann::ordered_json suite_cases(const std::string& suite) {
  const std::string path = suite + "/cases.json";
  try {
    return nlohmann::ordered_json::parse(read_file(path));
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kInput, std::string("not JSON: ") + e.what(), {path, 0, 0});
  }
}

}  // namespace

std::vector<NamedSuite> named_suites() {
  std::vector<NamedSuite> suites;
  const fs::path place = place_of_suites();
  if (!holds_cases(place)) return suites;
  for (const auto& entry : fs::directory_iterator(place))
    if (entry.is_directory() && holds_cases(entry.path()))
      suites.push_back({entry.path().filename().string(), entry.path().string()});
  std::sort(suites.begin(), suites.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  suites.insert(suites.begin(), {kReference, place.string()});
  return suites;
}

std::string find_suite(const std::string& given) {
  if (fs::is_directory(given)) return given;
  std::vector<std::string> names;
  for (const NamedSuite& suite : named_suites()) {
    if (suite.name == given) return suite.folder;
    names.push_back(suite.name);
  }
  std::string hint = did_you_mean(given, names);
  if (hint.empty() && !names.empty()) hint = "give a folder with cases.json, or " + either(names);
  throw Error(ErrorKind::kUsage, "unknown suite '" + given + "'", {}, hint);
}

std::vector<std::string> suite_case_names(const std::string& suite) {
  std::vector<std::string> names;
  for (const auto& entry : suite_cases(find_suite(suite))) names.push_back(entry.value("name", ""));
  return names;
}

LaunchFile read_suite_case(const std::string& given, const std::string& name) {
  const std::string suite = find_suite(given);
  std::vector<std::string> names;
  for (const auto& entry : suite_cases(suite)) {
    names.push_back(entry.value("name", ""));
    if (names.back() == name) return parse_launch_file(entry.dump(), suite + "/" + name);
  }
  throw Error(ErrorKind::kUsage, "unknown case '" + name + "' in " + suite, {}, did_you_mean(name, names));
}

}  // namespace gpuloom::sim
