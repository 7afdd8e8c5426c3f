// SPDX-License-Identifier: Apache-2.0
// The directory of a sweep. Every file in it is either complete or absent, whoever is killed when.
//
//   sweep.json                  the plan: axes, and the points in order
//   configs/DIGEST.yaml         resolved configurations
//   inputs/DIGEST/NAME          PTX and data that launches read
//   points/ID.{yaml,json}       launch file of a point; its configuration, mode and values
//   results/ID.json             result.json of a point that is done
//   failed/ID.json              how a point failed
//   logs/ID.log                 what a point printed; whoever runs the point holds a lock on it
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/sweep/sweep_plan.h"

namespace gpuloom::sim {

// What the rest needs to know of a planned sweep, as sweep.json holds it.
struct SweepManifest {
  struct Point {
    std::string id;
    std::vector<std::string> labels;  // a value an axis
    uint32_t repeat = 0;
  };
  std::string name, file, version, sources;
  uint32_t repeats = 1;
  std::vector<std::string> axes, metrics, plots;
  std::vector<Point> points;
  std::string text(const Point& point) const;  // "banks=16, block=64"
};

enum class PointState : uint8_t { kPending, kRunning, kDone, kFailed };

struct PointFailure {
  int exit_code = 0, signal = 0;
  bool timed_out = false;
  double seconds = 0;
  std::string tail;            // the last lines of its log
  std::string reason() const;  // "exit code 5", "timeout after 10 s", "signal 11"
};

// How to run one point.
struct PointRecipe {
  std::string sources;         // of the simulator that it was planned for
  std::string config, launch;  // paths
  Mode mode = Mode::kTimed;
  Lowering lowering = Lowering::kMachine;
};

class SweepStore {
 public:
  explicit SweepStore(std::string directory) : directory_(std::move(directory)) {}
  const std::string& directory() const { return directory_; }

  bool exists() const;
  // Writes what the plan needs; points that are there already stay. Throws Error (kInput) where the directory
  // holds a sweep of another name, or files of something else.
  void write_plan(const Sweep& sweep, const SweepPlan& plan) const;
  // Throws Error (kInput) where there is no sweep.
  SweepManifest manifest() const;

  PointState state(const std::string& id) const;
  // One a point, in order; reads the directories once.
  std::vector<PointState> states(const SweepManifest& manifest) const;
  PointRecipe recipe(const std::string& id) const;  // throws Error (kUsage) for an id that is not planned
  std::string result_path(const std::string& id) const { return directory_ + "/results/" + id + ".json"; }
  std::string log_path(const std::string& id) const { return directory_ + "/logs/" + id + ".log"; }
  std::string launch_path(const std::string& id) const { return directory_ + "/points/" + id + ".yaml"; }
  void write_result(const std::string& id, std::string_view json) const;
  void write_failure(const std::string& id, const PointFailure& failure) const;
  std::optional<PointFailure> failure(const std::string& id) const;
  void forget_failure(const std::string& id) const;

 private:
  std::string directory_;
};

// Written beside it under a name of this process, flushed to the disk and renamed, so that after any crash
// the file is complete or as it was. Throws Error (kInput).
void write_durably(const std::string& path, std::string_view data);

// The last `lines` lines of a file; "" if it cannot be read.
std::string tail_of_file(const std::string& path, size_t lines);

}  // namespace gpuloom::sim
