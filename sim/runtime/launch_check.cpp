// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_check.h"

#include <fmt/core.h>

#include "sim/base/error.h"

namespace gpuloom::sim {
namespace {

std::string show(const ptx::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

class Check {
 public:
  Check(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers)
      : gpu_(gpu), request_(request), program_(*request.kernel->program), registers_(registers) {}

  void all() const {
    extents();
    directives();
    resources();
    clusters();
  }

 private:
  [[noreturn]] void refuse(const char* cuda_name, const std::string& why) const {
    throw Error(ErrorKind::kInput,
                fmt::format("kernel '{}' cannot be launched ({}): {}", program_.name, cuda_name, why));
  }

  // CUDA C++ programming guide, "Technical specifications per compute capability".
  void extents() const {
    const ptx::Dim3 &g = request_.grid, &b = request_.block;
    if (g.count() == 0 || b.count() == 0)
      refuse("cudaErrorInvalidConfiguration",
             fmt::format("grid {} or block {} has an extent of 0", show(g), show(b)));
    const arch::LimitsConfig& l = gpu_.sm.limits;
    if (g.x > l.grid[0] || g.y > l.grid[1] || g.z > l.grid[2])
      refuse("cudaErrorInvalidConfiguration",
             fmt::format("grid {} exceeds ({}, {}, {})", show(g), l.grid[0], l.grid[1], l.grid[2]));
    if (b.x > l.block[0] || b.y > l.block[1] || b.z > l.block[2] || b.count() > l.threads_per_block)
      refuse("cudaErrorInvalidConfiguration",
             fmt::format("block {} has {} threads; at most {}, and ({}, {}, {})", show(b), b.count(),
                         l.threads_per_block, l.block[0], l.block[1], l.block[2]));
  }

  void directives() const {
    const ptx::Function* entry = program_.functions.empty() ? nullptr : program_.functions[0].function;
    if (entry == nullptr) return;
    const ptx::Directives& d = entry->directives;
    const ptx::Dim3& b = request_.block;
    const uint64_t most = uint64_t{d.maxntid[0]} * std::max(d.maxntid[1], 1u) * std::max(d.maxntid[2], 1u);
    if (d.maxntid[0] != 0 && b.count() > most)
      refuse("cudaErrorInvalidValue",
             fmt::format("block {} has more than the {} threads of its .maxntid", show(b), most));
    if (d.reqntid[0] != 0 &&
        (b.x != d.reqntid[0] || b.y != std::max(d.reqntid[1], 1u) || b.z != std::max(d.reqntid[2], 1u)))
      refuse("cudaErrorInvalidValue",
             fmt::format("block {} is not the {}x{}x{} of its .reqntid", show(b), d.reqntid[0],
                         std::max(d.reqntid[1], 1u), std::max(d.reqntid[2], 1u)));
  }

  void resources() const {
    const uint32_t shared = shared_bytes_of(program_, request_.dynamic_shared_bytes);
    const uint32_t most = gpu_.sm.limits.shared_per_block_optin;
    if (shared > most)
      refuse("cudaErrorInvalidValue",
             fmt::format("{} bytes of shared memory ({} static, {} dynamic); a block has at most {}", shared,
                         program_.shared_static_bytes, request_.dynamic_shared_bytes, most));
    // Registers are handed to warps in units (CUDA occupancy calculator).
    const uint64_t warps = (request_.block.count() + 31) / 32;
    const uint32_t unit = gpu_.sm.limits.register_allocation_unit;
    const uint64_t a_warp = (uint64_t{registers_} * 32 + unit - 1) / unit * unit;
    if (a_warp * warps > gpu_.sm.limits.registers_per_block)
      refuse("cudaErrorLaunchOutOfResources",
             fmt::format("{} warps of {} registers a thread need {} registers; a block has {}", warps,
                         registers_, a_warp * warps, gpu_.sm.limits.registers_per_block));
  }

  void clusters() const {
    const std::optional<ptx::Dim3> cluster = cluster_of(request_);
    if (!cluster || cluster->count() == 1) return;
    const ptx::Dim3 &c = *cluster, &g = request_.grid;
    const uint32_t most = gpu_.sm.limits.cluster_max;
    if (most <= 1) refuse("cudaErrorNotSupported", fmt::format("{} has no thread block clusters", gpu_.name));
    if (c.count() > most)
      refuse("cudaErrorInvalidClusterSize",
             fmt::format("cluster {} has {} blocks; at most {}", show(c), c.count(), most));
    if (c.x == 0 || c.y == 0 || c.z == 0 || g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0)
      refuse("cudaErrorInvalidClusterSize",
             fmt::format("grid {} is no multiple of cluster {}", show(g), show(c)));
  }

  const arch::GpuConfig& gpu_;
  const LaunchRequest& request_;
  const ptx::Program& program_;
  uint32_t registers_;
};

}  // namespace

uint32_t shared_bytes_of(const ptx::Program& program, uint32_t dynamic_shared_bytes) {
  const uint32_t align = std::max(program.dynamic_shared_align, 1u);
  const uint32_t start = dynamic_shared_bytes == 0
                             ? program.shared_static_bytes
                             : (program.shared_static_bytes + align - 1) / align * align;
  return start + dynamic_shared_bytes;
}

std::optional<ptx::Dim3> cluster_of(const LaunchRequest& request) {
  if (request.cluster) return request.cluster;
  const ptx::Program& program = *request.kernel->program;
  if (program.functions.empty() || program.functions[0].function == nullptr) return std::nullopt;
  const ptx::Directives& d = program.functions[0].function->directives;
  if (d.reqnctapercluster[0] == 0) return std::nullopt;
  return ptx::Dim3{d.reqnctapercluster[0], std::max(d.reqnctapercluster[1], 1u),
                   std::max(d.reqnctapercluster[2], 1u)};
}

void check_launch(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers) {
  Check(gpu, request, registers).all();
}

}  // namespace gpuloom::sim
