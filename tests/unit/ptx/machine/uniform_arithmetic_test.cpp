// SPDX-License-Identifier: Apache-2.0
// What the uniform datapath does: each pattern is one of ptxas 13.0 for sm_90.
#include <algorithm>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

unsigned uniform(const std::string& body, OpClass op) {
  const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten);
  return static_cast<unsigned>(
      std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                    [&](const MachineOp& o) { return o.op == op && o.uniform != 0; }));
}

const std::string kLane = "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd3, %rd1, %rd2;\n";
const std::string kStore = "st.global.u32 [%rd3], %r9;";

TEST_CASE(
    "What is made of a parameter and constants alone stays in uniform registers up to the vector operation") {
  const std::string key =
      kLane + "add.s32 %r2, %r1, 77; xor.b32 %r3, %r2, 12345; mul.lo.s32 %r4, %r3, 331;\n";
  CHECK(uniform(key + "xor.b32 %r9, %r8, %r4;" + kStore, OpClass::iadd) == 1);
  CHECK(uniform(key + "xor.b32 %r9, %r8, %r4;" + kStore, OpClass::lop3) == 1);
  CHECK(uniform(key + "xor.b32 %r9, %r8, %r4;" + kStore, OpClass::imad) == 1);
}

TEST_CASE("What a store writes or an immediate stands beside comes from a vector register") {
  CHECK(uniform(kLane + "add.s32 %r9, %r1, 77;" + kStore, OpClass::iadd) == 0);
  CHECK(uniform(kLane + "add.s32 %r2, %r1, 77; mad.lo.s32 %r9, %r8, 5, %r2;" + kStore, OpClass::iadd) == 0);
}

TEST_CASE("An operation takes one uniform operand: of two the second is a vector register") {
  const std::string two =
      kLane + "add.s32 %r2, %r1, 77; shl.b32 %r3, %r1, 3; mad.lo.s32 %r9, %r8, %r2, %r3;" + kStore;
  CHECK(uniform(two, OpClass::iadd) + uniform(two, OpClass::shift) == 1);
}

// As bench/silicon/lowering/uniform_factors.py has it.
TEST_CASE("A wide product takes a factor that all lanes share from a uniform register") {
  const std::string place = kLane + "mov.u32 %r2, %ctaid.x;\n", stored = "st.global.u64 [%rd3], %rd7;";
  CHECK(uniform(place + "mul.wide.s32 %rd7, %r8, %r2;" + stored, OpClass::s2r) == 1);
}

TEST_CASE("The block's place in the grid is read to a uniform register beside two vector registers alone") {
  const std::string place = kLane + "mov.u32 %r2, %ctaid.x; ld.global.u32 %r4, [%rd3+64];\n";
  CHECK(uniform(place + "mad.lo.s32 %r9, %r4, %r2, %r8;" + kStore, OpClass::s2r) == 1);
  CHECK(uniform(place + "mad.lo.s32 %r9, %r1, %r2, %r8;" + kStore, OpClass::s2r) == 0);
}

TEST_CASE("A loop's counter is uniform where lanes leave the loop together, and not where they do not") {
  const auto loop = [](const std::string& bound) {
    return kLane +
           "mov.u32 %r2, 0; mov.u32 %r9, %r8;\nL:\n brev.b32 %r9, %r9; add.s32 %r2, %r2, 1;\n"
           "setp.lt.s32 %p1, %r2, " +
           bound + "; @%p1 bra L;\n" + kStore;
  };
  CHECK(uniform(loop("%r1"), OpClass::iadd) == 1);
  CHECK(uniform(loop("%r8"), OpClass::iadd) == 0);
}

TEST_CASE("What is computed where some lanes have gone elsewhere is not uniform") {
  std::string longer;  // than what becomes guarded instructions
  for (int k = 0; k < 24; ++k) longer += "brev.b32 %r4, %r4; add.s32 %r4, %r4, %r8;\n";
  CHECK(uniform(kLane + "mov.u32 %r9, 0; setp.gt.u32 %p1, %r8, 5; @%p1 bra E; ld.global.u32 %r4, [%rd3];\n" +
                    longer +
                    "add.s32 %r2, %r1, 77; xor.b32 %r9, %r4, %r2; st.global.u32 [%rd3+64], %r9;\nE:\n" +
                    kStore,
                OpClass::iadd) == 0);
}

// A stage that goes round in a loop (Triton's pipelines), with its choice.
std::string stages(const std::string& bound) {
  return kLane +
         "add.s32 %r7, %r1, -3; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r9, %r8;\nL:\n"
         "add.s32 %r4, %r3, 1; setp.gt.s32 %p1, %r4, 3; selp.b32 %r3, 0, %r4, %p1;\n"
         "xor.b32 %r6, %r9, %r3; brev.b32 %r9, %r6; add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, " +
         bound + "; @%p2 bra L;\n" + kStore;
}

unsigned moved_predicates(const std::string& body) {
  const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten);
  return static_cast<unsigned>(std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                                             [](const MachineOp& o) { return o.op == OpClass::plop3; }));
}

TEST_CASE("What all lanes compare alike and then choose is compared and chosen on the uniform datapath") {
  CHECK(uniform(stages("%r1"), OpClass::isetp) == 1);
  CHECK(uniform(stages("%r1"), OpClass::sel) == 1);
  CHECK(moved_predicates(stages("%r1")) == 0);
}

TEST_CASE("A loop's counter is compared there with what has been computed, and PLOP3 tells the branch") {
  CHECK(uniform(stages("%r7"), OpClass::isetp) == 2);
  CHECK(moved_predicates(stages("%r7")) == 1);
  CHECK(uniform(stages("100"), OpClass::isetp) == 1);
}

TEST_CASE("A predicate of what lanes differ in stays in the vector file") {
  const std::string own = kLane + "setp.gt.s32 %p1, %r8, 3; selp.b32 %r9, 0, %r8, %p1;" + kStore;
  CHECK(uniform(own, OpClass::isetp) == 0);
  CHECK(uniform(own, OpClass::sel) == 0);
}

}  // namespace
}  // namespace gpuloom::ptx
