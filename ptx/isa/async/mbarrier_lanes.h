// SPDX-License-Identifier: Apache-2.0
// What the mbarrier instructions share: the object's address in each lane.
#pragma once
#include <string>
#include <string_view>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/check/checks.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {

// Calls f(lane, place) for each lane, in order. `operand` is the address; generic addresses must be shared.
template <class F>
inline void for_mbarriers(Warp& w, const Instr& in, uint32_t lanes, unsigned operand, bool initialised,
                          F&& f) {
  lane_addresses(w, in, in.ops[operand], lanes, 8);
  w.access.op = AccessOp::kAtomic;
  w.access.space = Space::kShared;
  w.access.mixed_spaces = false;
  w.access.lane_bytes = 8;
  w.access.lanes = lanes;
  w.simt.polled = true;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t at = shared_address(w, in, l, in.space == Space::kGeneric, w.access.address[l]);
    w.access.address[l] = at;
    const MbarrierPlace m = mbarrier_at(w, in, l, at, initialised);
    if (Checks* checks = w.launch->checks; checks != nullptr && initialised)
      checks->mbarrier_used(w, in, l, m);
    f(l, m);
  });
}

constexpr std::string_view kOwnShared = ".shared .shared::cta@7.8";
constexpr std::string_view kAnyShared = ".shared .shared::cta@7.8 .shared::cluster@8.0,sm_90";

inline FormBuilder mbarrier_form(FormBuilder form) {
  return form.kind(InstrKind::kMbarrier).op(OpClass::syncs).since("7.0").needs("sm_80");
}

}  // namespace gpuloom::ptx
