// SPDX-License-Identifier: Apache-2.0
// A lock that the lanes of one warp contend for.
#include <string>
#include <vector>

#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

// while (atomicCAS(lock, 0, 1) != 0); lock[1]++; atomicExch(lock, 0); for lanes below `lanes`, `turns` times.
const char* const kKernel = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 lock, .param .u32 lanes, .param .u32 turns)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<2>;
  .reg .pred %p<4>;
  ld.param.u64 %rd1, [lock];
  ld.param.u32 %r1, [lanes];
  ld.param.u32 %r2, [turns];
  mov.u32 %r3, %tid.x;
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra end;
turn:
try:
  atom.global.cas.b32 %r4, [%rd1], 0, 1;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra try;
  ld.volatile.global.u32 %r5, [%rd1+4];
  add.u32 %r5, %r5, 1;
  st.volatile.global.u32 [%rd1+4], %r5;
  atom.global.exch.b32 %r6, [%rd1], 0;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p3, %r2, 0;
  @%p3 bra turn;
end:
  ret;
}
)";

double cycles(unsigned lanes, unsigned turns) {
  DeviceOptions options;
  options.config = "tiny";
  Simulator gpu(options);
  Kernel& kernel = gpu.load_text(kKernel, "k.ptx").kernel("k");
  const DevicePointer lock = gpu.upload<uint32_t>({0, 0});
  const ReportKernel report = gpu.launch(kernel, {.grid = {1}, .block = {32}}, lock, lanes, turns);
  CHECK(gpu.download<uint32_t>(lock, 2) == std::vector<uint32_t>{0, lanes * turns});
  return report.find("sm__cycles_elapsed.max")->value;
}

}  // namespace

TEST_CASE("A lock goes from lane to lane of a warp in the time that one lane takes for a turn",
          "[behaviour][timed]") {
  // An H200: 1,192 cycles a turn of 32 lanes, 1,176 of one (bench/silicon/probes/locks).
  const double one = cycles(1, 128) / 128;
  for (const unsigned lanes : {2u, 8u, 32u}) {
    INFO(lanes << " lanes");
    const double several = cycles(lanes, 128 / lanes) / 128;
    CHECK(several > 0.8 * one);
    CHECK(several < 1.3 * one);
  }
}
