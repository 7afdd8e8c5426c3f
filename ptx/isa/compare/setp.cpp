// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.6.2 setp
//
//   setp.CmpOp{.ftz}.type         p[|q], a, b;
//   setp.CmpOp.BoolOp{.ftz}.type  p[|q], a, b, {!}c;
//     .CmpOp  = { .eq, .ne, .lt, .le, .gt, .ge,                     all but .b types, which have .eq and .ne
//                 .lo, .ls, .hi, .hs,                               unsigned
//                 .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan }  floating point
//     .BoolOp = { .and, .or, .xor }
//     .type   = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 }
//
// t = a CmpOp b;  p = t BoolOp c;  q = !t BoolOp c
#include "ptx/isa/compare/compare.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void store(Warp& w, const Instr& in, uint32_t lanes, uint32_t holds) {
  const uint32_t p = combine(w, in, holds, in.ops[4]);
  const uint32_t q = combine(w, in, ~holds, in.ops[4]);
  if (in.ops[0].present()) set_predicate(w, in.ops[0], lanes, p);
  if (in.ops[1].present()) set_predicate(w, in.ops[1], lanes, q);
}

template <class F, class T>
void compare_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  store(w, in, lanes, lane::mask_of<F>(lane::Source<T>(w, in.ops[2]), lane::Source<T>(w, in.ops[3])));
}

template <class F, class C, class T>
constexpr LaneFn loop_of(bool (C::*)(T, T) const) {
  return compare_lanes<F, T>;
}

LaneFn setp(const FormUse& use) {
  return by_comparison(use, use.type(), []<class F>(F) { return loop_of<F>(&F::operator()); });
}

OpClass setp_class(const FormUse& use) {
  switch (use.type()) {
    case Type::kF32:
      return OpClass::fsetp;
    case Type::kF64:
      return OpClass::dsetp;
    default:
      return bits(use.type()) == 64 ? OpClass::setp64 : OpClass::isetp;
  }
}

void forms(IsaBuilder& isa, const char* types, const char* comparisons, bool ftz) {
  const std::string flush = ftz ? "{.ftz}" : "";
  isa.form("setp.CmpOp" + flush + ".type p:pred{|q}, a, b")
      .set(".CmpOp", comparisons)
      .set(".type", types)
      .op(setp_class)
      .encode(encode_bool_op)
      .meaning(setp);
  isa.form("setp.CmpOp.BoolOp" + flush + ".type p:pred{|q}, a, b, {!}c:pred")
      .set(".CmpOp", comparisons)
      .set(".BoolOp", ".and .or .xor")
      .set(".type", types)
      .op(setp_class)
      .encode(encode_bool_op)
      .meaning(setp);
}

}  // namespace

void register_compare_setp(IsaBuilder& isa) {
  isa.instruction("setp", "9.7.6.2", "Compare, and combine the result with a predicate.");
  forms(isa, ".b16 .b32 .b64", kBitComparisons, false);
  forms(isa, ".u16 .u32 .u64", kUnsignedComparisons, false);
  forms(isa, ".s16 .s32 .s64", kSignedComparisons, false);
  forms(isa, ".f32", kFloatComparisons, true);
  forms(isa, ".f64", kFloatComparisons, false);
}

}  // namespace gpuloom::ptx
