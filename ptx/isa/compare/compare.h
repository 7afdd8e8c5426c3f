// SPDX-License-Identifier: Apache-2.0
// What set and setp share: the comparisons, and the combination with a predicate (PTX
// ISA 9.3.1, 9.7.6.1, 9.7.6.2).
#pragma once
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/bits.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {

enum class Compare : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan };

// The plain comparisons of floats are false for a NaN, kNe too; the ...u ones are true.
template <Compare C, class T>
constexpr bool holds(T a, T b) {
  if constexpr (C == Compare::kEq) return a == b;
  if constexpr (C == Compare::kNe) return std::is_floating_point_v<T> ? a < b || a > b : a != b;
  if constexpr (C == Compare::kLt) return a < b;
  if constexpr (C == Compare::kLe) return a <= b;
  if constexpr (C == Compare::kGt) return a > b;
  if constexpr (C == Compare::kGe) return a >= b;
  if constexpr (C == Compare::kEqu) return !(a < b || a > b);
  if constexpr (C == Compare::kNeu) return !(a == b);
  if constexpr (C == Compare::kLtu) return !(a >= b);
  if constexpr (C == Compare::kLeu) return !(a > b);
  if constexpr (C == Compare::kGtu) return !(a <= b);
  if constexpr (C == Compare::kGeu) return !(a < b);
  if constexpr (C == Compare::kNum) return a == a && b == b;
  if constexpr (C == Compare::kNan) return a != a || b != b;
}

// Lists for the .CmpOp set.
constexpr const char* kBitComparisons = ".eq .ne";
constexpr const char* kSignedComparisons = ".eq .ne .lt .le .gt .ge";
constexpr const char* kUnsignedComparisons = ".eq .ne .lt .le .gt .ge .lo .ls .hi .hs";
constexpr const char* kFloatComparisons = ".eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan";

// What set and setp compare: types, the comparisons that these have, and since when.
struct ComparedTypes {
  const char* types;
  const char* comparisons;
  bool ftz;
  const char* since;
  const char* needs;
};
constexpr ComparedTypes kComparedTypes[] = {
    {".b16 .b32 .b64", kBitComparisons, false, "1.0", ""},
    {".u16 .u32 .u64", kUnsignedComparisons, false, "1.0", ""},
    {".s16 .s32 .s64", kSignedComparisons, false, "1.0", ""},
    {".f32", kFloatComparisons, true, "1.0", ""},
    {".f64", kFloatComparisons, false, "1.0", ""},
    {".f16", kFloatComparisons, true, "4.2", "sm_53"},
    {".bf16", kFloatComparisons, false, "7.8", "sm_90"},
    {".f16x2", kFloatComparisons, true, "4.2", "sm_53"},
    {".bf16x2", kFloatComparisons, false, "7.8", "sm_90"},
};

inline OpClass comparison_class(Type type) {
  switch (type) {
    case Type::kF64:
      return OpClass::dsetp;
    case Type::kF32:
      return OpClass::fsetp;
    case Type::kF16:
    case Type::kF16x2:
    case Type::kBf16:
    case Type::kBf16x2:
      return OpClass::hsetp2;
    default:
      return bits(type) == 64 ? OpClass::setp64 : OpClass::isetp;
  }
}

// The integer comparisons; lo ls hi hs are the unsigned names of lt le gt ge.
template <class Pick>
auto by_integer_compare(std::string_view op, Pick pick)
    -> decltype(pick.template operator()<Compare::kEq>()) {
  if (op == ".eq") return pick.template operator()<Compare::kEq>();
  if (op == ".ne") return pick.template operator()<Compare::kNe>();
  if (op == ".lt" || op == ".lo") return pick.template operator()<Compare::kLt>();
  if (op == ".le" || op == ".ls") return pick.template operator()<Compare::kLe>();
  if (op == ".gt" || op == ".hi") return pick.template operator()<Compare::kGt>();
  if (op == ".ge" || op == ".hs") return pick.template operator()<Compare::kGe>();
  return nullptr;
}
template <class Pick>
auto by_float_compare(std::string_view op, Pick pick) {
  if (op == ".equ") return pick.template operator()<Compare::kEqu>();
  if (op == ".neu") return pick.template operator()<Compare::kNeu>();
  if (op == ".ltu") return pick.template operator()<Compare::kLtu>();
  if (op == ".leu") return pick.template operator()<Compare::kLeu>();
  if (op == ".gtu") return pick.template operator()<Compare::kGtu>();
  if (op == ".geu") return pick.template operator()<Compare::kGeu>();
  if (op == ".num") return pick.template operator()<Compare::kNum>();
  if (op == ".nan") return pick.template operator()<Compare::kNan>();
  return by_integer_compare(op, pick);
}

template <bool Ftz>
constexpr float half_value(uint16_t h) {
  return numeric::half_to_float(Ftz ? numeric::flush_half(h) : h);
}

// The comparison of a use as a function of two lanes, f(a, b) -> bool, handed to pick(f). For pairs f
// compares one half. Equality of integers does not care about signs, so signed types share it with unsigned
// ones.
template <class Pick>
auto by_comparison(const FormUse& use, Type type, Pick pick) {
  using Result = decltype(pick([](float, float) { return true; }));
  const std::string_view op = use.mod(".CmpOp");
  const bool ftz = use.has(".ftz");
  switch (type) {
    case Type::kF32:
      if (!ftz) break;
      return by_float_compare(op, [&]<Compare C>() -> Result {
        return pick([](float a, float b) { return holds<C>(numeric::flush(a), numeric::flush(b)); });
      });
    case Type::kF16:
    case Type::kF16x2:
      return by_flags(
          [&]<bool Ftz>() {
            return by_float_compare(op, [&]<Compare C>() -> Result {
              return pick(
                  [](uint16_t a, uint16_t b) { return holds<C>(half_value<Ftz>(a), half_value<Ftz>(b)); });
            });
          },
          ftz);
    case Type::kBf16:
    case Type::kBf16x2:
      return by_float_compare(op, [&]<Compare C>() -> Result {
        return pick([](uint16_t a, uint16_t b) {
          return holds<C>(numeric::bf16_to_float(a), numeric::bf16_to_float(b));
        });
      });
    default:
      break;
  }
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, float, double>(
      type, [&]<class T>(T) -> Result {
        if constexpr (std::is_floating_point_v<T>) {
          return by_float_compare(
              op, [&]<Compare C>() -> Result { return pick([](T a, T b) { return holds<C>(a, b); }); });
        } else {
          return by_integer_compare(op, [&]<Compare C>() -> Result {
            constexpr bool kSignMatters = C != Compare::kEq && C != Compare::kNe;
            using V =
                typename std::conditional_t<kSignMatters, std::type_identity<T>, std::make_unsigned<T>>::type;
            return pick([](V a, V b) { return holds<C>(a, b); });
          });
        }
      });
}

// `.BoolOp` and the sign of the predicate it combines with, kept in Instr::aux.
enum class BoolOp : uint8_t { kNone, kAnd, kOr, kXor };
constexpr uint8_t kNegatedPredicate = 4;

inline void encode_bool_op(const FormUse& use, Instr& in) {
  const std::string_view op = use.mod(".BoolOp");
  BoolOp code = BoolOp::kNone;
  if (op == ".and") code = BoolOp::kAnd;
  if (op == ".or") code = BoolOp::kOr;
  if (op == ".xor") code = BoolOp::kXor;
  const bool negated = use.operand_count() > 0 && use.operand(use.operand_count() - 1).negated;
  in.aux = static_cast<uint8_t>(static_cast<unsigned>(code) | (negated ? kNegatedPredicate : 0u));
}

// Applies what encode_bool_op kept to the mask of a comparison; `c` is the predicate's place.
inline uint32_t combine(const Warp& w, const Instr& in, uint32_t mask, Place c) {
  const BoolOp op = static_cast<BoolOp>(in.aux & 3u);
  if (op == BoolOp::kNone) return mask;
  const uint32_t p = (in.aux & kNegatedPredicate) != 0 ? ~predicate(w, c) : predicate(w, c);
  return op == BoolOp::kAnd ? mask & p : (op == BoolOp::kOr ? mask | p : mask ^ p);
}

}  // namespace gpuloom::ptx
