// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.7 sad
//
//   sad.type  d, a, b, c;     .type = { .u16, .u32, .u64, .s16, .s32, .s64 }
//
// d = c + |a - b|
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn sad(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, T b, T c) -> T { return numeric::sad(a, b, c); });
  });
}

}  // namespace

void register_integer_sad(IsaBuilder& isa) {
  isa.instruction("sad", "9.7.1.7", "Sum of absolute differences.");
  isa.form("sad.type d, a, b, c").set(".type", ".u16 .u32 .u64 .s16 .s32 .s64").op(OpClass::sad).meaning(sad);
}

}  // namespace gpuloom::ptx
