// SPDX-License-Identifier: Apache-2.0
// A parameter is not an instruction for ptxas but an operand in the constant bank; where it has to be loaded,
// the load belongs to its first user. So it stands behind a clock read that comes before that user (SASS of
// lat_ffma: S2UR CLOCKLO, LDC, FFMA; of lat_lop3, with a user in front: LDC, IMAD, S2UR CLOCKLO, LOP3).
#include <algorithm>
#include <numeric>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"

namespace gpuloom::ptx {

namespace {

bool reads(const Program& p, uint32_t i, Place place) {
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    if (p.refs[r].place.at == place.at) return true;
  }
  return false;
}

bool loads_parameter(const Instr& in) {
  const bool loads = in.kind == InstrKind::kPlain || in.kind == InstrKind::kLoad;
  return loads && in.space == Space::kParam && !in.guard.present() && in.vec == 1 && in.ops[1].present() &&
         in.ops[1].constant();
}

// The clock read of the block behind which the load at i belongs, or i.
uint32_t clock_before_use(const Program& p, const Block& block, uint32_t i) {
  uint32_t clock = i;
  for (uint32_t k = i + 1; k <= block.last; ++k) {
    if (reads(p, k, p.code[i].ops[0])) return clock;
    if (p.code[k].kind == InstrKind::kReadClock) clock = k;
  }
  return i;
}

}  // namespace

void load_parameters_behind_clocks(Program& p) {
  std::vector<uint32_t> order(p.code.size());
  std::iota(order.begin(), order.end(), 0);
  bool moved = false;
  for (const Block& block : p.blocks) {
    for (uint32_t i = block.last + 1; i-- > block.first;) {
      if (!loads_parameter(p.code[i])) continue;
      const uint32_t to = clock_before_use(p, block, i);
      if (to == i) continue;
      // `order` is by position: later loads that have moved stay behind the clock.
      const auto from = std::find(order.begin() + block.first, order.end(), i);
      const auto behind = std::find(order.begin() + block.first, order.end(), to) + 1;
      std::rotate(from, from + 1, behind);
      moved = true;
    }
  }
  if (moved) reorder(p, order);
}

}  // namespace gpuloom::ptx
