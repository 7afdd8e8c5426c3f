# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Is a second GPU worth it?
# Half of an array goes over the link to a second H200, is worked on there, and comes back; with short and with long work.
# `python two_gpus.py`

# %%
import numpy as np

import gpuloom

N, BLOCK = 1 << 18, 256
WORK = """.version 8.0
.target sm_80
.address_size 64
.visible .entry work(.param .u64 x, .param .u32 turns)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<7>;
  .reg .f32 %f<2>;
  .reg .pred %p;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 256, %r2;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
again:
  fma.rn.f32 %f1, %f1, 0f3F000000, 0f3F800000;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra again;
  st.global.f32 [%rd3], %f1;
  ret;
}
"""


def time_of(gpus: int, turns: int) -> float:
    """Microseconds from the data on the first GPU to the result there."""
    with gpuloom.devices(["h200"] * gpus, lines=False) as devices:
        kernels = [device.load_text(WORK, "work.ptx").kernel("work") for device in devices]
        data = devices[0].array(np.zeros(N, np.float32))
        part = N // gpus
        first = devices[0].stream("first")
        begin = first.record()
        if gpus > 1:
            other = devices[1].stream("other")
            half = devices[1].zeros(part)
            gpuloom.memcpy_async(half, data[part:], first)
            other.wait(first.record())
            kernels[1].launch_async(part // BLOCK, BLOCK, [half, turns], other)
            gpuloom.memcpy_async(data[part:], half, other)
        kernels[0].launch_async(part // BLOCK, BLOCK, [data[:part], turns], first)
        if gpus > 1:
            first.wait(other.record())
        end = first.record()
        first.synchronize()
        return end.elapsed_ns(begin) / 1000


# %%
if __name__ == "__main__":
    for turns in (20, 2000):
        print(f"{turns:4} turns: one GPU {time_of(1, turns):7.1f} us, two {time_of(2, turns):7.1f} us")
