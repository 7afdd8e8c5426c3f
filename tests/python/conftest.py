# SPDX-License-Identifier: Apache-2.0
"""Kernels that the tests run, as PTX text."""
import pytest

HEADER = ".version 7.5\n.target sm_75\n.address_size 64\n"

SAXPY = HEADER + """
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.f32 %f2, [%d5]; ld.global.f32 %f3, [%d4];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%d4], %f4;
DONE:
  ret;
}
"""

# Lane l stores to word l * stride of shared memory: the stride is the padding question in small.
BANKS = HEADER + """
.visible .entry banks(.param .u64 out, .param .u32 stride) {
  .shared .align 4 .b8 s[8192];
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [stride];
  mov.u32 %r2, %tid.x; mul.lo.u32 %r3, %r2, %r1; shl.b32 %r3, %r3, 2;
  mov.u32 %r4, s; add.u32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r2;
  bar.sync 0;
  ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r6;
  ret;
}
"""

# `rounds` dependent additions a thread: as long as the test wants.
SPIN = HEADER + """
.visible .entry spin(.param .u64 out, .param .u32 rounds) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x; mov.u32 %r3, 0;
LOOP:
  xor.b32 %r2, %r2, %r3; add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, %r1;
  @%p bra LOOP;
  mov.u32 %r4, %tid.x; mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r2;
  ret;
}
"""


@pytest.fixture
def saxpy():
    return SAXPY


@pytest.fixture
def banks():
    return BANKS


@pytest.fixture
def spin():
    return SPIN
