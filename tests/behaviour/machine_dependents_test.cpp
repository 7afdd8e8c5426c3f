// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch on the machine.
#include <array>

#include "tests/behaviour/machine_fixture.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace gpuloom::tests;

namespace {

// Lets the next begin at once, works alone for `turns`, and then reads what the one before has written.
const char* const kLink = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry link(.param .u64 out, .param .u64 in, .param .u32 add, .param .u32 turns)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<8>;
  .reg .pred %p<2>;
  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [add];
  ld.param.u32 %r2, [turns];
again:
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra done;
  sub.u32 %r2, %r2, 1;
  bra again;
done:
  griddepcontrol.wait;
  ld.global.u32 %r4, [%rd2];
  add.u32 %r5, %r4, %r1;
  st.global.u32 [%rd1], %r5;
  ret;
}
)";

}  // namespace

TEST_CASE("A dependent grid begins while the one before it runs, and its wait sees what that has written",
          "[machine][timed]") {
  std::array<uint64_t, 2> ends{};
  for (const bool dependent : {false, true})
    for (const unsigned threads : {1u, 2u}) {
      Machine m(threads);
      Kernel& link = m.device.load_text(kLink, "link.ptx").kernel("link");
      const uint64_t x = m.buffer(1, 1);
      Ticket last = 0;
      for (int k = 0; k < 4; ++k) {
        LaunchRequest r = m.request(x, x, 1, 2000, 1, 32);
        r.kernel = &link;
        arch::WorkOrder order;
        if (last != 0) (dependent ? order.dependent : order.after) = {last};
        last = m.device.submit(r, {}, order, 0, [](const LaunchRequest&, const LaunchOutcome&) {});
      }
      m.device.machine().advance_until(last);
      CHECK(m.read(x, 1) == std::vector<uint32_t>{5});
      if (threads == 1) ends[dependent] = m.device.machine().end_of(last);
      CHECK(m.device.machine().end_of(last) == ends[dependent]);
    }
  CHECK(ends[1] * 2 < ends[0]);
}
