# SPDX-License-Identifier: Apache-2.0
"""__constant__ and __device__ variables: written, read back, and seen by kernels, with and without time."""
import numpy as np
import pytest

import gpuloom

PTX = """.version 7.5
.target sm_75
.address_size 64
.const .align 4 .b8 coef[16];
.global .align 4 .u32 counter = 5;
.global .align 4 .f32 _ZN2ns4biasE;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;
  mov.u64 %d3, coef; add.s64 %d4, %d3, %d2;
  ld.const.f32 %f1, [%d4]; ld.const.f32 %f2, [coef];
  ld.global.f32 %f3, [_ZN2ns4biasE];
  add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3;
  add.s64 %d5, %d1, %d2; st.global.f32 [%d5], %f1;
  red.global.add.u32 [counter], 1;
  ret;
}
"""


@pytest.mark.parametrize("functional", [True, False])
def test_a_launch_sees_what_was_written_before_it(functional):
    device = gpuloom.Device(functional=functional)
    module = device.load_text(PTX)
    kernel, coef = module.kernel("k"), module.symbol("coef")
    assert coef.nbytes == 16
    for scale in (1, 10):
        coef.write(np.arange(1, 5, dtype=np.float32) * scale)
        module.symbol("ns::bias").write(np.float32(0.5))
        out = np.zeros(4, np.float32)
        kernel.launch(1, 4, [out])
        assert out.tolist() == [i * scale + scale + 0.5 for i in range(1, 5)]
    assert coef.read(np.float32).tolist() == [10, 20, 30, 40]
    assert module.symbol("counter").read(np.uint32).tolist() == [13]
    part = coef + 8
    part.write(np.float32([7]))
    assert coef.read(np.float32).tolist() == [10, 20, 7, 40]


def test_what_does_not_fit_or_is_not_there_is_refused():
    module = gpuloom.Device(functional=True).load_text(PTX)
    with pytest.raises(gpuloom.InputError, match="the variable has 16 bytes, the array 20"):
        module.symbol("coef").write(np.zeros(5, np.float32))
    with pytest.raises(gpuloom.InputError, match="no __constant__ or __device__ variable 'ceof'"):
        module.symbol("ceof")
    with pytest.raises(gpuloom.UsageError):
        module.symbol("coef").free()


def test_a_single_run_sets_symbols_by_name():
    out = np.zeros(4, np.float32)
    gpuloom.run(PTX, 1, 4, [out], functional=True,
                symbols={"coef": np.arange(1, 5, dtype=np.float32), "ns::bias": np.float32(0.25)})
    assert out.tolist() == [i + 1.25 for i in range(1, 5)]
