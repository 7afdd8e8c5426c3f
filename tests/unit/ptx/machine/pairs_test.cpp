// SPDX-License-Identifier: Apache-2.0
// Pairs of halves and constants at known addresses: each pattern is one of ptxas 13.0 for sm_90.
#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kAsWritten); }

const std::string kTwo = "ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4];\n";
const std::string kShared = ".reg .b32 %a; .shared .align 8 .b16 s[64]; mov.u32 %a, s;\n";

TEST_CASE("A conversion of a constant and a pair of it are immediates of what works on pairs") {
  const auto l = lowered(kTwo +
                         "mov.f32 %f1, 0f3F000000; cvt.rn.f16.f32 %h1, %f1; mov.b32 %r4, {%h1, %h1};\n"
                         "fma.rn.f16x2 %r5, %r2, %r3, %r4; st.global.u32 [%rd1], %r5;");
  CHECK(l.count(OpClass::f2fp) == 0);
  CHECK(l.count(OpClass::mov) == 0);
  CHECK(l.count(OpClass::hfma2) == 1);
}

TEST_CASE("Of two pairs of constants one is moved to a register") {
  const auto l = lowered(kTwo +
                         "mov.f32 %f1, 0f3F000000; cvt.rn.f16.f32 %h1, %f1; mov.b32 %r4, {%h1, %h1};\n"
                         "mov.f32 %f2, 0f3E000000; cvt.rn.f16.f32 %h2, %f2; mov.b32 %r6, {%h2, %h2};\n"
                         "fma.rn.f16x2 %r5, %r2, %r6, %r4; st.global.u32 [%rd1], %r5;");
  CHECK(l.count(OpClass::f2fp) == 0);
  CHECK(l.count(OpClass::mov) == 1);
}

TEST_CASE("A pair of constants that is stored stands in a register") {
  const auto l = lowered(
      "mov.f32 %f1, 0f3F000000; cvt.rn.f16.f32 %h1, %f1; mov.b32 %r4, {%h1, %h1};\n"
      "st.global.u32 [%rd1], %r4;");
  CHECK(l.count(OpClass::mov) + l.count(OpClass::prmt) == 1);
}

TEST_CASE("Neighbouring halves of shared memory that pairs of themselves read are one load, the pairs none") {
  const auto l = lowered(kShared + kTwo +
                         "ld.shared.u16 %h1, [%a]; mov.b32 %r4, {%h1, %h1};\n"
                         "ld.shared.u16 %h2, [%a+2]; mov.b32 %r5, {%h2, %h2};\n"
                         "fma.rn.f16x2 %r6, %r2, %r4, %r3; fma.rn.f16x2 %r7, %r6, %r5, %r3;\n"
                         "st.global.u32 [%rd1], %r7;");
  CHECK(l.count(OpClass::lds) == 1);
  CHECK(l.count(OpClass::mov) + l.count(OpClass::prmt) <= 1);  // the address
}

TEST_CASE("Neighbouring halves that integers read stay two loads") {
  const auto l = lowered(kShared +
                         "ld.shared.u16 %h1, [%a]; ld.shared.u16 %h2, [%a+2]; add.s16 %h3, %h1, %h2;\n"
                         "st.global.u16 [%rd1], %h3;");
  CHECK(l.count(OpClass::lds) == 2);
}

TEST_CASE("The special function unit takes one half of a pair at a time") {
  const auto l = lowered("ld.global.u32 %r2, [%rd1]; tanh.approx.f16x2 %r3, %r2; st.global.u32 [%rd1], %r3;");
  CHECK(l.count(OpClass::mufu) == 2);
}

TEST_CASE("A constant at a known address that arithmetic takes comes in a uniform register") {
  const auto l = lowered_text(
      ".const .align 4 .f32 c[4];\n" +
          test_kernel("ld.global.f32 %f1, [%rd1]; ld.const.f32 %f2, [c+4]; mul.f32 %f3, %f1, %f2;\n"
                      "st.global.f32 [%rd1], %f3;"),
      Loops::kAsWritten);
  const auto uniform = std::count_if(l.machine.ops.begin(), l.machine.ops.end(), [](const MachineOp& op) {
    return op.op == OpClass::ldc && op.uniform != 0 && op.exec_count != 0;
  });
  CHECK(uniform == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
