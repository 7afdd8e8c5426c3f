// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace gpuloom::ptx::numeric {

// The integer, logic and shift instructions whose meaning is not one C++ operator. Types are the PTX types:
// u16 is std::uint16_t, s64 is std::int64_t, and so on; results wrap. Sections are those of the PTX ISA
// manual, 9.7.1 and 9.7.8.

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

template <typename Int>
using unsigned_of = std::make_unsigned_t<Int>;

// Wrapping arithmetic; 16-bit operands are not promoted into an overflowing int.
template <typename Int>
constexpr Int wrap_add(Int a, Int b) {
  using U = unsigned_of<Int>;
  return static_cast<Int>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}
template <typename Int>
constexpr Int wrap_sub(Int a, Int b) {
  using U = unsigned_of<Int>;
  return static_cast<Int>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
}
template <typename Int>
constexpr Int mul_lo(Int a, Int b) {
  using U = std::conditional_t<sizeof(Int) < 4, std::uint32_t, unsigned_of<Int>>;
  return static_cast<Int>(static_cast<U>(a) * static_cast<U>(b));
}

// The type of twice the width, for mul.wide.
template <typename Int>
struct Wide;
template <>
struct Wide<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Wide<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Wide<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct Wide<std::uint32_t> {
  using type = std::uint64_t;
};
template <typename Int>
using wide_of = typename Wide<Int>::type;

template <typename Int>
constexpr wide_of<Int> mul_wide(Int a, Int b) {
  return static_cast<wide_of<Int>>(a) * static_cast<wide_of<Int>>(b);
}

template <typename Int>
constexpr Int mul_hi(Int a, Int b) {
  if constexpr (sizeof(Int) == 8) {
    using Product = std::conditional_t<std::is_signed_v<Int>, int128, uint128>;
    return static_cast<Int>((static_cast<Product>(a) * static_cast<Product>(b)) >> 64);
  } else {
    return static_cast<Int>(mul_wide(a, b) >> (sizeof(Int) * 8));
  }
}

// add.sat.s32, sub.sat.s32 (and the sum in mad.hi.sat.s32)
constexpr std::int32_t add_sat(std::int32_t a, std::int32_t b) {
  const std::int64_t s = std::int64_t{a} + b;
  return static_cast<std::int32_t>(s < INT32_MIN ? INT32_MIN : (s > INT32_MAX ? INT32_MAX : s));
}
constexpr std::int32_t sub_sat(std::int32_t a, std::int32_t b) {
  const std::int64_t s = std::int64_t{a} - b;
  return static_cast<std::int32_t>(s < INT32_MIN ? INT32_MIN : (s > INT32_MAX ? INT32_MAX : s));
}

// mul24: 24-bit operands, bits 31..0 (lo) or 47..16 (hi) of the 48-bit product.
constexpr std::int64_t low_24(std::int32_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8;
}
constexpr std::int64_t low_24(std::uint32_t x) { return static_cast<std::int64_t>(x & 0xffffffu); }
template <typename Int>
constexpr Int mul24_lo(Int a, Int b) {
  return static_cast<Int>(low_24(a) * low_24(b));
}
template <typename Int>
constexpr Int mul24_hi(Int a, Int b) {
  return static_cast<Int>((low_24(a) * low_24(b)) >> 16);
}

// sad: c + |a - b|
template <typename Int>
constexpr Int sad(Int a, Int b, Int c) {
  return wrap_add(c, a < b ? wrap_sub(b, a) : wrap_sub(a, b));
}

// div, rem. By zero both give all ones, and MIN / -1 wraps to MIN with remainder 0: left open by the manual,
// so on the H200.
template <typename Int>
constexpr Int divide(Int a, Int b) {
  if (b == 0) return static_cast<Int>(~Int{0});
  if constexpr (std::is_signed_v<Int>) {
    if (b == -1) return wrap_sub(Int{0}, a);
  }
  return static_cast<Int>(a / b);
}
template <typename Int>
constexpr Int remainder(Int a, Int b) {
  if (b == 0) return static_cast<Int>(~Int{0});
  if constexpr (std::is_signed_v<Int>) {
    if (b == -1) return 0;
  }
  return static_cast<Int>(a % b);
}

template <typename Int>
constexpr Int abs_int(Int a) {
  return a < 0 ? wrap_sub(Int{0}, a) : a;
}

template <typename U>
constexpr std::uint32_t popc(U a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <typename U>
constexpr std::uint32_t clz(U a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}

constexpr std::uint32_t brev(std::uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
constexpr std::uint64_t brev(std::uint64_t x) {
  const std::uint64_t upper = brev(static_cast<std::uint32_t>(x));
  return (upper << 32) | brev(static_cast<std::uint32_t>(x >> 32));
}

// bfind: position of the highest bit that is not the sign; .shiftamt: how far it is from the top. 0xffffffff
// if none.
template <typename Int, bool ShiftAmount = false>
constexpr std::uint32_t bfind(Int a) {
  using U = unsigned_of<Int>;
  U x = static_cast<U>(a);
  if constexpr (std::is_signed_v<Int>) x = a < 0 ? static_cast<U>(~x) : x;
  const std::uint32_t above = clz(x);
  constexpr std::uint32_t kBits = sizeof(Int) * 8;
  return x == 0 ? ~0u : (ShiftAmount ? above : kBits - 1 - above);
}

// bfe: `length` bits from `position` (bits 7..0 of each count), sign extended for signed types from the
// field's top bit or, if the field reaches beyond the word, the word's.
template <typename Int>
constexpr Int bfe(Int a, std::uint32_t position, std::uint32_t length) {
  using U = unsigned_of<Int>;
  constexpr std::uint32_t kBits = sizeof(Int) * 8;
  const std::uint32_t pos = position & 0xff;
  const std::uint32_t len = length & 0xff;
  const U shifted = pos < kBits ? static_cast<U>(static_cast<U>(a) >> (pos & (kBits - 1))) : U{0};
  const U mask = len < kBits ? static_cast<U>((U{1} << (len & (kBits - 1))) - 1) : static_cast<U>(~U{0});
  const U field = shifted & mask;
  if constexpr (std::is_unsigned_v<Int>) {
    return field;
  } else {
    const std::uint32_t end = pos + len;
    const std::uint32_t top = len == 0 ? 0 : (end - 1 < kBits - 1 ? end - 1 : kBits - 1);
    const bool ones = len != 0 && ((static_cast<U>(a) >> top) & 1) != 0;
    // Above the field, and above the word's own bits where the field runs out of it.
    const std::uint32_t valid = pos < kBits ? (len < kBits - pos ? len : kBits - pos) : 0;
    const U kept =
        valid < kBits ? static_cast<U>((U{1} << (valid & (kBits - 1))) - 1) : static_cast<U>(~U{0});
    return static_cast<Int>(ones ? static_cast<U>(field | static_cast<U>(~kept)) : field);
  }
}

// bfi: the low `length` bits of a into b at `position`.
template <typename U>
constexpr U bfi(U a, U b, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t kBits = sizeof(U) * 8;
  const std::uint32_t pos = position & 0xff;
  const std::uint32_t len = length & 0xff;
  const U field = len < kBits ? static_cast<U>((U{1} << (len & (kBits - 1))) - 1) : static_cast<U>(~U{0});
  const U mask = pos < kBits ? static_cast<U>(field << (pos & (kBits - 1))) : U{0};
  const U moved = pos < kBits ? static_cast<U>(a << (pos & (kBits - 1))) : U{0};
  return (b & ~mask) | (moved & mask);
}

// How an amount of 32 or more is taken: all of it (clamp) or modulo 32 (wrap).
enum class ShiftMode : std::uint8_t { kClamp, kWrap };

// bmsk: `width` ones from bit `start`.
template <ShiftMode M>
constexpr std::uint32_t bmsk(std::uint32_t start, std::uint32_t width) {
  const std::uint32_t s = M == ShiftMode::kWrap ? start & 31 : start;
  const std::uint32_t w = M == ShiftMode::kWrap ? width & 31 : width;
  const std::uint32_t ones = w < 32 ? (1u << (w & 31)) - 1 : ~0u;
  return s < 32 ? ones << (s & 31) : 0;
}

// szext: sign (Int = s32) or zero extension of the low `width` bits; a width of 0 gives 0, of 32 and more
// (clamp) the word.
template <typename Int, ShiftMode M>
constexpr Int szext(Int a, std::uint32_t width) {
  const std::uint32_t w = M == ShiftMode::kWrap ? width & 31 : width;
  if (w >= 32) return a;
  const std::uint32_t mask = (1u << w) - 1;
  const std::uint32_t field = static_cast<std::uint32_t>(a) & mask;
  const bool ones = std::is_signed_v<Int> && w != 0 && ((field >> ((w - 1) & 31)) & 1) != 0;
  return static_cast<Int>(ones ? field | ~mask : field);
}

// fns: the n-th set bit of mask from bit `base`, upwards (n > 0) or downwards; n = 0 asks for `base` itself.
// ~0 if none. As ptxas 13.0 expands it: a base beyond 31 leaves no bit upwards and, mirrored, none downwards;
// whether there are enough bits is asked with signs, so that n = -2^31 finds "the last": 0.
constexpr std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  const auto from = [](std::uint32_t bits, std::uint32_t first) {
    return first > 31 ? 0 : bits >> first << first;
  };
  const bool down = n < 0;
  std::uint32_t left = static_cast<std::uint32_t>(n);
  if (n == 0) {
    left = 1;
    mask &= base > 31 ? 0 : std::uint32_t{1} << base;
  }
  if (down) {
    std::uint32_t mirrored = 0;
    for (unsigned k = 0; k < 32; ++k) mirrored |= ((mask >> k) & 1) << (31 - k);
    mask = mirrored;
    left = 0u - left;
    base = 31 - base;
  }
  mask = from(mask, base);
  if (std::popcount(mask) < static_cast<std::int32_t>(left)) return ~0u;
  std::uint32_t at = 0;  // by halves: the lower one, if it has enough bits
  for (unsigned width = 16; width != 0; width /= 2) {
    const auto here = static_cast<std::uint32_t>(std::popcount(mask & ((1u << width) - 1)));
    if (here >= left) continue;
    left -= here;
    mask >>= width;
    at += width;
  }
  return down ? 31 - at : at;
}

// shl, shr: amounts beyond the width clamp to it. shr on a signed type fills with the sign.
template <typename Int>
constexpr Int shift_left(Int a, std::uint32_t by) {
  using U = unsigned_of<Int>;
  constexpr std::uint32_t kBits = sizeof(Int) * 8;
  const U moved = static_cast<U>(static_cast<U>(a) << (by & (kBits - 1)));
  return static_cast<Int>(by < kBits ? moved : U{0});
}
template <typename Int>
constexpr Int shift_right(Int a, std::uint32_t by) {
  constexpr std::uint32_t kBits = sizeof(Int) * 8;
  if constexpr (std::is_signed_v<Int>) {
    return static_cast<Int>(a >> (by < kBits ? by : kBits - 1));
  } else {
    const Int moved = static_cast<Int>(a >> (by & (kBits - 1)));
    return by < kBits ? moved : Int{0};
  }
}

// shf: funnel shift of the 64-bit b:a; left gives the upper word, right the lower.
template <ShiftMode M>
constexpr std::uint32_t shf_left(std::uint32_t a, std::uint32_t b, std::uint32_t by) {
  const std::uint32_t n = M == ShiftMode::kWrap ? by & 31 : (by < 32 ? by : 32);
  const std::uint64_t both = (static_cast<std::uint64_t>(b) << 32) | a;
  return static_cast<std::uint32_t>((both << n) >> 32);
}
template <ShiftMode M>
constexpr std::uint32_t shf_right(std::uint32_t a, std::uint32_t b, std::uint32_t by) {
  const std::uint32_t n = M == ShiftMode::kWrap ? by & 31 : (by < 32 ? by : 32);
  const std::uint64_t both = (static_cast<std::uint64_t>(b) << 32) | a;
  return static_cast<std::uint32_t>(both >> n);
}

// prmt: four selectors of four bits (default mode) or one selector of two bits (the others) choose bytes of
// b:a.
enum class PrmtMode : std::uint8_t { kDefault, kF4e, kB4e, kRc8, kEcl, kEcr, kRc16 };

namespace detail {

constexpr std::uint32_t prmt_selector(PrmtMode mode, std::uint32_t c) {
  // Tables of the manual's section 9.7.9.7, one 16-bit selector for each value of c[1:0].
  constexpr std::uint16_t kSelectors[7][4] = {
      {0, 0, 0, 0},                      // default: c itself
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
  };
  return mode == PrmtMode::kDefault ? c : kSelectors[static_cast<int>(mode)][c & 3];
}

}  // namespace detail

template <PrmtMode Mode = PrmtMode::kDefault>
constexpr std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint64_t bytes = (static_cast<std::uint64_t>(b) << 32) | a;
  const std::uint32_t selector = detail::prmt_selector(Mode, c);
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t s = selector >> (4 * i);
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (s & 7))) & 0xff;
    if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // replicate the sign
    result |= byte << (8 * i);
  }
  return result;
}

// lop3: bit i of the table is the result for (a, b, c) = the bits of i. The table is uniform, so a lane loop
// keeps the eight masks in registers.
constexpr std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  const auto mask = [table](int i) { return 0u - ((table >> i) & 1u); };
  const std::uint32_t c0 = (~c & mask(0)) | (c & mask(1));
  const std::uint32_t c1 = (~c & mask(2)) | (c & mask(3));
  const std::uint32_t c2 = (~c & mask(4)) | (c & mask(5));
  const std::uint32_t c3 = (~c & mask(6)) | (c & mask(7));
  const std::uint32_t b0 = (~b & c0) | (b & c1);
  const std::uint32_t b1 = (~b & c2) | (b & c3);
  return (~a & b0) | (a & b1);
}

// dp4a: c + the four products of bytes. dp2a: c + two products of 16-bit by 8-bit elements, the lower (lo) or
// upper (hi) two bytes of b. A and B are s32 or u32 and say how each operand extends; the sum wraps.
template <typename A, typename B>
constexpr std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  using ByteA = std::conditional_t<std::is_signed_v<A>, std::int8_t, std::uint8_t>;
  using ByteB = std::conditional_t<std::is_signed_v<B>, std::int8_t, std::uint8_t>;
  std::uint32_t sum = c;
  for (int i = 0; i < 4; ++i) {
    const std::int32_t x = static_cast<ByteA>(a >> (8 * i));
    const std::int32_t y = static_cast<ByteB>(b >> (8 * i));
    sum += static_cast<std::uint32_t>(x * y);
  }
  return sum;
}
template <typename A, typename B, bool Upper>
constexpr std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  using HalfA = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  using ByteB = std::conditional_t<std::is_signed_v<B>, std::int8_t, std::uint8_t>;
  std::uint32_t sum = c;
  for (int i = 0; i < 2; ++i) {
    const std::int32_t x = static_cast<HalfA>(a >> (16 * i));
    const std::int32_t y = static_cast<ByteB>(b >> (8 * i + (Upper ? 16 : 0)));
    sum += static_cast<std::uint32_t>(x * y);
  }
  return sum;
}

}  // namespace gpuloom::ptx::numeric
