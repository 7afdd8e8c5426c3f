// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.19 bfe
//
//   bfe.type  d, a, b, c;     .type = { .u32, .u64, .s32, .s64 }
//
// The field of c bits from bit b of a, extended by zeros or the field's top bit. b and c are 32 bits wide and
// count modulo 256.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

// ptxas 13.0 folds a signed field with constant position and length that begins beyond the value to all ones,
// where the manual (and the instruction with registers) gives copies of the sign bit. Measured on the H200
// (conformance case bfe.s32.imm_60_10); programs see what ptxas made of them.
bool folds_to_ones(const FormUse& use) {
  const Operand &position = use.operand(2), &length = use.operand(3);
  return use.type() == Type::kS32 && position.kind == OperandKind::kImmediate &&
         length.kind == OperandKind::kImmediate && (position.value & 255) > 31 && (length.value & 255) != 0;
}

LaneFn bfe(const FormUse& use) {
  if (folds_to_ones(use)) return per_lane([](int32_t, uint32_t, uint32_t) -> int32_t { return -1; });
  return by_type<uint32_t, int32_t, uint64_t, int64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, uint32_t b, uint32_t c) -> T { return numeric::bfe(a, b, c); });
  });
}

}  // namespace

void register_integer_bfe(IsaBuilder& isa) {
  isa.instruction("bfe", "9.7.1.19", "Bit field extract.");
  isa.form("bfe.type d, a, b:u32, c:u32")
      .set(".type", ".u32 .u64 .s32 .s64")
      .since("2.0")
      .op(OpClass::bitfield)
      .meaning(bfe);
}

}  // namespace gpuloom::ptx
