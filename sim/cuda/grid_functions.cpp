// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/grid_functions.h"

namespace gpuloom::driver {
namespace {

// The handle of scope 1, the grid, is the workspace of a cooperative launch (sim/runtime/device.cpp); other
// scopes have none. In its second word blocks count themselves: all but the first add 1, the first adds what
// makes the sum flip the upper bit, and everybody waits for that.
constexpr std::string_view kText = R"(.version 7.0
.target sm_70
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %grid;
  .reg .b32 %r<4>;
  .reg .b64 %d<3>;
  ld.param.b32 %r1, [scope];
  mov.u32 %r2, %envreg1;
  mov.u32 %r3, %envreg2;
  mov.b64 %d1, {%r3, %r2};
  setp.eq.u32 %grid, %r1, 1;
  selp.b64 %d2, %d1, 0, %grid;
  st.param.b64 [handle], %d2;
  ret;
}

.visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %none, %waits, %first;
  .reg .b32 %r<16>;
  .reg .b64 %d<3>;
  ld.param.b64 %d1, [handle];
  setp.eq.u64 %none, %d1, 0;
  @%none bra NO_GRID;
  barrier.sync 0;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %tid.z;
  or.b32 %r4, %r1, %r2;
  or.b32 %r4, %r4, %r3;
  setp.ne.u32 %waits, %r4, 0;
  @%waits bra TOGETHER;
  add.s64 %d2, %d1, 4;
  mov.u32 %r1, %nctaid.x;
  mov.u32 %r2, %nctaid.y;
  mov.u32 %r3, %nctaid.z;
  mul.lo.u32 %r4, %r1, %r2;
  mul.lo.u32 %r4, %r4, %r3;
  sub.u32 %r5, 0x80000001, %r4;
  mov.u32 %r6, %ctaid.x;
  mov.u32 %r7, %ctaid.y;
  mov.u32 %r8, %ctaid.z;
  or.b32 %r9, %r6, %r7;
  or.b32 %r9, %r9, %r8;
  setp.eq.u32 %first, %r9, 0;
  selp.b32 %r10, %r5, 1, %first;
  fence.acq_rel.gpu;
  atom.add.release.gpu.u32 %r11, [%d2], %r10;
AGAIN:
  ld.acquire.gpu.u32 %r12, [%d2];
  xor.b32 %r13, %r12, %r11;
  setp.ge.s32 %waits, %r13, 0;
  @%waits bra AGAIN;
TOGETHER:
  barrier.sync 0;
  st.param.b32 [status], 0;
  ret;
NO_GRID:
  st.param.b32 [status], 1;
  ret;
}
)";

}  // namespace

bool is_device_runtime(std::string_view archive) {
  return archive.starts_with("!<arch>\n") && archive.find("cuda_device_runtime.o") != std::string_view::npos;
}

std::string_view grid_functions() { return kText; }

}  // namespace gpuloom::driver
