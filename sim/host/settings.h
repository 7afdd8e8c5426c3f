// SPDX-License-Identifier: Apache-2.0
// What the user asked of a CUDA program's run. `gpuloom exec` puts it into environment variables, the runtime
// inside the program takes it out of them.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/memory/device_memory.h"

namespace gpuloom::host {

// What the program's own code takes of simulated time between its calls: nothing, a multiple of what it takes
// in fact, or so much before each call.
struct HostCode {
  double scale = 0;
  double fixed_ns = 0;
};
// "free", "real", "real*2.5", "500ns". Throws Error (kUsage).
HostCode parse_host_code(const std::string& text);

struct Settings {
  std::vector<std::string> configs{"h200"};  // of the program's devices, in their order
  std::vector<int> places;  // their numbers in the machine: the runtime finds them (CUDA_VISIBLE_DEVICES)
  std::vector<std::string> overrides;  // of the configuration
  bool timed = false;                  // launches run in time; else functional
  std::string kernel;           // timed launches: of kernels that this names (base/demangle.h); "": any
  uint64_t skip = 0;            // of those, the first so many stay functional
  uint64_t count = UINT64_MAX;  // and after so many the rest does
  unsigned threads = 0;         // of the host; results do not depend on it. 0: DeviceOptions::use_threads
  bool contract = true;         // -fmad
  sim::Bounds bounds = sim::Bounds::kExact;  // of what kernels may touch
  std::string output;                        // folder for result.json; "": none
  std::string extract;  // folder for launch files of the launches that are chosen; "": none
  std::string trace;    // of timed launches, a file each in `output`: "perfetto", "konata"; "": none
  std::string cache;    // folder of kernels that earlier runs have lowered; "": none
  bool summary = true;  // print one on stderr at the end
  std::string host_code = "free";  // parse_host_code
  double max_seconds = 0;          // of the host; 0: no limit
};

// GPULOOM_CONFIG and GPULOOM_OVERRIDES (one a line), GPULOOM_TIMED, GPULOOM_KERNEL, GPULOOM_LAUNCH_SKIP,
// GPULOOM_LAUNCH_COUNT, GPULOOM_THREADS, GPULOOM_CONTRACT, GPULOOM_BOUNDS, GPULOOM_OUTPUT, GPULOOM_SUMMARY,
// GPULOOM_TRACE, GPULOOM_EXTRACT, GPULOOM_CACHE, GPULOOM_HOST_CODE, GPULOOM_MAX_SECONDS. Throws Error
// (kUsage) where a number is none.
Settings settings_from_environment();
std::vector<std::pair<std::string, std::string>> environment_of(const Settings& settings);

}  // namespace gpuloom::host
