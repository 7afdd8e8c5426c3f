// SPDX-License-Identifier: Apache-2.0
// Scalar video instructions (PTX ISA 9.7.18.1): select a part of each source, operate on more than 32 bits,
// saturate, then combine with c or merge into it. They are rare and have hundreds of forms, so one loop reads
// what to do from Instr::imm.
#pragma once
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/video/selector.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {

// A byte, a half-word or all of a 32-bit register.
struct Part {
  uint8_t shift = 0, bits = 32;
};

enum class Second : uint8_t { kNone, kAdd, kMin, kMax, kMerge };

struct ScalarVideo {  // in Instr::imm
  Part a, b, d;
  uint8_t a_signed : 1 = 0, b_signed : 1 = 0, d_signed : 1 = 0, saturate : 1 = 0;
  Second second : 3 = Second::kNone;
  uint8_t narrow : 1 = 0;  // a sum, a difference or a saturated shift: made of 32 bits
  uint8_t extra = 0;       // the instruction's own: comparison, shift mode, scale
};
static_assert(sizeof(ScalarVideo) == sizeof(Instr::imm));
constexpr uint8_t kSaturates34Bits = 0x80;  // of `extra`; for shifts

inline Part part_of(const Selector& s) {
  if (s.unit == 'b') return {static_cast<uint8_t>(8 * s.digits[0]), 8};
  if (s.unit == 'h') return {static_cast<uint8_t>(16 * s.digits[0]), 16};
  return {};
}

// The part, extended as its type says.
inline int64_t extract(uint32_t value, Part part, bool is_signed_type) {
  const uint32_t raw = value >> part.shift;
  const unsigned unused = 64u - part.bits;
  const uint64_t top = static_cast<uint64_t>(raw) << unused;
  return is_signed_type ? static_cast<int64_t>(top) >> unused : static_cast<int64_t>(top >> unused);
}

inline int64_t clamp_to(int64_t x, unsigned width, bool is_signed_type) {
  const int64_t low = is_signed_type ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t high = is_signed_type ? (int64_t{1} << (width - 1)) - 1 : (int64_t{1} << width) - 1;
  return x < low ? low : (x > high ? high : x);
}

// `.sat`. Measured on the H200, which departs from the manual's pseudocode:
// - a part of a destination clamps from above only, and negative values count as large;
// - a whole .u32 destination clamps negative values only;
// - shifts clamp both ways, but 34 bits of their result count, as a signed value.
inline int64_t saturate_video(const ScalarVideo& v, int64_t x) {
  if (v.second == Second::kMerge) {
    const int64_t high = (int64_t{1} << (v.d.bits - (v.d_signed ? 1 : 0))) - 1;
    return x < 0 || x > high ? high : x;
  }
  if ((v.extra & kSaturates34Bits) != 0)
    return clamp_to(static_cast<int64_t>(static_cast<uint64_t>(x) << 30) >> 30, 32, v.d_signed);
  if (v.d_signed) return clamp_to(x, 32, true);
  return x < 0 ? 0 : x;
}

// Whether the exact result is less than c. Measured too: sums, differences and saturated shifts are
// sign-extended from 32 bits first, and for a .u32 destination negative results count as large.
inline bool less(const ScalarVideo& v, int64_t result, uint32_t c) {
  const int64_t kept = v.narrow ? static_cast<int32_t>(static_cast<uint32_t>(result)) : result;
  return v.d_signed ? kept < static_cast<int32_t>(c) : static_cast<uint64_t>(kept) < c;
}

// Saturates, then applies the secondary operation or merges into c.
inline uint32_t finish(const ScalarVideo& v, int64_t result, uint32_t c) {
  if (v.saturate) result = saturate_video(v, result);
  const uint32_t r = static_cast<uint32_t>(result);
  switch (v.second) {
    case Second::kAdd:
      return r + c;
    case Second::kMin:
      return less(v, result, c) ? r : c;
    case Second::kMax:
      return less(v, result, c) ? c : r;
    case Second::kMerge: {
      const uint32_t mask = static_cast<uint32_t>(((uint64_t{1} << v.d.bits) - 1) << v.d.shift);
      const uint32_t moved = v.d.bits == 16 ? r : r << v.d.shift;  // .h1 takes the result's upper half (H200)
      return (c & ~mask) | (moved & mask);
    }
    default:
      return r;
  }
}

// F(a, b, extra) -> int64_t on the extracted parts.
template <class F>
void scalar_video(Warp& w, const Instr& in, uint32_t lanes) {
  const auto v = std::bit_cast<ScalarVideo>(in.imm);
  const uint32_t* a = source<uint32_t>(w, in.ops[1]);
  const uint32_t* b = source<uint32_t>(w, in.ops[2]);
  const uint32_t* c = in.ops[3].present() ? source<uint32_t>(w, in.ops[3]) : a;
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    const int64_t x = extract(a[l], v.a, v.a_signed), y = extract(b[l], v.b, v.b_signed);
    d[l] = finish(v, F{}(x, y, v.extra), c[l]);
  }
}
template <class F>
constexpr LaneFn scalar_video_loop(F) {
  return scalar_video<F>;
}

inline ScalarVideo scalar_video_of(const FormUse& use) {
  ScalarVideo v;
  v.d = part_of(selector_of(use, 0));
  v.a = part_of(selector_of(use, 1));
  v.b = part_of(selector_of(use, 2));
  v.a_signed = is_signed(use.type(".atype"));
  v.b_signed = is_signed(use.type(".btype"));
  v.d_signed = is_signed(use.type(".dtype"));
  v.saturate = use.has(".sat");
  const std::string_view second = use.mod(".op2");
  if (second == ".add") v.second = Second::kAdd;
  if (second == ".min") v.second = Second::kMin;
  if (second == ".max") v.second = Second::kMax;
  if (selector_of(use, 0).unit != 0) v.second = Second::kMerge;
  return v;
}
inline void keep(const ScalarVideo& v, Instr& in) { in.imm = std::bit_cast<int64_t>(v); }
inline void encode_scalar_video(const FormUse& use, Instr& in) { keep(scalar_video_of(use), in); }
inline void encode_scalar_sum(const FormUse& use, Instr& in) {
  ScalarVideo v = scalar_video_of(use);
  v.narrow = 1;
  keep(v, in);
}

// A selector on d wants c to merge into, and the other way round.
inline std::string check_merge(const FormUse& use) {
  const bool selects = selector_of(use, 0).unit != 0;
  const bool has_c = use.operand(3).kind != OperandKind::kNone;
  if (selects && !has_c) return "a selector on the destination needs a fourth operand to merge into";
  if (!selects && has_c)
    return "a fourth operand needs a secondary operation or a selector on the destination";
  return "";
}

}  // namespace gpuloom::ptx
