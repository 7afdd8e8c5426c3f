// SPDX-License-Identifier: Apache-2.0
// One launch on its way into a file, and the text of that file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/host/extract/reach.h"
#include "sim/memory/element_type.h"
#include "sim/runtime/device.h"

namespace gpuloom::host {

// A buffer or variable of the launch.
struct KeptMemory {
  std::string name;  // in the launch file
  uint64_t address = 0, bytes = 0;
  sim::ElementType type = sim::ElementType::kU8;
  std::string file;     // with what it holds before the launch, relative to the launch file; "": zeros
  bool placed = true;   // constants lie where their module puts them
  uint64_t before = 0;  // hashes of all bytes: before the launch
  uint64_t after = 0;
};

struct ExtractedLaunch {
  uint64_t number = 0;
  sim::LaunchRequest request;
  std::string module;  // file of its PTX
  std::vector<KeptMemory> buffers, variables;
  std::string about, config;
  bool contract = true;
  uint64_t heap_bytes = 0;  // 0: the default
  bool verified = false;    // `after` is known
};

// The element type that the kernel's loads and stores give each buffer which a parameter points to: u8 where
// they do not agree, or the text does not say.
void infer_types(ExtractedLaunch& launch);

// As `gpuloom run` reads it (sim/runtime/launch_file.h).
std::string launch_text(const ExtractedLaunch& launch);

}  // namespace gpuloom::host
