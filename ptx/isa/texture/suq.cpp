// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.4 suq
//
//   suq.query.b32 d, [a];
#include "ptx/exec/texture/query.h"
#include "ptx/isa/texture/texture_use.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) {
  in.aux = static_cast<uint8_t>(texture_query_named(use.mod(".query").substr(1)));
  in.space = Space::kTex;
}

}  // namespace

void register_texture_suq(IsaBuilder& isa) {
  isa.instruction("suq", "9.7.11.4", "Query attributes of a surface.");
  isa.form("suq.query.b32 d, [a]")
      .set(".query",
           ".width .height .depth .channel_data_type .channel_order .array_size@4.1 .memory_layout@4.2")
      .since("1.5")
      .kind(InstrKind::kLoad)
      .op(OpClass::tex)
      .encode(encode)
      .meaning(surface_query);
}

}  // namespace gpuloom::ptx
