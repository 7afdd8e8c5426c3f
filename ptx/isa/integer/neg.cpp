// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.11 neg
//
//   neg.type  d, a;     .type = { .s16, .s32, .s64 }
//
// The smallest value stays what it is.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn neg(const FormUse& use) {
  return by_type<int16_t, int32_t, int64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> T { return numeric::wrap_sub(T{0}, a); }); });
}

OpClass neg_class(const FormUse& use) { return by_bits(use, OpClass::iadd, OpClass::add64); }

}  // namespace

void register_integer_neg(IsaBuilder& isa) {
  isa.instruction("neg", "9.7.1.11", "Negate an integer.");
  isa.form("neg.type d, a").set(".type", ".s16 .s32 .s64").op(neg_class).meaning(neg);
}

}  // namespace gpuloom::ptx
