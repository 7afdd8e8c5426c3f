// SPDX-License-Identifier: Apache-2.0
// The points of a sweep: what each of them runs, resolved until nothing outside decides its result.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "sim/api/sweep/sweep_file.h"

namespace gpuloom::sim {

struct SweepPoint {
  // Of everything that decides the result: the simulator's sources, resolved configuration, launch with the
  // hashes of the files that it reads, mode, lowering and number of the repeat. 32 hexadecimal digits.
  std::string id;
  std::vector<size_t> values;  // an index into each axis's values
  uint32_t repeat = 0;
  std::string config;  // digest of its configuration
  std::string launch;  // text of its launch file, whose files are ../inputs/DIGEST/NAME
};

struct SweepPlan {
  std::string sources;             // digest of those of the simulator
  std::vector<SweepPoint> points;  // the last axis changes fastest, repeats faster still
  size_t excluded = 0;
  std::map<std::string, std::string> configs;  // digest: the resolved configuration as YAML
  std::map<std::string, std::string> inputs;   // "DIGEST/NAME": what the file holds
};

// Throws Error (kInput) at the place in the sweep file that causes it: a key that does not exist, a value
// that the configuration or the launch does not take, alone or with others, nothing left after the
// exclusions. `sources` are those of the simulator that is to run the points.
SweepPlan plan_sweep(const Sweep& sweep, std::string_view sources = source_digest());

// "banks=16, block=64, repeat 2": for messages.
std::string point_text(const Sweep& sweep, const SweepPoint& point);

}  // namespace gpuloom::sim
