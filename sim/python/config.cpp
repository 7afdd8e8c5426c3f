// SPDX-License-Identifier: Apache-2.0
// Configurations: loading, values with their origins, what no source gives.
#include "base/config/config.h"

#include <pybind11/stl.h>

#include <vector>

#include "arch/gpu_config.h"
#include "base/config/config_unknowns.h"
#include "base/config/yaml_writer.h"
#include "sim/python/bindings.h"

namespace gpuloom::python {
namespace {

// path, value as YAML on one line, file, line, column
using Value = std::tuple<std::string, std::string, std::string, uint32_t, uint32_t>;

void flatten(const ConfigNode& node, const std::string& path, std::vector<Value>& values) {
  if (!yaml_has_map(node) || node.children.empty()) {
    values.emplace_back(path, yaml_inline(node), node.where.file, node.where.line, node.where.column);
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const ConfigNode& child = node.children[i];
    const std::string key = node.is_map() ? child.key : std::to_string(i);
    flatten(child, path.empty() ? key : path + "." + key, values);
  }
}

std::vector<Value> values_of(const Config& config) {
  std::vector<Value> values;
  flatten(config.tree(), "", values);
  return values;
}

std::vector<Value> unknowns_of(const Config& config) {
  std::vector<Value> values;
  for (const ConfigUnknown& u : config_unknowns(config).estimated)
    values.emplace_back(u.path, u.value + "\n" + u.why, u.where.file, u.where.line, u.where.column);
  return values;
}

}  // namespace

void bind_config(py::module_& m) {
  py::class_<Config>(m, "Config")
      .def(py::init([](const std::string& name, const std::vector<std::string>& overrides) {
             return Config::load(name, overrides);
           }),
           py::arg("name"), py::arg("overrides") = std::vector<std::string>{})
      .def_property_readonly("files", &Config::files)
      .def_property_readonly("digest", &Config::digest)
      .def("values", &values_of)
      .def("unknowns", &unknowns_of)
      .def("yaml", [](const Config& c) { return yaml_text(c.tree()); })
      .def("validate", [](const Config& c) {
        throw_problems(c.unit_problems());
        arch::load_gpu_config(c.root());
        c.check();
      });
  m.def("config_names", &list_configs);
  m.def("config_directory", &config_directory);
}

}  // namespace gpuloom::python
