// SPDX-License-Identifier: Apache-2.0
// Loops over a warp for meanings that do not vectorise as one expression.
//
// - per_unit<F>: functions of the special function unit (numeric/approx.h): what is done to the operands
// before,
//   the unit for the whole row, what is done to its results.
// - per_lane_or_exact<F>: F::fast for all lanes; those that F::doubtful names, F::exact once more.
#pragma once
#include <bit>
#include <type_traits>

#include "ptx/exec/lane_loop.h"
#include "ptx/numeric/mufu_row.h"

namespace gpuloom::ptx {
namespace lane {

// An operand is the last source, which the unit sees; a quotient's dividend comes before it.
template <class F, class... Sources>
inline void fill_by_unit(float* destination, uint32_t lanes, const float* operand, Sources... sources) {
  alignas(64) float unit[kLanes], results[kLanes];
  GPULOOM_LANE_LOOP
  for (unsigned l = 0; l < kLanes; ++l) unit[l] = F::before(operand[l]);
  numeric::mufu::row<typename F::Unit>(unit, unit);
  GPULOOM_LANE_LOOP
  for (unsigned l = 0; l < kLanes; ++l) results[l] = F::after(sources[l]..., operand[l], unit[l]);
  store(destination, results, lanes);
}

template <class F>
void unit_of_one(Warp& w, const Instr& in, uint32_t lanes) {
  fill_by_unit<F>(row<float>(w, in.ops[0]), lanes, source<float>(w, in.ops[1]));
}
template <class F>
void unit_of_two(Warp& w, const Instr& in, uint32_t lanes) {
  fill_by_unit<F>(row<float>(w, in.ops[0]), lanes, source<float>(w, in.ops[2]), source<float>(w, in.ops[1]));
}

template <class F, class... Sources>
inline void fill_or_exact(double* destination, uint32_t lanes, Sources... sources) {
  alignas(64) double results[kLanes];
  alignas(64) uint64_t doubtful[kLanes];
  uint64_t any = 0;
  GPULOOM_LANE_LOOP
  for (unsigned l = 0; l < kLanes; ++l) {
    results[l] = F::fast(sources[l]...);
    doubtful[l] = F::doubtful(sources[l]...) ? 1 : 0;
    any |= doubtful[l];
  }
  for (uint32_t left = any != 0 ? lanes : 0; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    if (doubtful[l] != 0) results[l] = F::exact(sources[l]...);
  }
  store(destination, results, lanes);
}

template <class F>
void one_or_exact(Warp& w, const Instr& in, uint32_t lanes) {
  fill_or_exact<F>(row<double>(w, in.ops[0]), lanes, source<double>(w, in.ops[1]));
}
template <class F>
void two_or_exact(Warp& w, const Instr& in, uint32_t lanes) {
  fill_or_exact<F>(row<double>(w, in.ops[0]), lanes, source<double>(w, in.ops[1]),
                   source<double>(w, in.ops[2]));
}

}  // namespace lane

template <class F>
constexpr LaneFn per_unit() {
  if constexpr (requires { F::after(0.0f, 0.0f); })
    return &lane::unit_of_one<F>;
  else
    return &lane::unit_of_two<F>;
}

template <class F>
constexpr LaneFn per_lane_or_exact() {
  if constexpr (requires { F::fast(0.0); })
    return &lane::one_or_exact<F>;
  else
    return &lane::two_or_exact<F>;
}

}  // namespace gpuloom::ptx
