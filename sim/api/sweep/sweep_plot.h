// SPDX-License-Identifier: Apache-2.0
// Pictures of a sweep's table.
#pragma once
#include <string>

#include "sim/api/sweep/sweep_table.h"

namespace gpuloom::sim {

struct SweepPlot {
  std::string svg;
  std::string name;     // of its file, without folder: "heatmap_banks_block_sm__cycles_elapsed.max.svg"
  std::string summary;  // a line of text: the best cell, or the points of the front
};

// "heatmap X Y VALUE": a cell for each pair of values of the axes X and Y, coloured by the mean of VALUE over
// everything else. "pareto X Y": every row as a dot, and the front of those that no other beats in both; less
// is better unless a name is written -NAME. X and Y of a front are any columns of numbers. Throws Error
// (kUsage) for anything else.
SweepPlot plot_sweep(const SweepTable& table, const std::string& request);

}  // namespace gpuloom::sim
