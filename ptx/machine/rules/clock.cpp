// SPDX-License-Identifier: Apache-2.0
// A clock is the same for all lanes. Of two that are subtracted one can stand in a uniform register: the
// first comes with S2UR, the last with CS2R (SASS of lat_*, rate_*).
#include <algorithm>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_clock(const Selection& s, uint32_t i) { return s.instr(i).kind == InstrKind::kReadClock; }

bool is_last_clock(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  return std::none_of(p.code.begin() + i + 1, p.code.begin() + p.functions[s.function()].end,
                      [](const Instr& in) { return in.kind == InstrKind::kReadClock; });
}

void apply_clock(const Selection& s, Emitter& out, uint32_t i) {
  out.sequence({OpClass::cs2r});
  const RowFacts* result = s.single_result(i);
  const Place place = s.instr(i).ops[0];
  if (result == nullptr || (!s.needs_low_word(place) && s.bytes_of(place) != 4)) return;
  out.result().words = 1;
  const bool arithmetic =
      !result->uses.empty() && std::all_of(result->uses.begin(), result->uses.end(), [&](const auto& use) {
        return s.instr(use.first).kind == InstrKind::kPlain;
      });
  if (is_last_clock(s, i) || !arithmetic || !s.profile().uniform_datapath) return;
  out.last().op = OpClass::s2r;
  out.last().uniform = out.result().uniform = true;
}

}  // namespace

extern const Rule kClock{"clock", match_clock, apply_clock};

}  // namespace gpuloom::ptx
