// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kAsWritten); }

const std::string kLane =
    "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 16; add.s64 %rd3, %rd1, %rd2;\n"
    "setp.lt.u32 %p1, %r8, %r1;\n";
const std::string kSum =
    "add.s32 %r9, %r2, %r3; add.s32 %r9, %r9, %r4; add.s32 %r9, %r9, %r5;\n"
    "st.global.u32 [%rd3], %r9;";

TEST_CASE("Zeros that a guarded vector load leaves where it does not run are set two at a time") {
  const auto four = lowered(kLane +
                            "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
                            "@%p1 ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd3];\n" +
                            kSum);
  CHECK(four.count(OpClass::cs2r) == 2);
  CHECK(four.count(OpClass::mov) == 0);
  const auto other = lowered(kLane +
                             "mov.u32 %r2, 0; mov.u32 %r3, 7; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
                             "@%p1 ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd3];\n" +
                             kSum);
  CHECK(other.count(OpClass::cs2r) == 1);
}

TEST_CASE("A zero that comes from a register which holds nothing else is a zero") {
  const auto four =
      lowered(kLane +
              "mov.b32 %r7, 0;\nmov.u32 %r2, %r7; mov.u32 %r3, %r7; mov.u32 %r4, %r7; mov.u32 %r5, %r7;\n"
              "@%p1 ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd3];\n" +
              kSum);
  CHECK(four.count(OpClass::cs2r) == 2);
}

TEST_CASE("Sums that begin as copies of one zero are set two at a time") {
  std::string begin = "mov.b32 %s2, 0;\n", adds, stores;
  for (int k = 3; k < 42; ++k) {  // forty of them
    const std::string sum = "%s" + std::to_string(k);
    begin += "mov.b32 " + sum + ", %s2;\n";
    adds += "add.s32 " + sum + ", " + sum + ", %s" + std::to_string(k - 1) + ";\n";
    stores += "st.global.u32 [%rd1+" + std::to_string(4 * k) + "], " + sum + ";\n";
  }
  const auto sums =
      lowered_text(test_kernel(".reg .b32 %s<50>;\n" + begin + "L: add.s32 %s2, %s2, %r1;\n" + adds +
                               "setp.lt.s32 %p1, %s2, 99; @%p1 bra L; st.global.u32 [%rd1], %s2;\n" + stores),
                   Loops::kAsWritten);
  CHECK(sums.count(OpClass::cs2r) == 19);
}

TEST_CASE("Two zeros stay apart where something between them reads what the second replaces") {
  const auto read =
      lowered(kLane +
              "ld.global.u32 %r3, [%rd3+4]; mov.u32 %r2, 0; add.s32 %r6, %r3, %r2; mov.u32 %r3, 0;\n"
              "mov.u32 %r4, 0; mov.u32 %r5, 0; st.global.u32 [%rd3+8], %r6;\n"
              "@%p1 ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd3];\n" +
              kSum);
  CHECK(read.count(OpClass::cs2r) >= 1);
}

}  // namespace
}  // namespace gpuloom::ptx
