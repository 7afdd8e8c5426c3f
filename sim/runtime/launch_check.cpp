// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "arch/gpc/occupancy.h"
#include "base/demangle.h"
#include "base/error.h"

namespace gpuloom::sim {
namespace {

std::string show(const ptx::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

class Check {
 public:
  Check(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers)
      : gpu_(gpu), request_(request), program_(*request.kernel->program), registers_(registers) {}

  void all() const {
    extents();
    clusters();
    directives();
    parameters();
    constants_and_barriers();
    if (request_.window) window(*request_.window);
    if (request_.cooperative) cooperative();  // first: what does not fit at all is too large in this case
    shared();
    registers();
  }

  bool fits() const {
    if (request_.block.count() == 0 || request_.block.count() > gpu_.sm.limits.threads_per_block) return true;
    arch::KernelResources k = resources();
    if (!request_.cooperative) k.shared_dynamic = k.shared_static = 0;
    const uint64_t blocks = arch::occupancy(gpu_, k).blocks;
    return request_.cooperative ? request_.grid.count() <= blocks * gpu_.sm_count() : blocks != 0;
  }

 private:
  [[noreturn]] void refuse(const char* cuda_name, const std::string& why) const {
    const std::string name(cuda_name);
    throw LaunchRefused(name.substr(0, name.find(';')), fmt::format("kernel '{}' cannot be launched ({}): {}",
                                                                    short_name(program_.name), name, why));
  }

  // CUDA C++ programming guide, "Technical specifications per compute capability".
  void extents() const {
    // CUDA 13.0 answers with the general name, where CUDA 12 had one of its own.
    const char* const name = "cudaErrorInvalidValue; before CUDA 13 cudaErrorInvalidConfiguration";
    const ptx::Dim3 &g = request_.grid, &b = request_.block;
    if (g.count() == 0 || b.count() == 0)
      refuse(name, fmt::format("grid {} or block {} has a dimension of 0", show(g), show(b)));
    const arch::LimitsConfig& l = gpu_.sm.limits;
    if (g.x > l.grid[0] || g.y > l.grid[1] || g.z > l.grid[2])
      refuse(name, fmt::format("grid {} exceeds the maximum, ({}, {}, {})", show(g), l.grid[0], l.grid[1],
                               l.grid[2]));
    if (b.x > l.block[0] || b.y > l.block[1] || b.z > l.block[2] || b.count() > l.threads_per_block)
      refuse(name,
             fmt::format("block {} has {} threads; at most {} are allowed, and ({}, {}, {}) along x, y and z",
                         show(b), b.count(), l.threads_per_block, l.block[0], l.block[1], l.block[2]));
  }

  const ptx::Directives* entry_directives() const {
    const ptx::Function* entry = program_.functions.empty() ? nullptr : program_.functions[0].function;
    return entry ? &entry->directives : nullptr;
  }

  void clusters() const {
    const ptx::Directives* d = entry_directives();
    const std::optional<ptx::Dim3> cluster = cluster_of(request_);
    const char* const name = "cudaErrorInvalidClusterSize";
    if (!cluster) {
      if (d && d->explicit_cluster) refuse(name, "its .explicitcluster needs a launch with a cluster");
      return;
    }
    const ptx::Dim3 &c = *cluster, &g = request_.grid;
    if (c.count() == 0) refuse(name, fmt::format("cluster {} has a dimension of 0", show(c)));
    required_cluster(d, c);
    const arch::LimitsConfig& l = gpu_.sm.limits;
    if (c.count() > 1 && l.cluster_max <= 1)
      refuse("cudaErrorNotSupported",
             fmt::format("{} (compute capability {}.{}) has no thread block clusters; 9.0 is the first with "
                         "them",
                         gpu_.name, gpu_.cc_major, gpu_.cc_minor));
    if (c.count() > l.cluster_max)
      refuse(name, fmt::format("cluster {} has {} blocks; at most {}", show(c), c.count(), l.cluster_max));
    if (c.count() > l.cluster_portable && !request_.nonportable_cluster)
      refuse(name, fmt::format("cluster {} has {} blocks; at most {} without "
                               "cudaFuncAttributeNonPortableClusterSizeAllowed",
                               show(c), c.count(), l.cluster_portable));
    if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0)
      refuse(name, fmt::format("grid {} is not a multiple of cluster {}", show(g), show(c)));
    const auto& groups = gpu_.gpc.cluster_groups;
    const uint32_t most = *std::max_element(groups.begin(), groups.end());
    if (c.count() > most)
      refuse(name, fmt::format("cluster {} has {} blocks; the largest GPC of {} has {} SMs", show(c),
                               c.count(), gpu_.name, most));
  }

  void required_cluster(const ptx::Directives* d, const ptx::Dim3& c) const {
    if (d == nullptr) return;
    const ptx::Dim3 required{d->reqnctapercluster[0], std::max(d->reqnctapercluster[1], 1u),
                             std::max(d->reqnctapercluster[2], 1u)};
    if (required.x != 0 && (c.x != required.x || c.y != required.y || c.z != required.z))
      refuse("cudaErrorInvalidClusterSize",
             fmt::format("cluster {} is not the {} of its .reqnctapercluster", show(c), show(required)));
    if (d->maxclusterrank != 0 && c.count() > d->maxclusterrank)
      refuse("cudaErrorInvalidClusterSize",
             fmt::format("cluster {} has more than the {} blocks of its .maxclusterrank", show(c),
                         d->maxclusterrank));
  }

  void directives() const {
    const ptx::Directives* d = entry_directives();
    if (d == nullptr) return;
    const ptx::Dim3& b = request_.block;
    const uint64_t most = uint64_t{d->maxntid[0]} * std::max(d->maxntid[1], 1u) * std::max(d->maxntid[2], 1u);
    if (d->maxntid[0] != 0 && b.count() > most)
      refuse("cudaErrorInvalidValue",
             fmt::format("block {} has more than the {} threads of its .maxntid", show(b), most));
    if (d->reqntid[0] != 0 &&
        (b.x != d->reqntid[0] || b.y != std::max(d->reqntid[1], 1u) || b.z != std::max(d->reqntid[2], 1u)))
      refuse("cudaErrorInvalidValue",
             fmt::format("block {} is not the {}x{}x{} of its .reqntid", show(b), d->reqntid[0],
                         std::max(d->reqntid[1], 1u), std::max(d->reqntid[2], 1u)));
  }

  void parameters() const {
    const uint32_t most = gpu_.sm.limits.parameter_bytes;
    if (program_.param_bytes > most)
      refuse("cudaErrorInvalidPtx",
             fmt::format("{} bytes of parameters; a kernel has at most {}", program_.param_bytes, most));
  }

  // ptxas refuses both when it compiles for the device.
  void constants_and_barriers() const {
    const arch::LimitsConfig& l = gpu_.sm.limits;
    const size_t constants = request_.kernel->module->const_bank().size();
    if (constants > l.constant_bytes)
      refuse("cudaErrorInvalidPtx",
             fmt::format(
                 "its module has {} bytes of .const variables; {} has at most {} (limits.constant_bytes)",
                 constants, gpu_.name, l.constant_bytes));
    if (program_.shared_static_bytes > l.shared_per_block)
      refuse("cudaErrorInvalidPtx",
             fmt::format(
                 "{} bytes of static shared memory; at most {} without the opt-in, which only dynamic shared "
                 "memory has (limits.shared_per_block)",
                 program_.shared_static_bytes, l.shared_per_block));
    if (program_.barrier_count > l.barriers_per_block)
      refuse("cudaErrorInvalidPtx",
             fmt::format("it uses {} barriers; a block of {} has at most {} (limits.barriers_per_block)",
                         program_.barrier_count, gpu_.name, l.barriers_per_block));
  }

  // CUDA C++ programming guide, "L2 access policy window" and "L2 set-aside".
  void window(const PolicyWindow& w) const {
    const arch::L2Config& l2 = gpu_.l2;
    const char* const name = "cudaErrorInvalidValue";
    if (w.hit_ratio > 0 && w.bytes > l2.window_max)
      refuse(name, fmt::format("an access-policy window of {} bytes; {} has at most {} (l2.window_max)",
                               w.bytes, gpu_.name, l2.window_max));
    if (w.set_aside_bytes > l2.persisting_max)
      refuse(name, fmt::format("{} bytes of L2 set aside; {} has at most {} (l2.persisting_max)",
                               w.set_aside_bytes, gpu_.name, l2.persisting_max));
  }

  void shared() const {
    const uint32_t fixed = program_.shared_static_bytes, dynamic = request_.dynamic_shared_bytes;
    const uint32_t all = shared_bytes_of(program_, dynamic);
    const arch::LimitsConfig& l = gpu_.sm.limits;
    const char* const name = "cudaErrorInvalidValue";
    if (all > l.shared_per_block_optin)
      refuse(name,
             fmt::format("{} bytes of shared memory ({} static, {} dynamic); a block can have at most {}",
                         all, fixed, dynamic, l.shared_per_block_optin));
    if (!request_.max_dynamic_shared_bytes) return;
    const uint32_t asked = *request_.max_dynamic_shared_bytes;
    if (fixed + asked > l.shared_per_block_optin)
      refuse(name, fmt::format("cudaFuncAttributeMaxDynamicSharedMemorySize of {} with {} bytes static; a "
                               "block can have at most {}",
                               asked, fixed, l.shared_per_block_optin));
    if (dynamic > asked)
      refuse(
          name,
          fmt::format("{} bytes of dynamic shared memory; cudaFuncAttributeMaxDynamicSharedMemorySize is {}, "
                      "and {} where a program does not set it",
                      dynamic, asked, l.shared_per_block - std::min(l.shared_per_block, fixed)));
  }

  arch::KernelResources resources() const {
    arch::KernelResources k;
    k.threads = static_cast<uint32_t>(request_.block.count());
    k.registers_per_thread = registers_;
    k.shared_dynamic = request_.dynamic_shared_bytes;
    k.shared_static = shared_bytes_of(program_, k.shared_dynamic) - k.shared_dynamic;
    k.barriers = program_.barrier_count;
    return k;
  }

  void registers() const {
    if (registers_ == 0) return;
    arch::KernelResources k = resources();
    k.shared_dynamic = k.shared_static = 0;
    const arch::Occupancy o = arch::occupancy(gpu_, k);
    if (o.limit_registers == 0)
      refuse("cudaErrorLaunchOutOfResources",
             fmt::format("{} warps of {} registers a thread need {} registers; a block has {}",
                         o.warps_per_block, registers_, o.allocated_registers,
                         gpu_.sm.limits.registers_per_block));
  }

  // All blocks of the grid have to be on the device at once.
  void cooperative() const {
    const bool opted = !request_.max_dynamic_shared_bytes ||
                       request_.dynamic_shared_bytes <= *request_.max_dynamic_shared_bytes;
    const uint64_t room = opted ? uint64_t{arch::occupancy(gpu_, resources()).blocks} * gpu_.sm_count() : 0;
    if (request_.grid.count() > room)
      refuse("cudaErrorCooperativeLaunchTooLarge",
             fmt::format("a cooperative grid of {} blocks; {} fit on {} at once", request_.grid.count(), room,
                         gpu_.name));
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
  if (request.cluster && (request.cluster->x | request.cluster->y | request.cluster->z) != 0)
    return request.cluster;  // three zeros ask for none
  const ptx::Program& program = *request.kernel->program;
  if (program.functions.empty() || program.functions[0].function == nullptr) return std::nullopt;
  const ptx::Directives& d = program.functions[0].function->directives;
  if (d.reqnctapercluster[0] == 0) return std::nullopt;
  return ptx::Dim3{d.reqnctapercluster[0], std::max(d.reqnctapercluster[1], 1u),
                   std::max(d.reqnctapercluster[2], 1u)};
}

uint32_t registers_that_fit(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers) {
  if (Check(gpu, request, registers).fits()) return registers;
  for (uint32_t fewer = registers; fewer-- > 1;)
    if (Check(gpu, request, fewer).fits()) return fewer;
  return registers;
}

void check_launch(const arch::GpuConfig& gpu, const LaunchRequest& request, uint32_t registers) {
  Check(gpu, request, registers).all();
}

}  // namespace gpuloom::sim
