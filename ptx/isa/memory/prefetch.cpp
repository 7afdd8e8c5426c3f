// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.15 prefetch
//
//   prefetch{.space}.level                    [a];    .space = { .global, .local }, .level = { .L1, .L2 }
//   prefetch.global.level::eviction_priority  [a];    { .L2::evict_last, .L2::evict_normal }
//   prefetch{.tensormap_space}.tensormap      [a];    { .const, .param }
//
// Instr::aux: 1 or 2, the cache level.
#include "ptx/isa/memory/hint_lanes.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void prefetch(Warp& w, const Instr& in, uint32_t lanes) {
  if (in.space == Space::kLocal) {
    w.access.op = AccessOp::kNone;
    return;
  }
  hint_lanes(w, in, lanes, 1);
}

void nothing(Warp&, const Instr&, uint32_t) {}

void encode(const FormUse& use, Instr& in) {
  MemoryFlags f = memory_flags(use, 0);
  if (use.has(".L2::evict_last")) f.l2_eviction = Eviction::kLast;
  in.target = f.pack();
  in.aux = use.has(".L1") ? 1 : 2;
}

FormBuilder common(FormBuilder form) {
  return form.kind(InstrKind::kLoad).op(OpClass::ccctl).encode(encode).meaning(prefetch);
}

}  // namespace

void register_memory_prefetch(IsaBuilder& isa) {
  isa.instruction("prefetch", "9.7.9.15", "Prefetch a line into a cache.");
  common(isa.form("prefetch{.space}.level [a]"))
      .set(".space", ".global .local")
      .set(".level", ".L1 .L2")
      .since("2.0")
      .needs("sm_20");
  common(isa.form("prefetch.global.level::eviction_priority [a]"))
      .set(".level::eviction_priority", ".L2::evict_last .L2::evict_normal")
      .since("7.4")
      .needs("sm_80");
  isa.form("prefetch{.space}.tensormap [a]")
      .set(".space", ".const .param .param::entry")
      .op(OpClass::ccctl)
      .since("8.0")
      .needs("sm_90")
      .kind(InstrKind::kPlain)
      .meaning(nothing);  // copies read their map at issue, without cost
}

}  // namespace gpuloom::ptx
