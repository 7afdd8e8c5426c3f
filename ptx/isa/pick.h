// SPDX-License-Identifier: Apache-2.0
// Picking the instantiation of a meaning from the modifiers of an instruction. Cold: runs once an
// instruction, at decoding. The last argument is a templated lambda that returns a lane function (or another
// function pointer):
//
//   by_type<uint32_t, int32_t>(use.type(), []<class T>(T) { return per_lane([](T a, T b) { return a < b ? a :
//   b; }); }) by_float_mode(use, []<Rounding R, bool Ftz, bool Sat>() { return per_lane(...); })
//
// A choice that is not offered gives nullptr, which is an error at load.
#pragma once
#include <cstdint>
#include <type_traits>

#include "ptx/isa/table/form.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx {

using numeric::Rounding;

// The type of First, T... that has this width; the way for instructions that do not care about signs.
template <class First, class... T, class Pick>
auto by_width(unsigned width_bits, Pick pick) -> decltype(pick(First{})) {
  if (width_bits == sizeof(First) * 8) return pick(First{});
  if constexpr (sizeof...(T) > 0)
    return by_width<T...>(width_bits, pick);
  else
    return nullptr;
}
template <class First, class... T, class Pick>
auto by_width(Type type, Pick pick) {
  return by_width<First, T...>(bits(type), pick);
}

// Whether the C++ type C is the PTX type: same width, and signed, unsigned (or bits) or floating alike.
template <class C>
bool is_type(Type type) {
  if (bits(type) != sizeof(C) * 8 || is_float(type) != std::is_floating_point_v<C>) return false;
  return std::is_floating_point_v<C> || is_signed(type) == std::is_signed_v<C>;
}

// The type of First, T... that is the PTX type.
template <class First, class... T, class Pick>
auto by_type(Type type, Pick pick) -> decltype(pick(First{})) {
  if (is_type<First>(type)) return pick(First{});
  if constexpr (sizeof...(T) > 0)
    return by_type<T...>(type, pick);
  else
    return nullptr;
}

// Flags become template arguments: by_flags([]<bool Ftz, bool NaN>() {...}, use.has(".ftz"),
// use.has(".NaN")).
template <bool... Known, class Pick>
auto by_flags(Pick pick) {
  return pick.template operator()<Known...>();
}
template <bool... Known, class Pick, class... Rest>
auto by_flags(Pick pick, bool flag, Rest... rest) {
  return flag ? by_flags<Known..., true>(pick, rest...) : by_flags<Known..., false>(pick, rest...);
}

// .rn .rz .rm .rp and the integral .rni .rzi .rmi .rpi; none is nearest even.
template <class Pick>
auto by_rounding(std::string_view rnd, Pick pick) -> decltype(pick.template operator()<Rounding::kZero>()) {
  if (rnd.empty() || rnd == ".rn" || rnd == ".rni") return pick.template operator()<Rounding::kNearestEven>();
  if (rnd == ".rz" || rnd == ".rzi") return pick.template operator()<Rounding::kZero>();
  if (rnd == ".rm" || rnd == ".rmi") return pick.template operator()<Rounding::kDown>();
  if (rnd == ".rp" || rnd == ".rpi") return pick.template operator()<Rounding::kUp>();
  return nullptr;
}

// {.rnd}{.ftz}{.sat} of f32 arithmetic.
template <class Pick>
LaneFn by_float_mode(const FormUse& use, Pick pick) {
  return by_rounding(use.mod(".rnd"), [&]<Rounding R>() {
    return by_flags([&]<bool Ftz, bool Sat>() { return pick.template operator()<R, Ftz, Sat>(); },
                    use.has(".ftz"), use.has(".sat"));
  });
}

}  // namespace gpuloom::ptx
