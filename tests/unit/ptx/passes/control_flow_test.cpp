// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

PassOptions plain() {
  PassOptions o;
  o.set("if_convert", false);
  o.set("unroll", false);
  return o;
}

const std::string kByLane = "mov.u32 %r2, %tid.x; setp.gt.u32 %p1, %r2, %r1;";
const std::string kByParameter = "mov.u32 %r2, %tid.x; setp.gt.u32 %p1, %r1, 5;";
const std::string kSkip =
    "mov.u32 %r3, 1; @%p1 bra L; mov.u32 %r3, 2; st.global.u32 [%rd1+8], %r2;\nL: st.global.u32 [%rd1], %r3;";

TEST_CASE("Lanes that a branch on the lane number parts meet at the post-dominator") {
  const auto t = test_program(test_kernel(kByLane + kSkip), plain());
  const Program& p = *t.program;
  REQUIRE(count_kind(p, InstrKind::kReconverge) == 1);
  for (const Block& b : p.blocks) {
    if (p.code[b.last].kind != InstrKind::kBranch) continue;
    REQUIRE(b.reconverge != UINT32_MAX);
    CHECK(p.code[b.reconverge].kind == InstrKind::kReconverge);
    CHECK(p.code[b.last].target == b.reconverge);
    CHECK(p.code[b.last].uniform == 0);
  }
}

TEST_CASE("Lanes that stay in a loop meet there, although others leave it in between") {
  const auto t = test_program(
      test_kernel("mov.u32 %r2, %tid.x; mov.u32 %r4, 0;\nL: setp.gt.u32 %p1, %r2, %r4; @%p1 bra N;\n"
                  "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, %r2; @%p2 bra E;\nN: add.u32 %r4, %r4, 1;"
                  " setp.lt.u32 %p3, %r4, 9; @%p3 bra L;\nE: st.global.u32 [%rd1+20], %r2;"),
      plain());
  const Program& p = *t.program;
  CHECK(count_kind(p, InstrKind::kReconverge) == 2);
  const Block& skips = p.blocks[1];
  REQUIRE(p.code[skips.last].kind == InstrKind::kBranch);
  CHECK(p.code[skips.last].target == skips.reconverge);
  REQUIRE(skips.outer[0] != UINT32_MAX);
  CHECK(skips.outer[0] > skips.reconverge);
}

TEST_CASE("A branch on a parameter is uniform and needs no meeting point") {
  const auto t = test_program(test_kernel(kByParameter + kSkip), plain());
  CHECK(count_kind(*t.program, InstrKind::kReconverge) == 0);
  for (const Instr& in : t.program->code) {
    if (in.kind == InstrKind::kBranch) CHECK(in.uniform == 1);
  }
}

TEST_CASE("A value that divergent control chose is not uniform") {
  const auto t =
      test_program(test_kernel(kByLane + kSkip +
                               " setp.eq.u32 %p2, %r3, 1; @%p2 bra M; st.global.u32 [%rd1+16], %r3;\nM: "
                               "st.global.u32 [%rd1+20], %r2;"),
                   plain());
  CHECK(count_kind(*t.program, InstrKind::kReconverge) == 2);
}

TEST_CASE("A uniform loop inside a divergent region stays uniform") {
  const auto t = test_program(
      test_kernel(kByLane +
                  "@%p1 bra E; mov.u32 %r4, 0;\nL: red.global.add.u32 [%rd1], 1; add.u32 %r4, %r4, 1;"
                  " setp.lt.u32 %p2, %r4, %r1; @%p2 bra L;\nE: st.global.u32 [%rd1+20], %r2;"),
      plain());
  CHECK(count_kind(*t.program, InstrKind::kReconverge) == 1);
}

TEST_CASE("What lanes left a loop with differs between lanes") {
  const auto t = test_program(
      test_kernel(
          "mov.u32 %r2, %tid.x; mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1; red.global.add.u32 [%rd1], 1;"
          " setp.lt.u32 %p2, %r4, %r2; @%p2 bra L;\n"
          "setp.eq.u32 %p3, %r4, 7; @%p3 bra M; st.global.u32 [%rd1+16], %r4;\nM: st.global.u32 [%rd1+20], "
          "%r2;"),
      plain());
  CHECK(count_kind(*t.program, InstrKind::kReconverge) == 2);
}

TEST_CASE("An early return of some lanes is a guarded return, and nobody waits for them") {
  const auto t =
      test_program(test_kernel(kByLane + "@%p1 bra END; st.global.u32 [%rd1+16], %r2;\nEND:"), plain());
  CHECK(count_kind(*t.program, InstrKind::kReconverge) == 0);
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 0);
  CHECK(t.program->code.front().kind != InstrKind::kBranch);
}

TEST_CASE("A short skipped block becomes guarded instructions") {
  const auto t = test_program(test_kernel(kByLane + kSkip));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 0);
  unsigned guarded = 0;
  for (const Instr& in : t.program->code) guarded += in.guard.present() ? 1 : 0;
  CHECK(guarded == 2);
}

TEST_CASE(
    "A skipped block of more than eight instructions keeps its branch, unless loads could move over it") {
  const auto branches = [](const std::string& front, unsigned steps, const std::string& behind) {
    std::string body = kByLane + "mov.f32 %f2, 0f40000000; " + front + " @%p1 bra L;\n";
    for (unsigned k = 0; k < steps; ++k) body += "fma.rn.f32 %f1, %f1, %f1, %f2;\n";
    const auto t = test_program(
        test_kernel(body + "L: " + behind + " add.f32 %f1, %f1, %f3; st.global.f32 [%rd1+64], %f1;"));
    return count_kind(*t.program, InstrKind::kBranch);
  };
  const std::string one = "ld.global.f32 %f1, [%rd1]; mov.f32 %f3, 0f40000000;",
                    two = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f3, [%rd1+4];",
                    later = "ld.global.f32 %f3, [%rd1+4];";
  CHECK(branches(one, 8, "") == 0);
  CHECK(branches(one, 9, "") == 1);
  CHECK(branches(two, 20, "") == 0);
  CHECK(branches(two, 21, "") == 1);
  CHECK(branches(one, 20, later) == 0);
  CHECK(branches(one, 9, "bar.sync 0; " + later) == 1);  // nothing moves over a barrier
}

TEST_CASE("A condition and its opposite are one jump, so that both sides can become guarded instructions") {
  const auto t =
      test_program(test_kernel(kByLane + "@%p1 bra A; bra B;\nA: add.u32 %r3, %r2, 1; bra J;\n"
                                         "B: add.u32 %r3, %r2, 2;\nJ: st.global.u32 [%rd1], %r3;"));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 0);
}

TEST_CASE("A jump to a jump goes to where that one goes") {
  const auto t =
      test_program(test_kernel(kByLane + "@%p1 bra A; red.global.add.u32 [%rd1], %r2; bra J;\nA: bra J;\n"
                                         "J: st.global.u32 [%rd1+4], %r2;"));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 1);
}

TEST_CASE("Pieces that the same lanes skip have one branch around all, unless somebody asks anew") {
  const std::string piece = "red.global.add.u32 [%rd1], %r2;";
  const auto branches = [&](const std::string& between) {
    const auto t = test_program(test_kernel(kByLane + "@%p1 bra A; " + piece + "\nA: " + between +
                                            " @%p1 bra B; " + piece + "\nB: st.global.u32 [%rd1+4], %r2;"));
    return count_kind(*t.program, InstrKind::kBranch);
  };
  CHECK(branches("") == 1);
  CHECK(branches("bar.sync 0;") == 2);
  CHECK(branches("setp.gt.u32 %p1, %r2, 7;") == 2);
}

TEST_CASE("Lanes that did not get a lock meet the one that lets go of it before they ask again") {
  const auto t = test_program(test_kernel(
      kByLane +
      "L: atom.global.exch.b32 %r3, [%rd1], 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra N; red.global.add.u32 "
      "[%rd1+4], %r2; atom.global.exch.b32 %r3, [%rd1], 0;\nN: @%p1 bra L; st.global.u32 [%rd1+8], %r2;"));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 2);
}

TEST_CASE("A jump back with a loop's own guard leaves it where that guard leaves") {
  const auto t = test_program(
      test_kernel(kByLane +
                  "L: @%p1 bra E; red.global.add.u32 [%rd1], %r2; setp.gt.u32 %p1, %r2, 7; @!%p1 bra L;\nE: "
                  "st.global.u32 [%rd1+4], %r2;"));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 2);
}

TEST_CASE("A skipped block with a square root that may take the slow path keeps its branch") {
  const auto t = test_program(test_kernel(
      kByLane +
      "mov.f32 %f1, 0f40000000; @%p1 bra L; sqrt.rn.f32 %f1, %f1;\nL: st.global.f32 [%rd1+4], %f1;"));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 1);
}

TEST_CASE("A longer skipped block with a load becomes guarded where the next skipped one loads too") {
  const std::string long_block = "ld.global.f32 %f2, [%rd1]; " + [] {
    std::string text;
    for (int k = 0; k < 12; ++k) text += "fma.rn.f32 %f1, %f2, %f1, %f2; ";
    return text;
  }();
  const std::string begin = kByLane + "setp.lt.u32 %p2, %r2, 9; mov.f32 %f1, 0f40000000; @%p1 bra L; ";
  const std::string end = "st.global.f32 [%rd1+4], %f1;";
  const auto one = test_program(test_kernel(begin + long_block + "\nL: " + end));
  CHECK(count_kind(*one.program, InstrKind::kBranch) == 1);
  const auto two = test_program(test_kernel(begin + long_block + "\nL: add.f32 %f1, %f1, %f1; @%p2 bra M; " +
                                            long_block + "\nM: " + end));
  CHECK(count_kind(*two.program, InstrKind::kBranch) == 0);
}

TEST_CASE(
    "An array in local memory that is accessed at constant offsets is registers, an indexed one is not") {
  const std::string array = ".local .align 16 .b8 a[16]; mov.u64 %rd2, a; st.local.u32 [%rd2+4], %r1;\n";
  // One that may be read before it is written stays in memory, where checks see it.
  const auto loads = [](const TestProgram& t) {
    return std::count_if(t.program->code.begin(), t.program->code.end(),
                         [](const Instr& in) { return in.space == Space::kLocal; });
  };
  CHECK(loads(test_program(test_kernel(array + "ld.local.u32 %r2, [%rd2+4]; st.global.u32 [%rd1], %r2;"))) ==
        0);
  CHECK(loads(test_program(
            test_kernel(array + "mov.u32 %r3, %tid.x; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd2, %rd3;\n"
                                "ld.local.u32 %r2, [%rd3]; st.global.u32 [%rd1], %r2;"))) == 2);
  CHECK(loads(test_program(test_kernel(array + "ld.local.u32 %r2, [%rd2+8]; st.global.u32 [%rd1], %r2;"))) ==
        2);
}

TEST_CASE("A skipped block with an atomic keeps its branch") {
  const auto t = test_program(
      test_kernel(kByLane + "@%p1 bra L; red.global.add.u32 [%rd1], %r2;\nL: st.global.u32 [%rd1+4], %r2;"));
  CHECK(count_kind(*t.program, InstrKind::kBranch) == 1);
}

TEST_CASE("A small counted loop does four iterations at a time, then two, and keeps one for the rest") {
  const std::string loop =
      "mov.u32 %r2, %tid.x; neg.s32 %r4, %r1; mov.f32 %f1, 0f00000000;\nL: ld.global.f32 %f2, [%rd1]; "
      "add.f32 %f1, %f1, %f2;"
      " add.s64 %rd1, %rd1, 4; add.s32 %r4, %r4, 1; setp.ne.s32 %p1, %r4, 0; @%p1 bra L;\nst.global.f32 "
      "[%rd1], %f1;";
  const auto t = test_program(test_kernel(loop));
  std::vector<int64_t> offsets;
  for (const Instr& in : t.program->code) {
    if (in.kind == InstrKind::kLoad && in.space == Space::kGlobal) offsets.push_back(in.imm);
  }
  CHECK(offsets == std::vector<int64_t>{0, 4, 8, 12, 0, 4, 0});
  CHECK(count_class(*t.program, OpClass::fadd) == 7);
  PassOptions off;
  off.set("unroll", false);
  CHECK(count_class(*test_program(test_kernel(loop), off).program, OpClass::fadd) == 1);
}

TEST_CASE("Every instruction is in the block that says so, and blocks follow one another") {
  const auto t = test_program(test_kernel(kByLane + kSkip), plain());
  const Program& p = *t.program;
  uint32_t next = 0;
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    CHECK(p.blocks[b].first == next);
    for (uint32_t i = p.blocks[b].first; i <= p.blocks[b].last; ++i) CHECK(p.block_of[i] == b);
    next = p.blocks[b].last + 1;
  }
  CHECK(next == p.code.size());
  CHECK(p.ref_begin.size() == p.code.size() + 1);
}

TEST_CASE("Lanes that call by address meet behind the call") {
  const auto t = test_program(
      ".func (.param .b32 r) one(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; st.param.b32 [r], "
      "%r1; ret; }\n"
      ".global .u64 table[1] = {one};\n" +
      test_kernel("mov.u64 %rd2, table; ld.global.u64 %rd3, [%rd2];\n"
                  "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; prototype: .callprototype (.param "
                  ".b32 _) _ "
                  "(.param .b32 _);\n call (r), %rd3, (a), prototype; ld.param.b32 %r2, [r]; }\n"
                  "st.global.u32 [%rd1], %r2;"));
  const Program& p = *t.program;
  for (uint32_t i = 0; i < p.code.size(); ++i) {
    if (p.code[i].kind == InstrKind::kCall) CHECK(p.code[i + 1].kind == InstrKind::kReconverge);
  }
  CHECK(count_kind(p, InstrKind::kCall) == 1);
  CHECK(p.function_of == std::vector<uint32_t>{1, 0});
}

}  // namespace
}  // namespace gpuloom::ptx
