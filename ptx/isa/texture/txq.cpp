// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.5 txq
//
//   txq.query.b32 d, [a];
//   txq.level.query.b32 d, [a], lod;
#include "ptx/exec/texture/query.h"
#include "ptx/isa/texture/texture_use.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) {
  in.aux = static_cast<uint8_t>(texture_query_named(use.mod(".query").substr(1)));
  in.target = use.has(".level") ? 1 : 0;
  in.space = Space::kTex;
}

FormBuilder common(FormBuilder form) {
  return form.kind(InstrKind::kLoad).op(OpClass::tex).encode(encode).meaning(texture_query);
}

}  // namespace

void register_texture_txq(IsaBuilder& isa) {
  isa.instruction("txq", "9.7.10.5", "Query attributes of a texture or sampler.");
  common(isa.form("txq.query.b32 d, [a]"))
      .set(".query",
           ".width .height .depth .channel_data_type .channel_order .normalized_coords .array_size@4.1 "
           ".num_mipmap_levels@4.1 .num_samples@4.1 .force_unnormalized_coords .filter_mode .addr_mode_0 "
           ".addr_mode_1 .addr_mode_2")
      .since("1.5");
  common(isa.form("txq.level.query.b32 d, [a], lod:b32")).set(".query", ".width .height .depth").since("3.1");
}

}  // namespace gpuloom::ptx
