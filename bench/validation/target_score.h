// SPDX-License-Identifier: Apache-2.0
// Lowered code for several targets beside what ptxas makes of the same PTX for each
// (bench/silicon/lowering/targets.py). A random half of the kernels is unseen: nobody tunes on it, and no
// line of it is printed.
#pragma once
#include <string>
#include <vector>

#include "bench/validation/lowering_score.h"

namespace gpuloom::validation {

// One half of one target's kernels.
struct TargetHalf {
  std::string target;  // "sm_80"
  bool unseen = false;
  std::vector<LoweredKernel> kernels;
  unsigned lowered = 0;
  double median_error = 0;  // of static instructions, percent
  // Shares of the lowered kernels, percent: instructions within 10 %, registers within 15 %, the same limiter
  // of occupancy (blocks of 256 threads), spills in both or in neither.
  double instructions_near = 0, registers_near = 0, limiter_equal = 0, spills_equal = 0;
};

// Both halves of each target. `suite` has lowering/targets/{tuned,unseen}/<target>.csv and the PTX that they
// name; the configuration is cc/<target>. Throws Error for a target without a table.
std::vector<TargetHalf> score_lowering_targets(const std::string& suite,
                                               const std::vector<std::string>& targets,
                                               const std::vector<std::string>& patterns);

// The targets of which the suite has tables, in the order of their numbers.
std::vector<std::string> lowering_targets(const std::string& suite);

// A line a half, with what must be reached above.
std::string lowering_targets_text(const std::vector<TargetHalf>& halves);
std::string lowering_targets_page(const std::vector<TargetHalf>& halves);

}  // namespace gpuloom::validation
