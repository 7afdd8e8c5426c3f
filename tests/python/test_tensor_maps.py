# SPDX-License-Identifier: Apache-2.0
"""Tensor maps as arguments, and contraction by module."""
import gpuloom
import numpy as np
import pytest

LOAD = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param {map}, .param .u64 out)
{{
  .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;
  .shared .align 128 .b8 s[64]; .shared .align 8 .b64 bar;
  {address}
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, 4; mov.u32 %r4, 2;
  mbarrier.init.shared.b64 [%r2], 1; fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 64;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {{%r3, %r4}}], [%r2];
W: mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0; @!%p bra W;
  ld.shared.u32 %r5, [%r1]; st.global.u32 [%rd2], %r5;
  ret;
}}
"""
INSIDE = LOAD.format(map=".align 64 .b8 m[128]", address="mov.b64 %rd1, m; cvta.param.u64 %rd1, %rd1;")
POINTER = LOAD.format(map=".u64 m", address="ld.param.u64 %rd1, [m];")


@pytest.mark.parametrize("ptx", [INSIDE, POINTER])
def test_a_tensor_map_of_an_array_is_its_bytes_or_a_pointer(ptx):
    a, out = np.arange(256, dtype=np.uint32).reshape(16, 16), np.zeros(1, np.uint32)
    gpuloom.run(ptx, 1, 1, [gpuloom.TensorMap(a, box=[4, 4]), out], functional=True)
    assert out[0] == 2 * 16 + 4


def test_a_buffers_tensor_map_has_bytes_for_structures():
    device = gpuloom.Device("h200", functional=True)
    buffer = device.upload(np.arange(256, dtype=np.uint32))
    tensor = gpuloom.TensorMap(buffer, [4, 4], dtype="u32", dims=[16, 16], strides=[64])
    out = np.zeros(1, np.uint32)
    device.load_text(INSIDE).kernel("k").launch(1, 1, [bytes(tensor), out])
    assert out[0] == 2 * 16 + 4
    with pytest.raises(gpuloom.UsageError, match="needs dtype and dims"):
        gpuloom.TensorMap(buffer, [4, 4])


def test_what_cuda_refuses_is_an_input_error():
    a = np.zeros((16, 16), np.uint32)
    with pytest.raises(gpuloom.InputError, match="not a multiple of 16"):
        gpuloom.TensorMap(a, box=[3, 4]).encode(0)
    with pytest.raises(gpuloom.UsageError, match="swizzle is"):
        gpuloom.TensorMap(a, box=[4, 4], swizzle="96B").encode(0)


def test_contraction_is_a_modules_choice():
    ptx = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 out)
{ .reg .b64 %rd<3>; .reg .f32 %f<6>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
  ld.global.f32 %f1, [%rd1]; mul.f32 %f3, %f1, %f1; add.f32 %f4, %f3, 0fBF800000; st.global.f32 [%rd2], %f4; ret; }
"""
    device = gpuloom.Device("h200", functional=True)
    a, out = np.array([1 + 2.0 ** -12], np.float32), {}
    for contract in (None, True, False):
        out[contract] = np.zeros(1, np.float32)
        device.load_text(ptx, contract=contract).kernel("k").launch(1, 1, [gpuloom.In(a), out[contract]])
    assert out[None] == out[True] != out[False]
