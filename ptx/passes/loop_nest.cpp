// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/loop_nest.h"

#include <algorithm>
#include <cmath>

namespace gpuloom::ptx {

LoopNest::LoopNest(const Flow& flow, uint32_t function)
    : flow_(flow), first_(flow.first_block[function]), end_(flow.first_block[function + 1]) {
  if (first_ == end_) return;
  find_dominators();
  find_loops();
}

// Blocks are in code order; a dominator comes before what it dominates (Cooper, Harvey, Kennedy 2001).
void LoopNest::find_dominators() {
  idom_.assign(end_ - first_, UINT32_MAX);
  idom_[0] = first_;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = first_ + 1; b < end_; ++b) {
      uint32_t dom = UINT32_MAX;
      for (const uint32_t p : flow_.predecessors[b]) {
        if (p < first_ || p >= end_ || idom_[p - first_] == UINT32_MAX) continue;
        dom = dom == UINT32_MAX ? p : common(dom, p);
      }
      if (dom == idom_[b - first_] || dom == UINT32_MAX) continue;
      idom_[b - first_] = dom;
      again = true;
    }
  }
}

uint32_t LoopNest::common(uint32_t a, uint32_t b) const {
  // Where code order is not a dominance order the entry is always right.
  for (uint32_t steps = 0; a != b; ++steps) {
    uint32_t& later = a > b ? a : b;
    const uint32_t up = idom_[later - first_];
    if (up >= later || steps > 2 * (end_ - first_)) return first_;
    later = up;
  }
  return a;
}

void LoopNest::find_loops() {
  latch_.assign(end_ - first_, kNoLoop);
  leaf_.assign(end_ - first_, kNoLoop);
  nest_.assign(end_ - first_, kNoLoop);
  for (uint32_t header = first_; header < end_; ++header) {
    for (const uint32_t p : flow_.predecessors[header]) {
      uint32_t& latch = latch_[header - first_];
      if (p >= header && p < end_) latch = latch == kNoLoop ? p : std::max(latch, p);
    }
  }
  for (uint32_t header = first_; header < end_; ++header) {
    const uint32_t latch = latch_[header - first_];
    if (latch == kNoLoop) continue;
    const auto inside = latch_.begin() + (header - first_);
    const bool is_nest =
        std::any_of(inside + 1, inside + (latch - header) + 1, [](uint32_t l) { return l != kNoLoop; });
    // Headers in code order: an inner loop comes behind its outer one.
    for (uint32_t b = header; b <= latch; ++b) (is_nest ? nest_ : leaf_)[b - first_] = header;
  }
}

std::vector<double> loop_weights(const Flow& flow) {
  constexpr double kPerLoop = 8;
  constexpr uint32_t kMostLoops = 6;
  std::vector<uint32_t> depth(flow.predecessors.size(), 0);
  for (uint32_t header = 0; header < depth.size(); ++header) {
    for (const uint32_t latch : flow.predecessors[header]) {
      for (uint32_t b = header; latch >= header && b <= latch; ++b) ++depth[b];
    }
  }
  std::vector<double> weights;
  for (const uint32_t loops : depth) weights.push_back(std::pow(kPerLoop, std::min(loops, kMostLoops)));
  return weights;
}

uint32_t LoopNest::before_leaf(uint32_t b) const {
  const uint32_t header = leaf(b);
  return header == kNoLoop || header == first_ ? b : idom_[header - first_];
}

bool LoopNest::always_runs(uint32_t b) const {
  const uint32_t header = leaf(b);
  return header == kNoLoop || dominates(b, latch_[header - first_]);
}

}  // namespace gpuloom::ptx
