// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.6.2 and 9.7.7.2 setp
//
//   setp.CmpOp{.ftz}.type         p[|q], a, b;
//   setp.CmpOp.BoolOp{.ftz}.type  p[|q], a, b, {!}c;
//     .CmpOp  = { .eq, .ne, .lt, .le, .gt, .ge,                     all but .b types, which have .eq and .ne
//                 .lo, .ls, .hi, .hs,                               unsigned
//                 .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan }  floating point
//     .BoolOp = { .and, .or, .xor }
//     .type   = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64,
//                 .f16, .bf16,                                      one destination only
//                 .f16x2, .bf16x2 }                                 p for the lower half, q for the upper
//
// t = a CmpOp b;  p = t BoolOp c;  q = !t BoolOp c
#include "ptx/isa/compare/compare.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class F, class T>
void compare(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t t = lane::mask_of<F>(lane::Source<T>(w, in.ops[2]), lane::Source<T>(w, in.ops[3]));
  const uint32_t p = combine(w, in, t, in.ops[4]);
  const uint32_t q = combine(w, in, ~t, in.ops[4]);
  if (in.ops[0].present()) set_predicate(w, in.ops[0], lanes, p);
  if (in.ops[1].present()) set_predicate(w, in.ops[1], lanes, q);
}

// A single destination: the places are p, a, b, c.
template <class F, class T>
void compare_one(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t t = lane::mask_of<F>(lane::Source<T>(w, in.ops[1]), lane::Source<T>(w, in.ops[2]));
  set_predicate(w, in.ops[0], lanes, combine(w, in, t, in.ops[3]));
}

template <class F>
void compare_pairs(Warp& w, const Instr& in, uint32_t lanes) {
  const uint16_t* a = source<uint16_t>(w, in.ops[2]);
  const uint16_t* b = source<uint16_t>(w, in.ops[3]);
  uint32_t lower = 0, upper = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    lower |= static_cast<uint32_t>(F{}(a[2 * l], b[2 * l])) << l;
    upper |= static_cast<uint32_t>(F{}(a[2 * l + 1], b[2 * l + 1])) << l;
  }
  const uint32_t p = combine(w, in, lower, in.ops[4]);
  const uint32_t q = combine(w, in, upper, in.ops[4]);
  if (in.ops[0].present()) set_predicate(w, in.ops[0], lanes, p);
  if (in.ops[1].present()) set_predicate(w, in.ops[1], lanes, q);
}

template <class F, class C, class T>
constexpr LaneFn loop_of(bool (C::*)(T, T) const, Type type) {
  if constexpr (std::is_same_v<T, uint16_t>) {
    if (type == Type::kF16x2 || type == Type::kBf16x2) return compare_pairs<F>;
    if (type == Type::kF16 || type == Type::kBf16) return compare_one<F, T>;
  }
  return compare<F, T>;
}

LaneFn setp(const FormUse& use) {
  return by_comparison(use, use.type(),
                       [&]<class F>(F) -> LaneFn { return loop_of<F>(&F::operator(), use.type()); });
}

OpClass setp_class(const FormUse& use) { return comparison_class(use.type()); }

// By kComparedTypes.
constexpr const char* kEither = "p:pred{|q}";
constexpr const char* kDestinations[] = {
    kEither, kEither, kEither, kEither, kEither, "p:pred", "p:pred", "p:pred|q", "p:pred|q",
};
static_assert(std::size(kDestinations) == std::size(kComparedTypes));

void declare(IsaBuilder& isa, const ComparedTypes& g, const std::string& destinations, bool bool_op) {
  const std::string flush = g.ftz ? "{.ftz}" : "";
  FormBuilder form =
      isa.form(bool_op ? "setp.CmpOp.BoolOp" + flush + ".type " + destinations + ", a, b, {!}c:pred"
                       : "setp.CmpOp" + flush + ".type " + destinations + ", a, b");
  if (bool_op) form.set(".BoolOp", ".and .or .xor");
  form.set(".CmpOp", g.comparisons)
      .set(".type", g.types)
      .since(g.since)
      .needs(g.needs)
      .op(setp_class)
      .encode(encode_bool_op)
      .meaning(setp);
}

}  // namespace

void register_compare_setp(IsaBuilder& isa) {
  isa.instruction("setp", "9.7.6.2", "Compare, and combine the result with a predicate.");
  for (size_t k = 0; k < std::size(kComparedTypes); ++k) {
    declare(isa, kComparedTypes[k], kDestinations[k], false);
    declare(isa, kComparedTypes[k], kDestinations[k], true);
  }
}

}  // namespace gpuloom::ptx
