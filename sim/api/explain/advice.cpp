// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/advice.h"

#include <algorithm>
#include <filesystem>

#include "base/config/config.h"
#include "base/error.h"
#include "sim/api/explain/switches.h"

namespace gpuloom::sim {
namespace {

AdviceCondition read_condition(const ConfigView& view) {
  AdviceCondition c;
  c.fact = view.text("fact");
  if (view.has("over")) c.over = view.text("over");
  if (view.has("above")) c.above = view.number("above");
  if (view.has("below")) c.below = view.number("below");
  if (!c.above && !c.below) view.problem(kSelf, "a condition needs `above` or `below`");
  return c;
}

}  // namespace

bool AdviceCondition::holds(const Facts& facts) const {
  // What did not happen was not counted.
  double value = facts.value_or(fact, 0);
  if (!over.empty()) {
    const double divisor = facts.value_or(over, 0);
    value = divisor == 0 ? 0 : value / divisor;
  }
  return (!above || value > *above) && (!below || value < *below);
}

bool Advice::fits(const Facts& facts, bool measured) const {
  return std::all_of(when.begin(), when.end(), [&](const AdviceCondition& c) {
    return (!measured && c.fact.starts_with("switch.")) || c.holds(facts);
  });
}

Advice read_advice(const std::string& path) {
  const Config file = Config::from(parse_yaml_file(path, path), path);
  const ConfigView view = file.root();
  Advice a;
  a.id = std::filesystem::path(path).stem().string();
  a.title = view.text("title");
  a.defect = view.one_of("kind", {"defect", "limit"}) == "defect";
  a.switches = view.texts("switches");
  for (const std::string& key : a.switches)
    if (const auto& all = ideal_switches();
        std::none_of(all.begin(), all.end(), [&](const IdealSwitch& s) { return s.key == key; }))
      view.problem("switches", "'" + key + "' is not a switch of `ideal` that explain tries");
  if (view.has("share")) a.share = view.number("share", 0, 1);
  if (view.has("when"))
    for (const ConfigView& condition : view.items("when")) a.when.push_back(read_condition(condition));
  a.least_pct = view.number("least_pct", 0, 100);
  if (view.has("lines_by")) a.lines_by = view.text("lines_by");
  if (view.has("lines_lost")) a.lines_lost = view.boolean("lines_lost");
  if (view.has("operations")) a.operations = view.texts("operations");
  if (view.has("other_than")) a.other_than = view.texts("other_than");
  a.remedy = view.text("remedy");
  a.evidence = view.texts("evidence");
  a.check = view.text("check");
  a.source = view.text("source");
  const ConfigView error = view.child("model_error");
  a.error_pct = error.number("pct", 0, 1000);
  a.error_cases = error.texts("cases");
  a.error_source = error.text("from");
  file.check();
  return a;
}

std::vector<Advice> load_advice() {
  const std::string folder = config_directory() + "/advice";
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path().string());
  if (paths.empty()) throw Error(ErrorKind::kInput, "there is no advice in '" + folder + "'");
  std::sort(paths.begin(), paths.end());
  std::vector<Advice> all;
  for (const std::string& path : paths) all.push_back(read_advice(path));
  return all;
}

}  // namespace gpuloom::sim
