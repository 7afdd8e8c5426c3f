// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/conformance_compare.h"

#include "tests/catch2.h"

using namespace gpuloom::validation;

namespace {

bool same(const char* type, CompareRule rule, uint64_t got, uint64_t expected) {
  ValueLayout layout;
  REQUIRE(value_layout(type, layout));
  return acceptable(rule, layout, got, expected);
}

const CompareRule kBits{}, kAnyNan{CompareRule::Kind::kBits, 0, 0, 0, true};
const CompareRule kOneUlp{CompareRule::Kind::kUlp, 1, 0, 0, true};
const CompareRule kClose{CompareRule::Kind::kClose, 0, 0.01, 0.001, true};

}  // namespace

TEST_CASE("Bits must be equal, the unused upper ones too", "[conformance]") {
  CHECK(same("u32", kBits, 7, 7));
  CHECK_FALSE(same("u32", kBits, 7, 0x1'0000'0007));
  CHECK_FALSE(same("f16", kAnyNan, 0x1'7e00, 0x7e00));
}

TEST_CASE("NaNs are equal whatever their payload only where the case says so", "[conformance]") {
  CHECK(same("f32", kAnyNan, 0x7fffffff, 0xffc00000));
  CHECK_FALSE(same("f32", kBits, 0x7fffffff, 0xffc00000));
  CHECK_FALSE(same("f32", kAnyNan, 0x7fffffff, 0x7f800000));
  CHECK(same("f16x2", kAnyNan, 0x7fff3c00, 0x7e013c00));
  CHECK_FALSE(same("f16x2", kAnyNan, 0x7fff3c01, 0x7e013c00));
  CHECK_FALSE(same("u32", kAnyNan, 0x7fffffff, 0xffc00000));
  CHECK(same("e4m3x2", kAnyNan, 0x7f38, 0xff38));
  CHECK_FALSE(same("e4m3x2", kAnyNan, 0x7e38, 0xff38));
}

TEST_CASE("Units of the last place are counted through zero", "[conformance]") {
  CHECK(same("f32", kOneUlp, 0x3f800001, 0x3f800000));
  CHECK_FALSE(same("f32", kOneUlp, 0x3f800002, 0x3f800000));
  CHECK(same("f32", kOneUlp, 0x80000000, 0x00000000));
  CHECK(same("f32", kOneUlp, 0x80000001, 0x00000000));
  CHECK_FALSE(same("f32", kOneUlp, 0x80000001, 0x00000001));
  CHECK(same("f64", kOneUlp, 0x3ff0000000000001, 0x3ff0000000000000));
}

TEST_CASE("A close result satisfies the relative or the absolute bound", "[conformance]") {
  CHECK(same("f32", kClose, 0x42c80000, 0x42c90000));        // 100, 100.5
  CHECK_FALSE(same("f32", kClose, 0x42c80000, 0x42cc0000));  // 100, 102
  CHECK(same("f32", kClose, 0x00000000, 0x3a000000));        // 0, 0.000488
  CHECK_FALSE(same("f32", kClose, 0x7f7fffff, 0x7f800000));  // infinity is never close
  CHECK(same("f16x2", kClose, 0x3c003c00, 0x3c013bff));
  CHECK_FALSE(same("f16x2", kClose, 0x3c004000, 0x3c013bff));
}

TEST_CASE("Words are shown as their type reads them", "[conformance]") {
  ValueLayout layout;
  REQUIRE(value_layout("bf16x2", layout));
  CHECK(show_word(layout, 0x3f80c000) == "0x3f80c000 (-2, 1)");
  REQUIRE(value_layout("pred", layout));
  CHECK(show_word(layout, 1) == "0x1");
  CHECK_FALSE(value_layout("f9", layout));
}
