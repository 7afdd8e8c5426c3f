// SPDX-License-Identifier: Apache-2.0
#include "sim/api/schemas.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/json_schema.h"
#include "base/config/key_meanings.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/api/sweep/sweep_file.h"
#include "sim/memory/files.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;

// The union of what the shipped configurations have: keys that are optional stand in some of them.
Json config_schema(const KeyMeanings& known) {
  std::vector<KeyRead> keys;
  for (const std::string& name : list_configs()) {
    if (!name.starts_with("gpu/") && !name.starts_with("test/")) continue;
    const Config config = Config::load(name);
    arch::load_gpu_config(config.root());
    config.check();
    join_keys(keys, keys_read(config));
  }
  Json schema = json_schema(keys, known);
  schema["title"] = "A GPU for gpuloom";
  schema["properties"]["extends"] = Json{
      {"type", "string"},
      {"description", "a configuration's name, or a file relative to this one, that gives all other values"}};
  return schema;
}

std::vector<Config> launch_examples() {
  std::vector<Config> examples;
  for (const char* name : {"launch.yaml", "launch_single.yaml", "launch_program.yaml"}) {
    const std::string path = config_directory() + "/about/" + name;
    examples.push_back(Config::parse(read_file(path), path));
    try {
      launch_file_of(examples.back(), path);
    } catch (const Error&) {  // the files that it names are not there; what was read is known all the same
    }
  }
  return examples;
}

Json launch_schema(const KeyMeanings& none) {
  Json schema = json_schema(launch_keys(), none);
  schema["title"] = "A launch for gpuloom run";
  return schema;
}

Json strings() { return Json{{"type", "array"}, {"items", Json{{"type", "string"}}}}; }

Json sweep_schema(const KeyMeanings& none) {
  Json launch = launch_schema(none);
  launch.erase("$schema");
  const Json targets{{"anyOf", Json::array({Json{{"type", "string"}}, strings()})}};
  const Json axis{
      {"type", "object"},
      {"properties",
       Json{{"key", targets}, {"launch", targets}, {"values", Json{{"type", "array"}, {"minItems", 1}}}}},
      {"required", Json::array({"values"})},
      {"additionalProperties", false}};
  Json properties;
  for (const std::string& key : sweep_keys()) properties[key] = Json::object();
  properties["name"] = properties["about"] = properties["config"] = Json{{"type", "string"}};
  properties["launch"] = Json{{"anyOf", Json::array({Json{{"type", "string"}}, launch})}};
  properties["set"] = properties["metrics"] = properties["plots"] = strings();
  properties["mode"] = Json{{"enum", sweep_modes()}};
  properties["lowering"] = Json{{"enum", sweep_lowerings()}};
  properties["axes"] = Json{{"type", "object"}, {"minProperties", 1}, {"additionalProperties", axis}};
  properties["exclude"] = Json{{"type", "array"}, {"items", Json{{"type", "object"}, {"minProperties", 1}}}};
  properties["repeats"] = Json{{"type", "integer"}, {"minimum", 1}, {"maximum", 999999}};
  return Json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "A sweep for gpuloom sweep"},
              {"type", "object"},
              {"properties", properties},
              {"required", Json::array({"name", "launch", "axes"})},
              {"additionalProperties", false}};
}

}  // namespace

namespace {

// The keys below one place, as those of another.
void copy_keys(std::vector<KeyRead>& keys, std::string_view from, const std::string& to,
               const std::function<bool(std::string_view)>& take) {
  std::vector<KeyRead> more;
  for (const KeyRead& key : keys)
    if (key.path.starts_with(from) && take(std::string_view(key.path).substr(from.size()))) {
      more.push_back(key);
      more.back().path = to + key.path.substr(from.size());
    }
  join_keys(keys, more);
}

// A launch of a program has the forms of any other, but for what only a list of launches has; a step has
// every form wherever it stands.
void add_program_keys(std::vector<KeyRead>& keys) {
  copy_keys(keys, "launches.*.", "program.*.steps.*.launch.",
            [](std::string_view rest) { return !rest.starts_with("repeat") && !rest.starts_with("patch"); });
  const auto in_graph = [](std::string_view rest) {
    return !rest.starts_with("synchronize") && !rest.starts_with("graph");
  };
  copy_keys(keys, "program.*.steps.*.", "program.*.", [](std::string_view) { return true; });
  copy_keys(keys, "program.*.steps.*.", "graphs.*.*.", in_graph);
  copy_keys(keys, "program.*.steps.*.", "graphs.*.*.steps.*.", in_graph);
}

}  // namespace

std::vector<KeyRead> launch_keys() {
  std::vector<KeyRead> keys;
  for (const Config& example : launch_examples()) join_keys(keys, keys_read(example));
  // A launch at the top has every form that one of a list has.
  constexpr std::string_view kOfList = "launches.*.";
  std::vector<KeyRead> single;
  for (const KeyRead& key : keys)
    if (key.path.starts_with(kOfList)) {
      single.push_back(key);
      single.back().path = key.path.substr(kOfList.size());
    }
  join_keys(keys, single);
  add_program_keys(keys);
  return keys;
}

namespace {

// Whether a key that was read shows what `asked` asks for: a `*` in it stands for any name, and a group for
// what is in it.
bool shows(const std::string& read, const std::string& asked) {
  const std::vector<std::string> have = split(read, '.'), want = split(asked, '.');
  return have.size() >= want.size() &&
         std::equal(want.begin(), want.end(), have.begin(),
                    [](const std::string& w, const std::string& h) { return w == "*" || w == h; });
}

}  // namespace

std::vector<std::string> launch_keys_without_example() {
  const std::vector<KeyRead> keys = launch_keys();
  std::vector<std::string> missing;
  for (const Config& example : launch_examples())
    for (const std::string& path : keys_asked(example))
      if (std::none_of(keys.begin(), keys.end(), [&](const KeyRead& k) { return shows(k.path, path); }) &&
          std::find(missing.begin(), missing.end(), path) == missing.end())
        missing.push_back(path);
  return missing;
}

std::string schema_text(const std::string& of) {
  if (of == "config") return config_schema(KeyMeanings::load_meanings()).dump(1) + "\n";
  const KeyMeanings none;
  if (of == "launch") return launch_schema(none).dump(1) + "\n";
  if (of == "sweep") return sweep_schema(none).dump(1) + "\n";
  throw Error(ErrorKind::kUsage, "unknown schema '" + of + "'", {}, "config, launch or sweep");
}

}  // namespace gpuloom::sim
