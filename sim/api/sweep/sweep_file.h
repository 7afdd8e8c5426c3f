// SPDX-License-Identifier: Apache-2.0
// A sweep file: a launch, the axes along which it is varied, and what is left out. sim/api/sweep/README.md
// lists every key.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/config/config_node.h"
#include "sim/runtime/device.h"

namespace gpuloom::sim {

// A key that an axis sets.
struct SweepTarget {
  bool in_launch = false;  // of the launch file; otherwise of the configuration, as `-s` takes it
  std::string path;        // "sm.shared.banks", "buffers.a.count", "args.3"
  FilePosition where;
};

struct SweepValue {
  std::vector<ConfigNode> parts;  // one a target
  std::string label;              // as written: "64", "[16, 16]"
  FilePosition where;
};

struct SweepAxis {
  std::string name;
  std::vector<SweepTarget> targets;  // more than one: they change together
  std::vector<SweepValue> values;
  FilePosition where;
};

// Points at which every listed axis has one of the listed values.
struct SweepExclusion {
  struct Term {
    size_t axis = 0;
    std::vector<size_t> values;
  };
  std::vector<Term> terms;
};

struct Sweep {
  std::string path, name;
  FilePosition name_where, config_where;  // the latter: of `config`, of `set`, or of `launch`
  std::string launch_path;                // what relative paths of the launch start from
  ConfigNode launch;                      // the tree of a launch file, before any axis
  std::string config;                     // "" for what the launch file says
  std::vector<std::string> overrides;
  Mode mode = Mode::kTimed;
  Lowering lowering = Lowering::kMachine;
  std::vector<SweepAxis> axes;
  std::vector<SweepExclusion> exclusions;
  uint32_t repeats = 1;
  std::vector<std::string> metrics;  // columns of the table; empty: all
  FilePosition metrics_where;
  std::vector<std::string> plots;  // "heatmap X Y VALUE", "pareto X Y"
};

// The words of sweep files: keys, and what `mode` and `lowering` may be, the default first.
const std::vector<std::string>& sweep_keys();
const std::vector<std::string>& sweep_modes();
const std::vector<std::string>& sweep_lowerings();

// Throws Error (kInput) with every problem of the file, each with its position.
Sweep read_sweep_file(const std::string& path);
Sweep parse_sweep_file(std::string_view text, const std::string& path);

}  // namespace gpuloom::sim
