// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/config_merge.h"
#include "base/config/yaml_writer.h"
#include "base/hash.h"
#include "base/text.h"
#include "sim/api/schemas.h"
#include "sim/memory/array_file.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {
namespace {

// What one combination of values asks for.
struct Request {
  std::string config;
  std::vector<std::string> overrides;
  ConfigNode launch;
};

ConfigNode* element(ConfigNode& group, const std::string& key) {
  if (group.is_map()) return group.find(key);
  size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool whole = error == std::errc{} && end == key.data() + key.size() && !key.empty();
  return group.is_list() && whole && index < group.children.size() ? &group.children[index] : nullptr;
}

// Sets a key of a launch. A key that the file leaves out is added to its map: whether a launch has such a key
// is for its reader to say.
void set_launch(ConfigNode& launch, const SweepTarget& target, ConfigNode value) {
  ConfigNode* node = &launch;
  const std::vector<std::string> keys = split(target.path, '.');
  for (size_t i = 0; i < keys.size(); ++i) {
    ConfigNode* next = element(*node, keys[i]);
    if (next == nullptr && node->is_map() && i + 1 == keys.size()) {
      ConfigNode added;
      added.key = keys[i];
      node->children.push_back(std::move(added));
      next = &node->children.back();
    }
    if (next == nullptr) {
      std::vector<std::string> names;
      for (size_t n = 0; n < node->children.size(); ++n)
        names.push_back(node->is_map() ? node->children[n].key : std::to_string(n));
      const std::string near = did_you_mean(keys[i], names);
      throw Error(ErrorKind::kInput, fmt::format("the launch has no '{}'", target.path), target.where,
                  near.empty() && !names.empty() ? "expected " + either(names) : near);
    }
    node = next;
  }
  value.key = node->key;
  *node = std::move(value);
}

class Planner {
 public:
  Planner(const Sweep& sweep, std::string_view sources) : sweep_(sweep), sources_(sources) {
    base_.config = sweep.config;
    base_.launch = sweep.launch;
    base_.overrides = sweep.overrides;
  }

  SweepPlan plan() {
    check_keys();
    std::vector<size_t> values(sweep_.axes.size(), 0);
    for (bool more = true; more; more = advance(values)) {
      if (excluded(values)) {
        plan_.excluded += sweep_.repeats;
        continue;
      }
      add_points(values);
    }
    if (plan_.points.empty())
      throw Error(ErrorKind::kInput, "nothing is left to run: the exclusions leave out every point",
                  sweep_.name_where);
    return std::move(plan_);
  }

 private:
  bool advance(std::vector<size_t>& values) const {
    for (size_t axis = values.size(); axis-- > 0;) {
      if (++values[axis] < sweep_.axes[axis].values.size()) return true;
      values[axis] = 0;
    }
    return false;
  }

  bool excluded(const std::vector<size_t>& values) const {
    const auto holds = [&](const SweepExclusion::Term& term) {
      return std::find(term.values.begin(), term.values.end(), values[term.axis]) != term.values.end();
    };
    return std::any_of(sweep_.exclusions.begin(), sweep_.exclusions.end(), [&](const SweepExclusion& e) {
      return std::all_of(e.terms.begin(), e.terms.end(), holds);
    });
  }

  // Keys of the configuration that do not exist are found before any combination is built: the message is
  // then about the key and not about a value.
  void check_keys() {
    Request first = base_;
    for (const SweepAxis& axis : sweep_.axes)
      for (size_t t = 0; t < axis.targets.size(); ++t)
        if (axis.targets[t].in_launch && axis.targets[t].path == "config")
          first.config = axis.values[0].parts[t].scalar;
    for (const SweepAxis& axis : sweep_.axes) {
      for (size_t t = 0; t < axis.targets.size(); ++t) {
        if (axis.targets[t].in_launch) continue;
        try {
          Config::load(config_name(first), {assignment(axis.targets[t], axis.values[0].parts[t])});
        } catch (const Error& e) {
          if (e.kind() != ErrorKind::kUsage) return;  // the configuration itself: found again, with its place
          const std::string& path = axis.targets[t].path;
          const std::vector<std::string> words = launch_words();
          const bool of_launch = std::find(words.begin(), words.end(), path) != words.end();
          throw Error(
              ErrorKind::kInput, fmt::format("axis '{}': {}", axis.name, e.message()), axis.targets[t].where,
              of_launch ? fmt::format("the launch file has '{0}': write launch: {0}", path) : e.hint());
        }
      }
    }
  }

  static std::string assignment(const SweepTarget& target, const ConfigNode& value) {
    return target.path + "=" + yaml_inline(value);
  }

  // A file beside the sweep file comes before the names of the configuration directory.
  std::string config_name(const Request& request) const {
    const ConfigNode* said = request.launch.find("config");
    std::string name = request.config;
    if (name.empty()) name = said != nullptr && said->is_scalar() ? said->scalar : "h200";
    const std::filesystem::path beside = std::filesystem::path(sweep_.path).parent_path() / name;
    return name.ends_with(".yaml") && std::filesystem::exists(beside) ? beside.string() : name;
  }

  void apply(Request& request, const SweepAxis& axis, size_t value) const {
    for (size_t t = 0; t < axis.targets.size(); ++t) {
      const ConfigNode& part = axis.values[value].parts[t];
      if (!axis.targets[t].in_launch) {
        request.overrides.push_back(assignment(axis.targets[t], part));
      } else if (axis.targets[t].path == "config") {
        request.config = part.scalar;
      } else {
        set_launch(request.launch, axis.targets[t], part);
      }
    }
  }

  // The digest of the configuration, which is checked and put into the plan.
  std::string resolve_config(const Request& request) {
    const std::string name = config_name(request);
    const std::string key = name + "\n" + join(request.overrides, "\n");
    if (const auto known = config_digests_.find(key); known != config_digests_.end()) return known->second;
    const Config config = Config::load(name, request.overrides);
    throw_problems(config.unit_problems());
    const arch::GpuConfig gpu = arch::load_gpu_config(config.root());
    config.check();
    // Shared objects of policies go along with the sweep, and their contents count.
    ConfigNode tree = config.tree();
    for (const arch::PolicyChoice* policy : gpu.loaded_policies()) {
      std::string data = read_file(policy->library);
      const std::string file =
          sha256_hex(data).substr(0, 32) + "/" + std::filesystem::path(policy->library).filename().string();
      plan_.inputs[file] = std::move(data);
      override_config(tree, policy->key + "=../inputs/" + file);
    }
    const Config resolved = Config::from(std::move(tree), name);
    const std::string digest = resolved.digest();
    plan_.configs[digest] = yaml_text(resolved.tree());
    return config_digests_[key] = digest;
  }

  // The text of the point's launch file.
  std::string resolve_launch(const Request& request) {
    ConfigNode tree = request.launch;
    std::erase_if(tree.children,
                  [](const ConfigNode& child) { return child.key == "config" || child.key == "about"; });
    check_launch(tree);
    if (ConfigNode* module = tree.find("module"); module != nullptr && tree.find("ptx") == nullptr) {
      module->key = "ptx";
      module->scalar = "ptx/" + module->scalar + ".ptx";
    }
    if (ConfigNode* ptx = tree.find("ptx")) take_input(*ptx);
    take_files(tree);
    return yaml_text(tree);
  }

  // The tree has no text of its own, so what its reader says is told without a position; blame() finds one.
  void check_launch(const ConfigNode& tree) const {
    try {
      parse_launch_file(yaml_text(tree), sweep_.launch_path);
    } catch (const Error& e) {
      std::string message = e.message().substr(0, e.message().find('\n'));
      if (const size_t at = message.find(" in the launch file"); at != std::string::npos)
        message.replace(at, std::string::npos, " in the launch");
      throw Error(e.kind(), message, {}, e.hint().starts_with("did you mean") ? e.hint() : "");
    }
  }

  void take_files(ConfigNode& node) {
    for (ConfigNode& child : node.children) {
      if (child.key == "init" && child.is_map())
        if (ConfigNode* file = child.find("file"); file != nullptr && file->is_scalar()) take_input(*file);
      if (child.key == "against" && child.is_scalar()) take_input(child);
      take_files(child);
    }
  }

  // Copies a file that a launch reads, by its hash, and lets the launch read the copy.
  void take_input(ConfigNode& path) {
    std::string file = path.scalar;
    if (!file.starts_with("/")) {
      const size_t slash = sweep_.launch_path.rfind('/');
      if (slash != std::string::npos) file = sweep_.launch_path.substr(0, slash + 1) + file;
    }
    std::string array;  // "model.safetensors:weight"
    if (const size_t colon = file.rfind(':');
        is_array_file(file) && colon != std::string::npos && !file_exists(file)) {
      array = file.substr(colon);
      file.resize(colon);
    }
    auto known = input_names_.find(file);
    if (known == input_names_.end()) {
      std::string data = read_file(file);
      std::string name = std::filesystem::path(file).filename().string();
      if (name.ends_with(".gz")) name.resize(name.size() - 3);
      name = sha256_hex(data).substr(0, 32) + "/" + name;
      plan_.inputs[name] = std::move(data);
      known = input_names_.emplace(file, name).first;
    }
    path.scalar = "../inputs/" + known->second + array;
    path.quoted = true;
  }

  void add_points(const std::vector<size_t>& values) {
    Request request = base_;
    SweepPoint point;
    point.values = values;
    try {
      for (size_t a = 0; a < values.size(); ++a) apply(request, sweep_.axes[a], values[a]);
      point.config = resolve_config(request);
      point.launch = resolve_launch(request);
    } catch (const Error& error) {
      blame(error, values, point);
    }
    const std::string canonical = Config::parse(point.launch, "point").canonical();
    for (point.repeat = 0; point.repeat < sweep_.repeats; ++point.repeat) {
      point.id = sha256_hex(fmt::format("gpuloom sweep point 2\nsources {}\nmode {}\nlowering {}\nrepeat {}\n"
                                        "config {}\nlaunch\n{}",
                                        sources_, sweep_.mode == Mode::kTimed ? "timed" : "functional",
                                        sweep_.lowering == Lowering::kMachine ? "machine" : "none",
                                        point.repeat, point.config, canonical))
                     .substr(0, 32);
      plan_.points.push_back(point);
    }
  }

  // Says where in the sweep file an error comes from: the value that alone causes it, or else the
  // combination.
  [[noreturn]] void blame(const Error& error, const std::vector<size_t>& values, const SweepPoint& point) {
    try {
      resolve_config(base_);
    } catch (const Error& alone) {
      if (alone.message() == error.message())
        throw Error(ErrorKind::kInput, error.message(), sweep_.config_where, error.hint());
    }
    if (fails_alike(error, [](Request&) {})) {
      // The launch is wrong before any axis; from its own file comes the true place.
      if (sweep_.launch_path != sweep_.path) read_launch_file(sweep_.launch_path);
      throw Error(error.kind(), "launch: " + error.message(), sweep_.launch.where, error.hint());
    }
    if (error.where().file == sweep_.path && error.where().line != 0) throw error;
    const SweepAxis* nearest = &sweep_.axes[0];
    for (size_t a = 0; a < values.size(); ++a) {
      const SweepAxis& axis = sweep_.axes[a];
      const SweepValue& value = axis.values[values[a]];
      const bool alone = fails_alike(error, [&](Request& request) { apply(request, axis, values[a]); });
      for (const SweepTarget& target : axis.targets)
        if (alone && error.message().starts_with("unknown key '" + split(target.path, '.').back() + "'"))
          throw Error(ErrorKind::kInput, fmt::format("axis '{}': {}", axis.name, error.message()),
                      target.where, error.hint().empty() ? near_launch_key(target) : error.hint());
      if (alone)
        throw Error(ErrorKind::kInput,
                    fmt::format("axis '{}', value {}: {}", axis.name, value.label, error.message()),
                    value.where, error.hint());
      if (axis.values.size() > 1) nearest = &axis;
    }
    throw Error(ErrorKind::kInput,
                fmt::format("the point {}: {}", point_text(sweep_, point), error.message()),
                nearest->values[values[static_cast<size_t>(nearest - sweep_.axes.data())]].where,
                error.hint().empty() ? "exclude: leaves combinations out" : error.hint());
  }

  // Keys at the top of a launch file, and what this launch has there.
  std::vector<std::string> launch_words() const {
    std::vector<std::string> names;
    for (const KeyRead& key : launch_keys())
      if (key.path.find('.') == std::string::npos) names.push_back(key.path);
    for (const ConfigNode& child : sweep_.launch.children) names.push_back(child.key);
    return names;
  }

  std::string near_launch_key(const SweepTarget& target) const {
    return did_you_mean(target.path, launch_words());
  }

  bool fails_alike(const Error& error, const std::function<void(Request&)>& change) {
    try {
      Request request = base_;
      change(request);
      resolve_config(request);
      resolve_launch(request);
    } catch (const Error& alone) {
      return alone.message() == error.message();
    }
    return false;
  }

  const Sweep& sweep_;
  std::string_view sources_;
  Request base_;
  SweepPlan plan_;
  std::map<std::string, std::string> config_digests_, input_names_;
};

}  // namespace

SweepPlan plan_sweep(const Sweep& sweep, std::string_view sources) {
  SweepPlan plan = Planner(sweep, sources).plan();
  plan.sources = sources;
  return plan;
}

std::string point_text(const Sweep& sweep, const SweepPoint& point) {
  std::vector<std::string> parts;
  for (size_t a = 0; a < point.values.size(); ++a)
    parts.push_back(sweep.axes[a].name + "=" + sweep.axes[a].values[point.values[a]].label);
  std::string text = join(parts, ", ");
  if (sweep.repeats > 1) text += fmt::format(", repeat {}", point.repeat);
  return text;
}

}  // namespace gpuloom::sim
