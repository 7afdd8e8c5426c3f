// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.14 popc
//
//   popc.type  d, a;     .type = { .b32, .b64 }     d is 32 bits wide
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn popc(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> uint32_t { return numeric::popc(a); }); });
}

OpClass popc_class(const FormUse& use) { return by_bits(use, OpClass::popc, OpClass::bits64); }

}  // namespace

void register_integer_popc(IsaBuilder& isa) {
  isa.instruction("popc", "9.7.1.14", "Population count.");
  isa.form("popc.type d:u32, a").set(".type", ".b32 .b64").since("2.0").op(popc_class).meaning(popc);
}

}  // namespace gpuloom::ptx
