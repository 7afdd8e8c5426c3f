// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

// Loads of global and shared memory in front of the first branch or return and behind it, where `front`
// stands in front of it, `side` on the side that it skips, and `meeting` where both sides meet.
struct Loads {
  long front = 0, behind = 0;
  bool operator==(const Loads&) const = default;
};
Loads loads(const std::string& front, const std::string& side, const std::string& meeting = "") {
  PassOptions options;
  options.reuse_rows = false;
  options.set("if_convert", false);
  options.set("lift_over_skipped", false);
  const auto t = test_program(
      test_kernel("mov.u32 %r2, %tid.x; setp.gt.s32 %p1, %r2, 7;\n" + front + "\n@%p1 bra J;\n" + side +
                  "\nst.global.f32 [%rd1+64], %f9;\nJ:\n" + meeting + "\nst.global.u32 [%rd1], %r2;"),
      options);
  const auto& code = t.program->code;
  const auto branch = std::ranges::find_if(code, [](const Instr& in) {
    return in.kind == InstrKind::kBranch || in.kind == InstrKind::kReturn || in.kind == InstrKind::kExit;
  });
  const auto loads_memory = [](const Instr& in) {
    return in.kind == InstrKind::kLoad && (in.space == Space::kGlobal || in.space == Space::kShared);
  };
  return {std::count_if(code.begin(), branch, loads_memory), std::count_if(branch, code.end(), loads_memory)};
}

const std::string kLoad = "ld.global.f32 %f1, [%rd1+512];", kUse = "mul.f32 %f9, %f1, %f1;";

TEST_CASE("A load that one side of a branch needs moves there") {
  CHECK(loads(kLoad, kUse) == Loads{0, 1});
  CHECK(loads("ld.shared.f32 %f1, [%r1];", kUse) == Loads{0, 1});
  CHECK(loads("add.s64 %rd5, %rd1, 4096; ld.global.v2.f32 {%f1, %f2}, [%rd5];", "add.f32 %f9, %f1, %f2;") ==
        Loads{0, 1});
}

TEST_CASE("It moves on to the block that needs it, over further branches") {
  CHECK(loads(kLoad + "ld.global.f32 %f2, [%rd1+516];",
              "setp.gt.f32 %p2, %f1, 0f3F800000; @%p2 bra J; bar.sync 0;\nmul.f32 %f9, %f2, %f2;") ==
        Loads{0, 2});
}

TEST_CASE("It stays where both sides need it, and where the branch does") {
  CHECK(loads(kLoad, kUse, "st.global.f32 [%rd1+8], %f1;") == Loads{1, 0});
  CHECK(loads(kLoad + "setp.gt.f32 %p1, %f1, 0f3F800000;", kUse) == Loads{1, 0});
}

TEST_CASE("It stays where memory may change between it and the branch") {
  for (const char* between : {"st.global.u32 [%rd1+516], %r2;", "bar.sync 0;", "membar.gl;",
                              "atom.global.add.u32 %r3, [%rd1], 1;", "ld.volatile.global.u32 %r3, [%rd1];"})
    CHECK(loads(kLoad + between, kUse).front >= 1);
}

TEST_CASE("A volatile, a relaxed and a guarded load stay") {
  CHECK(loads("ld.volatile.global.f32 %f1, [%rd1];", kUse) == Loads{1, 0});
  CHECK(loads("ld.relaxed.gpu.global.f32 %f1, [%rd1];", kUse) == Loads{1, 0});
  CHECK(loads("mov.f32 %f1, 0f00000000; @%p1 ld.global.f32 %f1, [%rd1];", kUse) == Loads{1, 0});
}

TEST_CASE("A load in front of a loop stays there, and so does one of a loop that is needed behind it") {
  CHECK(loads(kLoad + "mov.u32 %r4, 0;\nL: add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, %r2; @%p2 bra L;",
              kUse) == Loads{1, 0});
}

TEST_CASE("A load in front of a return that some threads take stands behind it") {
  const auto t = [] {
    PassOptions options;
    options.reuse_rows = false;
    return test_program(
        test_kernel("mov.u32 %r2, %tid.x; setp.gt.s32 %p1, %r2, 7; ld.global.f32 %f1, [%rd1+512];\n"
                    "@%p1 ret;\nst.global.f32 [%rd1], %f1;"),
        options);
  }();
  const auto& code = t.program->code;
  const auto leaves = std::ranges::find_if(code, [](const Instr& in) { return in.guard.present(); });
  REQUIRE(leaves != code.end());
  CHECK(std::any_of(leaves, code.end(), [](const Instr& in) {
    return in.kind == InstrKind::kLoad && in.space == Space::kGlobal;
  }));
}

}  // namespace
}  // namespace gpuloom::ptx
