// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/long_loops.h"

#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

// How many blocks of the kernel are behind or in a loop with branches of its own; -1: not even the last is.
int behind(const std::string& body) {
  PassOptions plain;
  plain.set("if_convert", false);
  plain.set("unroll", false);
  const auto t = test_program(test_kernel(body), plain);
  const std::vector<bool> blocks = behind_long_loops(*t.program, build_flow(*t.program), 0);
  return blocks.back() ? static_cast<int>(std::count(blocks.begin(), blocks.end(), true)) : -1;
}

const std::string kStore = "st.global.u32 [%rd1], %r2;";
const std::string kTurn = "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;";

TEST_CASE("A loop of one block is not long, wherever it stands") {
  CHECK(behind(kStore) == -1);
  CHECK(behind("L: " + kTurn + "@%p1 bra L;\n" + kStore) == -1);
  CHECK(behind("setp.eq.u32 %p2, %r1, 3; @%p2 bra E;\nL: " + kTurn + "@%p1 bra L;\nE: " + kStore) == -1);
}

TEST_CASE("A loop with a branch is long, and so is one around a loop") {
  CHECK(behind("L: setp.eq.u32 %p2, %r2, 3; @%p2 bra S;\n" + kStore + "\nS: " + kTurn + "@%p1 bra L;\n" +
               kStore) >= 4);
  CHECK(behind("O: mov.u32 %r3, 0;\nI: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra I;\n" +
               kTurn + "@%p1 bra O;\n" + kStore) >= 4);
}

TEST_CASE("What stands in front of a long loop, or beside it, is not behind it") {
  const std::string loop =
      "L: setp.eq.u32 %p2, %r2, 3; @%p2 bra S;\n" + kStore + "\nS: " + kTurn + "@%p1 bra L;\n";
  CHECK(behind("setp.eq.u32 %p3, %r1, 7; @%p3 bra L;\n" + kStore + "\n" + loop + kStore) ==
        behind(loop + kStore));
}

}  // namespace
}  // namespace gpuloom::ptx
