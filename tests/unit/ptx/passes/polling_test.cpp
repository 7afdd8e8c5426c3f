// SPDX-License-Identifier: Apache-2.0
// Where ptxas has a YIELD: answers of ptxas 13.0 to loops written in CUDA (bench/silicon/probes/locks).
#include "ptx/exec/yield.h"
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

unsigned polling_loops(const std::string& body) {
  PassOptions plain;
  plain.set("unroll", false);
  const auto t = test_program(test_kernel("mov.u32 %r2, %tid.x; mov.u32 %r3, 0;\n" + body), plain);
  unsigned marked = 0;
  for (const Instr& in : t.program->code)
    if (in.kind == InstrKind::kBranch && in.aux == kPollsAgain) ++marked;
  return marked;
}

const std::string kUntilSet = "setp.eq.u32 %p1, %r4, 0; @%p1 bra L; st.global.u32 [%rd1+8], %r3;";
const std::string kCounted =
    "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; st.global.u32 [%rd1+8], %r5;";

TEST_CASE("A loop polls that an atomic's result, a load that is not weak or an mbarrier ends") {
  CHECK(polling_loops("L: atom.global.cas.b32 %r4, [%rd1], 0, 1;" + kUntilSet) == 1);
  CHECK(polling_loops("L: atom.shared.exch.b32 %r4, [%r1], 1;" + kUntilSet) == 1);
  CHECK(polling_loops("L: ld.volatile.global.u32 %r4, [%rd1];" + kUntilSet) == 1);
  CHECK(polling_loops("L: ld.volatile.shared.u32 %r4, [%r1];" + kUntilSet) == 1);
  CHECK(polling_loops("L: ld.acquire.gpu.global.u32 %r4, [%rd1];" + kUntilSet) == 1);
  CHECK(polling_loops("L: mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra L;") == 1);
}

TEST_CASE("A loop polls although others count with it, or its exit stands in its middle") {
  CHECK(polling_loops("L: atom.global.add.u32 %r4, [%rd1], 1; add.u32 %r5, %r4, %r3; add.u32 %r3, %r3, 1;"
                      "setp.lt.u32 %p1, %r5, 9; @%p1 bra L;") == 1);
  CHECK(polling_loops("L: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 7; @%p1 bra E; "
                      "st.global.u32 [%rd1+4], %r3; add.u32 %r3, %r3, 1; bra L;\nE:") == 1);
}

TEST_CASE("A loop that counts, reads weakly, looks at the clock or sleeps does not poll") {
  CHECK(polling_loops("L: ld.volatile.global.u32 %r4, [%rd1]; add.u32 %r5, %r5, %r4;" + kCounted) == 0);
  CHECK(polling_loops("L: atom.global.add.u32 %r4, [%rd1], 1; add.u32 %r5, %r5, %r4;" + kCounted) == 0);
  CHECK(polling_loops("L: ld.global.u32 %r4, [%rd1];" + kUntilSet) == 0);
  CHECK(polling_loops("L: mov.u32 %r4, %clock; sub.u32 %r4, %r4, %r1; shr.u32 %r4, %r4, 9;" + kUntilSet) ==
        0);
  CHECK(polling_loops("L: nanosleep.u32 20; ld.volatile.global.u32 %r4, [%rd1];" + kUntilSet) == 0);
}

// done_form, if_count, if_else, if_if, if_skip, if_and_weak and if_over of loops.cu.
TEST_CASE("A loop polls where a branch that asks an atomic chooses what the exit asks for") {
  const std::string try_lock = "L: atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p2, %r4, 0;";
  const std::string until = "setp.lt.u32 %p1, %r5, %r2; @%p1 bra L; st.global.u32 [%rd1+8], %r5;";
  const std::string act = "st.global.u32 [%rd1+4], %r3; membar.gl; ";
  CHECK(polling_loops(try_lock + "mov.pred %p1, -1; @%p2 bra J; " + act +
                      "mov.pred %p1, 0;\nJ: @%p1 bra L;") == 1);
  CHECK(polling_loops(try_lock + "@%p2 bra J; " + act + "add.u32 %r5, %r5, 1;\nJ: " + until) == 1);
  CHECK(polling_loops(try_lock + "@%p2 bra M; " + act +
                      "add.u32 %r5, %r5, 1; bra J;\nM: add.u32 %r5, %r5, 3;\nJ: " + until) == 1);
  CHECK(polling_loops(try_lock + "@%p2 bra J; " + act +
                      "mov.u32 %r6, 3;\nJ: setp.eq.u32 %p3, %r6, 0; @%p3 bra M; " + act +
                      "add.u32 %r5, %r5, 1;\nM: " + until) == 1);
  CHECK(polling_loops(try_lock + "add.u32 %r5, %r5, 1; @%p2 bra J; " + act + "\nJ: " + until) == 0);
  CHECK(polling_loops(try_lock + "@%p2 bra J; " + act +
                      "ld.global.u32 %r6, [%rd1+8]; setp.ne.u32 %p3, %r6, 3; " + "@%p3 bra J; " + act +
                      "add.u32 %r5, %r5, 1;\nJ: " + until) == 0);
  CHECK(polling_loops(try_lock + "@%p2 bra J; " + act + "mov.u32 %r6, 3;\nJ: ld.global.u32 %r5, [%rd1+12]; " +
                      until) == 0);
}

// bfs_frontier of bench/silicon/libraries, for which ptxas 13.0 has no YIELD, and tries within counted turns,
// for which it has one.
TEST_CASE(
    "A `continue` that an atomic decides is a turn of its loop; tries for a lock are a loop within the "
    "turns") {
  CHECK(polling_loops("L: add.u32 %r3, %r3, 32; setp.ge.u32 %p2, %r3, %r2; @%p2 bra E;"
                      "atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;"
                      "st.global.u32 [%rd1+4], %r3; bra L;\nE:") == 0);
  CHECK(polling_loops("L: atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;"
                      "st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1], 0;" +
                      kCounted) == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
