// SPDX-License-Identifier: Apache-2.0
// SIMD video instructions (PTX ISA 9.7.18.2): two half-words or four bytes at a time, each picked from the
// bytes of a and b. Like the scalar ones they are rare, so one loop a function reads what to do from
// Instr::imm.
#pragma once
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/video/scalar.h"
#include "ptx/isa/video/selector.h"

namespace gpuloom::ptx {

struct SimdVideo {        // in Instr::imm
  uint16_t a = 0, b = 0;  // for element i, bits 4i..4i+3: which part of b:a
  uint8_t mask = 0;       // elements of d that are written
  uint8_t a_signed : 1 = 0, b_signed : 1 = 0, d_signed : 1 = 0, saturate : 1 = 0, accumulate : 1 = 0;
  uint8_t extra = 0;  // the instruction's own: comparison
  uint8_t spare = 0;
};
static_assert(sizeof(SimdVideo) == sizeof(Instr::imm));

// F(a, b, extra) -> int64_t on elements of 32 / N bits.
template <unsigned N, class F>
void simd_video(Warp& w, const Instr& in, uint32_t lanes) {
  constexpr unsigned kBits = 32 / N;
  const auto v = std::bit_cast<SimdVideo>(in.imm);
  const uint32_t* a = source<uint32_t>(w, in.ops[1]);
  const uint32_t* b = source<uint32_t>(w, in.ops[2]);
  const uint32_t* c = source<uint32_t>(w, in.ops[3]);
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  const auto element = [&](int l, unsigned which, bool is_signed_type) {
    const uint32_t word = which >= N ? b[l] : a[l];
    return extract(word, {static_cast<uint8_t>(kBits * (which % N)), kBits}, is_signed_type);
  };
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    uint32_t result = c[l];
    for (unsigned i = 0; i < N; ++i) {
      if (((v.mask >> i) & 1u) == 0) continue;
      int64_t r = F{}(element(l, (v.a >> (4 * i)) & 15u, v.a_signed),
                      element(l, (v.b >> (4 * i)) & 15u, v.b_signed), v.extra);
      if (v.saturate) r = clamp_to(r, kBits, v.d_signed);
      const uint32_t mask = ((1u << kBits) - 1) << (kBits * i);
      if (v.accumulate)
        result += static_cast<uint32_t>(r);
      else
        result = (result & ~mask) | ((static_cast<uint32_t>(r) << (kBits * i)) & mask);
    }
    d[l] = result;
  }
}
template <unsigned N, class F>
constexpr LaneFn simd_video_loop(F) {
  return simd_video<N, F>;
}

// The parts that a selector picks, element 0 in the low bits; written from the highest element down. `first`
// is the default's.
inline uint16_t parts_of(const Selector& s, unsigned n, unsigned first) {
  unsigned parts = 0;
  for (unsigned i = 0; i < n; ++i) parts |= (s.unit == 0 ? first + i : s.digits[n - 1 - i]) << (4 * i);
  return static_cast<uint16_t>(parts);
}

inline SimdVideo simd_video_of(const FormUse& use, unsigned n) {
  SimdVideo v;
  v.a = parts_of(selector_of(use, 1), n, 0);
  v.b = parts_of(selector_of(use, 2), n, n);
  const Selector d = selector_of(use, 0);
  unsigned mask = d.unit == 0 ? (1u << n) - 1 : 0;
  for (unsigned i = 0; i < d.count; ++i) mask |= 1u << d.digits[i];
  v.mask = static_cast<uint8_t>(mask);
  v.a_signed = is_signed(use.type(".atype"));
  v.b_signed = is_signed(use.type(".btype"));
  v.d_signed = is_signed(use.type(".dtype"));
  v.saturate = use.has(".sat");
  v.accumulate = use.has(".add");
  return v;
}
inline void keep(const SimdVideo& v, Instr& in) { in.imm = std::bit_cast<int64_t>(v); }

template <unsigned N>
void encode_simd_video(const FormUse& use, Instr& in) {
  keep(simd_video_of(use, N), in);
}

// Selectors of the sources name N parts of b:a, the mask of the destination names elements.
template <unsigned N>
std::string check_simd_video(const FormUse& use) {
  for (unsigned k = 1; k < use.operand_count(); ++k)
    if (use.operand(k).kind == OperandKind::kImmediate)
      return "the operands are registers here, of which selectors choose elements";
  constexpr char kUnit = N == 2 ? 'h' : 'b';
  for (unsigned k = 0; k < 3; ++k) {
    const Selector s = selector_of(use, k);
    if (s.unit == 0) continue;
    if (s.unit != kUnit) return std::string("selectors of this instruction begin with .") + kUnit;
    if (k > 0 && s.count != N) return "the selector of a source has " + std::to_string(N) + " digits";
    for (unsigned i = 0; i < s.count; ++i)
      if (s.digits[i] >= (k == 0 ? N : 2 * N))
        return "the selector's digits go up to " + std::to_string((k == 0 ? N : 2 * N) - 1);
  }
  return "";
}

// What the N elements of a word are called, to end a summary.
template <unsigned N>
constexpr const char* kSimdElements = N == 2 ? "half-words." : "bytes.";

// vadd, vsub, vavrg, vabsdiff, vmin, vmax of N elements.
template <unsigned N>
struct SimdArithmetic {
  static constexpr LaneFn kAdd = simd_video_loop<N>([](int64_t a, int64_t b, uint8_t) { return a + b; });
  static constexpr LaneFn kSub = simd_video_loop<N>([](int64_t a, int64_t b, uint8_t) { return a - b; });
  // Halves round away from zero upwards: up for sums of zero and more.
  static constexpr LaneFn kAvrg = simd_video_loop<N>(
      [](int64_t a, int64_t b, uint8_t) { return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1; });
  static constexpr LaneFn kAbsDiff =
      simd_video_loop<N>([](int64_t a, int64_t b, uint8_t) { return a < b ? b - a : a - b; });
  static constexpr LaneFn kMin =
      simd_video_loop<N>([](int64_t a, int64_t b, uint8_t) { return a < b ? a : b; });
  static constexpr LaneFn kMax =
      simd_video_loop<N>([](int64_t a, int64_t b, uint8_t) { return a > b ? a : b; });
};

}  // namespace gpuloom::ptx
