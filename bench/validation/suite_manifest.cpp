// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/suite_manifest.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "base/config/config_node.h"
#include "base/text.h"
#include "sim/memory/files.h"

namespace gpuloom::validation {
namespace {

bool fits(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

class Reader {
 public:
  SuiteManifest read(const ConfigNode& root) {
    SuiteManifest m;
    if (!root.is_map()) {
      problem(root, "a suite's manifest is a map, and this file holds " + root.describe());
    } else {
      known(root, {"name", "origin", "measured", "first_seen", "role", "classes", "ratios"});
      m.name = text(root, "name");
      m.origin = text(root, "origin");
      m.measured = text(root, "measured");
      m.first_seen = text(root, "first_seen");
      m.role = role(root);
      if (const ConfigNode* classes = root.find("classes")) {
        known(*classes, {"latency", "rate", "data_dependent"});
        m.latencies = names(classes->find("latency"));
        m.rates = names(classes->find("rate"));
        m.data_dependent = names(classes->find("data_dependent"));
      }
      if (const ConfigNode* ratios = root.find("ratios"))
        for (const ConfigNode& chain : ratios->children) {
          m.ratios.push_back(names(&chain));
          if (m.ratios.back().size() < 2) problem(chain, "a ratio names two cases or more");
        }
    }
    throw_problems(std::move(problems_));
    return m;
  }

 private:
  void problem(const ConfigNode& node, std::string message, std::string hint = {}) {
    problems_.push_back({node.where, std::move(message), std::move(hint)});
  }

  void known(const ConfigNode& map, const std::vector<std::string>& keys) {
    for (const ConfigNode& child : map.children)
      if (std::find(keys.begin(), keys.end(), child.key) == keys.end())
        problems_.push_back({child.key_where, "a suite's manifest does not have the key '" + child.key + "'",
                             did_you_mean(child.key, keys)});
  }

  std::string text(const ConfigNode& map, const char* key) {
    const ConfigNode* node = map.find(key);
    if (node == nullptr) {
      problem(map, std::string("the manifest must say '") + key + "'");
      return {};
    }
    if (!node->is_scalar()) problem(*node, std::string("'") + key + "' is text, not " + node->describe());
    return node->scalar;
  }

  SuiteRole role(const ConfigNode& map) {
    const std::string word = text(map, "role");
    if (word == "fitted") return SuiteRole::kFitted;
    if (word == "held out") return SuiteRole::kHeldOut;
    if (word != "given")
      problem(*(map.find("role") != nullptr ? map.find("role") : &map),
              "a role is fitted, held out or given");
    return SuiteRole::kGiven;
  }

  std::vector<std::string> names(const ConfigNode* list) {
    std::vector<std::string> all;
    if (list == nullptr) return all;
    if (!list->is_list()) problem(*list, "names are a list, not " + list->describe());
    for (const ConfigNode& name : list->children) all.push_back(name.scalar);
    return all;
  }

  std::vector<ConfigProblem> problems_;
};

}  // namespace

void apply_manifest(const SuiteManifest& manifest, std::vector<ScoreCase>& cases) {
  for (ScoreCase& c : cases) {
    c.kind = fits(manifest.latencies, c.name) ? CaseClass::kLatency
             : fits(manifest.rates, c.name)   ? CaseClass::kRate
                                              : CaseClass::kKernel;
    c.data_dependent = fits(manifest.data_dependent, c.name);
    for (const std::vector<std::string>& chain : manifest.ratios)
      if (std::find(chain.begin() + 1, chain.end(), c.name) != chain.end()) c.ratio_to = chain.front();
  }
}

SuiteManifest read_suite_manifest(const std::string& suite) {
  const std::string path = suite + "/suite.yaml";
  if (!sim::file_exists(path)) return {};
  return Reader().read(parse_yaml_file(path, path));
}

}  // namespace gpuloom::validation
