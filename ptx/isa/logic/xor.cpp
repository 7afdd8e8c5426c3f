// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.3 xor
//
//   xor.type  d, a, b;     .type = { .pred, .b16, .b32, .b64 }
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn bitwise(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return a ^ b; }); });
}

constexpr LaneFn kPredicates = on_masks([](uint32_t a, uint32_t b) { return a ^ b; });

}  // namespace

void register_logic_xor(IsaBuilder& isa) {
  isa.instruction("xor", "9.7.8.3", "Bitwise exclusive OR.");
  isa.form("xor.type d, a, b").set(".type", ".b16 .b32 .b64").op(logic_class).meaning(bitwise);
  isa.form("xor.type d, a, b").set(".type", ".pred").op(OpClass::plop3).meaning(kPredicates);
}

}  // namespace gpuloom::ptx
