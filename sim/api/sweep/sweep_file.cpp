// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/config/yaml_writer.h"
#include "base/text.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

std::string label_of(const ConfigNode& node) {
  return node.is_scalar() ? node.scalar : yaml_has_map(node) ? std::string("{...}") : yaml_inline(node);
}

std::string label_of(const std::vector<ConfigNode>& parts) {
  if (parts.size() == 1) return label_of(parts[0]);
  std::vector<std::string> labels;
  for (const ConfigNode& part : parts) labels.push_back(label_of(part));
  return "[" + join(labels, ", ") + "]";
}

// Axis values are any YAML, so the tree is read by hand; problems are collected as a ConfigView does.
class Reader {
 public:
  explicit Reader(Sweep& out) : out_(out) {}

  void read(const ConfigNode& root) {
    if (!root.is_map()) {
      problem(root.where, "a sweep is a map, and this file holds " + root.describe());
      return throw_problems(std::move(problems_));
    }
    known(root, "the sweep", sweep_keys());
    out_.name = text(root, "name", true);
    if (const ConfigNode* node = root.find("name")) out_.name_where = node->where;
    out_.config = text(root, "config", false);
    launch(root);
    for (const char* key : {"launch", "config", "set"})
      if (const ConfigNode* node = root.find(key)) out_.config_where = node->where;
    for (const ConfigNode& node : list(root, "set")) out_.overrides.push_back(scalar(node, "set"));
    out_.mode = word(root, "mode", sweep_modes()) == 1 ? Mode::kFunctional : Mode::kTimed;
    out_.lowering = word(root, "lowering", sweep_lowerings()) == 1 ? Lowering::kNone : Lowering::kMachine;
    repeats(root);
    axes(root);
    for (const ConfigNode& node : list(root, "exclude")) exclusion(node);
    if (const ConfigNode* node = root.find("metrics")) out_.metrics_where = node->where;
    for (const ConfigNode& node : list(root, "metrics")) out_.metrics.push_back(scalar(node, "metrics"));
    for (const ConfigNode& node : list(root, "plots")) out_.plots.push_back(scalar(node, "plots"));
    throw_problems(std::move(problems_));
  }

 private:
  void problem(const FilePosition& where, std::string message, std::string hint = {}) {
    problems_.push_back({where, std::move(message), std::move(hint)});
  }

  void known(const ConfigNode& map, const std::string& what, const std::vector<std::string>& keys) {
    for (const ConfigNode& child : map.children) {
      if (std::find(keys.begin(), keys.end(), child.key) != keys.end()) continue;
      const std::string near = did_you_mean(child.key, keys);
      problem(child.key_where, "unknown key '" + child.key + "' in " + what,
              near.empty() ? "expected " + either(keys) : near);
    }
  }

  std::string scalar(const ConfigNode& node, const std::string& what) {
    if (!node.is_scalar()) problem(node.where, what + ": expected text, got " + node.describe());
    return node.scalar;
  }

  std::string text(const ConfigNode& map, const std::string& key, bool needed) {
    const ConfigNode* node = map.find(key);
    if (node != nullptr) return scalar(*node, key);
    if (needed) problem(map.where, "missing key '" + key + "'");
    return {};
  }

  // The elements of a list, or none.
  std::vector<ConfigNode> list(const ConfigNode& map, const std::string& key) {
    const ConfigNode* node = map.find(key);
    if (node == nullptr) return {};
    if (node->is_list()) return node->children;
    problem(node->where, key + ": expected a list, got " + node->describe());
    return {};
  }

  size_t word(const ConfigNode& map, const std::string& key, const std::vector<std::string>& words) {
    const ConfigNode* node = map.find(key);
    if (node == nullptr) return 0;
    const auto at = std::find(words.begin(), words.end(), node->scalar);
    if (at != words.end()) return static_cast<size_t>(at - words.begin());
    problem(node->where, key + ": expected " + either(words) + ", got " + node->describe(),
            did_you_mean(node->scalar, words));
    return 0;
  }

  void launch(const ConfigNode& root) {
    const ConfigNode* node = root.find("launch");
    if (node == nullptr)
      return problem(root.where, "missing key 'launch': a launch file's name, or what one holds");
    if (node->is_map()) {
      out_.launch_path = out_.path;
      out_.launch = *node;
      return;
    }
    const std::string name = scalar(*node, "launch");
    const size_t slash = out_.path.rfind('/');
    out_.launch_path =
        name.starts_with("/") || slash == std::string::npos ? name : out_.path.substr(0, slash + 1) + name;
    if (!node->is_scalar()) return;
    if (!file_exists(out_.launch_path))
      return problem(node->where, "launch: there is no file '" + out_.launch_path + "'");
    out_.launch = parse_yaml(read_file(out_.launch_path), out_.launch_path);
  }

  void repeats(const ConfigNode& root) {
    const ConfigNode* node = root.find("repeats");
    if (node == nullptr) return;
    int64_t n = 0;
    if (!node->is_scalar() || node->scalar.empty() || node->scalar.size() > 6 ||
        node->scalar.find_first_not_of("0123456789") != std::string::npos ||
        (n = std::stol(node->scalar)) < 1)
      return problem(node->where,
                     "repeats: expected a whole number from 1 to 999999, got " + node->describe());
    out_.repeats = static_cast<uint32_t>(n);
  }

  void axes(const ConfigNode& root) {
    const ConfigNode* node = root.find("axes");
    if (node == nullptr) return problem(root.where, "missing key 'axes': a map of axes by name");
    if (!node->is_map() || node->children.empty())
      return problem(node->key_where, "axes: expected a map of axes by name, got " + node->describe());
    for (const ConfigNode& child : node->children) axis(child);
    conflicts();
  }

  void targets(const ConfigNode& axis, const std::string& key, SweepAxis& out) {
    const ConfigNode* node = axis.find(key);
    if (node == nullptr) return;
    const auto add = [&](const ConfigNode& path) {
      const std::string name = scalar(path, key);
      if (name.empty()) problem(path.where, key + ": expected the path of a key");
      out.targets.push_back({key == "launch", name, path.where});
    };
    if (!node->is_list()) return add(*node);
    for (const ConfigNode& child : node->children) add(child);
  }

  void axis(const ConfigNode& node) {
    SweepAxis a;
    a.name = node.key;
    a.where = node.key_where;
    const std::string what = "axis '" + a.name + "'";
    if (!node.is_map())
      return problem(node.where, what + ": expected a map with 'key' or 'launch', and 'values'",
                     fmt::format("{0}: {{launch: {0}, values: [...]}} sets the launch file's '{0}'", a.name));
    known(node, what, {"key", "launch", "values"});
    targets(node, "key", a);
    targets(node, "launch", a);
    if (a.targets.empty())
      problem(
          a.where, what + " sets nothing",
          "give it key: sm.shared.banks, or another key of the configuration; or launch: block, or kernel, "
          "ptx, config or another key of the launch file");
    if (a.name == "repeat" || a.name == "point" || a.name == "state")
      problem(a.where, what + ": the table has a column of that name already");
    const ConfigNode* values = node.find("values");
    if (values == nullptr) {
      problem(a.where, what + " has no values");
    } else if (!values->is_list()) {
      problem(values->where, what + ": values: expected a list, got " + values->describe());
    } else if (values->children.empty()) {
      problem(values->where, what + " is empty: it has no values");
    } else {
      for (const ConfigNode& v : values->children) value(v, what, a);
    }
    out_.axes.push_back(std::move(a));
  }

  void value(const ConfigNode& node, const std::string& what, SweepAxis& a) {
    SweepValue v;
    v.where = node.where;
    if (a.targets.size() <= 1) {
      v.parts.push_back(node);
    } else if (!node.is_list() || node.children.size() != a.targets.size()) {
      return problem(node.where, fmt::format("{} sets {} keys, so each value is a list of {}, not {}", what,
                                             a.targets.size(), a.targets.size(), node.describe()));
    } else {
      v.parts = node.children;
    }
    v.label = label_of(v.parts);
    for (const SweepValue& other : a.values)
      if (other.label == v.label && v.label != "{...}")
        problem(v.where, fmt::format("{} has the value {} twice", what, v.label),
                "first at " + other.where.str());
    a.values.push_back(std::move(v));
  }

  // Two axes may not set the same key, nor one a part of what another sets.
  void conflicts() {
    for (size_t i = 0; i < out_.axes.size(); ++i)
      for (size_t j = 0; j <= i; ++j)
        for (const SweepTarget& t : out_.axes[i].targets)
          for (const SweepTarget& u : out_.axes[j].targets)
            if (&t != &u && t.in_launch == u.in_launch && (j < i || &u < &t) && overlap(t.path, u.path))
              problem(t.where,
                      fmt::format("axes '{}' and '{}' conflict: both set '{}'", out_.axes[j].name,
                                  out_.axes[i].name, std::max(t.path, u.path)),
                      "the other is at " + u.where.str());
    for (const std::string& assignment : out_.overrides)
      for (const SweepAxis& a : out_.axes)
        for (const SweepTarget& t : a.targets)
          if (!t.in_launch && overlap(t.path, std::string(trim(assignment.substr(0, assignment.find('='))))))
            problem(t.where, fmt::format("axis '{}' conflicts with set: '{}'", a.name, assignment));
  }
  static bool overlap(const std::string& a, const std::string& b) {
    return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
  }

  void exclusion(const ConfigNode& node) {
    if (!node.is_map() || node.children.empty())
      return problem(node.where, "exclude: expected maps of an axis to a value or a list of values, got " +
                                     node.describe());
    SweepExclusion e;
    for (const ConfigNode& child : node.children) {
      std::vector<std::string> names;
      size_t index = SIZE_MAX;
      for (size_t i = 0; i < out_.axes.size(); ++i) {
        names.push_back(out_.axes[i].name);
        if (names.back() == child.key) index = i;
      }
      if (index == SIZE_MAX) {
        problem(child.key_where, "exclude: unknown axis '" + child.key + "'", did_you_mean(child.key, names));
        continue;
      }
      e.terms.push_back({index, excluded_values(child, out_.axes[index])});
    }
    out_.exclusions.push_back(std::move(e));
  }

  std::vector<size_t> excluded_values(const ConfigNode& node, const SweepAxis& axis) {
    const auto find = [&](const ConfigNode& wanted) {
      size_t i = 0;
      while (i < axis.values.size() && axis.values[i].label != label_of(wanted)) ++i;
      return i;
    };
    std::vector<size_t> found;
    if (axis.values.empty()) return found;  // that is the problem, and reported
    if (const size_t whole = find(node); whole < axis.values.size()) return {whole};
    const std::vector<ConfigNode> wanted = node.is_list() ? node.children : std::vector<ConfigNode>{node};
    for (const ConfigNode& w : wanted) {
      found.push_back(find(w));
      if (found.back() < axis.values.size()) continue;
      std::vector<std::string> labels;
      for (const SweepValue& v : axis.values) labels.push_back(v.label);
      problem(w.where, fmt::format("exclude: axis '{}' has no value {}", axis.name, label_of(w)),
              "expected " + either(labels));
    }
    return found;
  }

  Sweep& out_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

const std::vector<std::string>& sweep_keys() {
  static const std::vector<std::string> kKeys = {"name",    "about",   "launch",   "config",
                                                 "set",     "mode",    "lowering", "axes",
                                                 "exclude", "repeats", "metrics",  "plots"};
  return kKeys;
}
const std::vector<std::string>& sweep_modes() {
  static const std::vector<std::string> kModes = {"timed", "functional"};
  return kModes;
}
const std::vector<std::string>& sweep_lowerings() {
  static const std::vector<std::string> kLowerings = {"machine", "none"};
  return kLowerings;
}

Sweep parse_sweep_file(std::string_view text, const std::string& path) {
  Sweep sweep;
  sweep.path = path;
  Reader(sweep).read(parse_yaml(text, path));
  return sweep;
}

Sweep read_sweep_file(const std::string& path) { return parse_sweep_file(read_file(path), path); }

}  // namespace gpuloom::sim
