// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/config_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/config/config_comments.h"
#include "base/config/config_schema.h"
#include "base/config/key_meanings.h"
#include "base/config/yaml_writer.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/api/simulator.h"
#include "sim/cli/print.h"

namespace gpuloom::cli {
namespace {

const ConfigNode* node_at(const ConfigNode& root, const std::string& path) {
  const ConfigNode* node = &root;
  for (const std::string& key : split(path, '.')) {
    if (node->is_list()) {
      const bool index = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
      const size_t at = index ? std::stoul(key) : node->children.size();
      node = at < node->children.size() ? &node->children[at] : nullptr;
    } else {
      node = node->find(key);
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

void paths_of(const ConfigNode& node, const std::string& path, std::vector<std::string>& all) {
  if (!path.empty()) all.push_back(path);
  for (size_t i = 0; i < node.children.size(); ++i) {
    const std::string key = node.is_map() ? node.children[i].key : std::to_string(i);
    paths_of(node.children[i], path.empty() ? key : path + "." + key, all);
  }
}

// Keys of which the word is the end ("mshrs" of "sm.l1.mshrs"), else those that are spelled like it.
std::string nearest_key(const ConfigNode& tree, const std::string& word) {
  std::vector<std::string> all, ends;
  paths_of(tree, "", all);
  for (const std::string& path : all)
    if (path.ends_with("." + word)) ends.push_back(path);
  if (ends.size() > 6) ends.resize(6);
  return ends.empty() ? did_you_mean(word, all) : "did you mean " + either(ends) + "?";
}

// The changed value: a quarter more, at least one; "" where it is not a number.
std::string quarter_more(const std::string& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  if (digits == 0) return "";
  const double number = std::stod(text.substr(0, digits));
  const bool whole = text.substr(0, digits).find('.') == std::string::npos;
  const double more = whole ? std::max(std::round(number * 1.25), number + 1) : number * 1.25;
  return format_number(more) + text.substr(digits);
}

void show_measured(const KeyMeanings& known, const std::string& key, const std::string& value) {
  const KeyEffect* effect = known.effect(key);
  if (effect == nullptr) return;
  print(
      fmt::format("  effect   {} -> {} changes elapsed cycles by {} % on average over {} cases on {}; "
                  "largest change: {}{}\n",
                  effect->from, effect->to, effect->mean, known.cases().size(), known.config(),
                  effect->most == "none" ? "under 0.05 %" : effect->most + " %",
                  effect->from == value ? "" : " (measured where it was " + effect->from + ")"));
}

void show_seen(const KeyMeanings& known, const std::string& key, const std::string& machine) {
  const KeyShown* shown = known.shown(key, machine);
  if (shown == nullptr) return;
  print(fmt::format("  shows    {} on {}, launch {}: {}\n", shown->change, shown->machine, shown->launch,
                    shown->seen));
}

void show_leaf(const Config& config, const std::string& path, const ConfigNode& node,
               const KeyMeanings& known, ConfigComments& comments) {
  const std::string value = yaml_inline(node);
  print(path + ": " + value + "\n");
  const KeyRead* read = key_read(config, path);
  const std::string meaning = known.meaning(schema_path(config, path));
  if (!meaning.empty()) print("  meaning  " + meaning + "\n");
  if (read != nullptr) {
    std::string takes = read->expected;
    if (read->kind == KeyKind::kQuantity) takes += range_of(*read);
    print("  takes    " + takes + "\n");
  }
  const std::string source = comments.explaining(node.key_where.line != 0 ? node.key_where : node.where);
  print("  source   " + node.where.str() + (source.empty() ? "" : ": " + source) + "\n");
  if (read != nullptr) {
    if (!read->reader.empty()) print("  read by  " + read->reader + "\n");
    if (!read->information.empty()) print("  effect   none: " + read->information + "\n");
  }
  const ConfigNode* name = config.tree().find("name");
  const std::string machine = name == nullptr ? std::string() : name->scalar;
  const std::string why = known.silent(path, machine);
  if (!why.empty()) print("  effect   none on a launch: " + why + "\n");
  if (why.empty()) show_seen(known, path, machine);
  show_measured(known, path, value);
}

void show_group(const Config& config, const std::string& path, const ConfigNode& node,
                const KeyMeanings& known, ConfigComments& comments) {
  if (!yaml_has_map(node)) {
    // A list stands on one line and has one source; its elements are alike.
    if (!node.is_list() || node.children.empty()) return show_leaf(config, path, node, known, comments);
    print(path + ": " + yaml_inline(node) + "\n");
    const std::string meaning = known.meaning(schema_path(config, path + ".0"));
    if (!meaning.empty()) print("  meaning  a list; each: " + meaning + "\n");
    if (const KeyRead* read = key_read(config, path + ".0"))
      print("  takes    a list; each: " + read->expected + "\n");
    const std::string source = comments.explaining(node.key_where);
    print("  source   " + node.where.str() + (source.empty() ? "" : ": " + source) + "\n");
    if (const KeyRead* read = key_read(config, path + ".0"); read != nullptr && !read->reader.empty())
      print("  read by  " + read->reader + "\n");
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const std::string key = node.is_map() ? node.children[i].key : std::to_string(i);
    show_group(config, path.empty() ? key : path + "." + key, node.children[i], known, comments);
  }
}

std::map<std::string, double> metrics_of(const std::string& launch, const KeyQuestion& q,
                                         const std::vector<std::string>& overrides) {
  sim::Simulator gpu({.config = q.config, .overrides = overrides});
  const RunReport run = gpu.run(sim::read_launch_file(launch));
  std::map<std::string, double> metrics;
  for (const ReportKernel& kernel : run.kernels)
    for (const ReportMetric& m : kernel.metrics) metrics[m.name] += m.value;
  return metrics;
}

// Runs the launch as it is and with the value changed.
void measure(const KeyQuestion& q, const std::string& value) {
  const std::string to = q.to.empty() ? quarter_more(value) : q.to;
  if (to.empty())
    throw Error(ErrorKind::kUsage, q.key + " is not a number, so it cannot be raised by a quarter", {},
                "give the value to compare with: --to VALUE");
  std::vector<std::string> changed = q.overrides;
  changed.push_back(q.key + "=" + to);
  const auto before = metrics_of(q.effect, q, q.overrides), after = metrics_of(q.effect, q, changed);
  struct Row {
    double share;
    std::string text;
  };
  std::vector<Row> rows;
  for (const auto& [name, was] : before) {
    const auto now = after.find(name);
    if (now == after.end() || now->second == was) continue;
    const double percent = was == 0 ? 100 : 100 * (now->second / was - 1);
    rows.push_back({std::abs(percent), fmt::format("    {:<58} {:>14} -> {:>14}  {:+.2f} %\n", name,
                                                   format_number(was), format_number(now->second), percent)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.share > b.share; });
  const double cycles = before.count("sm__cycles_elapsed.max") ? before.at("sm__cycles_elapsed.max") : 0;
  print(fmt::format("  {}: {} -> {} on {}\n", q.key, value, to, q.effect));
  if (cycles != 0)
    print(fmt::format("    elapsed cycles {} -> {} ({:+.2f} %); {} of {} metrics change{}\n",
                      format_number(cycles), format_number(after.at("sm__cycles_elapsed.max")),
                      100 * (after.at("sm__cycles_elapsed.max") / cycles - 1), rows.size(), before.size(),
                      rows.empty() ? "" : ", most:"));
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < std::min(rows.size(), kShown); ++i) print(rows[i].text);
}

}  // namespace

bool is_key(const std::string& word, const std::string& config) {
  return node_at(Config::load(config).tree(), word) != nullptr;
}

void show_key(const KeyQuestion& question, const std::function<void(const Config&)>& reading) {
  const Config config = Config::load(question.config, question.overrides);
  if (reading) {
    reading(config);
    config.check();
  }
  const ConfigNode* node = node_at(config.tree(), question.key);
  if (node == nullptr)
    throw Error(ErrorKind::kUsage, question.config + " has no key '" + question.key + "'", {},
                nearest_key(config.tree(), question.key));
  const KeyMeanings known = KeyMeanings::load();
  ConfigComments comments;
  if (!question.effect.empty()) {
    if (!node->is_scalar())
      throw Error(ErrorKind::kUsage, question.key + " is a group of keys; --effect needs a single key");
    show_leaf(config, question.key, *node, known, comments);
    measure(question, yaml_inline(*node));
    return;
  }
  show_group(config, question.key, *node, known, comments);
}

}  // namespace gpuloom::cli
