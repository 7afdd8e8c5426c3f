// SPDX-License-Identifier: Apache-2.0
// cp.async that reads nothing: a source size of 0, or ignore-src (H200: bench/silicon/probes/warpgroups).
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

std::string copy(const std::string& how) {
  return R"(
.shared .align 16 .b8 s[512];
mov.u32 %r1, s; shl.b32 %r2, %tid, 4; add.u32 %r1, %r1, %r2;
mov.u32 %r3, 0x11111111; st.shared.v4.b32 [%r1], {%r3, %r3, %r3, %r3};
mov.u64 %w1, 0x123456789a3; mov.u32 %r4, 0; setp.eq.u32 %p1, %r4, 0; setp.ne.u32 %p2, %r4, 0;
cp.async.)" +
         how + ";\ncp.async.wait_all;\nld.shared.u32 %r0, [%r1];\n";
}

}  // namespace

TEST_CASE("A copy that reads nothing takes any address and writes zeros", "[async]") {
  for (const char* how : {"cg.shared.global [%r1], [%w1], 16, 0", "cg.shared.global [%r1], [%w1], 16, %r4",
                          "ca.shared.global [%r1], [%w1], 8, %r4", "ca.shared.global [%r1], [%w1], 4, %p1"}) {
    INFO(how);
    CHECK(PtxRun(copy(how))[3] == 0);
  }
}

TEST_CASE("A copy that reads something still wants a sound address", "[async]") {
  CHECK(contains(fault_of(copy("cg.shared.global [%r1], [%w1], 16, 4")), "copies"));
  CHECK(contains(fault_of(copy("cg.shared.global [%r1], [%w1], 16, %p2")), "copies"));
}
