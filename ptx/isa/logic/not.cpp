// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.4 not
//
//   not.type  d, a;     .type = { .pred, .b16, .b32, .b64 }
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn complement(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> T { return static_cast<T>(~a); }); });
}

constexpr LaneFn kPredicate = on_masks([](uint32_t a) { return ~a; });

}  // namespace

void register_logic_not(IsaBuilder& isa) {
  isa.instruction("not", "9.7.8.4", "Bitwise negation.");
  isa.form("not.type d, a").set(".type", ".b16 .b32 .b64").op(logic_class).meaning(complement);
  isa.form("not.type d, a").set(".type", ".pred").op(OpClass::plop3).meaning(kPredicate);
}

}  // namespace gpuloom::ptx
