// SPDX-License-Identifier: Apache-2.0
// Where a kernel's cycles go, as parts that sum to the whole: cycles in which a sub-core issues, cycles in
// which it has warps and issues nothing (shared among the reasons for which they wait), cycles without a
// warp.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/result.h"

namespace gpuloom::sim {

struct CpiPart {
  std::string name;     // "issue", a stall reason, "no_warp"
  double cycles = 0;    // of the kernel's elapsed ones
  double per_inst = 0;  // of a sub-core, for each warp instruction that it issues
};

struct CpiStack {
  double cycles = 0;           // elapsed
  double cpi = 0;              // sub-core cycles for each warp instruction
  std::vector<CpiPart> parts;  // issue, reasons by size, no_warp; their cycles sum to `cycles`
};

CpiStack cpi_stack(const ReportKernel& kernel);

}  // namespace gpuloom::sim
