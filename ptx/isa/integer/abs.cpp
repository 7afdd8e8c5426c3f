// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.10 abs
//
//   abs.type  d, a;     .type = { .s16, .s32, .s64 }
//
// The smallest value stays what it is.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn abs(const FormUse& use) {
  return by_type<int16_t, int32_t, int64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> T { return numeric::abs_int(a); }); });
}

OpClass abs_class(const FormUse& use) { return by_bits(use, OpClass::iabs, OpClass::add64); }

}  // namespace

void register_integer_abs(IsaBuilder& isa) {
  isa.instruction("abs", "9.7.1.10", "Absolute value of an integer.");
  isa.form("abs.type d, a").set(".type", ".s16 .s32 .s64").op(abs_class).meaning(abs);
}

}  // namespace gpuloom::ptx
