// SPDX-License-Identifier: Apache-2.0
// Where addresses of shared memory are made: each pattern is one of ptxas 13.0 for sm_90.
#include <algorithm>

#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

const std::string kHead =
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{ .reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .pred "
    "%p<4>;\n"
    ".shared .align 16 .b8 first[512]; .shared .align 16 .b8 second[512];\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2;\n";

std::string stores(const std::string& variable, const std::string& name) {
  return "mov.u32 " + name + ", " + variable + "; add.s32 %r9, " + name +
         ", %r3; st.shared.u32 [%r9], %r2; bar.sync 0;\n";
}

unsigned uniform(const Lowered& l, OpClass op) {
  return static_cast<unsigned>(
      std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                    [&](const MachineOp& o) { return o.op == op && o.uniform != 0; }));
}

Lowered lowered(const std::string& body) { return lowered_text(kHead + body + "ret; }", Loops::kAsWritten); }

TEST_CASE("A second variable of shared memory takes the window's begin and rank of the first") {
  const Lowered l = lowered(stores("first", "%r4") + stores("second", "%r5"));
  CHECK(uniform(l, OpClass::lea) == 2);
  CHECK(uniform(l, OpClass::mov) == 1);
  CHECK(uniform(l, OpClass::iadd) == 1);
}

TEST_CASE("Two branches make the same address each, what comes behind one that has it does not") {
  const std::string two = "setp.gt.s32 %p1, %r1, 3; @%p1 bra B;\n" + stores("first", "%r4") + "bra E;\nB:\n" +
                          stores("first", "%r5") + "E:\n";
  CHECK(uniform(lowered(two), OpClass::lea) == 2);
  CHECK(uniform(lowered(stores("first", "%r6") + two), OpClass::lea) == 1);
}

// A loop whose turns take a branch or not. `front`: before that, `side`: where it is not taken, `end`:
// behind.
std::string turns(const std::string& front, const std::string& side, const std::string& end) {
  return "mov.u32 %r20, 0;\nL:\n" + front +
         "ld.global.u32 %r21, [%rd1]; setp.eq.u32 %p1, %r21, 3; @%p1 bra S;\n" +
         "st.global.u32 [%rd1+4], %r21; bar.sync 0;\n" + side + "S:\n" + end +
         "add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, %r1; @%p2 bra L;\n";
}

TEST_CASE("An address that each turn of a loop needs is made in front of it, once for all") {
  const std::string use = stores("first", "%r5");
  CHECK(uniform(lowered(stores("first", "%r4") + turns(use, "", "")), OpClass::lea) == 1);
  CHECK(uniform(lowered(stores("first", "%r4") + turns("", "", use)), OpClass::lea) == 1);
  CHECK(uniform(lowered(stores("first", "%r4") + turns(use, "", stores("first", "%r6"))), OpClass::lea) == 1);
}

TEST_CASE("An address is made anew on the side of a branch in a loop, and behind that loop") {
  const std::string use = stores("first", "%r5");
  const auto windows = [](const Lowered& l) { return l.count(OpClass::s2r); };
  const unsigned once = windows(lowered(stores("first", "%r4") + turns("", "", "")));
  CHECK(windows(lowered(stores("first", "%r4") + turns("", use, ""))) == once + 1);
  CHECK(windows(lowered(stores("first", "%r4") + turns("", "", "") + use)) == once + 1);
  CHECK(windows(lowered(stores("first", "%r4") + turns("", "", "") + use + stores("first", "%r6"))) ==
        once + 1);
}

TEST_CASE("An access that names a variable itself counts from the window's begin, which all of them share") {
  const std::string direct =
      "st.shared.u32 [second+16], %r2; bar.sync 0; ld.shared.u32 %r5, [first+4];"
      "st.global.u32 [%rd1], %r5;\n";
  CHECK(uniform(lowered(direct), OpClass::lea) == 1);
  CHECK(uniform(lowered(direct), OpClass::iadd) == 0);
  CHECK(uniform(lowered(stores("first", "%r4") + direct), OpClass::lea) == 1);
  CHECK(uniform(lowered(stores("second", "%r4") + direct), OpClass::lea) == 2);
}

}  // namespace
}  // namespace gpuloom::ptx
