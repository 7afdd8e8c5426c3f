// SPDX-License-Identifier: Apache-2.0
// Errors, versions, profiler control: calls that need no device.
#include "sim/cudart/process.h"

namespace gpuloom::cudart {

constexpr int kCudaVersion = 13000;  // of the ABI: 13.0

GPULOOM_CUDA int cudaGetLastError() {
  ThreadState& thread = thread_state();
  const Status last = thread.last;
  thread.last = Status::kSuccess;  // a fault too is told once, until the next call that meets it (H200)
  return static_cast<int>(last);
}

GPULOOM_CUDA int cudaPeekAtLastError() { return static_cast<int>(thread_state().last); }

GPULOOM_CUDA const char* cudaGetErrorName(int status) { return host::status_name(status); }
GPULOOM_CUDA const char* cudaGetErrorString(int status) { return host::status_text(status); }

GPULOOM_CUDA int cudaDriverGetVersion(int* version) {
  return call_anyway([&](host::Runtime&) {
    host::require(version != nullptr);
    *version = kCudaVersion;
  });
}

GPULOOM_CUDA int cudaRuntimeGetVersion(int* version) {
  return call_anyway([&](host::Runtime&) {
    host::require(version != nullptr);
    *version = kCudaVersion;
  });
}

// A profile is what the simulator makes anyway.
GPULOOM_CUDA int cudaProfilerStart() { return 0; }
GPULOOM_CUDA int cudaProfilerStop() { return 0; }

}  // namespace gpuloom::cudart
