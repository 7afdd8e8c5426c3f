# SPDX-License-Identifier: Apache-2.0
"""Tensors through DLPack, and element types that a kernel cannot mean."""
import warnings

import gpuloom
import numpy as np
import pytest
from conftest import BANKS, HEADER, SAXPY


class Tensor:
    """A tensor of a framework that speaks DLPack and nothing else."""

    def __init__(self, array, device=1):
        self.memory, self.device = array, device

    def __dlpack__(self, **_):
        return self.memory.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0


class ImmutableTensor(Tensor):
    """One that shows its memory read-only, as jax does."""

    def __array__(self, dtype=None, copy=None):
        view = self.memory.view()
        view.flags.writeable = False
        return view


def floats(n=64):
    return np.zeros(n, np.float32), np.arange(n, dtype=np.float32)


def test_a_tensor_is_read_and_written_in_its_own_memory():
    y, x = floats()
    gpuloom.run(SAXPY, 1, 64, [Tensor(y), Tensor(x), 2.0, 64], functional=True)
    assert (y == 2 * x).all()
    same = Tensor(y)
    gpuloom.run(SAXPY, 1, 64, [same, same, 1.0, 64], functional=True)
    assert (y == 4 * x).all()


def test_tensors_that_are_only_read_stay_as_they_are():
    y, x = floats()
    gpuloom.run(SAXPY, 1, 64, [gpuloom.In(Tensor(y)), x, 2.0, 64], functional=True)
    gpuloom.run(SAXPY, 1, 64, [ImmutableTensor(y), x, 2.0, 64], functional=True)
    assert (y == 0).all()


def test_buffers_symbols_and_tensor_maps_take_tensors():
    y, x = floats()
    device = gpuloom.Device(functional=True)
    assert (device.upload(Tensor(x)).read(np.float32) == x).all()
    assert len(gpuloom.TensorMap(Tensor(x.reshape(8, 8)), box=[4, 4]).encode(0)) == 128
    assert y.size == x.size


def test_a_tensor_of_a_gpu_says_how_to_bring_it_here():
    _, x = floats()
    with pytest.raises(gpuloom.InputError, match=r"not in the host's memory \(copy it there first"):
        gpuloom.run(SAXPY, 1, 64, [Tensor(x, device=2), x, 2.0, 64])


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int64])
def test_elements_of_another_size_than_the_kernels_floats_are_refused(dtype):
    y, x = floats()
    with pytest.raises(gpuloom.InputError, match=r"argument 1 \('x'\) is an array of .* takes its elements as f32 "
                                                 r"\(array.astype\(np.float32\)"):
        gpuloom.run(SAXPY, 1, 64, [y, x.astype(dtype), 2.0, 64], functional=True)


def test_numpys_default_integers_for_an_int_kernel_warn():
    with pytest.warns(gpuloom.DtypeWarning, match="int64 .8 bytes an element., and the kernel takes u32"):
        gpuloom.run(BANKS, 1, 32, [np.zeros(32, np.int64), 1], functional=True)


def test_integers_for_a_float_kernel_warn():
    y, x = floats()
    with pytest.warns(gpuloom.DtypeWarning, match="int32, and the kernel takes its elements as f32"):
        gpuloom.run(SAXPY, 1, 64, [y, x.astype(np.int32), 2.0, 64], functional=True)


PAIRS = HEADER + """
.visible .entry pairs(.param .u64 out, .param .u64 in, .param .u64 n, .param .u64 table) {
  .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %d<10>;
  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [n];
  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;
  shl.b64 %d4, %d3, 3; add.s64 %d5, %d2, %d4;
  ld.global.v2.u32 {%r1, %r2}, [%d5+-8];
  add.s64 %d6, %d1, %d4; st.global.v2.u32 [%d6+-8], {%r1, %r2};
  ld.param.u64 %d7, [table]; st.global.u64 [%d6], %d7;
  ret;
}
"""


def test_what_a_kernel_moves_as_bits_takes_any_element():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (np.float32, np.int64, np.uint8, np.float64):
            a = np.arange(4).astype(dtype)
            out = np.zeros(64, np.uint8)
            gpuloom.run(PAIRS, 1, 1, [out, a.view(np.uint8).repeat(2).view(dtype), 1, np.zeros(2, np.float64)],
                        functional=True)
        y, x = floats()
        gpuloom.run(SAXPY, 1, 64, [y, x.view(np.uint32), 2.0, 64], functional=True)


def test_the_text_of_a_kernel_says_how_it_uses_its_pointers():
    device = gpuloom.Device(functional=True)
    uses = device.load_text(SAXPY).kernel().pointer_uses([True, True, False, False])
    assert uses[0] == uses[1] == [("f32", 4, 1)] and not uses[3]
    uses = device.load_text(PAIRS).kernel().pointer_uses([True, True, False, True])
    assert uses[1] == [("u32", 4, 2)] and uses[3] is None  # the table's address goes into memory
