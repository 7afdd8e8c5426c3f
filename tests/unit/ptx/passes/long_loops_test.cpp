// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/long_loops.h"

#include <utility>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

struct Blocks {
  TestProgram of;
  Flow flow;
  LongLoops loops;
  explicit Blocks(TestProgram t)
      : of(std::move(t)), flow(build_flow(*of.program)), loops(*of.program, flow, 0) {}
  uint32_t last() const { return static_cast<uint32_t>(flow.blocks.size()) - 1; }
};

Blocks blocks(const std::string& body) {
  PassOptions plain;
  plain.set("if_convert", false);
  plain.set("unroll", false);
  return Blocks(test_program(test_kernel(body), plain));
}

// Whether the last block keeps what the first reads.
bool keeps(const std::string& body) {
  const Blocks b = blocks(body);
  return b.loops.keeps(0, b.last());
}

const std::string kStore = "st.global.u32 [%rd1], %r2;";
const std::string kBegin = "mov.u32 %r2, 0;\n";
const std::string kTurn = "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;";
const std::string kLong =
    "L: setp.eq.u32 %p2, %r2, 3; @%p2 bra S;\n" + kStore + "\nS: " + kTurn + "@%p1 bra L;\n";

TEST_CASE("What was read is kept behind a loop of one block, wherever it stands") {
  CHECK(keeps(kBegin + kStore));
  CHECK(keeps(kBegin + "L: " + kTurn + "@%p1 bra L;\n" + kStore));
  CHECK(keeps(kBegin + "setp.eq.u32 %p2, %r1, 3; @%p2 bra E;\nL: " + kTurn + "@%p1 bra L;\nE: " + kStore));
}

TEST_CASE("What was read is not kept behind a loop with a branch, nor behind one around a loop") {
  CHECK_FALSE(keeps(kBegin + kLong + kStore));
  CHECK_FALSE(keeps(kBegin +
                    "O: mov.u32 %r3, 0;\nI: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra I;\n" +
                    kTurn + "@%p1 bra O;\n" + kStore));
}

TEST_CASE("What was read is kept on a side that no long loop leads to") {
  const Blocks b = blocks(kBegin + "setp.eq.u32 %p3, %r1, 7; @%p3 bra L;\n" + kStore + "\n" + kLong + kStore);
  CHECK(b.loops.keeps(0, 1));
  CHECK_FALSE(b.loops.keeps(0, b.last()));
}

TEST_CASE("What a turn of a long loop has read is kept up to the loop's end and behind it") {
  const Blocks b = blocks(kBegin + kLong + kStore);
  CHECK_FALSE(b.loops.keeps(0, 1));
  for (uint32_t later = 1; later <= b.last(); ++later) CHECK(b.loops.keeps(1, later));
}

}  // namespace
}  // namespace gpuloom::ptx
