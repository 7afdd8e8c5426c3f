// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/settings.h"

#include "base/config/config.h"

namespace gpuloom::sim {

ExplainSettings load_explain_settings() {
  const std::string path = config_directory() + "/about/explain.yaml";
  const Config file = Config::from(parse_yaml_file(path, path), path);
  const ConfigView view = file.root();
  ExplainSettings s;
  s.least_of_limit = view.number("least_of_limit", 0, 1);
  s.pair_least_pct = view.number("pair_least_pct", 0, 100);
  s.additive_pct = view.number("additive_pct", 0, 100);
  s.lines_shown = static_cast<size_t>(view.number("lines_shown", 1, 100));
  file.check();
  return s;
}

}  // namespace gpuloom::sim
