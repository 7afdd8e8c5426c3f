// SPDX-License-Identifier: Apache-2.0
// Loops that the machine program does four iterations at a time do what they do one at a time.
#include <algorithm>

#include "tests/unit/ptx/exec/run_ptx.h"

namespace gpuloom::test {
namespace {

// %r0 gathers what each iteration sees of the counter; lanes begin at different distances from the bound.
std::string counted_loop(const std::string& relation, const std::string& type, int step, bool constant_bound,
                         int start, int bound) {
  const std::string wide = type.substr(1) == "64" ? "%w" : "%r";
  const std::string c = wide + "2", from = wide + "3", to = wide + "4";
  const std::string convert = wide == "%w" ? "cvt.s64.s32 %w3, %r5;" : "mov.u32 %r3, %r5;";
  return "mad.lo.s32 %r5, %lane, " + std::to_string(step) + ", " + std::to_string(start) + ";" + convert +
         "ld.global.u32 %r6, [%scratch]; add.s32 %r6, %r6, " + std::to_string(bound) + ";" +
         (wide == "%w" ? "cvt.s64.s32 " : "mov.u32 ") + to + ", %r6; mov.b" + type.substr(1) + " " + c +
         ", " + from + ";\nL: mad.lo.u32 %r0, %r0, 3, 1; " +
         (wide == "%w" ? "cvt.u32.u64 %r7, " : "mov.u32 %r7, ") + c + "; add.u32 %r0, %r0, %r7; add.s" +
         type.substr(1) + " " + c + ", " + c + ", " + std::to_string(step) + "; setp." + relation + "." +
         type + " %p1, " + c + ", " + (constant_bound ? std::to_string(bound) : to) + "; @%p1 bra L;";
}

void same_both_ways(const std::string& body) {
  INFO(body);
  Shape unrolled;
  unrolled.unroll = true;
  const PtxRun once(body), four(body, unrolled);
  const bool straight = std::none_of(four.program->code.begin(), four.program->code.end(),
                                     [](const ptx::Instr& in) { return in.kind == ptx::InstrKind::kBranch; });
  CHECK((straight || four.program->code.size() > once.program->code.size()));
  CHECK(four.values == once.values);
}

TEST_CASE("An unrolled loop does as many iterations as the loop, for every comparison, type and bound") {
  for (const char* type : {"s32", "u32", "s64", "u64"}) {
    for (const bool constant_bound : {false, true}) {
      for (const int by : {1, 3}) {
        for (const char* up : {"lt", "le"}) {  // lanes at and beyond the bound run once
          same_both_ways(counted_loop(up, type, by, constant_bound, 0, 20));
        }
        for (const char* down : {"gt", "ge"}) {
          same_both_ways(counted_loop(down, type, -by, constant_bound, 40 * by, 20));
        }
        same_both_ways(counted_loop("ne", type, by, constant_bound, 0, 32 * by));
        same_both_ways(counted_loop("ne", type, -by, constant_bound, 40 * by, 8 * by));
      }
    }
  }
}

TEST_CASE("An unrolled loop of known length leaves no iteration out") {
  for (const int trips : {2, 3, 4, 5, 6, 7, 8, 12, 13}) {
    const std::string bound = std::to_string(trips);
    same_both_ways(
        "mov.u32 %r2, 0;\nL: mad.lo.u32 %r0, %r0, 3, %r2; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, " +
        bound + "; @%p1 bra L;");
  }
}

// So many multiplications in a row, that a body is long.
std::string filler(unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) text += "mad.lo.u32 %r0, %r0, 5, 7; ";
  return text;
}

TEST_CASE(
    "Rounds of many turns, and those left over in front of them, are all the turns of a constant number") {
  for (const int trips : {21, 22, 29, 97, 128, 129, 1000, 1009}) {
    const std::string count = std::to_string(trips), beyond = std::to_string(3 * trips - 1);
    const std::string head = "mov.u32 %r2, 0;\nL: mad.lo.u32 %r0, %r0, 3, %r2; " + filler(18);
    same_both_ways(head + "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, " + count + "; @%p1 bra L;");
    same_both_ways(head + "add.s32 %r2, %r2, 1; setp.ne.b32 %p1, %r2, " + count + "; @%p1 bra L;");
    same_both_ways(head + "add.s32 %r2, %r2, 3; setp.lt.u32 %p1, %r2, " + beyond + "; @%p1 bra L;");
    same_both_ways(head + "add.s32 %r2, %r2, 3; setp.le.s32 %p1, %r2, " + beyond + "; @%p1 bra L;");
    same_both_ways("mov.u32 %r2, " + beyond + ";\nL: mad.lo.u32 %r0, %r0, 3, %r2; " + filler(18) +
                   "add.s32 %r2, %r2, -3; setp.gt.s32 %p1, %r2, 0; @%p1 bra L;");
  }
}

// A loop whose conditions differ from lane to lane and from turn to turn: %r0 gathers, %r9 holds what the
// last turn that came by has left there, %r10 is made anew in each.
std::string branching_loop(const std::string& start, const std::string& bound, const std::string& middle) {
  return start +
         "mov.u32 %r9, 1; ld.global.u32 %r6, [%scratch]; add.s32 %r4, %r6, 37; mov.u64 %w5, %scratch;\n" +
         "L: ld.global.u32 %r14, [%w5]; add.u32 %r14, %r14, %r2; mad.lo.u32 %r0, %r0, 3, %r14; add.u32 %r10, "
         "%r0, %lane; and.b32 %r11, %r10, 3; and.b32 %r12, "
         "%r10, 4;\n" +
         "setp.eq.u32 %p2, %r11, 0; setp.eq.u32 %p3, %r12, 0;\n" + middle +
         "\nC: add.u32 %r0, %r0, %r9; add.s32 %r2, %r2, 1; add.s64 %w5, %w5, 4;\n" +
         "setp.lt.s32 %p1, %r2, " + bound + "; @%p1 bra L;\nZ: add.u32 %r0, %r0, %r10;";
}

TEST_CASE("An unrolled loop with branches does what each of its turns does") {
  const std::string work = filler(9);
  const std::string shapes[] = {
      "@%p2 bra C; mov.u32 %r9, %r2; " + work,
      "@%p2 bra M; ld.global.u32 %r13, [%w5]; add.u32 %r9, %r13, %r2; " + work + "M: add.u32 %r0, %r0, %r11;",
      "@%p2 bra M; add.u32 %r9, %r9, 5; " + work + " bra C;\nM: sub.u32 %r9, %r9, 3; " + work,
      "@%p2 bra M; " + work + "\nM: @%p3 bra C; mov.u32 %r9, %r10; " + work,
  };
  for (const std::string& shape : shapes) {
    same_both_ways(branching_loop("mov.u32 %r2, 0;", "%r4", shape));
    same_both_ways(branching_loop("mov.u32 %r2, %lane;", "%r4", shape));
    same_both_ways(branching_loop("mov.u32 %r2, %lane;", "33", shape));
    same_both_ways(branching_loop("mov.u32 %r2, 0;", "7", shape));
  }
}

TEST_CASE("Straight code of a loop keeps conditions within conditions, and is left where the loop is") {
  const std::string work = filler(9);
  same_both_ways(branching_loop("mov.u32 %r2, 0;", "7", "@%p2 bra Z; add.u32 %r9, %r9, %r11; " + work));
  same_both_ways(
      branching_loop("mov.u32 %r2, 0;", "7", work + "@!%p3 bra C; mov.u32 %r9, %r10; @%p2 bra Z; " + work));
  same_both_ways(branching_loop(
      "mov.u32 %r2, 0;", "7",
      "@%p2 bra C; mov.u32 %r9, %r2; " + work + "@%p3 bra C; add.u32 %r9, %r9, %r10; " + work));
}

}  // namespace
}  // namespace gpuloom::test
