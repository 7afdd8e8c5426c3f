// SPDX-License-Identifier: Apache-2.0
// Sums, shifts and products of 64 bits in as many operations as ptxas has (bench/silicon/lowering/
// targets/wide_integers.csv, sm_90).
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

const std::string kKeep = " st.global.u64 [%rd1+512], %rd9;";

struct Counts {
  unsigned iadd = 0, wide = 0, imad = 0, lea = 0, shift = 0;
  bool operator==(const Counts&) const = default;
};
Counts counts(const std::string& body) {
  MachineModel m = plain_model();
  m.sequence[static_cast<size_t>(OpClass::add64)] = {OpClass::iadd, OpClass::iadd};
  m.sequence[static_cast<size_t>(OpClass::shift64)] = {OpClass::shift, OpClass::shift};
  m.sequence[static_cast<size_t>(OpClass::mul64)] = {OpClass::imad, OpClass::imad_wide, OpClass::imad,
                                                     OpClass::iadd};
  const Lowered l = lowered_text(
      test_kernel("ld.global.u64 %rd3, [%rd1]; ld.global.u64 %rd4, [%rd1+8]; ld.global.u64 %rd5, [%rd1+16];\n"
                  "ld.global.u64 %rd6, [%rd1+24]; ld.global.u32 %r2, [%rd1+32];\n" +
                  body),
      Loops::kAsWritten, m);
  return {l.count(OpClass::iadd), l.count(OpClass::imad_wide), l.count(OpClass::imad), l.count(OpClass::lea),
          l.count(OpClass::shift)};
}

TEST_CASE("Two sums of 64 bits are one of three values, unless the first has another reader") {
  CHECK(counts("add.s64 %rd8, %rd3, %rd4; add.s64 %rd9, %rd8, %rd5;" + kKeep) == Counts{.iadd = 2});
  CHECK(counts("sub.s64 %rd8, %rd3, %rd4; add.s64 %rd9, %rd5, %rd8;" + kKeep) == Counts{.iadd = 2});
  CHECK(counts("add.s64 %rd7, %rd3, %rd4; add.s64 %rd8, %rd7, %rd5; add.s64 %rd9, %rd8, %rd6;" + kKeep) ==
        Counts{.iadd = 4});
  CHECK(counts("add.s64 %rd8, %rd3, %rd4; add.s64 %rd9, %rd8, %rd5; st.global.u64 [%rd1+520], %rd8;" +
               kKeep) == Counts{.iadd = 4});
}

TEST_CASE("A product of 64 bits is added to by IMAD.WIDE, in each sum of its block") {
  CHECK(counts("mul.lo.s64 %rd9, %rd3, %rd4;" + kKeep) == Counts{.iadd = 1, .wide = 1, .imad = 2});
  CHECK(counts("mul.lo.s64 %rd8, %rd3, %rd4; add.s64 %rd9, %rd8, %rd5;" + kKeep) ==
        Counts{.iadd = 1, .wide = 1, .imad = 2});
  CHECK(counts("mul.lo.s64 %rd8, %rd3, %rd4; add.s64 %rd9, %rd8, %rd5; add.s64 %rd10, %rd8, %rd6;"
               "st.global.u64 [%rd1+520], %rd10;" +
               kKeep) == Counts{.iadd = 2, .wide = 2, .imad = 2});
  CHECK(counts("mul.lo.s64 %rd8, %rd3, %rd4; add.s64 %rd9, %rd8, %rd5; st.global.u64 [%rd1+520], %rd8;" +
               kKeep) == Counts{.iadd = 3, .wide = 1, .imad = 2});
}

TEST_CASE("A constant of 32 bits has no upper half to multiply") {
  CHECK(counts("mul.lo.s64 %rd9, %rd3, 12;" + kKeep) == Counts{.iadd = 1, .wide = 1, .imad = 1});
  CHECK(counts("mul.lo.s64 %rd9, %rd3, -12;" + kKeep) == Counts{.iadd = 1, .wide = 1, .imad = 1});
  CHECK(counts("mul.lo.s64 %rd9, %rd3, 64;" + kKeep) == Counts{.iadd = 1, .wide = 1, .shift = 1});
  CHECK(counts("mul.lo.s64 %rd9, %rd3, 0x1800000003;" + kKeep) == Counts{.iadd = 1, .wide = 1, .imad = 2});
}

TEST_CASE("A shift goes into one sum, and is kept for two") {
  const std::string extended =
      "cvt.s64.s32 %rd7, %r2; shl.b64 %rd8, %rd7, 2; add.s64 %rd9, %rd3, %rd8;" + kKeep;
  CHECK(counts(extended) == Counts{.lea = 2, .shift = 1});
  CHECK(counts(extended + " add.s64 %rd10, %rd4, %rd8; st.global.u64 [%rd1+520], %rd10;") ==
        Counts{.iadd = 4, .shift = 3});
}

TEST_CASE("The upper half of a shift that has nothing in it is not made") {
  const std::string two =
      " shl.b64 %rd8, %rd7, 2; add.s64 %rd9, %rd3, %rd8; add.s64 %rd10, %rd4, %rd8;"
      " st.global.u64 [%rd1+520], %rd10;" +
      kKeep;
  CHECK(counts("and.b32 %r3, %r2, 255; cvt.u64.u32 %rd7, %r3;" + two).shift == 1);
  CHECK(counts("mov.u32 %r3, %tid.x; or.b32 %r3, %r3, 4096; cvt.u64.u32 %rd7, %r3;" + two).shift == 1);
  CHECK(counts("shr.u32 %r3, %r2, 1; cvt.u64.u32 %rd7, %r3;" + two).shift == 3);
  CHECK(counts("cvt.u64.u32 %rd7, %r2;" + two).shift == 2);
}

}  // namespace
}  // namespace gpuloom::ptx
