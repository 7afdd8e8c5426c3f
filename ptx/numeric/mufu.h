// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/mufu_tables.h"

namespace gpuloom::ptx::numeric::mufu {

// The machine instruction MUFU of compute capability 9.0, bit for bit: subnormal operands are zeros,
// subnormal results are zeros, NaN results canonical. approx.h builds the PTX instructions from it as ptxas
// does.

// The square of a 17-bit number, of which the unit adds only the partial products of weight 2^19 and up; in
// units of 2^19. Of the upper eight bits nothing is lost but the square of their last, which weighs half a
// unit. A bit k below them adds its products with bits 18 - k and up: the upper bits shifted by 9 - k.
template <class Short>
constexpr Short truncated_square(Short upper, Short lower) {
  Short sum = (upper * upper) >> 1;
  const auto row = [&]<int K>(std::integral_constant<int, K>) -> Short {
    constexpr Short kBit = Short{} + std::uint16_t{1 << K};
    return (lower & kBit) != Short{} ? (Short)(upper >> (9 - K)) : Short{};
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    ((sum += row(std::integral_constant<int, K + 2>{})), ...);
  }
  (std::make_integer_sequence<int, 7>());
  return sum;
}
constexpr std::uint32_t truncated_square(std::uint32_t x) {
  return truncated_square<std::uint32_t>(x >> 9, x & 0x1ffu);
}

// A segment's quadratic at `x`, 17 bits into the segment, in 2^-18 of the result's unit. `bias` is the unit's
// rounding constant.
template <int N>
constexpr std::int64_t evaluate(const Table<N>& t, std::uint32_t segment, std::uint32_t x,
                                std::int32_t bias) {
  const std::int64_t constant = static_cast<std::int64_t>(t.c0[segment]) * 32768 + bias;
  const std::int64_t linear = static_cast<std::int64_t>(t.c1[segment]) * static_cast<std::int32_t>(x);
  const std::int64_t square =
      static_cast<std::int64_t>(t.c2[segment]) * static_cast<std::int32_t>(truncated_square(x) << 2);
  return constant + linear + square;
}

inline constexpr std::int32_t kReciprocalBias = 2023 * 8;
inline constexpr std::int32_t kRootBias = -2;
inline constexpr std::int32_t kExponentialBias = 6114 * 8;
inline constexpr std::int32_t kLogarithmBias = 837 * 8;

inline constexpr std::uint32_t kFraction = 0x007fffffu;
inline constexpr std::uint32_t kSegmentMask = 0x1ffffu;

// Each function is a table with the unit's rounding constant; the place in it of an operand's bits; the kind
// of number that the sum of evaluate() is there; and the result's bits, from that number's. So a function is
// the same for one operand (of<Reciprocal>) and for those of a warp, eight at a time (mufu_row.h): U is an
// unsigned integer or a vector of them, for which a comparison is a mask, and ?: chooses by element.
enum class Sum : std::uint8_t {
  kSignificand,  // its bits, cut at the last place
  kReal,         // a fixed-point number of 37 fraction bits, whose f32 is truncated
  kAfterWhole,   // of 36, with the operand's exponent before the point: complemented if it is negative
};

// The signed type of an unsigned one; mufu_row.h adds vectors.
template <class U>
struct SignedOf;
template <>
struct SignedOf<std::uint32_t> {
  using type = std::int32_t;
};
template <class U>
using Signed = typename SignedOf<U>::type;

// Entries of a small table.
template <class U>
constexpr U entry(const std::uint32_t* table, Signed<U> index) {
  if constexpr (std::is_integral_v<U>) {
    return table[index];
  } else {
    U out{};
    for (unsigned k = 0; k < sizeof(U) / sizeof(std::uint32_t); ++k) out[k] = table[index[k]];
    return out;
  }
}

template <class U>
struct Point {
  U segment, position;
};

// 64 segments of the fraction, 17 bits in each.
template <class U>
constexpr Point<U> point_of(U fraction, U first_segment) {
  return {first_segment + (fraction >> 17), fraction & kSegmentMask};
}

template <class U>
constexpr U exponent_of(U bits) {
  return (bits >> 23) & 0xffu;
}
template <class U>
constexpr U all(std::uint32_t value) {
  return U{} + value;
}
template <class I>
constexpr I within(I value, std::int32_t least, std::int32_t most) {
  const I low = I{} + least, high = I{} + most;
  const I raised = value < low ? low : value;
  return raised < high ? raised : high;
}
template <class U>
constexpr U nan_or(U b, U result) {
  return (b & ~kSign32) > kInf32 ? all<U>(kNaN32) : result;
}

struct Reciprocal {
  static constexpr const Table<128>& kTable = kReciprocal;
  static constexpr std::int32_t kBias = kReciprocalBias;
  static constexpr Sum kSum = Sum::kSignificand;

  template <class U>
  static constexpr Point<U> at(U b) {
    return {(b & kFraction) >> 16, (b & 0xffffu) << 1};
  }
  template <class U>
  static constexpr U result(U b, U fraction) {
    const U e = exponent_of(b);
    const auto magnitude = (Signed<U>)(0x3f000000u + fraction - ((e - 127u) << 23));
    U result = magnitude < 0x00800000 ? U{} : (U)magnitude;
    result = e == 0u ? all<U>(kInf32) : result;
    result = e == 255u ? U{} : result;
    return nan_or(b, result | (b & kSign32));
  }
};

// `odd` exponents take the second table. A power of four is exact.
struct ReciprocalRoot {
  static constexpr const Table<128>& kTable = kReciprocalRoot;
  static constexpr std::int32_t kBias = kRootBias;
  static constexpr Sum kSum = Sum::kSignificand;

  template <class U>
  static constexpr U odd(U b) {
    return ((b >> 23) & 1u) ^ 1u;
  }
  template <class U>
  static constexpr U half(U b) {  // of the exponent
    return (U)(((Signed<U>)exponent_of(b) - 127) >> 1);
  }
  template <class U>
  static constexpr Point<U> at(U b) {
    return point_of<U>(b & kFraction, odd(b) << 6);
  }
  template <class U>
  static constexpr U result(U b, U fraction) {
    const U e = exponent_of(b);
    const U exact = ((b & kFraction) | odd(b)) == 0u ? all<U>(0x00800000u) : fraction;
    U result = 0x3f000000u + exact - (half(b) << 23);
    result = e == 255u ? U{} : result;
    result = (b & kSign32) != 0u ? all<U>(kNaN32) : result;
    result = e == 0u ? kInf32 | (b & kSign32) : result;
    return nan_or(b, result);
  }
};

struct Root {
  static constexpr const Table<128>& kTable = kRoot;
  static constexpr std::int32_t kBias = kRootBias;
  static constexpr Sum kSum = Sum::kSignificand;

  template <class U>
  static constexpr Point<U> at(U b) {
    return ReciprocalRoot::at(b);
  }
  template <class U>
  static constexpr U result(U b, U fraction) {
    const U e = exponent_of(b);
    U result = 0x3f800000u + fraction + (ReciprocalRoot::half(b) << 23);
    result = e == 255u ? all<U>(kInf32) : result;
    result = (b & kSign32) != 0u ? all<U>(kNaN32) : result;
    result = e == 0u ? b & kSign32 : result;
    return nan_or(b, result);
  }
};

// The significand shifted by so many bits to the left, or to the right where that is negative.
template <class U>
constexpr U shifted_significand(U b, Signed<U> left, std::int32_t most) {
  const U significand = (b & kFraction) | 0x00800000u;
  return (significand << (U)within(left, 0, most)) >> (U)within(-left, 0, 31);
}

// A fixed-point operand of 23 fraction bits; a negative one is complemented, not negated, unless it is an
// integer.
struct PowerOfTwo {
  static constexpr const Table<64>& kTable = kExponential;
  static constexpr std::int32_t kBias = kExponentialBias;
  static constexpr Sum kSum = Sum::kSignificand;

  template <class U>
  static constexpr U fixed(U b) {
    return shifted_significand<U>(b, (Signed<U>)exponent_of(b) - 127, 8);
  }
  template <class U>
  static constexpr U complement(U b, U fixed) {
    return (fixed & kFraction) != 0u ? (U)((Signed<U>)b >> 31) : U{};
  }
  template <class U>
  static constexpr Point<U> at(U b) {
    const U f = fixed(b);
    return point_of<U>((f ^ complement(b, f)) & kFraction, U{});
  }
  template <class U>
  static constexpr U result(U b, U fraction) {
    using I = Signed<U>;
    const U f = fixed(b);
    const I negative = (I)b >> 31, whole = (I)(f >> 23);
    const I exponent = 127 + ((whole ^ negative) - negative) + (I)complement(b, f);
    // Beyond either end the sum of exponent and fraction still orders rightly, and 256 << 23 is not reached.
    const I wide = within(exponent, -1, 255) * (1 << 23) + (I)fraction;
    constexpr auto kTop = static_cast<std::int32_t>(kInf32);
    const I top = wide < kTop ? wide : I{} + kTop;
    return nan_or(b, (U)(top & ((0x007fffff - wide) >> 31)));
  }
};

struct Logarithm {
  static constexpr const Table<64>& kTable = kLogarithm;
  static constexpr std::int32_t kBias = kLogarithmBias;
  static constexpr Sum kSum = Sum::kAfterWhole;

  template <class U>
  static constexpr Point<U> at(U b) {
    return point_of<U>(b & kFraction, U{});
  }
  template <class U>
  static constexpr U result(U b, U number) {
    U result = b == 0x3f800000u ? U{} : number;
    result = b == kInf32 ? all<U>(kInf32) : result;
    result = (b & kSign32) != 0u ? all<U>(kNaN32) : result;
    result = (b & kInf32) == 0u ? all<U>(kInf32 | kSign32) : result;
    return nan_or(b, result);
  }
};

// Of an operand in revolutions: 25 fraction bits, of which two are the quadrant; the odd quadrants run
// backwards by complement. Cosine is a quadrant further.
template <bool Cosine>
struct SineOfRevolutions {
  static constexpr const Table<64>& kTable = kSine;
  static constexpr std::int32_t kBias = 0;
  static constexpr Sum kSum = Sum::kReal;

  template <class U>
  static constexpr U phase(U b) {  // bits 25 and up are whole revolutions
    return shifted_significand<U>(b, (Signed<U>)exponent_of(b) - 125, 31);
  }
  template <class U>
  static constexpr U quadrant(U phase) {
    return (phase >> 23) + (Cosine ? 1u : 0u);
  }
  template <class U>
  static constexpr U backwards(U phase) {
    return 0u - (quadrant(phase) & 1u);
  }
  template <class U>
  static constexpr Point<U> at(U b) {
    const U p = phase(b);
    return point_of<U>((p ^ backwards(p)) & kFraction, U{});
  }
  template <class U>
  static constexpr U result(U b, U magnitude) {
    const U p = phase(b);
    U result =
        (p & kFraction) == 0u ? 0x3f800000u & backwards(p) : magnitude;  // an odd quadrant starts at one
    result ^= (quadrant(p) & 2u) << 30;
    if constexpr (!Cosine) result ^= b & kSign32;
    return (b & kInf32) == kInf32 ? all<U>(kNaN32) : result;
  }
};

// The operand itself below 2^-8, one from 8; between, segments that follow the exponent: for each from 2^-8
// the first segment and how many bits of the fraction choose it.
inline constexpr std::uint32_t kTangentFirst[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
inline constexpr std::uint32_t kTangentIndexBits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
struct HyperbolicTangent {
  static constexpr const Table<51>& kTable = kTangent;
  static constexpr std::int32_t kBias = 0;
  static constexpr Sum kSum = Sum::kReal;

  template <class U>
  static constexpr Point<U> at(U b) {
    const auto row = within((Signed<U>)exponent_of(b) - 119, 0, 10);
    const U index_bits = entry<U>(kTangentIndexBits, row);
    const U index = (b & kFraction) >> (23u - index_bits);
    return {entry<U>(kTangentFirst, row) + index, ((b & kFraction) >> (6u - index_bits)) & kSegmentMask};
  }
  template <class U>
  static constexpr U result(U b, U number) {
    const U magnitude = b & ~kSign32;
    U result = magnitude < 0x3b800000u ? magnitude : number;
    result = magnitude > 0x40ffffffu ? all<U>(0x3f800000u) : result;
    return nan_or(b, result | (b & kSign32));
  }
};

// sum / 2^fraction_bits (below 2^52) truncated to 24 significant bits.
constexpr float truncate_to_float(std::uint64_t sum, int fraction_bits) {
  const double exact = double_of(sum | 0x4330000000000000ull) - 0x1p52;
  const double scale = double_of(static_cast<std::uint64_t>(1023 - fraction_bits) << 52);
  return static_cast<float>(double_of(bits_of(exact) & ~0x1fffffffull) * scale);
}

// The bits of the number that a sum of evaluate() is.
template <Sum kSum>
constexpr std::uint32_t number_of(std::int64_t sum, std::uint32_t b) {
  if constexpr (kSum == Sum::kSignificand) return static_cast<std::uint32_t>(sum >> 18);
  if constexpr (kSum == Sum::kReal)
    return bits_of(truncate_to_float(static_cast<std::uint64_t>(sum >> 5), 37));
  const std::int64_t whole = static_cast<std::int64_t>(exponent_of(b)) - 127;
  const std::int64_t number = whole * (std::int64_t{1} << 36) + (sum >> 5);
  const std::int64_t negative = number >> 63;
  return bits_of(truncate_to_float(static_cast<std::uint64_t>(number ^ negative), 36)) |
         (static_cast<std::uint32_t>(negative) & kSign32);
}

template <class Function>
constexpr float of(float a) {
  const std::uint32_t b = bits_of(a);
  const auto p = Function::at(b);
  const std::int64_t sum = evaluate(Function::kTable, p.segment, p.position, Function::kBias);
  return float_of(Function::result(b, number_of<Function::kSum>(sum, b)));
}

constexpr float rcp(float a) { return of<Reciprocal>(a); }          // MUFU.RCP
constexpr float rsq(float a) { return of<ReciprocalRoot>(a); }      // MUFU.RSQ
constexpr float sqrt(float a) { return of<Root>(a); }               // MUFU.SQRT
constexpr float ex2(float a) { return of<PowerOfTwo>(a); }          // MUFU.EX2
constexpr float lg2(float a) { return of<Logarithm>(a); }           // MUFU.LG2
constexpr float tanh(float a) { return of<HyperbolicTangent>(a); }  // MUFU.TANH
// MUFU.SIN and MUFU.COS.
template <bool Cosine>
constexpr float sine(float revolutions) {
  return of<SineOfRevolutions<Cosine>>(revolutions);
}

// For the upper words of f64: fractions as the functions of f32 make them.
constexpr std::uint32_t reciprocal_fraction(std::uint32_t fraction) {
  const auto p = Reciprocal::at(fraction);
  return static_cast<std::uint32_t>(evaluate(kReciprocal, p.segment, p.position, kReciprocalBias) >> 18);
}
constexpr std::uint32_t reciprocal_root_fraction(std::uint32_t fraction, std::uint32_t odd) {
  const auto p = point_of(fraction, odd << 6);
  const std::int64_t sum = evaluate(kReciprocalRoot, p.segment, p.position, kRootBias);
  return (fraction | odd) == 0 ? 0x00800000u : static_cast<std::uint32_t>(sum >> 18);
}

// MUFU.RCP64H and MUFU.RSQ64H: from the upper word of an f64 to the upper word of the result, 20 fraction
// bits.
constexpr std::uint32_t rcp64h(std::uint32_t upper) {
  const std::uint32_t e = (upper >> 20) & 0x7ffu;
  const std::uint32_t fraction = reciprocal_fraction((upper & 0xfffffu) << 3) >> 3;
  const std::int32_t magnitude =
      static_cast<std::int32_t>(0x3fe00000u + fraction) - ((static_cast<std::int32_t>(e) - 1023) << 20);
  std::uint32_t result = magnitude < 0x00100000 ? 0u : static_cast<std::uint32_t>(magnitude);
  result = e == 0 ? 0x7ff00000u : result;
  result = e == 0x7ffu ? 0u : result;
  result |= upper & kSign32;
  return (upper & ~kSign32) > 0x7ff00000u ? 0x7fffffffu : result;
}
constexpr std::uint32_t rsq64h(std::uint32_t upper) {
  const std::uint32_t e = (upper >> 20) & 0x7ffu;
  const std::uint32_t odd = (e & 1u) ^ 1u;
  const std::uint32_t half = static_cast<std::uint32_t>((static_cast<std::int32_t>(e) - 1023) >> 1);
  const std::uint32_t fraction = reciprocal_root_fraction((upper & 0xfffffu) << 3, odd) >> 3;
  std::uint32_t result = 0x3fe00000u + fraction - (half << 20);
  result = e == 0x7ffu ? 0u : result;
  result = (upper & kSign32) != 0 ? 0x7fffffffu : result;
  result = e == 0 ? 0x7ff00000u | (upper & kSign32) : result;
  return (upper & ~kSign32) > 0x7ff00000u ? 0x7fffffffu : result;
}

}  // namespace gpuloom::ptx::numeric::mufu
