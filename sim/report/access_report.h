// SPDX-License-Identifier: Apache-2.0
// What `gpuloom analyze` finds: how each memory instruction of a kernel uses sectors and banks. Filled by
// sim/runtime/access_analysis.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuloom {

// Sums over all requests (executions by a warp with at least one lane) of one instruction, or of several
// where the machine program joins adjacent accesses into one.
struct AccessCounts {
  uint64_t requests = 0;
  uint64_t lanes = 0;  // lanes that took part
  uint64_t bytes = 0;  // that they asked for, shared words counted as often as asked for
  // Global and local memory: 32-byte sectors, and those that the same bytes would need side by side.
  uint64_t sectors = 0, ideal_sectors = 0;
  // Shared memory: passes through the data stage, those without conflicts, and the difference.
  uint64_t wavefronts = 0, ideal_wavefronts = 0, conflicts = 0;
  void add(const AccessCounts& more);
};

struct AccessSite {
  std::string operation;  // "ld.global", "cp.async", "ldmatrix"
  std::string space;      // "global", "shared", "local"; of an asynchronous copy the global side
  std::string file;       // of the source where the PTX has .loc, else of the PTX
  uint32_t line = 0, ptx_line = 0;
  uint32_t lane_bytes = 0;
  uint32_t joined = 1;  // PTX instructions that the machine program joins
  AccessCounts counts;
  uint32_t worst_sectors = 0;  // of one request
  uint32_t worst_degree = 0;   // passes that the busiest bank needs in one phase of the worst request
  std::vector<uint32_t>
      banks;  // of the worst request: distinct words asked of each bank; empty without conflicts
  std::vector<uint64_t> worst_addresses;  // of the worst request, lane by lane
  std::vector<std::string> hints;         // in plain words, what would make it better
};

struct AccessReport {
  std::string kernel, config;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t banks = 32, bank_bytes = 4;
  std::vector<AccessSite> sites;  // in the order of the PTX
  // Over the sites whose operation begins with `operation` and whose space is `space`.
  AccessCounts total(std::string_view operation, std::string_view space) const;
};

// Tables for the terminal: global and local accesses by sectors wasted, shared ones by conflicts. `most`:
// rows of each, 0 for all.
std::string access_text(const AccessReport& report, size_t most, size_t width = 0);
std::string access_json(const std::vector<AccessReport>& reports);
// kernel,file,line,ptx_line,operation,...: one line a site.
std::string access_csv(const std::vector<AccessReport>& reports);

}  // namespace gpuloom
