// SPDX-License-Identifier: Apache-2.0
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

// Copies of the marker in a loop of `fillers` more instructions; the latch is the caller's.
unsigned copies(unsigned fillers, const std::string& latch, const std::string& more = {}) {
  std::string body = "mov.u32 %r2, %r1; mov.u32 %r3, 0; mov.u32 %r4, %tid.x; cvt.rn.f32.u32 %f1, %r4;\nL:\n" +
                     more + " brev.b32 %r5, %r5;\n";
  for (unsigned k = 0; k < fillers; ++k) body += " fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  const auto t = test_program(test_kernel(body + latch +
                                          " @%p1 bra L;\nst.global.f32 [%rd1], %f1; "
                                          "st.global.u32 [%rd1+4], %r5;"));
  return count_class(*t.program, OpClass::brev);
}

const std::string kDown = "add.s32 %r2, %r2, -4; setp.ne.s32 %p1, %r2, 0;";
const std::string kUp = "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1;";

TEST_CASE("A loop is unrolled into four, two and one iterations while its body fits ptxas's budget") {
  CHECK(copies(17, kDown) == 7);
  CHECK(copies(18, kDown) == 1);
  CHECK(copies(17, kUp) == 7);
}

TEST_CASE("Loads from shared and global memory raise the budget") {
  CHECK(copies(20, kDown, "ld.shared.f32 %f2, [%r4]; add.f32 %f1, %f1, %f2;") == 7);
  CHECK(copies(21, kDown, "ld.shared.f32 %f2, [%r4]; add.f32 %f1, %f1, %f2;") == 1);
  CHECK(copies(42, kDown, "ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2;") == 7);
  CHECK(copies(43, kDown, "ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2;") == 1);
}

TEST_CASE(
    "An offset of a shared address takes as much of the budget as an instruction, an atomic as much as ten") {
  CHECK(copies(19, kDown, "ld.shared.f32 %f2, [%r4+64]; add.f32 %f1, %f1, %f2;") == 7);
  CHECK(copies(20, kDown, "ld.shared.f32 %f2, [%r4+64]; add.f32 %f1, %f1, %f2;") == 1);
  CHECK(copies(7, kDown, "red.shared.add.u32 [%r4], %r2;") == 7);
  CHECK(copies(8, kDown, "red.shared.add.u32 [%r4], %r2;") == 1);
}

// bench/silicon/lowering/targets/units.csv
TEST_CASE("Forms take of the budget what ptxas counts, which is not what they become") {
  const std::string load = "ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2;";
  const auto fits = [&](unsigned units, const std::string& what, const std::string& from) {
    CHECK(copies(42 - units, kDown, from + what) == 7);
    CHECK(copies(43 - units, kDown, from + what) == 1);
  };
  fits(4,
       "mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 %f3, %h1; cvt.f32.f16 %f4, %h2; add.f32 %f1, %f1, %f3;"
       "add.f32 %f1, %f1, %f4;",
       load);
  fits(6,
       "mov.b32 {%h1, %h2}, %r1; cvt.f32.bf16 %f3, %h1; cvt.f32.bf16 %f4, %h2; add.f32 %f1, %f1, %f3;"
       "add.f32 %f1, %f1, %f4;",
       load);
  fits(3, "clz.b32 %r6, %r5; xor.b32 %r5, %r5, %r6;", load);
  fits(3, "",
       "setp.lt.s32 %p2, %r3, %r4; mov.f32 %f2, %f1; @%p2 ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2;");
  fits(3, "", "mad.wide.s32 %rd5, %r3, 4, %rd1; ld.global.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2;");
}

TEST_CASE("Twenty loads from shared memory raise the budget to 99 and no further, barriers and all") {
  std::string tile = "bar.sync 0;\n";
  for (int k = 0; k < 20; ++k)
    tile += "ld.shared.f32 %f2, [%r4+" + std::to_string(4 * k + 4) + "]; add.f32 %f1, %f1, %f2;\n";
  CHECK(copies(34, kDown, tile) == 7);
  CHECK(copies(35, kDown, tile) == 1);
}

TEST_CASE(
    "A constant number of turns is taken in as large rounds as fit into 350 units with those left over") {
  const auto turns = [](int number) {
    return "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, " + std::to_string(number) + ";";
  };
  CHECK(copies(14, turns(128)) == 21 + 128 % 21);
  CHECK(copies(19, turns(1000)) == 12 + 1000 % 12);
  CHECK(copies(69, turns(1000)) == 5);
  CHECK(copies(71, turns(1000)) == 4);
  CHECK(copies(71, turns(1009)) == 4);  // one, and rounds of three
  CHECK(copies(72, turns(1000)) == 1);
}

TEST_CASE("Fences of memory keep a loop as it is, those between ways to memory do not") {
  CHECK(copies(3, kUp, "membar.gl;") == 1);
  CHECK(copies(3, kUp, "fence.acq_rel.gpu;") == 1);
  CHECK(copies(3, kUp, "fence.proxy.async;") == 7);
}

TEST_CASE("A loop counted by bits is one that is counted by numbers") {
  CHECK(copies(17, "add.s32 %r2, %r2, -4; setp.ne.b32 %p1, %r2, 0;") == 7);
}

// A condition that skips so many instructions, too long for guards.
std::string skipping(const std::string& label, unsigned fillers) {
  std::string text = "setp.gt.f32 %p2, %f1, 0f00000000; @%p2 bra " + label + ";\n";
  for (unsigned k = 0; k < fillers; ++k) text += "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  return text + label + ":\n";
}

TEST_CASE(
    "A loop with a block that a branch skips is unrolled by the same budget, the branch is a unit of it") {
  CHECK(copies(0, kUp, skipping("M", 15)) == 7);
  CHECK(copies(0, kUp, skipping("M", 16)) == 1);
  CHECK(copies(0, "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 1000;", skipping("M", 9)) == 1);
  CHECK(copies(0, "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 8;", skipping("M", 30)) == 8);
}

TEST_CASE("A condition within another's block keeps a loop together unless its turns become straight code") {
  const std::string nested = "setp.gt.f32 %p3, %f1, 0f3f800000; @%p3 bra N;\n" + skipping("M", 9) +
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\nN:\n";
  CHECK(copies(0, kUp, nested) == 1);
  CHECK(copies(0, "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 8;", nested) == 8);
}

TEST_CASE("A loop that is left in its middle becomes straight code, or stays") {
  const std::string leaves = "setp.gt.f32 %p3, %f1, 0f3f800000; @%p3 bra Z;\n";
  const std::string end = "\nZ: st.global.u32 [%rd1+8], %r5;";
  const auto kernel = [&](const std::string& bound) {
    const auto t = test_program(test_kernel(
        "mov.u32 %r3, 0; mov.u32 %r4, %tid.x; cvt.rn.f32.u32 %f1, %r4;\nL:\n" + leaves +
        "brev.b32 %r5, %r5; fma.rn.f32 %f1, %f1, %f1, %f1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, " +
        bound + "; @%p1 bra L;" + end));
    return count_class(*t.program, OpClass::brev);
  };
  CHECK(kernel("8") == 8);
  CHECK(kernel("%r1") == 1);
}

TEST_CASE("A loop marked nounroll, or stepped by a variable, or compared by another value stays as it is") {
  CHECK(copies(3, kDown, ".pragma \"nounroll\";\n") == 1);
  CHECK(copies(3, "add.s32 %r3, %r3, %r4; setp.lt.s32 %p1, %r3, %r1;") == 1);
  CHECK(copies(3, "add.s32 %r3, %r3, 1; add.s32 %r6, %r3, %r4; setp.ne.s32 %p1, %r6, 0;") == 1);
}

TEST_CASE("Copies of a loop use one sum of a stepped pointer and a fixed distance, with offsets") {
  const auto t = test_program(test_kernel(
      "neg.s32 %r4, %r1; mul.wide.s32 %rd3, %r1, 4; mov.u64 %rd2, %rd1; mov.f32 %f1, 0f00000000;\n"
      "L: add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f2, [%rd4+4]; add.f32 %f1, %f1, %f2; add.s64 %rd2, %rd2, "
      "8;"
      " add.s32 %r4, %r4, 1; setp.ne.s32 %p1, %r4, 0; @%p1 bra L;\nst.global.f32 [%rd1], %f1;"));
  std::vector<int64_t> offsets;
  for (const Instr& in : t.program->code) {
    if (in.kind == InstrKind::kLoad && in.space == Space::kGlobal) offsets.push_back(in.imm);
  }
  CHECK(offsets == std::vector<int64_t>{4, 12, 20, 28, 4, 12, 4});
  CHECK(count_class(*t.program, OpClass::add64) == 6);  // a sum and a step for each of the three bodies
}

TEST_CASE("A loop with an unsigned comparison has its first iteration apart") {
  CHECK(copies(3, "add.s32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1;") == 8);
}

TEST_CASE("A loop with a fence stays a loop") {
  CHECK(copies(3, kDown, "membar.gl;\n") == 1);
  CHECK(copies(3, "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 7;", "membar.gl;\n") == 1);
}

TEST_CASE("A barrier and a guarded access keep a loop unless its turns are constant") {
  const std::string both = "bar.sync 0; setp.gt.u32 %p2, %r4, 5; @%p2 st.shared.u32 [%r4], %r6;\n";
  CHECK(copies(3, kUp, "bar.sync 0; setp.gt.u32 %p2, %r4, 5; @%p2 add.s32 %r6, %r6, 1;\n") == 7);
  CHECK(copies(3, kUp, both) == 1);
  CHECK(copies(3, kUp, "bar.sync 0;\n") == 7);
  CHECK(copies(3, "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 7;", both) == 7);
}

TEST_CASE("Atomics and exchanges ask for a bound that is a parameter and a start that lanes share") {
  const std::string shuffle = "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\n";
  const std::string atomic = "red.global.add.u32 [%rd1], %r4;\n";
  for (const std::string& together : {shuffle, atomic}) {
    CHECK(copies(3, kUp, together) == 7);
    CHECK(copies(3, "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r4;", together) == 1);  // the lane's bound
    CHECK(copies(3, "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r1;", together) == 1);  // the lane's start
  }
  CHECK(copies(3, "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r1;") == 7);
}

TEST_CASE("Lanes that begin apart and store what they load keep their loop") {
  const std::string start = "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r1;";
  const std::string load = "ld.global.u32 %r6, [%rd1+64]; ";
  CHECK(copies(3, start, load + "st.global.u32 [%rd1+128], %r6;\n") == 1);
  CHECK(copies(3, start, load + "st.global.u32 [%rd1+128], %r5;\n") == 7);
  CHECK(copies(3, start, load + "st.shared.u32 [%r8], %r6;\n") == 7);
  CHECK(copies(3, kUp, load + "st.global.u32 [%rd1+128], %r6;\n") == 7);
  const std::string address = "mul.wide.s32 %rd4, %r6, 4; add.s64 %rd4, %rd4, %rd1; ";
  CHECK(copies(3, start, load + address + "st.global.u32 [%rd4], %r5;\n") == 1);
}

TEST_CASE("A pointer that the loop steps lets it store what it loads, and no index does") {
  const std::string step = "add.s32 %r4, %r4, 1; add.s64 %rd5, %rd5, 4; setp.lt.s32 %p1, %r4, %r1;";
  const std::string load = "ld.global.u32 %r6, [%rd1+64]; ";
  CHECK(copies(3, step, load + "st.global.u32 [%rd5], %r6;\n") == 7);
  CHECK(copies(3, step,
               load + "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r6;\n") ==
        1);
}

TEST_CASE("A loop of constant turns becomes straight code up to a length that grows with them") {
  const auto turns = [](unsigned count) {
    return "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, " + std::to_string(count) + ";";
  };
  CHECK(copies(77, turns(5)) == 5);
  CHECK(copies(78, turns(5)) == 1);
  CHECK(copies(37, turns(16)) == 16);
  CHECK(copies(38, turns(16)) == 8);
  CHECK(copies(16, turns(64)) == 64);
  CHECK(copies(7, turns(256)) == 256);
}

TEST_CASE("A loop around one that has become straight code may become so too") {
  const auto t = test_program(
      test_kernel("mov.u32 %r4, %tid.x; mov.u32 %r2, 0;\nO:\n mov.u32 %r3, 0;\nL:\n brev.b32 %r4, %r4;\n"
                  "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 4; @%p1 bra L;\n"
                  "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 3; @%p2 bra O;\nst.global.u32 [%rd1], %r4;"));
  CHECK(count_class(*t.program, OpClass::brev) == 12);
  CHECK(count_class(*t.program, OpClass::bra) == 0);
}

}  // namespace
}  // namespace gpuloom::ptx
