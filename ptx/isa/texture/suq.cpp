// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.4 suq
//
//   suq.query.b32 d, [a];
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_suq(IsaBuilder& isa) {
  isa.instruction("suq", "9.7.11.4", "Query attributes of a surface.");
  isa.form("suq.query.b32 d, [a]")
      .set(".query",
           ".width .height .depth .channel_data_type .channel_order .array_size@4.1 .memory_layout@4.2")
      .since("1.5")
      .not_modelled("surfaces are not modelled yet");
}

}  // namespace gpuloom::ptx
