// SPDX-License-Identifier: Apache-2.0
// Arithmetic on single halves, two at a time: what ptxas 13.0 for sm_90 does with the same.
#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kAsWritten); }

const std::string kWords =
    "ld.global.v2.u32 {%r2, %r3}, [%rd1]; mov.b32 {%h1, %h2}, %r2; mov.b32 {%h3, %h4}, %r3;\n";
const std::string kStore = "mov.b32 %r4, {%h5, %h6}; st.global.u32 [%rd1], %r4;";

unsigned arithmetic(const Lowered& l) {
  return l.count(OpClass::hmul2) + l.count(OpClass::hadd2) + l.count(OpClass::hfma2) +
         l.count(OpClass::hminmax2);
}

TEST_CASE("Two operations on the halves of two registers are one, and its result is the pair") {
  for (const std::string name : {"mul.f16", "add.f16", "sub.f16", "max.f16", "mul.ftz.f16"}) {
    const auto l = lowered(kWords + name + " %h5, %h1, %h3; " + name + " %h6, %h2, %h4;\n" + kStore);
    CHECK(arithmetic(l) == 1);
  }
  CHECK(arithmetic(lowered(kWords + "fma.rn.f16 %h5, %h1, %h3, %h1; fma.rn.f16 %h6, %h2, %h4, %h2;\n" +
                           kStore)) == 1);
}

TEST_CASE("One half for both places is an operand of a pair") {
  const auto l = lowered(kWords + "mul.f16 %h5, %h1, %h3; mul.f16 %h6, %h2, %h3;\n" + kStore);
  CHECK(arithmetic(l) == 1);
}

TEST_CASE("Halves in each other's places, different operations and different modifiers stay apart") {
  CHECK(arithmetic(lowered(kWords + "mul.f16 %h5, %h1, %h4; mul.f16 %h6, %h2, %h3;\n" + kStore)) == 2);
  CHECK(arithmetic(lowered(kWords + "mul.f16 %h5, %h1, %h3; add.f16 %h6, %h2, %h4;\n" + kStore)) == 2);
  CHECK(arithmetic(lowered(kWords + "mul.ftz.f16 %h5, %h1, %h3; mul.f16 %h6, %h2, %h4;\n" + kStore)) == 2);
}

TEST_CASE("An operation that the first of two is wanted for does not wait for the second") {
  CHECK(arithmetic(lowered(kWords + "mul.f16 %h5, %h1, %h3; mul.f16 %h7, %h5, %h5; mul.f16 %h6, %h2, %h4;\n" +
                           "mov.b32 %r4, {%h7, %h6}; st.global.u32 [%rd1], %r4;")) == 3);
}

TEST_CASE("What stands in registers of its own is packed, and what is read alone is taken out") {
  const auto l = lowered(kWords + "ld.global.u16 %h7, [%rd1+8]; ld.global.u16 %h8, [%rd1+12];\n" +
                         "fma.rn.f16 %h5, %h1, %h3, %h7; fma.rn.f16 %h6, %h2, %h4, %h8;\n" +
                         "st.global.u16 [%rd1], %h5; st.global.u16 [%rd1+8], %h6;");
  CHECK(arithmetic(l) == 1);
  CHECK(l.count(OpClass::prmt) == 2);
}

TEST_CASE("Sums of a loop stand in pairs around it") {
  const auto l = lowered("mov.b16 %h5, 0; mov.b16 %h6, 0; mov.u32 %r5, 0;\nL:\n" + kWords +
                         "fma.rn.f16 %h5, %h1, %h3, %h5; fma.rn.f16 %h6, %h2, %h3, %h6;\n" +
                         "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r1; @%p1 bra L;\n" + kStore);
  CHECK(arithmetic(l) == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
