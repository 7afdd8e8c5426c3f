// SPDX-License-Identifier: Apache-2.0
// A small machine that takes kernels and copies while it runs, for tests of it.
#pragma once
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "sim/runtime/device.h"

namespace gpuloom::tests {

using namespace sim;

using arch::Ticket;

// out[i] = in[i] * 3 + add, after `turns` of a loop that takes time; one value a thread.
inline const char* const kStep = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 out, .param .u64 in, .param .u32 add, .param .u32 turns)
{
  .reg .b64 %rd<6>;
  .reg .b32 %r<12>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [add];
  ld.param.u32 %r2, [turns];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r4, %r5, %r3;
  mul.wide.u32 %rd3, %r6, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r7, [%rd5];
  mad.lo.u32 %r8, %r7, 3, %r1;
again:
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra done;
  mad.lo.u32 %r9, %r2, %r2, %r3;
  xor.b32 %r10, %r9, %r8;
  sub.u32 %r2, %r2, 1;
  xor.b32 %r8, %r10, %r9;
  bra again;
done:
  st.global.u32 [%rd4], %r8;
  ret;
}
)";

struct Machine {
  explicit Machine(unsigned threads = 1, std::vector<std::string> overrides = {})
      : device(options(threads, std::move(overrides))),
        kernel(device.load_text(kStep, "step.ptx").kernel("step")) {}

  static DeviceOptions options(unsigned threads, std::vector<std::string> overrides) {
    DeviceOptions o;
    o.config = "test/tiny";
    o.overrides = std::move(overrides);
    o.threads = threads;
    return o;
  }
  uint64_t buffer(uint32_t count, uint32_t value = 0) {
    const uint64_t address = device.memory().allocate(uint64_t{count} * 4);
    const std::vector<uint32_t> values(count, value);
    device.memory().write(address, values.data(), uint64_t{count} * 4);
    return address;
  }
  std::vector<uint32_t> read(uint64_t address, uint32_t count) {
    std::vector<uint32_t> values(count);
    device.memory().read(address, values.data(), uint64_t{count} * 4);
    return values;
  }
  LaunchRequest request(uint64_t out, uint64_t in, uint32_t add, uint32_t turns, uint32_t blocks = 2,
                        uint32_t threads = 64) {
    LaunchRequest r;
    r.kernel = &kernel;
    r.grid = {blocks};
    r.block = {threads};
    r.params.resize(24);
    std::memcpy(r.params.data(), &out, 8);
    std::memcpy(r.params.data() + 8, &in, 8);
    std::memcpy(r.params.data() + 16, &add, 4);
    std::memcpy(r.params.data() + 20, &turns, 4);
    return r;
  }
  Ticket launch(const LaunchRequest& r, std::vector<Ticket> after = {}, int priority = 0) {
    const size_t number = results.size();
    results.emplace_back();
    return device.submit(r, {}, {.after = std::move(after)}, priority,
                         [this, number](const LaunchRequest&, const LaunchOutcome& outcome) {
                           results[number] = *outcome.timed;
                         });
  }
  Ticket copy(arch::CopyWay way, uint64_t bytes, uint64_t to, uint64_t from, std::vector<Ticket> after,
              std::function<void()> carry_out) {
    arch::CopyWork work;
    work.way = way;
    work.bytes = bytes;
    work.to = to;
    work.from = from;
    work.carry_out = std::move(carry_out);
    return device.machine().submit(std::move(work), {.after = std::move(after)});
  }
  uint64_t took(Ticket t) { return device.machine().end_of(t) - device.machine().begin_of(t); }

  Device device;
  Kernel& kernel;
  std::vector<arch::KernelResult> results;
};

}  // namespace gpuloom::tests
