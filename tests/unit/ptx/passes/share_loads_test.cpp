// SPDX-License-Identifier: Apache-2.0
// Which loads are made again: what ptxas does (bench/silicon/lowering/sharing.py).
#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

const std::string kExchange = "shfl.sync.down.b32 %r9, %r1, 1, 31, -1;";

long loads(const std::string& body) {
  PassOptions options;
  options.reuse_rows = false;
  options.set("if_convert", false);
  const auto t = test_program(test_kernel(".shared .align 8 .b8 s[64];\n" + body +
                                          "\nadd.s32 %r5, %r3, %r4; st.global.u32 [%rd1+256], %r5;"),
                              options);
  return std::ranges::count_if(t.program->code, [](const Instr& in) {
    return in.kind == InstrKind::kLoad && (in.space == Space::kGlobal || in.space == Space::kShared);
  });
}
long global_twice(const std::string& between) {
  return loads("ld.global.u32 %r3, [%rd1];" + between + "ld.global.u32 %r4, [%rd1];");
}
long shared_twice(const std::string& between) {
  return loads("ld.shared.u32 %r3, [s+8];" + between + "ld.shared.u32 %r4, [s+8];");
}

TEST_CASE("A load is not made again behind what leaves its space as it is") {
  CHECK(global_twice("") == 1);
  CHECK(global_twice(kExchange) == 1);
  CHECK(global_twice("st.shared.u32 [s], %r1;") == 1);
  CHECK(global_twice("atom.shared.add.u32 %r9, [s], 1;") == 1);
  CHECK(shared_twice("st.global.u32 [%rd1], %r1;") == 1);
}

TEST_CASE("A load is made again behind a store to its space, an atomic, a barrier or a fence") {
  CHECK(global_twice("st.global.u32 [%rd1+64], %r1;") == 2);
  CHECK(global_twice("atom.global.add.u32 %r9, [%rd1+64], 1;") == 2);
  CHECK(global_twice("st.u32 [%rd1+64], %r1;") == 2);
  CHECK(shared_twice("st.shared.u32 [s], %r1;") == 2);
  CHECK(shared_twice("bar.sync 0;") == 2);
  CHECK(shared_twice("bar.warp.sync -1;") == 2);
  CHECK(global_twice("membar.gl;") == 2);
}

TEST_CASE("A volatile load is made each time, and so is one of another width or cache operator") {
  CHECK(loads("ld.volatile.global.u32 %r3, [%rd1]; ld.volatile.global.u32 %r4, [%rd1];") == 2);
  CHECK(loads("ld.global.u32 %r3, [%rd1]; ld.global.u8 %r4, [%rd1];") == 2);
  CHECK(loads("ld.global.cg.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1];") == 2);
  CHECK(loads("ld.global.cg.u32 %r3, [%rd1]; ld.global.cg.u32 %r4, [%rd1];") == 1);
}

TEST_CASE("A read-only load is the same behind a barrier") {
  CHECK(loads("ld.global.nc.u32 %r3, [%rd1]; bar.sync 0; ld.global.nc.u32 %r4, [%rd1];") == 1);
}

TEST_CASE("What a vector load has brought, and what has been stored, is not loaded") {
  CHECK(loads("ld.shared.v2.u32 {%r8, %r3}, [s]; ld.shared.u32 %r4, [s+4];") == 1);
  CHECK(loads("mov.u32 %r3, %tid.x; st.shared.u32 [s], %r3; ld.shared.u32 %r4, [s];") == 0);
  CHECK(loads("mov.u32 %r3, %tid.x; st.shared.u8 [s], %r3; ld.shared.u8 %r4, [s];") == 1);
}

TEST_CASE("A guarded load is made for the lanes that it is for, and says nothing of the others") {
  const std::string guard = "setp.gt.s32 %p1, %r1, 3;";
  CHECK(loads(guard + "@%p1 ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1];") == 2);
  CHECK(loads(guard + "ld.global.u32 %r3, [%rd1]; @%p1 ld.global.u32 %r4, [%rd1];") == 2);
}

TEST_CASE("Where two ways meet, what both have loaded is known, unless one may have changed it") {
  const std::string branch = "setp.gt.s32 %p1, %r1, 3; @%p1 bra M;\n";
  CHECK(global_twice(branch + kExchange + "st.shared.u32 [s], %r9;\nM:\n") == 1);
  CHECK(global_twice(branch + "st.global.u32 [%rd1+64], %r1;\nM:\n") == 2);
  CHECK(loads(branch +
              "ld.global.u32 %r3, [%rd1]; st.shared.u32 [s], %r3;\nM:\nld.global.u32 %r4, [%rd1];") == 2);
}

TEST_CASE("An address that has changed is another one, and a loop knows nothing of its last turn") {
  CHECK(global_twice("add.s64 %rd1, %rd1, 16;") == 2);
  CHECK(loads("mov.u32 %r3, 0; mov.u32 %r6, 0;\nL: ld.global.u32 %r4, [%rd1]; add.s32 %r3, %r3, %r4;\n"
              "st.shared.u32 [s], %r3; add.s32 %r6, %r6, 1; setp.lt.s32 %p1, %r6, %r1; @%p1 bra L;") >= 1);
}

}  // namespace
}  // namespace gpuloom::ptx
