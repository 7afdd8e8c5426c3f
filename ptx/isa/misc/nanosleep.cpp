// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.19.3 nanosleep
//
//   nanosleep.u32  t;
//
// Suspends the thread for between 0 and 2t nanoseconds; ours is t, the longest of the lanes that execute it.
#include <algorithm>

#include "ptx/exec/memory_path.h"
#include "ptx/exec/yield.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void nanosleep(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t* t = source<uint32_t>(w, in.ops[0]);
  uint32_t longest = 0;
  for_lanes(lanes, [&](unsigned l) { longest = std::max(longest, t[l]); });
  // Lanes of the same warp go on meanwhile, those at meeting points too (`sleeps` of
  // bench/silicon/probes/locks).
  if (yield_to_all(w)) return;
  w.simt.polled = true;
  w.sleep_ns = longest;
  w.wait = Wait::kSleep;
}

}  // namespace

void register_misc_nanosleep(IsaBuilder& isa) {
  isa.instruction("nanosleep", "9.7.19.3", "Suspend the thread for a while.");
  isa.form("nanosleep.u32 t")
      .kind(InstrKind::kSleep)
      .op(OpClass::nanosleep)
      .meaning(nanosleep)
      .since("6.3")
      .needs("sm_70");
}

}  // namespace gpuloom::ptx
