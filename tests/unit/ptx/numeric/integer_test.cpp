// SPDX-License-Identifier: Apache-2.0
#include "ptx/numeric/integer.h"

#include "ptx/numeric/test_support.h"
#include "tests/catch2.h"

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;

// bfe as the manual writes it, bit by bit (PTX ISA 9.7.1.19).
template <typename Int>
Int manual_bfe(Int a, std::uint32_t b, std::uint32_t c) {
  using U = unsigned_of<Int>;
  constexpr std::uint32_t kTop = sizeof(Int) * 8 - 1;
  const std::uint32_t pos = b & 0xff;
  const std::uint32_t len = c & 0xff;
  const auto bit = [a](std::uint32_t i) { return (static_cast<U>(a) >> i) & 1; };
  const std::uint32_t end = pos + len - 1;
  const U sign = std::is_unsigned_v<Int> || len == 0 ? 0 : bit(end < kTop ? end : kTop);
  U d = 0;
  for (std::uint32_t i = 0; i <= kTop; ++i) d |= (i < len && pos + i <= kTop ? bit(pos + i) : sign) << i;
  return static_cast<Int>(d);
}

template <typename U>
U manual_bfi(U a, U b, std::uint32_t c, std::uint32_t d) {
  constexpr std::uint32_t kTop = sizeof(U) * 8 - 1;
  const std::uint32_t pos = c & 0xff;
  const std::uint32_t len = d & 0xff;
  U f = b;
  for (std::uint32_t i = 0; i < len && pos + i <= kTop; ++i) {
    f = (f & ~(U{1} << (pos + i))) | (((a >> i) & 1) << (pos + i));
  }
  return f;
}

TEST_CASE("Bit field extract and insert follow the manual for every position and length") {
  Random random(50);
  int wrong = 0;
  for (std::uint32_t pos = 0; pos < 256; pos += pos < 70 ? 1 : 31) {
    for (std::uint32_t len = 0; len < 256; len += len < 70 ? 1 : 31) {
      const std::uint64_t a = random.next();
      const std::uint64_t b = random.next();
      const auto a32 = static_cast<std::uint32_t>(a);
      wrong += bfe(a32, pos, len) != manual_bfe(a32, pos, len);
      wrong +=
          bfe(static_cast<std::int32_t>(a), pos, len) != manual_bfe(static_cast<std::int32_t>(a), pos, len);
      wrong += bfe(a, pos, len + 256) != manual_bfe(a, pos, len);
      wrong +=
          bfe(static_cast<std::int64_t>(a), pos, len) != manual_bfe(static_cast<std::int64_t>(a), pos, len);
      wrong += bfi(a32, static_cast<std::uint32_t>(b), pos, len) !=
               manual_bfi(a32, static_cast<std::uint32_t>(b), pos, len);
      wrong += bfi(a, b, pos, len) != manual_bfi(a, b, pos, len);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("High products and wide products") {
  CHECK(mul_hi(INT64_MIN, INT64_MIN) == 0x4000000000000000);
  CHECK(mul_hi(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
  CHECK(mul_hi(std::int64_t{-1}, std::int64_t{1}) == -1);
  CHECK(mul_hi(std::int16_t{-32768}, std::int16_t{2}) == -1);
  CHECK(mul_lo(std::uint16_t{0xffff}, std::uint16_t{0xffff}) == 1);
  CHECK(mul_wide(INT32_MIN, INT32_MIN) == 0x4000000000000000);
  CHECK(mul24_lo(0x01800000, 2) == static_cast<std::int32_t>(0xff000000));  // bit 23 is the sign
  CHECK(mul24_hi(0x00ffffffu, 0x00ffffffu) == 0xfffffe00u);
  CHECK(sad(INT32_MIN, INT32_MAX, 1) == 0);
}

TEST_CASE("Division by zero gives all ones and the most negative number negates to itself") {
  CHECK(divide(7u, 0u) == 0xffffffffu);
  CHECK(remainder(7u, 0u) == 0xffffffffu);
  CHECK(divide(std::int16_t{-5}, std::int16_t{0}) == -1);
  CHECK(divide(INT32_MIN, -1) == INT32_MIN);
  CHECK(remainder(INT64_MIN, std::int64_t{-1}) == 0);
  CHECK(remainder(-7, 3) == -1);
  CHECK(abs_int(INT32_MIN) == INT32_MIN);
  CHECK(add_sat(INT32_MAX, 1) == INT32_MAX);
  CHECK(sub_sat(INT32_MIN, 1) == INT32_MIN);
}

TEST_CASE("Searching and reversing bits") {
  CHECK(bfind(0u) == 0xffffffffu);
  CHECK(bfind(0x80000000u) == 31);
  CHECK(bfind(std::int32_t{-1}) == 0xffffffffu);
  CHECK(bfind(std::int32_t{-128}) == 6);
  CHECK(bfind<std::int32_t, true>(2) == 30);
  CHECK(bfind(std::uint64_t{1} << 40) == 40);
  CHECK(clz(0u) == 32);
  CHECK(clz(std::uint64_t{1}) == 63);
  CHECK(popc(0xf0f0f0f0u) == 16);
  CHECK(brev(0x00000001u) == 0x80000000u);
  CHECK(brev(std::uint64_t{0x0123456789abcdef}) == 0xf7b3d591e6a2c480);
  CHECK(fns(0xf000000fu, 28, -2) == 3);
  CHECK(fns(0xf000000fu, 30, 2) == 31);
  CHECK(fns(0xf000000fu, 31, 2) == 0xffffffffu);
  CHECK(fns(0x10u, 4, 0) == 4);
  CHECK(fns(0x10u, 3, 0) == 0xffffffffu);
  CHECK(fns(1u, 0, INT32_MIN) == 0);  // as ptxas expands it
}

TEST_CASE("Shifts clamp at the width, funnel shifts as told") {
  CHECK(shift_left(1u, 32) == 0);
  CHECK(shift_left(std::uint16_t{1}, 15) == 0x8000);
  CHECK(shift_left(std::uint16_t{1}, 16) == 0);
  CHECK(shift_right(std::int16_t{-2}, 100) == -1);
  CHECK(shift_right(std::uint64_t{1} << 63, 63) == 1);
  CHECK(shift_right(std::int64_t{INT64_MIN}, 64) == -1);
  CHECK(shf_left<ShiftMode::kWrap>(0x89abcdefu, 0x01234567u, 36) == 0x12345678u);
  CHECK(shf_left<ShiftMode::kClamp>(0x89abcdefu, 0x01234567u, 36) == 0x89abcdefu);
  CHECK(shf_right<ShiftMode::kClamp>(0x89abcdefu, 0x01234567u, 32) == 0x01234567u);
  CHECK(shf_right<ShiftMode::kWrap>(0x89abcdefu, 0x01234567u, 4) == 0x789abcdeu);
  CHECK(bmsk<ShiftMode::kClamp>(4, 40) == 0xfffffff0u);
  CHECK(bmsk<ShiftMode::kClamp>(32, 4) == 0);
  CHECK(bmsk<ShiftMode::kWrap>(36, 36) == 0xf0u);
  CHECK(szext<std::int32_t, ShiftMode::kClamp>(0x80, 8) == -128);
  CHECK(szext<std::int32_t, ShiftMode::kWrap>(-1, 32) == 0);
  CHECK(szext<std::uint32_t, ShiftMode::kClamp>(0xabcdu, 8) == 0xcdu);
  CHECK(szext<std::int32_t, ShiftMode::kClamp>(-5, 99) == -5);
}

TEST_CASE("prmt chooses bytes in every mode") {
  constexpr std::uint32_t kA = 0x33221100u;
  constexpr std::uint32_t kB = 0x77665584u;  // byte 4 has its sign set
  CHECK(prmt(kA, kB, 0x7531) == 0x77553311u);
  CHECK(prmt(kA, kB, 0x8c40) == 0x00ff8400u);
  CHECK(prmt<PrmtMode::kF4e>(kA, kB, 1) == 0x84332211u);
  CHECK(prmt<PrmtMode::kB4e>(kA, kB, 1) == 0x66770011u);
  CHECK(prmt<PrmtMode::kRc8>(kA, kB, 2) == 0x22222222u);
  CHECK(prmt<PrmtMode::kEcl>(kA, kB, 2) == 0x33222222u);
  CHECK(prmt<PrmtMode::kEcr>(kA, kB, 1) == 0x11111100u);
  CHECK(prmt<PrmtMode::kRc16>(kA, kB, 3) == 0x33223322u);
}

TEST_CASE("lop3 computes every table") {
  Random random(51);
  for (std::uint32_t table = 0; table < 256; ++table) {
    const auto a = static_cast<std::uint32_t>(random.next());
    const auto b = static_cast<std::uint32_t>(random.next());
    const auto c = static_cast<std::uint32_t>(random.next());
    std::uint32_t expected = 0;
    for (int i = 0; i < 32; ++i) {
      const std::uint32_t index = (((a >> i) & 1) << 2) | (((b >> i) & 1) << 1) | ((c >> i) & 1);
      expected |= ((table >> index) & 1) << i;
    }
    REQUIRE(lop3(a, b, c, table) == expected);
  }
}

TEST_CASE("Dot products extend each operand by its own sign") {
  CHECK(dp4a<std::uint32_t, std::uint32_t>(0xffffffffu, 0xffffffffu, 0) == 4 * 255 * 255);
  CHECK(dp4a<std::int32_t, std::uint32_t>(0xffffffffu, 0xffffffffu, 0) ==
        static_cast<std::uint32_t>(-4 * 255));
  CHECK(dp4a<std::int32_t, std::int32_t>(0x80808080u, 0x80808080u, 1) == 4 * 16384 + 1);
  CHECK(dp2a<std::int32_t, std::uint32_t, false>(0xffff0002u, 0xffff0a03u, 0) ==
        static_cast<std::uint32_t>(6 - 10));
  CHECK(dp2a<std::uint32_t, std::int32_t, true>(0x00010002u, 0xff030000u, 0) ==
        static_cast<std::uint32_t>(6 - 1));
}

}  // namespace
}  // namespace gpuloom::ptx::numeric
