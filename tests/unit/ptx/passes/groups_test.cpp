// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/pseudo.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

const std::string kLabels = "mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 3; match.any.sync.b32 %r4, %r3, -1;\n";

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kAsWritten); }

TEST_CASE("A reduction of groups of lanes stands between WARPSYNC and BSYNC, a vote of all lanes does not") {
  const auto groups = lowered(kLabels + "redux.sync.add.u32 %r5, %r2, %r4; st.global.u32 [%rd1], %r5;");
  CHECK(groups.count(OpClass::redux) == 1);
  CHECK(groups.count(OpClass::bssy) == 1);
  CHECK(groups.count(OpClass::bsync) == 1);
  CHECK(groups.count(OpClass::warpsync) == 2);  // MATCH has one too
  CHECK(groups.place(OpClass::warpsync) < groups.place(OpClass::redux));
  const auto all = lowered(kLabels + "redux.sync.add.u32 %r5, %r2, -1; st.global.u32 [%rd1], %r5;");
  CHECK(all.count(OpClass::warpsync) == 0);
  CHECK(all.count(OpClass::bsync) == 0);
}

TEST_CASE("Two reductions of groups ask first whether the lanes are together, those of one mask once") {
  const std::string first = kLabels + "redux.sync.add.u32 %r5, %r2, %r4; add.u32 %r6, %r5, 1;\n";
  const auto same = lowered(first + "redux.sync.min.u32 %r7, %r6, %r4; st.global.u32 [%rd1], %r7;");
  // The question, and each operation for lanes that are together and for those that are not.
  CHECK(same.count(OpClass::redux) == 5);
  CHECK(same.count(OpClass::endcollective) == 2);
  const auto other = lowered(first +
                             "match.any.sync.b32 %r8, %r6, -1;\n"
                             "redux.sync.min.u32 %r7, %r6, %r8; st.global.u32 [%rd1], %r7;");
  CHECK(other.count(OpClass::redux) == 6);
  CHECK(other.count(OpClass::endcollective) == 2);
}

TEST_CASE("A shuffle under masks that differ has a WARPSYNC, three have a branch in front of all") {
  const std::string shuffle = "shfl.sync.bfly.b32 %r2, %r2, 1, 31, %r4;\n";
  const std::string end = "st.global.u32 [%rd1], %r2;";
  CHECK(lowered(kLabels + shuffle + end).count(OpClass::warpsync) == 1);
  const auto three = lowered(kLabels + shuffle + shuffle + shuffle + end);
  CHECK(three.count(OpClass::warpsync) == 0);
  CHECK(three.count(OpClass::bra) == 1);
}

TEST_CASE("What a block makes of a special register again is made once") {
  const std::string mask =
      "mov.u32 %r2, %laneid; and.b32 %r3, %r2, 16; mov.u32 %r4, 65535; shl.b32 %r5, %r4, %r3;\n"
      "st.global.u32 [%rd1], %r5; mov.u32 %r6, %laneid; and.b32 %r7, %r6, 16; mov.u32 %r8, 65535;\n"
      "shl.b32 %r9, %r8, %r7; st.global.u32 [%rd1+4], %r9;\n";
  const auto l = lowered(mask);
  CHECK(l.count(OpClass::s2r) == 1);
  CHECK(l.count(OpClass::shift) == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
