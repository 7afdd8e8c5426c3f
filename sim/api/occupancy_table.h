// SPDX-License-Identifier: Apache-2.0
// Rows of inputs and answers of NVIDIA's occupancy calculator, compared with ours.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gpuloom::sim {

struct OccupancyTable {
  size_t rows = 0;
  std::map<std::string, size_t> capabilities;  // rows by column `cc`
  struct Difference {
    size_t line = 0;  // of the file, the heading being 1
    std::string row;
    std::string what;  // "lim_regs is 3, ours 4; active is 3, ours 4"
  };
  std::vector<Difference> differences;  // one a row
};

// Reads a CSV (plain or .gz) whose heading names its columns. The inputs are cc (90 for 9.0), block, regs,
// smem_static, smem_dyn, carveout (percent, -1 for none) and bars. Any of the answers active, lim_warps,
// lim_regs, lim_smem, lim_blocks, lim_bars, alloc_regs, alloc_smem are compared. Inputs that are
// absent are 0, carveout -1, bars 1. Limits come from configs/cc/sm_<cc>. Throws Error (kInput) with the line
// for a malformed file.
OccupancyTable compare_occupancy_table(const std::string& path);

}  // namespace gpuloom::sim
