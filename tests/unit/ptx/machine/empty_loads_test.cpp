// SPDX-License-Identifier: Apache-2.0
// Cases and expectations: single instructions through ptxas 13.0, sm_90.
#include <algorithm>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

// Classes of the operations in order.
std::vector<OpClass> lowered(const std::string& body) {
  const Lowered l = lowered_text(test_kernel(".shared .align 128 .b8 s[4096];\n" + body), Loops::kUnrolled);
  std::vector<OpClass> classes;
  for (const MachineOp& op : l.machine.ops) classes.push_back(op.op);
  return classes;
}

unsigned count(const std::vector<OpClass>& classes, OpClass op) {
  return static_cast<unsigned>(std::count(classes.begin(), classes.end(), op));
}

const std::string kCopy = "cp.async.cg.shared.global [s], [%rd1], 16;\n";

TEST_CASE("Three empty loads stand in front of the first cp.async, none in front of the next") {
  const auto ops = lowered(kCopy + kCopy + "cp.async.wait_all;");
  const auto copy = std::find(ops.begin(), ops.end(), OpClass::ldgsts);
  REQUIRE(copy - ops.begin() >= 3);
  CHECK(count(ops, OpClass::lds) == 3);
  CHECK(std::count(copy - 3, copy, OpClass::lds) == 3);
}

TEST_CASE("Shared memory, a barrier or another block between copies calls for empty loads again") {
  const auto loads = [](const std::string& between) {
    return count(lowered(kCopy + between + kCopy), OpClass::lds);
  };
  CHECK(loads("st.shared.u32 [s+1024], %r1;\n") == 6);
  CHECK(loads("red.shared.add.u32 [s+1024], %r1;\n") == 6);
  CHECK(loads("bar.sync 0;\n") == 6);
  CHECK(loads("cp.async.commit_group;\n") == 3);
  CHECK(loads("st.global.u32 [%rd1+64], %r1;\n") == 3);
  CHECK(loads("setp.eq.u32 %p1, %r1, 7; @%p1 bra L; red.global.add.u32 [%rd1+64], %r1; L:\n") == 6);
}

TEST_CASE("A fence has empty loads in front of it where the kernel has cp.async, one behind a copy") {
  CHECK(count(lowered(kCopy + "membar.cta;\nmembar.cta;\n"), OpClass::lds) == 4);
  CHECK(count(lowered(kCopy + "bar.sync 0;\nmembar.cta;\n"), OpClass::lds) == 7);
  CHECK(count(lowered(kCopy + "membar.cta;\nbar.sync 0;\nmembar.cta;\n"), OpClass::lds) == 8);
  CHECK(count(lowered("st.shared.u32 [s], %r1;\nmembar.cta;\n" + kCopy), OpClass::lds) == 4);
  CHECK(count(lowered("st.shared.u32 [s], %r1;\nmembar.cta;\n"), OpClass::lds) == 0);
}

TEST_CASE("Where a kernel begins with a shuffle of nobody, so does a loop that may turn without memory") {
  MachineModel m = plain_model();
  m.profile.empty_loads.shuffles = 1;
  const auto shuffles = [&](const std::string& in_loop, const std::string& around) {
    const std::string body = "mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\nL:\n" + in_loop +
                             "add.s32 %r2, %r2, %r1; setp.lt.s32 %p1, %r2, 900; @%p1 bra L;\n" + around +
                             "st.global.u32 [%rd1], %r2;\n";
    return lowered_text(test_kernel(body), Loops::kAsWritten, m).count(OpClass::shfl);
  };
  CHECK(shuffles("", "") == 2);
  CHECK(shuffles("ld.global.u32 %r3, [%rd1]; add.s32 %r2, %r2, %r3;\n", "") == 1);
  // The inner loop's shuffle is in the way round the outer one.
  CHECK(shuffles("", "setp.lt.s32 %p2, %r2, 9000; @%p2 bra L;\n") == 2);
}

}  // namespace
}  // namespace gpuloom::ptx
