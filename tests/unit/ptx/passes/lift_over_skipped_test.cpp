// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

// Loads of global and shared memory in front of the branch that skips `skipped`.
long early_loads(const std::string& skipped, const std::string& join,
                 const std::string& condition = "setp.gt.f32 %p1, %f1, 0f3f800000;\n") {
  PassOptions options;
  options.reuse_rows = false;
  options.set("if_convert", false);
  options.set("sink_loads", false);
  const auto t =
      test_program(test_kernel("mov.u32 %r2, %tid.x; mul.wide.u32 %rd9, %r2, 4; add.s64 %rd2, %rd1, %rd9;\n"
                               "ld.global.f32 %f1, [%rd2]; mov.f32 %f9, 0f00000000;\n" +
                               condition + "@%p1 bra J;\n" + skipped + "\nJ:\n" + join +
                               "\nadd.f32 %f3, %f2, %f9; st.global.f32 [%rd2+4096], %f3;"),
                   options);
  const auto& code = t.program->code;
  const auto branch = std::ranges::find(code, InstrKind::kBranch, &Instr::kind);
  return std::count_if(code.begin(), branch, [](const Instr& in) {
    return in.kind == InstrKind::kLoad && (in.space == Space::kGlobal || in.space == Space::kShared);
  });
}

const std::string kWork = "sin.approx.f32 %f9, %f1;\n";
const std::string kLoad = "ld.global.f32 %f2, [%rd2+512];\n";

TEST_CASE("A load behind a skipped block comes in front of the branch") {
  CHECK(early_loads(kWork, kLoad) == 2);
  CHECK(early_loads(kWork, "add.s64 %rd5, %rd2, 64; ld.global.f32 %f2, [%rd5+512];") == 2);
}

TEST_CASE("It stays where the skipped block makes its address") {
  CHECK(early_loads(kWork + "add.s64 %rd2, %rd2, 8;", kLoad) == 1);
}

TEST_CASE("It stays where the skipped block may write what it reads") {
  CHECK(early_loads(kWork + "st.global.f32 [%rd1], %f9;", kLoad) == 1);
  CHECK(early_loads(kWork + "st.global.f32 [%rd2+512], %f9;", kLoad) == 1);
  CHECK(early_loads(kWork + "atom.global.add.f32 %f9, [%rd2], %f1;", kLoad) == 1);
}

TEST_CASE("It passes stores to other words from the same address, and to another memory") {
  CHECK(early_loads(kWork + "st.global.f32 [%rd2+508], %f9;", kLoad) == 2);
  CHECK(early_loads(kWork + "st.shared.f32 [%r2], %f9;", kLoad) == 2);
}

TEST_CASE("Nothing rises above a barrier, a fence or a clock read") {
  for (const char* between :
       {"bar.sync 0;", "membar.gl;", "mov.u64 %rd5, %clock64; st.global.u64 [%rd2+8192], %rd5;"})
    CHECK(early_loads(kWork, between + kLoad) == 1);
}

TEST_CASE("Nothing moves over what machine code has branches for") {
  CHECK(early_loads("sqrt.rn.f32 %f9, %f1;\n", kLoad) == 1);
  CHECK(early_loads("mov.u32 %r3, 0;\nL: add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, %r1; @%p2 bra L;\n",
                    kLoad) == 1);
}

TEST_CASE("Where all lanes branch together, loads move in loops only") {
  const std::string uniform = "setp.gt.s32 %p1, %r1, 5;\n";
  CHECK(early_loads(kWork, kLoad, uniform) == 1);
  CHECK(early_loads(kWork, kLoad + "add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, %r1; @%p2 bra L;",
                    "mov.u32 %r3, 0;\nL:\n.pragma \"nounroll\";\n" + uniform) == 2);
}

TEST_CASE("A volatile load stays") {
  CHECK(early_loads(kWork, "ld.volatile.global.f32 %f2, [%rd2+512];") == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
