// SPDX-License-Identifier: Apache-2.0
// Dominators and loops of a function, as code order shows them: nvcc lays loops out in one piece, header
// first.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

constexpr uint32_t kNoLoop = UINT32_MAX;

// By block: how much it counts, 8 times as much for each loop around it, of six at most (a guess).
std::vector<double> loop_weights(const Flow& flow);

class LoopNest {
 public:
  LoopNest(const Flow& flow, uint32_t function);

  uint32_t first() const { return first_; }
  uint32_t end() const { return end_; }
  bool dominates(uint32_t a, uint32_t b) const { return common(a, b) == a; }
  uint32_t dominator(uint32_t b) const { return idom_[b - first_]; }  // the next one

  // The loop around b that has no loop inside, by its first block, or kNoLoop.
  uint32_t leaf(uint32_t b) const { return leaf_[b - first_]; }
  // The innermost loop around b that has loops inside, or kNoLoop.
  uint32_t nest(uint32_t b) const { return nest_[b - first_]; }
  // The block before the leaf loop around b; b itself where there is none.
  uint32_t before_leaf(uint32_t b) const;
  // Whether each iteration of the leaf loop around b comes through b.
  bool always_runs(uint32_t b) const;

 private:
  uint32_t common(uint32_t a, uint32_t b) const;
  void find_dominators();
  void find_loops();

  const Flow& flow_;
  uint32_t first_, end_;
  std::vector<uint32_t> idom_, latch_, leaf_, nest_;  // latch: by header; kNoLoop where there is none
};

}  // namespace gpuloom::ptx
