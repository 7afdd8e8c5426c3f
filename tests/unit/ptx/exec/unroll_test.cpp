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

}  // namespace
}  // namespace gpuloom::test
