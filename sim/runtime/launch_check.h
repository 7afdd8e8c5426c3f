// SPDX-License-Identifier: Apache-2.0
// What a launch may ask for, and CUDA's names for asking too much.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/policy_window.h"
#include "base/error.h"
#include "ptx/exec/cta.h"
#include "sim/runtime/module.h"

namespace gpuloom::sim {

// What check_launch throws. `cuda_error` is the name that CUDA 13 has for it.
class LaunchRefused : public Error {
 public:
  LaunchRefused(std::string name, const std::string& message)
      : Error(ErrorKind::kInput, message), cuda_error(std::move(name)) {}
  std::string cuda_error;
};

struct LaunchRequest {
  Kernel* kernel = nullptr;
  ptx::Dim3 grid, block;
  std::optional<ptx::Dim3> cluster;  // of the launch; the kernel's own .reqnctapercluster holds otherwise
  uint32_t dynamic_shared_bytes = 0;
  // cudaFuncAttributeMaxDynamicSharedMemorySize, for programs that mind it: in CUDA limits.shared_per_block
  // less the static part until set. Nothing: as much as the device has.
  std::optional<uint32_t> max_dynamic_shared_bytes;
  bool nonportable_cluster = true;  // cudaFuncAttributeNonPortableClusterSizeAllowed
  std::optional<uint32_t> carveout_pct;
  bool cooperative = false;
  bool dependent = false;  // may begin when the kernel before it in its stream lets it (griddepcontrol)
  std::optional<PolicyWindow> window;
  std::vector<uint8_t> params;  // parameter buffer: Program::param_bytes, laid out as Program::params says
};

// Shared memory of a block: static, then dynamic from the next dynamic_shared_align on.
uint32_t shared_bytes_of(const ptx::Program& program, uint32_t dynamic_shared_bytes);

// The cluster that the launch and the kernel's directives give; nothing for a launch without clusters.
std::optional<ptx::Dim3> cluster_of(const LaunchRequest& request);

// The most registers a thread, at most `registers`, with which the launch finds room: a block on an SM, or
// all blocks of a cooperative grid at once. `registers` where it does not depend on them.
uint32_t registers_that_fit(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers);

// Throws LaunchRefused named as CUDA names it (cudaErrorInvalidConfiguration, cudaErrorLaunchOutOfResources,
// ...), with the limit: names and order as an H200 gave them under CUDA 13.0 (tests/conformance/limits).
// `registers` a thread: 0 where unknown, then registers are not checked.
void check_launch(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers);

}  // namespace gpuloom::sim
