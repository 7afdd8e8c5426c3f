// SPDX-License-Identifier: Apache-2.0
// Moves of constants and predicates that go through integers.
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

TestProgram for_lowering(const std::string& body) {
  PassOptions options;
  options.reuse_rows = false;
  options.set("unroll", false);
  return test_program(test_kernel(body), options);
}

const std::string kCondition = "mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, %r1; selp.u32 %r3, 1, 0, %p1;\n";

TEST_CASE("A predicate that becomes 1 or 0 and is asked for again is itself") {
  const auto t = for_lowering(kCondition + "setp.ne.b32 %p2, %r3, 0; @%p2 st.global.u32 [%rd1], %r2;");
  CHECK(count_class(*t.program, OpClass::isetp) == 1);
  CHECK(count_class(*t.program, OpClass::sel) == 0);
}

TEST_CASE("One that is asked for otherwise, or in whose loop it changes first, is not") {
  CHECK(count_class(
            *for_lowering(kCondition + "setp.eq.s32 %p2, %r3, 0; @%p2 st.global.u32 [%rd1], %r2;").program,
            OpClass::sel) == 1);
  CHECK(count_class(*for_lowering("mov.u32 %r2, %tid.x; mov.u32 %r4, 0;\nL: setp.lt.u32 %p1, %r2, %r4; "
                                  "selp.u32 %r3, 1, 0, %p1;\n"
                                  "@%p2 st.global.u32 [%rd1], %r2; setp.ne.b32 %p2, %r3, 0;\n"
                                  "add.s32 %r4, %r4, 1; setp.lt.s32 %p3, %r4, %r1; @%p3 bra L;")
                         .program,
                    OpClass::sel) == 1);
}

TEST_CASE("A move from a register that holds one constant moves the constant") {
  const auto t = for_lowering(
      "mov.b32 %r7, 5;\nmov.b32 %r2, %r7; setp.lt.u32 %p1, %r1, 9; @%p1 ld.global.u32 %r2, [%rd1];\n"
      "st.global.u32 [%rd1], %r2;");
  CHECK(count_class(*t.program, OpClass::mov) == 1);
}

TEST_CASE("A copy of what the block has just set to a constant is that constant, another block's is not") {
  const std::string sums =
      "mov.b32 %r2, 0;\nmov.b32 %r3, %r2;\nL: add.s32 %r2, %r2, %r1; add.s32 %r3, %r3, %r2;\n"
      "setp.lt.s32 %p1, %r3, 9; @%p1 bra L; st.global.u32 [%rd1], %r3;";
  const auto constants = [](const TestProgram& t) {
    unsigned count = 0;
    for (const Instr& in : t.program->code)
      count += static_cast<OpClass>(in.op_class) == OpClass::mov && in.ops[1].constant() ? 1 : 0;
    return count;
  };
  CHECK(constants(for_lowering(sums)) == 2);
  std::string apart = sums;
  apart.insert(apart.find("mov.b32 %r3"), "setp.lt.s32 %p2, %r1, 7; @%p2 bra M; add.s32 %r2, %r2, 5;\nM: ");
  CHECK(constants(for_lowering(apart)) == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
