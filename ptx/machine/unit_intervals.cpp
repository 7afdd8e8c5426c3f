// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/unit_intervals.h"

#include <algorithm>

#include "ptx/isa/table/op_traits.h"

namespace gpuloom::ptx {

UnitIntervals::UnitIntervals(const Graph& g, const std::vector<Node>& nodes) {
  const uint16_t most = g.model->profile.spacing.matrix;
  for (const Node& n : nodes) {
    const OpLatency& row = g.model->latency[static_cast<size_t>(n.op)];
    alu_.push_back(n.uniform ? 0 : row.alu_interval);
    matrix_.push_back(is(n.op, kMultipliesMatrices) ? std::min<uint16_t>(row.interval, most) : 0);
    kinds_.push_back(n.loads               ? ReadyQueue::kLoads
                     : alu_.back() != 0    ? ReadyQueue::kAlu
                     : matrix_.back() != 0 ? ReadyQueue::kMatrix
                                           : ReadyQueue::kQuiet);
  }
}

uint32_t UnitIntervals::when_free(uint32_t node, const Busy& busy) const {
  return std::max(alu_[node] != 0 ? busy.alu : 0, matrix_[node] != 0 ? busy.matrix : 0);
}

void UnitIntervals::take(uint32_t node, uint32_t now, Busy& busy) const {
  if (alu_[node] != 0) busy.alu = now + alu_[node];
  if (matrix_[node] != 0) busy.matrix = now + matrix_[node];
}

// The ALU takes an operation every second cycle: others come in between (SASS of rate_mix: FFMA, LEA, FFMA,
// LEA where both are ready), but no load, for the registers' sake. Between multiplications of matrices
// anything does (SASS of CUTLASS's multistage products: one to four operations between two HMMA, LDSM and
// LDGSTS among them, and the stall counts from HMMA to HMMA sum to its interval).
unsigned UnitIntervals::fillers(uint32_t node, const Busy& busy, uint32_t now) const {
  constexpr unsigned kQuiet = 1u << ReadyQueue::kQuiet, kAlu = 1u << ReadyQueue::kAlu;
  constexpr unsigned kLoads = 1u << ReadyQueue::kLoads, kMatrix = 1u << ReadyQueue::kMatrix;
  const bool alu = busy.alu > now, matrix = busy.matrix > now;
  if (alu && alu_[node] != 0) return kQuiet | (matrix ? 0 : kMatrix);
  if (matrix && matrix_[node] != 0) return kQuiet | kLoads | (alu ? 0 : kAlu);
  return 0;
}

}  // namespace gpuloom::ptx
