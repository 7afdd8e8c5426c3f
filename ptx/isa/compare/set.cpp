// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.6.1 and 9.7.7.1 set
//
//   set.CmpOp{.ftz}.dtype.stype         d, a, b;
//   set.CmpOp.BoolOp{.ftz}.dtype.stype  d, a, b, {!}c;
//     .stype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 }   .dtype = { .u32, .s32,
//     .f32, .f16, .bf16 } .stype = { .f16, .bf16 } .dtype = .stype or { .u16, .s16, .u32, .s32 } .stype = {
//     .f16x2, .bf16x2 }                                                    .dtype = .stype or { .u32, .s32 }
//     .CmpOp and .BoolOp as in setp
//
// Where (a CmpOp b) BoolOp c holds, d is 1.0 for floating-point types and all ones for integers, else zero.
// Pairs set each half.
#include "ptx/isa/compare/compare.h"
#include "ptx/isa/compare/mask_function.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

// There are too many pairs of types for a loop each: a function makes the mask of a comparison, a loop makes
// values of it. Instr::imm is that function, Instr::extra what "true" is. The masks of pairs are lower and
// upper halves of 64 bits.
using MaskFn = uint64_t (*)(const Warp& w, const Instr& in);

template <class F, class T>
uint64_t scalar_mask(const Warp& w, const Instr& in) {
  return lane::mask_of<F>(lane::Source<T>(w, in.ops[1]), lane::Source<T>(w, in.ops[2]));
}
template <class F>
uint64_t pair_mask(const Warp& w, const Instr& in) {
  const uint16_t* a = source<uint16_t>(w, in.ops[1]);
  const uint16_t* b = source<uint16_t>(w, in.ops[2]);
  uint64_t mask = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    mask |= static_cast<uint64_t>(F{}(a[2 * l], b[2 * l])) << l;
    mask |= static_cast<uint64_t>(F{}(a[2 * l + 1], b[2 * l + 1])) << (l + 32);
  }
  return mask;
}

template <class F, class C, class T>
constexpr MaskFn mask_function(bool (C::*)(T, T) const, bool pairs) {
  if constexpr (std::is_same_v<T, uint16_t>)
    if (pairs) return pair_mask<F>;
  return scalar_mask<F, T>;
}

bool compares_pairs(const FormUse& use) {
  return use.type(".stype") == Type::kF16x2 || use.type(".stype") == Type::kBf16x2;
}

MaskFn comparison(const FormUse& use) {
  return by_comparison(use, use.type(".stype"), [&]<class F>(F) -> MaskFn {
    return mask_function<F>(&F::operator(), compares_pairs(use));
  });
}

uint32_t truth(Type type, bool pairs) {
  switch (type) {
    case Type::kF32:
      return 0x3f800000u;
    case Type::kF16:
    case Type::kF16x2:
      return 0x3c00u;
    case Type::kBf16:
    case Type::kBf16x2:
      return 0x3f80u;
    default:
      return pairs ? 0xffffu : ~0u;
  }
}

template <class D>
void set_scalars(Warp& w, const Instr& in, uint32_t lanes) {
  const uint64_t holds = reinterpret_cast<MaskFn>(in.imm)(w, in);
  const uint32_t mask = combine(w, in, static_cast<uint32_t>(holds), in.ops[3]);
  const D one = static_cast<D>(in.extra);
  alignas(64) D d[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) d[l] = ((mask >> l) & 1u) != 0 ? one : D{0};
  lane::store(row<D>(w, in.ops[0]), d, lanes);
}
void set_pairs(Warp& w, const Instr& in, uint32_t lanes) {
  const uint64_t holds = reinterpret_cast<MaskFn>(in.imm)(w, in);
  const uint32_t lower = combine(w, in, static_cast<uint32_t>(holds), in.ops[3]);
  const uint32_t upper = combine(w, in, static_cast<uint32_t>(holds >> 32), in.ops[3]);
  alignas(64) uint32_t d[kLanes];
  for (unsigned l = 0; l < kLanes; ++l)
    d[l] = ((lower >> l) & 1u) * in.extra | (((upper >> l) & 1u) * in.extra) << 16;
  lane::store(row<uint32_t>(w, in.ops[0]), d, lanes);
}

LaneFn set(const FormUse& use) {
  if (compares_pairs(use)) return set_pairs;
  return by_width<uint16_t, uint32_t>(use.type(".dtype"),
                                      []<class D>(D) -> LaneFn { return set_scalars<D>; });
}

void encode(const FormUse& use, Instr& in) {
  encode_bool_op(use, in);
  in.imm = reinterpret_cast<int64_t>(comparison(use));
  in.extra = truth(use.type(".dtype"), compares_pairs(use));
}

OpClass set_class(const FormUse& use) { return comparison_class(use.type(".stype")); }

// ptxas 13.0: .ftz wants .f32 or halves on both sides.
std::string check_flush(const FormUse& use) {
  return use.has(".ftz") && use.type(".dtype") == Type::kBf16 ? "`.ftz` does not go with `.bf16`"
                                                              : std::string();
}

// By kComparedTypes.
constexpr const char* kTo = ".u32 .s32 .f32 .f16@4.2,sm_53 .bf16@7.8,sm_90";
constexpr const char* kDestinations[] = {
    kTo,
    kTo,
    kTo,
    kTo,
    kTo,
    ".f16 .bf16@7.8,sm_90 .u16 .s16 .u32 .s32",
    ".bf16 .u16 .s16 .u32 .s32",
    ".f16x2 .u32 .s32",
    ".bf16x2 .u32 .s32",
};
static_assert(std::size(kDestinations) == std::size(kComparedTypes));

void declare(IsaBuilder& isa, const ComparedTypes& g, const char* destinations, bool bool_op) {
  const std::string flush = g.ftz ? "{.ftz}" : "";
  FormBuilder form =
      isa.form(bool_op ? "set.CmpOp.BoolOp" + flush + ".dtype.stype d:.dtype, a:.stype, b:.stype, {!}c:pred"
                       : "set.CmpOp" + flush + ".dtype.stype d:.dtype, a:.stype, b:.stype");
  if (bool_op) form.set(".BoolOp", ".and .or .xor");
  form.set(".CmpOp", g.comparisons)
      .set(".dtype", destinations)
      .set(".stype", g.types)
      .since(g.since)
      .needs(g.needs)
      .check(check_flush)
      .op(set_class)
      .encode(encode)
      .meaning(set);
}

}  // namespace

bool applies_comparison(LaneFn fn) {
  return fn == set_pairs || fn == set_scalars<uint16_t> || fn == set_scalars<uint32_t>;
}

void register_compare_set(IsaBuilder& isa) {
  isa.instruction("set", "9.7.6.1", "Compare and make a value of the result.");
  for (size_t k = 0; k < std::size(kComparedTypes); ++k) {
    declare(isa, kComparedTypes[k], kDestinations[k], false);
    declare(isa, kComparedTypes[k], kDestinations[k], true);
  }
}

}  // namespace gpuloom::ptx
