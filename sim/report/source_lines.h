// SPDX-License-Identifier: Apache-2.0
// Counters by source line as text: a row a line of the source, its PTX instructions below.
#pragma once
#include <string>

#include "sim/report/result.h"

namespace gpuloom {

// Sorted by what warps waited (by executions where time was not simulated). A line is shown if it has a
// share of any column that counts; the others are summed up. "" where there are no lines.
std::string source_lines_text(const ReportKernel& kernel, size_t width = 0);

}  // namespace gpuloom
