// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.5 txq
//
//   txq.query.b32 d, [a];
//   txq.level.query.b32 d, [a], lod;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_txq(IsaBuilder& isa) {
  isa.instruction("txq", "9.7.10.5", "Query attributes of a texture or sampler.");
  isa.form("txq.query.b32 d, [a]")
      .set(".query",
           ".width .height .depth .channel_data_type .channel_order .normalized_coords .array_size@4.1 "
           ".num_mipmap_levels@4.1 .num_samples@4.1 .force_unnormalized_coords .filter_mode .addr_mode_0 "
           ".addr_mode_1 .addr_mode_2")
      .since("1.5")
      .not_modelled("textures are not modelled yet");
  isa.form("txq.level.query.b32 d, [a], lod:b32")
      .set(".query", ".width .height .depth")
      .since("3.1")
      .not_modelled("textures are not modelled yet");
}

}  // namespace gpuloom::ptx
