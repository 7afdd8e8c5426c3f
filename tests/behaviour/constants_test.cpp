// SPDX-License-Identifier: Apache-2.0
// Indexed loads from the constant bank in time, as an H200 showed them (bench/silicon/probes/constants).
#include <algorithm>
#include <vector>

#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

// Each warp reads its clock around a second load of `addresses` words, 64 bytes apart: the first one left
// them in the second cache, and others have driven them out of the small one.
const char* const kLoads = R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 table[65536];
.visible .entry k(.param .u64 out, .param .u32 addresses)
{
  .reg .b64 %rd<5>;
  .reg .pred %p;
  .reg .b32 %r<16>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [addresses];
  mov.u32 %r2, %tid.x;
  rem.u32 %r3, %r2, %r1;
  shr.u32 %r4, %r2, 5;
  shl.b32 %r4, %r4, 11;
  shl.b32 %r5, %r3, 6;
  add.u32 %r5, %r5, %r4;
  mov.u64 %rd2, table;
  cvt.u64.u32 %rd3, %r5;
  add.u64 %rd2, %rd2, %rd3;
  ld.const.u32 %r7, [%rd2];
  ld.const.u32 %r8, [%rd2+32768];
  add.u32 %r6, %r7, %r8;
  ld.const.u32 %r8, [%rd2+33792];
  add.u32 %r6, %r6, %r8;
  ld.const.u32 %r8, [%rd2+34816];
  add.u32 %r6, %r6, %r8;
  ld.const.u32 %r8, [%rd2+35840];
  add.u32 %r6, %r6, %r8;
  cvt.u64.u32 %rd3, %r6;
  add.u64 %rd2, %rd2, %rd3;
  bar.sync 0;
  mov.u32 %r9, %clock;
  ld.const.u32 %r10, [%rd2];
  add.u32 %r11, %r10, %r10;
  add.u32 %r12, %r11, %r5;
  and.b32 %r12, %r12, 0;
  mov.u32 %r13, %clock;
  sub.u32 %r14, %r13, %r9;
  add.u32 %r14, %r14, %r12;
  mul.wide.u32 %rd4, %r2, 4;
  add.u64 %rd3, %rd1, %rd4;
  st.global.u32 [%rd3], %r14;
  ret;
}
)";

// Cycles that the slowest of the warps takes.
uint32_t cycles(uint32_t warps, uint32_t addresses) {
  Simulator gpu;
  Kernel& kernel = gpu.load_text(kLoads, "k.ptx").kernel("k");
  const DevicePointer out = gpu.allocate(4096);
  gpu.launch(kernel, {.grid = {1}, .block = {warps * 32}}, out, addresses);
  const std::vector<uint32_t> each = gpu.download<uint32_t>(out, warps * 32);
  return *std::max_element(each.begin(), each.end());
}

}  // namespace

TEST_CASE("An indexed load waits for one missing line after another", "[timed][constants]") {
  const uint32_t sixteen = cycles(1, 16);  // H200: 70 for the line and 11 for the word, each
  CHECK(sixteen > 16 * 75);
  CHECK(sixteen < 16 * 95);
}

TEST_CASE("Missing lines of several warps' indexed loads come side by side", "[timed][constants]") {
  CHECK(cycles(4, 16) < cycles(1, 16) * 5 / 4);
}

// PTX ISA 9.7.9 (mov): "places the non-generic address of the variable (i.e., the address of the variable in
// its state space)"; an H200 gives offsets into the bank.
TEST_CASE("mov gives a constant's address in its space, cvta the generic one", "[behaviour][constants]") {
  const char* const text = R"(.version 8.0
.target sm_90
.address_size 64
.const .align 8 .b32 first[4] = {1, 2, 3, 4};
.const .align 8 .b32 second[2] = {50, 60};
.global .align 8 .u64 places[2] = {second, generic(second)};
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<9>;
  .reg .b32 %r<9>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, second;
  mov.u32 %r8, second;
  ld.const.u32 %r1, [%rd2+4];
  cvta.const.u64 %rd3, %rd2;
  ld.u32 %r2, [%rd3];
  cvta.const.u64 %rd4, first;
  ld.u32 %r3, [%rd4+8];
  cvta.to.const.u64 %rd5, %rd4;
  ld.const.u32 %r4, [%rd5+12];
  ld.global.v2.u64 {%rd6, %rd7}, [places];
  ld.u32 %r5, [%rd7+4];
  ld.const.u32 %r6, [%rd6];
  isspacep.const %p1, %rd3;
  selp.u32 %r7, 1, 0, %p1;
  st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
  st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, %r8};
  st.global.u64 [%rd1+32], %rd2;
  ret;
}
)";
  for (const Mode mode : {Mode::kTimed, Mode::kFunctional}) {
    Simulator gpu({.config = "h200", .overrides = {}, .mode = mode});
    const DevicePointer out = gpu.allocate(40);
    gpu.launch(gpu.load_text(text, "k.ptx").kernel("k"), {.grid = {1}, .block = {1}}, out);
    CHECK(gpu.download<uint32_t>(out, 10) == std::vector<uint32_t>{60, 50, 3, 4, 60, 50, 1, 16, 16, 0});
  }
}
