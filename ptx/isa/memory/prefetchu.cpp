// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.15 prefetchu
//
//   prefetchu.L1  [a];
#include "ptx/isa/memory/hint_lanes.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void prefetchu(Warp& w, const Instr& in, uint32_t lanes) { hint_lanes(w, in, lanes, 1); }
void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 0);
  in.aux = 1;
}

}  // namespace

void register_memory_prefetchu(IsaBuilder& isa) {
  isa.instruction("prefetchu", "9.7.9.15", "Prefetch a line into the uniform cache.");
  isa.form("prefetchu.L1 [a]")
      .kind(InstrKind::kLoad)
      .op(OpClass::ccctl)
      .encode(encode)
      .meaning(prefetchu)
      .since("2.0")
      .needs("sm_20");
}

}  // namespace gpuloom::ptx
