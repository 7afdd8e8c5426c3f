// SPDX-License-Identifier: Apache-2.0
// Extended-precision arithmetic (PTX ISA 9.7.2): loops that read and write the carry flag CC.CF, a bit a lane
// in Warp::condition_code. A subtraction keeps its borrow there.
#pragma once
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {

template <class T>
struct WithCarry {
  T value;
  bool carry;
};

template <class T>
constexpr WithCarry<T> add_carry(T a, T b, bool carry) {
  const T low = numeric::wrap_add(a, b);
  const T sum = numeric::wrap_add(low, T{carry});
  return {sum, low < a || sum < low};
}
template <class T>
constexpr WithCarry<T> sub_carry(T a, T b, bool carry) {
  return add_carry(a, static_cast<T>(~b), carry);
}

// F(a, b[, c], carry) -> WithCarry. Reads: the flag comes in, else 0. Writes: the flag goes out, else it
// stays.
template <bool Reads, bool Writes, bool Initial, class F, class T, class... Rest>
void carry_loop(Warp& w, const Instr& in, uint32_t lanes) {
  alignas(64) T result[kLanes];
  uint32_t carries = 0;
  const uint32_t flags = Reads ? w.condition_code : (Initial ? kAllLanes : 0);
  const T* a = source<T>(w, in.ops[1]);
  const T* b = source<T>(w, in.ops[2]);
  for (unsigned l = 0; l < kLanes; ++l) {
    const bool flag = ((flags >> l) & 1u) != 0;
    WithCarry<T> r;
    if constexpr (sizeof...(Rest) == 0)
      r = F{}(a[l], b[l], flag);
    else
      r = F{}(a[l], b[l], source<T>(w, in.ops[3])[l], flag);
    result[l] = r.value;
    carries |= static_cast<uint32_t>(r.carry) << l;
  }
  lane::store(row<T>(w, in.ops[0]), result, lanes);
  if constexpr (Writes) w.condition_code = (w.condition_code & ~lanes) | (carries & lanes);
}

template <bool Reads, bool Writes, bool Initial, class F, class C, class T, class... Rest>
constexpr LaneFn carry_loop_of(WithCarry<T> (C::*)(T, T, Rest...) const) {
  if constexpr (sizeof...(Rest) == 1)
    return carry_loop<Reads, Writes, Initial, F, T>;
  else
    return carry_loop<Reads, Writes, Initial, F, T, T>;
}
// The carry loop of a function of one lane; the form says by its mnemonic and `.cc` whether flags are read
// and written.
template <bool Initial = false, class F>
LaneFn with_carry(const FormUse& use, F) {
  const std::string& name = use.form().instruction->mnemonic;
  const bool reads = name == "addc" || name == "subc" || name == "madc";
  return by_flags(
      []<bool Reads, bool Writes>() { return carry_loop_of<Reads, Writes, Initial, F>(&F::operator()); },
      reads, !reads || use.has(".cc"));
}

}  // namespace gpuloom::ptx
