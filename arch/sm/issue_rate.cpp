// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/issue_rate.h"

#include <algorithm>

namespace gpuloom::arch {

double issue_rate(const SmConfig& sm, ptx::OpClass op) {
  const Operation& row = sm.operation(op);
  // A composite class takes its steps one after another; the sequence of a primitive one is itself.
  if (!row.sequence.empty() && (row.sequence.size() > 1 || row.sequence[0] != op)) {
    double cycles = 0;
    for (const ptx::OpClass step : row.sequence)
      if (const double rate = issue_rate(sm, step); rate > 0) cycles += 1 / rate;
    return cycles > 0 ? 1 / cycles : 0;
  }
  if (row.pipe == Pipe::kNone || row.interval == 0) return 0;
  const auto of_pipe = [&](Pipe pipe) {
    if (pipe == Pipe::kNone) return 0.0;
    const double units = sm.pipes[static_cast<size_t>(pipe)].shared ? 1 : sm.sub_cores;
    return units / row.interval;
  };
  return std::min<double>(sm.sub_cores, of_pipe(row.pipe) + of_pipe(row.also));
}

}  // namespace gpuloom::arch
