// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/long_loops.h"

namespace gpuloom::ptx {

// A loop is long where another block than its last branches. One that only exits does not.
std::vector<bool> behind_long_loops(const Program& program, const Flow& flow, uint32_t function) {
  const uint32_t first = flow.first_block[function], end = flow.first_block[function + 1];
  const auto branches = [&](uint32_t b) {
    return program.code[flow.blocks[b].last].kind == InstrKind::kBranch;
  };
  std::vector<bool> behind(end - first, false);
  std::vector<uint32_t> open;
  for (uint32_t latch = first; latch < end; ++latch) {
    for (const uint32_t header : flow.successors[latch]) {
      if (header > latch || header < first) continue;
      bool is_long = false;
      for (uint32_t b = header; b < latch; ++b) is_long = is_long || branches(b);
      if (is_long && !behind[header - first]) open.push_back(header);
    }
  }
  for (const uint32_t header : open) behind[header - first] = true;
  while (!open.empty()) {
    const uint32_t b = open.back();
    open.pop_back();
    for (const uint32_t next : flow.successors[b]) {
      if (next < first || next >= end || behind[next - first]) continue;
      behind[next - first] = true;
      open.push_back(next);
    }
  }
  return behind;
}

}  // namespace gpuloom::ptx
