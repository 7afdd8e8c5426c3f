// SPDX-License-Identifier: Apache-2.0
// Facts of a case that are not a plain counter: opcode classes, what limits occupancy, the main stall reason.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "bench/validation/score.h"

namespace gpuloom::validation {

// The class of a machine opcode ("LDG.E", "UIADD3"): memory, integer, float (conversions and matrix
// included), or control (branches, barriers, fences, no-operations). What is in no other list counts as
// integer: moves, logic, special registers, shuffles and votes, the uniform datapath.
OpcodeClass opcode_class(std::string_view opcode);

// Sums per class of what both sides executed; empty where one side has no opcodes.
std::array<ScoreValue, kOpcodeClasses> class_values(const SiliconCase& silicon, const ReportKernel* kernel);

// Names of the smallest of launch__occupancy_limit_*: "warps", or "registers+warps" where two are equal.
struct LimiterPair {
  std::string silicon, simulated;
};
LimiterPair limiters(const SiliconCase& silicon, const ReportKernel* kernel);

// Reasons of smsp__average_warps_issue_stalled_*, largest first, at most two. `selected` is not a stall, and
// `not_selected` is one, as Nsight Compute's warp state section has it.
struct StallPair {
  std::string silicon_first, silicon_second, simulated;
};
StallPair main_stalls(const SiliconCase& silicon, const ReportKernel* kernel);

}  // namespace gpuloom::validation
