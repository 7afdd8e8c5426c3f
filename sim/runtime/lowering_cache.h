// SPDX-License-Identifier: Apache-2.0
// Kernels that earlier runs have lowered, in files: lowering takes most of what a timed run does before its
// first launch. A file is named by a hash of everything that its contents follow from, the build included.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "ptx/machine/lower.h"
#include "ptx/machine/machine_program.h"
#include "ptx/machine/saved_lowering.h"

namespace gpuloom::sim {

// $XDG_CACHE_HOME/gpuloom, else ~/.cache/gpuloom; empty where a user has neither.
std::string default_cache_folder();

class LoweringCache {
 public:
  // `configuration`: Config::digest() of the device. A folder that is not there is made for the first file.
  // `build`: whose processes can read each other's files; "": nothing is kept.
  LoweringCache(std::string folder, std::string configuration, std::string build = ptx::build_name());

  // lower(program, model, options), out of a file where there is one, into one where not. A file that is
  // broken or cannot be written is not an error. `text`: LoadedModule::text_key().
  ptx::MachineProgram lower(const ptx::Program& program, const std::string& text,
                            const ptx::MachineModel& model, const ptx::LoweringOptions& options) const;

 private:
  std::string file_for(const ptx::Program& program, const std::string& text,
                       const ptx::LoweringOptions& options) const;

  void keep(const std::string& file, const std::string& contents) const;

  std::string folder_, configuration_, build_;
  mutable std::mutex room_;
  mutable std::optional<uint64_t> held_;  // bytes of the folder, as far as this process knows
};

}  // namespace gpuloom::sim
