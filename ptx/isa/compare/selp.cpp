// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.6.3 selp
//
//   selp.type  d, a, b, c;     .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 }
//
// d = c ? a : b
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

OpClass op_of(const FormUse& use) { return use.type() == Type::kF32 ? OpClass::fsel : select_class(use); }

LaneFn selp(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b, bool c) -> T { return c ? a : b; }); });
}

}  // namespace

void register_compare_selp(IsaBuilder& isa) {
  isa.instruction("selp", "9.7.6.3", "Select between two values by a predicate.");
  isa.form("selp.type d, a, b, c:pred")
      .set(".type", ".b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64")
      .op(op_of)
      .meaning(selp);
}

}  // namespace gpuloom::ptx
