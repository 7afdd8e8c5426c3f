// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

std::vector<int64_t> offsets(const std::string& body, unsigned& sums) {
  PassOptions options;
  options.reuse_rows = false;
  options.set("unroll", false);
  const auto t = test_program(test_kernel(body), options);
  std::vector<int64_t> found;
  for (const Instr& in : t.program->code) {
    if (in.kind == InstrKind::kLoad && in.space != Space::kParam) found.push_back(in.imm);
  }
  sums = count_class(*t.program, OpClass::add64);
  return found;
}

const std::string kBases =
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd9, %r2, 4; add.s64 %rd2, %rd1, %rd9; mov.f32 %f9, 0f00000000;\n"
    "add.s64 %rd3, %rd2, 1024; add.s64 %rd4, %rd2, 2048; mov.u32 %r3, 0;\n";
const std::string kEnd =
    "add.f32 %f9, %f9, %f1; add.f32 %f9, %f9, %f2; add.s32 %r3, %r3, 64; setp.lt.s32 %p1, %r3, %r1;\n"
    "@%p1 bra L;\nst.global.f32 [%rd2], %f9;";

TEST_CASE("Addresses of one index and bases that differ by constants are one sum, with offsets") {
  unsigned sums = 0;
  const auto found =
      offsets(kBases +
                  "L: mul.wide.s32 %rd5, %r3, 4; add.s64 %rd6, %rd3, %rd5; ld.global.f32 %f1, [%rd6+8];\n"
                  "add.s64 %rd7, %rd4, %rd5; ld.global.f32 %f2, [%rd7];\n" +
                  kEnd,
              sums);
  CHECK(found == std::vector<int64_t>{1032, 2048});
  CHECK(sums == 2);  // of the lane's pointer, and in the loop
}

TEST_CASE("Sums that something else reads, or whose index changes in between, stay") {
  unsigned sums = 0;
  auto found =
      offsets(kBases +
                  "L: mul.wide.s32 %rd5, %r3, 4; add.s64 %rd6, %rd3, %rd5; ld.global.f32 %f1, [%rd6+8];\n"
                  "add.s64 %rd7, %rd4, %rd5; ld.global.f32 %f2, [%rd7]; st.global.u64 [%rd2], %rd7;\n" +
                  kEnd,
              sums);
  CHECK(found == std::vector<int64_t>{8, 0});
  found = offsets(kBases +
                      "mov.u64 %rd5, 0;\nL: add.s64 %rd6, %rd3, %rd5; ld.global.f32 %f1, [%rd6+8]; add.s64 "
                      "%rd5, %rd5, 4;\n"
                      "add.s64 %rd7, %rd4, %rd5; ld.global.f32 %f2, [%rd7];\n" +
                      kEnd,
                  sums);
  CHECK(found == std::vector<int64_t>{8, 0});
}

TEST_CASE("A base that a loop moves on is not looked through where the sum with its constant stays behind") {
  unsigned sums = 0;
  const auto found = offsets(
      "mov.u64 %rd2, %rd1; mov.f32 %f9, 0f00000000; mov.u32 %r3, 0; mov.u64 %rd5, 64;\n"
      "add.s64 %rd3, %rd2, 1024; add.s64 %rd4, %rd2, 2048;\n"
      "L: add.s64 %rd2, %rd2, 8; add.s64 %rd6, %rd3, %rd5; ld.global.f32 %f1, [%rd6]; add.s64 %rd7, %rd4, "
      "%rd5; ld.global.f32 %f2, [%rd7];\n" +
          kEnd,
      sums);
  CHECK(found == std::vector<int64_t>{0, 0});
}

TEST_CASE("Arrays in local memory have one base, and the first of them needs no constant") {
  unsigned sums = 0;
  const auto found = offsets(
      "mov.u64 %rd2, 0; mov.f32 %f9, 0f00000000; mov.u32 %r3, 0; add.s64 %rd3, %rd2, 64;\n"
      "L: mul.wide.s32 %rd5, %r3, 4; add.s64 %rd6, %rd2, %rd5; ld.local.f32 %f1, [%rd6];\n"
      "add.s64 %rd7, %rd3, %rd5; ld.local.f32 %f2, [%rd7];\n"
      "add.f32 %f9, %f9, %f1; add.f32 %f9, %f9, %f2; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1;\n"
      "@%p1 bra L;\nst.global.f32 [%rd1], %f9;",
      sums);
  CHECK(found == std::vector<int64_t>{0, 64});
  CHECK(sums == 1);
}

TEST_CASE("Sums without a constant that no other joins stay as they are") {
  unsigned sums = 0;
  const auto found =
      offsets(kBases +
                  "L: mul.wide.s32 %rd5, %r3, 4; add.s64 %rd6, %rd2, %rd5; ld.global.f32 %f1, [%rd6];\n"
                  "add.s64 %rd7, %rd1, %rd5; ld.global.f32 %f2, [%rd7];\n" +
                  kEnd,
              sums);
  CHECK(found == std::vector<int64_t>{0, 0});
  CHECK(sums == 3);
}

}  // namespace
}  // namespace gpuloom::ptx
