// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.10 match.sync
//
//   match.any.sync.type  d, a, membermask;       .type = { .b32, .b64 }
//   match.all.sync.type  d[|p], a, membermask;
#include "ptx/exec/warp_sync.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T>
void match_any(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_members(w, in, lanes, in.ops[2]);
  if (lanes == 0) return;
  T a[32];
  std::memcpy(a, source<T>(w, in.ops[1]), sizeof a);
  uint32_t result[32];
  for_groups(w, lanes, in.ops[2], [&](uint32_t group, uint32_t) {
    for_lanes(group, [&](unsigned l) {
      uint32_t same = 0;
      for_lanes(group, [&](unsigned k) { same |= uint32_t(a[k] == a[l]) << k; });
      result[l] = same;
    });
  });
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for_lanes(lanes, [&](unsigned l) { d[l] = result[l]; });
}

template <class T>
void match_all(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_members(w, in, lanes, in.ops[3]);
  if (lanes == 0) return;
  T a[32];
  std::memcpy(a, source<T>(w, in.ops[2]), sizeof a);
  uint32_t result[32], all_equal = 0;
  for_groups(w, lanes, in.ops[3], [&](uint32_t group, uint32_t) {
    const T first = a[std::countr_zero(group)];
    bool equal = true;
    for_lanes(group, [&](unsigned l) { equal = equal && a[l] == first; });
    for_lanes(group, [&](unsigned l) { result[l] = equal ? group : 0; });
    if (equal) all_equal |= group;
  });
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for_lanes(lanes, [&](unsigned l) { d[l] = result[l]; });
  if (in.ops[1].present()) set_predicate(w, in.ops[1], lanes, all_equal);
}

LaneFn pick_any(const FormUse& use) {
  return bits(use.type()) == 64 ? static_cast<LaneFn>(match_any<uint64_t>) : match_any<uint32_t>;
}
LaneFn pick_all(const FormUse& use) {
  return bits(use.type()) == 64 ? static_cast<LaneFn>(match_all<uint64_t>) : match_all<uint32_t>;
}

FormBuilder common(FormBuilder form) {
  return form.set(".type", ".b32 .b64")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::match)
      .since("6.0")
      .needs("sm_70");
}

}  // namespace

void register_warp_match(IsaBuilder& isa) {
  isa.instruction("match", "9.7.13.10", "Find the threads of a warp that have the same value.");
  common(isa.form("match.any.sync.type d:b32, a, membermask:u32")).meaning(pick_any);
  common(isa.form("match.all.sync.type d:b32{|p}, a, membermask:u32")).meaning(pick_all);
}

}  // namespace gpuloom::ptx
