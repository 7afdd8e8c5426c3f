// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_schema.h"

#include <algorithm>
#include <source_location>
#include <unordered_map>

#include "base/config/config.h"
#include "base/config/config_state.h"

namespace gpuloom {
namespace {

std::string starred(const ConfigState& state, std::string_view path) {
  std::string concrete, result;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    const std::string_view key = path.substr(0, dot);
    const bool free = state.named.count(concrete) != 0 || state.listed.count(concrete) != 0;
    if (!concrete.empty()) concrete += '.', result += '.';
    concrete += key;
    result += free ? std::string_view("*") : key;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return result;
}

// Names in source_location are whole paths, or paths from the folder of the build: what comes before this
// file's own name is the tree.
std::string_view in_tree(std::string_view file) {
  constexpr std::string_view kThis = "base/config/config_schema.cpp";
  std::string_view here = std::source_location::current().file_name();
  if (here.ends_with(kThis)) here.remove_suffix(kThis.size());
  return file.starts_with(here) ? file.substr(here.size()) : file;
}

// "gpuloom::arch::L2Config gpuloom::arch::read_l2_config(const ConfigView&, double)" is read_l2_config.
std::string_view function_name(std::string_view signature) {
  std::string_view name = signature.substr(0, signature.find('('));
  const size_t begin = name.find_last_of(" :&*");
  return begin == std::string_view::npos ? name : name.substr(begin + 1);
}

}  // namespace

std::string reader_text(std::string_view file, uint32_t line, std::string_view function) {
  return std::string(in_tree(file)) + ":" + std::to_string(line) + " (" +
         std::string(function_name(function)) + ")";
}

std::vector<KeyRead> keys_read(const Config& config) {
  const ConfigState& state = config.state();
  std::vector<KeyRead> result;
  std::unordered_map<std::string, size_t> known;  // path and kind
  for (const KeyRead& read : state.reads) {
    KeyRead entry = read;
    entry.path = starred(state, read.path);
    entry.optional = state.optional.count(read.path) != 0;
    entry.named = state.named.count(read.path) != 0;
    const std::string id = entry.path + "\n" + std::to_string(static_cast<int>(entry.kind));
    const auto [at, fresh] = known.try_emplace(id, result.size());
    if (fresh) {
      result.push_back(std::move(entry));
      continue;
    }
    result[at->second].optional |= entry.optional;
    result[at->second].named |= entry.named;
  }
  return result;
}

std::vector<std::string> keys_asked(const Config& config) {
  const ConfigState& state = config.state();
  std::vector<std::string> paths;
  for (const std::string& path : state.optional) paths.push_back(starred(state, path));
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

const KeyRead* key_read(const Config& config, std::string_view path) {
  const auto& reads = config.state().reads;
  const auto found =
      std::find_if(reads.rbegin(), reads.rend(), [&](const KeyRead& r) { return r.path == path; });
  return found == reads.rend() ? nullptr : &*found;
}

std::string schema_path(const Config& config, std::string_view path) { return starred(config.state(), path); }

}  // namespace gpuloom
