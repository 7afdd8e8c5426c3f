// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share. Halves are raw bits (uint16_t); a pair is a uint32_t with the first
// element in its lower half.
#pragma once
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/numeric/arith16.h"
#include "ptx/numeric/half_row.h"

namespace gpuloom::ptx {

using numeric::Clamp16;

inline bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }

#ifdef GPULOOM_HALF_ROWS
// All halves of the registers by half_row: 32, or 64 of pairs.
template <auto F, size_t Sources, class Word>
void half_row_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  constexpr size_t kHalves = kLanes * sizeof(Word) / sizeof(uint16_t);
  alignas(64) uint16_t partial[kHalves];
  uint16_t* destination = row<uint16_t>(w, in.ops[0]);
  uint16_t* out = lanes == kAllLanes ? destination : partial;
  const auto from = [&](size_t k) { return source<uint16_t>(w, in.ops[k]); };
  if constexpr (Sources == 3)
    numeric::half_row<F>(out, kHalves, from(1), from(2), from(3));
  else
    numeric::half_row<F>(out, kHalves, from(1), from(2));
  if (lanes != kAllLanes) lane::merge_bits<sizeof(Word)>(destination, partial, lanes);
}
template <auto F>
LaneFn half_row_loop(const FormUse& use) {
  constexpr size_t kSources = std::is_invocable_v<decltype(F), uint16_t, uint16_t, uint16_t> ? 3 : 2;
  return is_pair(use.type()) ? &half_row_lanes<F, kSources, uint32_t>
                             : &half_row_lanes<F, kSources, uint16_t>;
}
#endif

// The loop of a function of halves: for one half a lane, or for the pairs of .f16x2 and .bf16x2.
template <auto F>
LaneFn half_or_pair(const FormUse& use) {
#ifdef GPULOOM_HALF_ROWS
  if constexpr (numeric::HalfRow<F>::kKnown) return half_row_loop<F>(use);
#endif
  const auto loop = [pair = is_pair(use.type())](auto one) { return pair ? per_half(one) : per_lane(one); };
  if constexpr (std::is_invocable_v<decltype(F), uint16_t, uint16_t, uint16_t>)
    return loop([](uint16_t a, uint16_t b, uint16_t c) { return F(a, b, c); });
  else if constexpr (std::is_invocable_v<decltype(F), uint16_t, uint16_t>)
    return loop([](uint16_t a, uint16_t b) { return F(a, b); });
  else
    return loop([](uint16_t a) { return F(a); });
}

// {.ftz} with none, .sat or .relu behind it.
template <class Pick>
LaneFn by_half_mode(const FormUse& use, Pick pick) {
  return by_flags(
      [&]<bool Ftz>() {
        if (use.has(".sat")) return pick.template operator()<Ftz, Clamp16::kSat>();
        if (use.has(".relu")) return pick.template operator()<Ftz, Clamp16::kRelu>();
        return pick.template operator()<Ftz, Clamp16::kNone>();
      },
      use.has(".ftz"));
}

}  // namespace gpuloom::ptx
