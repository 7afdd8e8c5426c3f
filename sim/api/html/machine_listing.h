// SPDX-License-Identifier: Apache-2.0
// The machine operations that stand for each line of PTX, and the calculator's curves of a launch: what can
// be worked out again from the PTX and the configuration of a result.
#pragma once
#include <nlohmann/json.hpp>

#include "sim/api/html/page_run.h"

namespace gpuloom::sim {

// {kernel: {"ptx line": ["LDG R4 <- R2  ...", ...]}}. A kernel is left out where its lowering is not the one
// that ran: another number of registers. What cannot be lowered is said in run.missing.
nlohmann::ordered_json machine_listing(PageRun& run);

// A list for each launch of the result: [{name, unit, now, points: [[x, blocks, percent]...]}]. Empty where
// the calculator does not give the occupancy that the result has.
nlohmann::ordered_json occupancy_curves(const PageRun& run);

}  // namespace gpuloom::sim
