// SPDX-License-Identifier: Apache-2.0
// An invented SM with more warps than any product's: every per-warp table, event and mask has to hold them.
#include <string>
#include <vector>

#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

constexpr unsigned kBlock = 1024;

// Barriers, shared memory, an mbarrier that all threads arrive at, asynchronous copies, atomics with and
// without a result, a fence: out[i] = 2 * (block's sum of in) + in[i], count = threads.
const char* const kKernel = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 count)
{
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  .reg .pred %p<3>;
  .shared .align 16 .b8 tile[4096];
  .shared .align 8 .b64 barrier;
  .shared .align 4 .b32 sum;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [count];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r3, %r2, 10;
  add.u32 %r3, %r3, %r1;
  mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd5, %rd1, %rd4;
  add.u64 %rd6, %rd2, %rd4;
  mov.u32 %r4, tile;
  shl.b32 %r5, %r1, 2;
  add.u32 %r4, %r4, %r5;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ready;
  mbarrier.init.shared.b64 [barrier], 1024;
  st.shared.u32 [sum], 0;
ready:
  cp.async.ca.shared.global [%r4], [%rd5], 4;
  cp.async.commit_group;
  bar.sync 0;
  cp.async.wait_group 0;
  ld.shared.u32 %r6, [%r4];
  red.shared.add.u32 [sum], %r6;
  mbarrier.arrive.shared.b64 %rd7, [barrier];
wait:
  mbarrier.try_wait.shared.b64 %p2, [barrier], %rd7;
  @!%p2 bra wait;
  ld.shared.u32 %r7, [sum];
  shl.b32 %r7, %r7, 1;
  add.u32 %r7, %r7, %r6;
  st.global.u32 [%rd6], %r7;
  fence.acq_rel.gpu;
  atom.global.add.u32 %r8, [%rd3], 1;
  ret;
}
)";

// Runs `blocks` blocks on a GPU of two SMs; checks results; returns the report of the launch.
ReportKernel run(unsigned warps, unsigned sub_cores, unsigned blocks, unsigned threads) {
  DeviceOptions options;
  options.config = "tiny";
  options.threads = threads;
  options.overrides = {"limits.warps_per_sm=" + std::to_string(warps), "limits.registers_per_sm=1048576",
                       "sm.sub_cores=" + std::to_string(sub_cores)};
  Simulator gpu(options);
  Kernel& kernel = gpu.load_text(kKernel, "k.ptx").kernel("k");
  std::vector<uint32_t> in(size_t{blocks} * kBlock);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint32_t>(i * 7 % 1000);
  const DevicePointer from = gpu.upload<uint32_t>(in), to = gpu.allocate(in.size() * 4),
                      count = gpu.upload<uint32_t>({0});
  ReportKernel report = gpu.launch(kernel, {.grid = {blocks}, .block = {kBlock}}, from, to, count);
  const std::vector<uint32_t> out = gpu.download<uint32_t>(to, in.size());
  CHECK(gpu.download<uint32_t>(count, 1)[0] == in.size());
  size_t wrong = 0;
  for (unsigned b = 0; b < blocks; ++b) {
    uint32_t sum = 0;
    for (unsigned t = 0; t < kBlock; ++t) sum += in[b * kBlock + t];
    for (unsigned t = 0; t < kBlock; ++t) wrong += out[b * kBlock + t] != 2 * sum + in[b * kBlock + t];
  }
  CHECK(wrong == 0);
  return report;
}

double value(const ReportKernel& report, const char* metric) { return report.find(metric)->value; }

}  // namespace

TEST_CASE("An SM of 128 or 256 warps runs them together, for any number of threads", "[behaviour][timed]") {
  for (const auto& [warps, sub_cores] : {std::pair{64u, 4u}, {128u, 4u}, {256u, 8u}}) {
    const unsigned blocks = 2 * warps / (kBlock / 32) * 2;  // twice what fits two SMs
    const ReportKernel one = run(warps, sub_cores, blocks, 1), two = run(warps, sub_cores, blocks, 2);
    INFO(warps << " warps");
    CHECK(value(one, "sm__cycles_elapsed.max") == value(two, "sm__cycles_elapsed.max"));
    CHECK(value(one, "smsp__inst_executed.sum") == value(two, "smsp__inst_executed.sum"));
    CHECK(value(one, "sm__maximum_warps_per_active_cycle_pct") == 100);
    CHECK(value(one, "sm__warps_active.avg.per_cycle_active") > 0.6 * warps);
    CHECK(value(one, "sm__warps_active.avg.per_cycle_active") <= warps);
  }
}
