// SPDX-License-Identifier: Apache-2.0
// What limits a kernel's blocks on an SM, for one GPU or many, and how that changes with block size,
// registers and shared memory. The calculator itself is arch/gpc/occupancy.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpc/occupancy.h"

namespace gpuloom::sim {

struct OccupancyQuery {
  // A PTX file and one of its kernels ("" where it has only one); "": no PTX, then the numbers below say
  // everything.
  std::string ptx, kernel;
  uint32_t block = 256;                   // threads
  std::optional<uint32_t> registers;      // a thread; nothing: the lowering's estimate, 0 without PTX
  std::optional<uint32_t> shared_static;  // bytes a block; nothing: what the kernel declares
  uint32_t shared_dynamic = 0;            // bytes a block
  std::optional<uint32_t> barriers;       // nothing: what the kernel uses
  uint32_t cluster = 0;                   // blocks; 0: no clusters
  int carveout_percent = -1;              // as KernelResources
  std::vector<std::string> overrides;     // of the configuration
};

struct OccupancyPoint {
  uint32_t x = 0, blocks = 0;
  double percent = 0;  // of the SM's warps
};
struct OccupancyCurve {
  std::string name, unit;  // "block size", "threads"
  uint32_t now = 0;        // where the query stands
  std::vector<OccupancyPoint> points;
};

struct OccupancyReport {
  std::string gpu, description, capability;
  std::string refusal;  // why the kernel does not run on this GPU; then nothing below is set
  std::string kernel;
  arch::KernelResources resources;
  bool registers_estimated = false;
  arch::Occupancy occupancy;
  // The carve-out that the driver chooses for a launch, and the blocks that it allows: what a profile shows.
  uint32_t launch_carveout = 0, launch_limit_shared = 0;
  uint32_t warps = 0, warps_max = 0;  // on an SM
  double percent = 0;                 // theoretical occupancy
  std::vector<std::string>
      limiters;  // "registers", "shared memory", "warps", "blocks", "barriers"; those that bind
  std::vector<std::string> advice;                          // what would gain a block, in words
  arch::BlockChoice best;                                   // as cudaOccupancyMaxPotentialBlockSize
  uint32_t cluster = 0, clusters = 0, largest_cluster = 0;  // clusters at once on the GPU
  std::vector<OccupancyCurve> curves;                       // block size, registers, shared memory
};

// Throws Error as Device and ptx::load_module do; a kernel whose target the GPU lacks is a refusal instead.
OccupancyReport occupancy_report(const std::string& config, const OccupancyQuery& query);

// The same from numbers, for a configuration at hand.
OccupancyReport occupancy_report(const arch::GpuConfig& gpu, const arch::KernelResources& resources,
                                 uint32_t cluster = 0);

// A value of a curve's axis as labels have it: "48K" of bytes.
std::string curve_number(const OccupancyCurve& curve, uint32_t x);
std::string occupancy_text(const OccupancyReport& report, bool curves);  // with the curves as terminal plots
std::string occupancy_json(const std::vector<OccupancyReport>& reports);
// The curves side by side, a line a GPU. For a browser, and self-contained.
std::string occupancy_svg(const std::vector<OccupancyReport>& reports);

}  // namespace gpuloom::sim
