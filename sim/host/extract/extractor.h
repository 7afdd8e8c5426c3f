// SPDX-License-Identifier: Apache-2.0
// Launches of a program as launch files, so that one kernel can be run, profiled, swept and scored alone.
//
// Everything keeps the address that it has in the program. Pointers inside structures, buffers, tensor maps
// and texture objects thus hold without anyone knowing where they are.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sim/host/program.h"
#include "sim/host/settings.h"
#include "sim/runtime/device.h"

namespace gpuloom::host {

struct ExtractedLaunch;

class Extractor {
 public:
  // Throws Error (kInput) where the folder cannot be made.
  Extractor(sim::Device& device, const Settings& settings);
  ~Extractor();

  // Writes what the launch begins with: the module, and the memory that it may reach (reach.h).
  void begin(const sim::LaunchRequest& request, const Image& image, uint64_t number);
  // Writes launch_NUMBER.yaml, with hashes of what the launch has left.
  void end(const sim::LaunchOutcome& outcome);
  void end_with_fault();
  bool any() const { return !modules_.empty(); }

 private:
  std::string module_file(const Image& image);
  void write(const std::string& about, bool verified);

  sim::Device& device_;
  const Settings& settings_;
  std::map<const Image*, std::string> modules_;  // files that are written
  std::unique_ptr<ExtractedLaunch> launch_;      // the one under way
};

}  // namespace gpuloom::host
