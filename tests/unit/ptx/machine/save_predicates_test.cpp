// SPDX-License-Identifier: Apache-2.0
// A thread has seven predicates.
#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

// Masks that are read on both sides of a barrier: all of them live at it.
std::string masked(unsigned count) {
  std::string values, masks, before, behind;
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k), m = "%m" + n, value = "%r" + std::to_string(k + 2);
    values += "ld.global.u32 " + value + ", [%rd1+" + std::to_string(4096 + 4 * k) + "];\n";
    masks += "setp.lt.s32 " + m + ", " + value + ", %r1;\n";
    before += "@" + m + " st.shared.u32 [tile+" + std::to_string(4 * k) + "], %r1;\n";
    behind += "@" + m + " st.global.u32 [%rd1+" + std::to_string(64 * k) + "], %r1;\n";
  }
  return test_kernel(".reg .pred %m<16>; .shared .align 4 .b8 tile[64];\n" + values + masks + before +
                     "bar.sync 0;\n" + behind);
}

Lowered lowered(unsigned masks) { return lowered_text(masked(masks), Loops::kAsWritten); }

TEST_CASE("Seven masks stay in their predicates") { CHECK(lowered(7).count(OpClass::p2r) == 0); }

TEST_CASE("Of ten masks three or more wait in registers, and a comparison brings each of them back") {
  const Lowered l = lowered(10);
  const unsigned saved = l.count(OpClass::p2r);
  CHECK(saved >= 3);
  CHECK(saved < 10);
  CHECK(l.count(OpClass::isetp) >= 10 + saved);
}

TEST_CASE("Without the pass no predicate waits in a register") {
  LoweringOptions how;
  how.control.set("predicates", false);
  CHECK(lowered_text(masked(10), Loops::kAsWritten, plain_model(), how).count(OpClass::p2r) == 0);
}

}  // namespace
}  // namespace gpuloom::ptx
