// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/long_loops.h"

namespace gpuloom::ptx {

// A loop is long where another block than its last branches. One that only exits does not.
LongLoops::LongLoops(const Program& program, const Flow& flow, uint32_t function)
    : first_(flow.first_block[function]), passed_(flow.first_block[function + 1] - first_) {
  const auto branches = [&](uint32_t b) {
    return program.code[flow.blocks[b].last].kind == InstrKind::kBranch;
  };
  for (uint32_t latch = first_; latch < first_ + passed_.size(); ++latch) {
    for (const uint32_t header : flow.successors[latch]) {
      if (header > latch || header < first_) continue;
      bool is_long = false;
      for (uint32_t b = header; b < latch && !is_long; ++b) is_long = branches(b);
      if (is_long) pass(flow, header);
    }
  }
}

void LongLoops::pass(const Flow& flow, uint32_t header) {
  const uint32_t number = header - first_;
  std::vector<uint32_t> open{header};
  while (!open.empty()) {
    const uint32_t b = open.back();
    open.pop_back();
    if (b < first_ || b >= first_ + passed_.size() || passed_[b - first_].has(number)) continue;
    passed_[b - first_].add(number);
    open.insert(open.end(), flow.successors[b].begin(), flow.successors[b].end());
  }
}

bool LongLoops::keeps(uint32_t from, uint32_t to) const {
  bool all = true;
  passed_[to - first_].for_each([&](uint32_t header) { all = all && passed_[from - first_].has(header); });
  return all;
}

}  // namespace gpuloom::ptx
