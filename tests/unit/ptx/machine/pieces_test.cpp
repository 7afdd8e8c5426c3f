// SPDX-License-Identifier: Apache-2.0
// Values of 8 and 16 bits in registers of 32: each pattern is one of ptxas 13.0 for sm_90, compiled for the
// purpose.
#include "ptx/machine/lower.h"
#include "ptx/passes/watchers.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kAsWritten); }

const std::string kShorts =
    "ld.global.u16 %h1, [%rd1]; ld.global.u16 %h2, [%rd1+4]; add.s16 %h3, %h1, %h2;\n";

TEST_CASE("Four bytes are loaded as one register, and PRMT takes each out once") {
  const auto l = lowered(
      "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1]; cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h4;\n"
      "mad.lo.s32 %r4, %r2, %r3, %r1; cvt.rn.f32.u16 %f1, %h2; cvt.rn.f32.u16 %f2, %h2;\n"
      "add.f32 %f3, %f1, %f2; st.global.u32 [%rd1], %r4; st.global.f32 [%rd1+4], %f3;");
  CHECK(l.count(OpClass::prmt) == 3);
}

TEST_CASE("Bytes and halves that are stored together are put into one register first") {
  const std::string four =
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; cvt.u16.u32 %h1, %r2;\n"
      "cvt.u16.u32 %h2, %r3; cvt.u16.u32 %h3, %r4; cvt.u16.u32 %h4, %r5;\n";
  CHECK(lowered(four + "st.global.v4.u8 [%rd1], {%h1, %h2, %h3, %h4};").count(OpClass::prmt) == 3);
  CHECK(lowered(four + "st.global.v4.u16 [%rd1], {%h1, %h2, %h3, %h4};").count(OpClass::prmt) == 2);
}

TEST_CASE("Two halves that are rounded and packed are one operation") {
  const auto l = lowered(
      "ld.global.v2.f32 {%f1, %f2}, [%rd1]; cvt.rn.f16.f32 %h1, %f1; cvt.rn.f16.f32 %h2, %f2;\n"
      "mov.b32 %r2, {%h1, %h2}; st.global.u32 [%rd1], %r2;");
  CHECK(l.count(OpClass::f2fp) == 1);
  CHECK(l.count(OpClass::mov) + l.count(OpClass::prmt) == 0);
}

TEST_CASE("The upper bf16 is taken out before it is widened, the upper f16 is read where it is") {
  const auto taken = [](const std::string& type) {
    return lowered("ld.global.u32 %r2, [%rd1]; mov.b32 {%h1, %h2}, %r2; cvt.f32." + type +
                   " %f1, %h1; cvt.f32." + type +
                   " %f2, %h2; mul.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3;")
        .count(OpClass::prmt);
  };
  CHECK(taken("bf16") == 1);
  CHECK(taken("f16") == 0);
}

TEST_CASE("A register that a guarded load fills is taken apart like any other") {
  const auto l = lowered(
      "setp.lt.u32 %p1, %r1, 9; mov.b32 %r2, 0;\n@%p1 ld.global.b32 %r2, [%rd1];\n"
      "mov.b32 {%h1, %h2}, %r2; cvt.f32.bf16 %f1, %h1; cvt.f32.bf16 %f2, %h2;\n"
      "st.global.f32 [%rd1], %f1; st.global.f32 [%rd1+4], %f2;");
  CHECK(l.count(OpClass::prmt) == 1);
  CHECK(l.count(OpClass::mov) <= 1);
}

TEST_CASE("A sign is part of what compares, chooses, converts or widens") {
  const auto l = lowered(
      "ld.global.v2.f32 {%f1, %f2}, [%rd1]; neg.f32 %f3, %f1; abs.f32 %f4, %f2; setp.lt.f32 %p1, %f3, %f4;\n"
      "selp.f32 %f5, %f3, %f2, %p1; st.global.f32 [%rd1], %f5;");
  CHECK(l.count(OpClass::fadd) == 0);
}

TEST_CASE("What looks at all bits of a sum of 16 extends it first, once a block") {
  const auto l = lowered(kShorts +
                         "mul.lo.s16 %h4, %h3, 77; shr.s16 %h5, %h3, 3; st.global.u16 [%rd1], %h4;\n"
                         "st.global.u16 [%rd1+4], %h5;");
  CHECK(l.count(OpClass::prmt) == 1);
  const auto wide = lowered(kShorts + "mul.wide.u16 %r2, %h3, 12; st.global.u32 [%rd1], %r2;");
  CHECK(wide.count(OpClass::lop3) == 1);
}

TEST_CASE("A load, a mask and a shift to the right leave nothing to extend") {
  for (const std::string value :
       {"mul.wide.u16 %r2, %h1, %h2;", "and.b16 %h4, %h3, 255; cvt.u32.u16 %r2, %h4;",
        "shr.u16 %h4, %h1, 3; mul.wide.s16 %r2, %h4, 5;"}) {
    const auto l = lowered(kShorts + value + " st.global.u32 [%rd1], %r2;");
    INFO(value);
    CHECK(l.count(OpClass::prmt) == 0);
  }
}

TEST_CASE("A byte that PRMT puts beside zeros is extended already, two bytes are not") {
  const auto lookup = [](const std::string& selector) {
    return lowered("mov.u32 %r2, %tid.x; ld.global.u32 %r3, [%rd1]; prmt.b32 %r4, %r3, 0, " + selector +
                   "; cvt.u16.u32 %h1, %r4;\nmad.wide.u16 %r5, %h1, 12, %r2; st.global.u32 [%rd1], %r5;\n")
        .count(OpClass::prmt);
  };
  CHECK(lookup("0x7772") == 1);
  CHECK(lookup("0x7732") == 2);
}

TEST_CASE("A mask and bits that are set with another constant are two operations") {
  const auto l = lowered(
      "ld.global.u32 %r2, [%rd1]; and.b32 %r3, %r2, 983055; or.b32 %r4, %r3, 1677747200;\n"
      "st.global.u32 [%rd1], %r4;");
  CHECK(l.count(OpClass::lop3) == 2);
}

TEST_CASE("A rotation of 64 bits is two shifts, its bits are reversed by halves") {
  const auto l = lowered(
      "ld.global.u64 %rd2, [%rd1]; shl.b64 %rd3, %rd2, 27; shr.u64 %rd4, %rd2, 37; add.s64 %rd5, %rd3, "
      "%rd4;\n"
      "brev.b64 %rd6, %rd5; st.global.u64 [%rd1], %rd6;");
  CHECK(l.count(OpClass::shift) + 2 * l.count(OpClass::shift64) == 2);
  CHECK(l.count(OpClass::lea) + l.count(OpClass::iadd) == 0);
  CHECK(l.count(OpClass::brev) == 2);
}

// What the checks of each pass find wrong.
void check_passes(const std::string& body, Loops loops) {
  PassVerifier verifier;
  LoweringOptions how;
  how.control.watchers = {&verifier};
  lowered_text(test_kernel(body), loops, plain_model(), how);
  CHECK_NOTHROW(verifier.throw_if_any());
}

const std::string kExchange =
    "mov.b16 %h7, %h5; mov.u32 %r3, 0;\nL:\n"
    "mov.b16 %h3, %h6; mov.b16 %h6, %h7; mov.b16 %h7, %h3; add.u32 %r3, %r3, 1; st.global.u16 [%rd1+8], "
    "%h6;\n";

TEST_CASE("A part of a register that a variable of a loop takes over is moved there") {
  for (const std::string load :
       {"ld.global.u32 %r2, [%rd1]; mov.b32 {%h1, %h2}, %r2;", "ld.global.v2.u16 {%h1, %h2}, [%rd1];"}) {
    for (const std::string move :
         {"mov.b16 %h6, %h1;", "mov.b16 %h6, %h2;", "mov.b16 %h4, %h1; mov.b16 %h6, %h4;"})
      check_passes(load + move + "ld.global.u16 %h5, [%rd1+40];" + kExchange +
                       "setp.lt.u32 %p1, %r3, %r1; @%p1 bra L; st.global.u16 [%rd1+36], %h7;",
                   Loops::kAsWritten);
  }
}

TEST_CASE("A copy of many copies is what the first is of") {
  check_passes(
      "ld.global.u32 %r2, [%rd1]; mov.b32 {%h1, %h2}, %r2; mov.b16 %h6, %h2; ld.global.u16 %h5, [%rd1+40];" +
          kExchange + "setp.lt.u32 %p1, %r3, 12; @%p1 bra L; st.global.u16 [%rd1+36], %h7;",
      Loops::kUnrolled);
}

}  // namespace
}  // namespace gpuloom::ptx
