// SPDX-License-Identifier: Apache-2.0
// What asynchronous operations of a whole warp ask for and when they issue, as an H200 showed
// (bench/silicon/probes/warp_copies, probes/copies, probes/matrix_queue).
#include <string>

#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

// %rd1: the buffer, %r1: the lane, %r2: shared memory, %r3: the lane modulo the parameter.
std::string kernel_of(const std::string& body) {
  return R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 different)
{
  .reg .b64 %rd<8>;
  .reg .pred %p<4>;
  .reg .f32 %f<40>;
  .reg .b32 %r<24>;
  .shared .align 1024 .b8 s[16384];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r4, [different];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, s;
  rem.u32 %r3, %r1, %r4;
  shl.b32 %r5, %r1, 2;
  add.u32 %r6, %r2, %r5;
  mov.u32 %r7, 1;
  st.shared.u32 [%r6], %r7;
  st.shared.u32 [%r6+128], %r7;
  mul.wide.u32 %rd2, %r3, 256;
  add.u64 %rd3, %rd1, %rd2;
  fence.proxy.async;
)" + body +
         "  ret;\n}\n";
}

struct Result {
  ReportKernel kernel;
  std::vector<uint32_t> words;
  double value(const char* name) const { return kernel.find(name)->value; }
};

Result run(const std::string& body, uint32_t different, uint32_t threads = 32) {
  Simulator gpu;
  Kernel& kernel = gpu.load_text(kernel_of(body), "k.ptx").kernel("k");
  const DevicePointer out = gpu.allocate(1 << 16);
  Result r{gpu.launch(kernel, {.grid = {1}, .block = {threads}}, out, different), {}};
  r.words = gpu.download<uint32_t>(out, 4096);
  return r;
}

const std::string kDone = "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n";
const std::string kStore = "  cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r2], 256;\n" + kDone;
const std::string kAdd =
    "  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [%r2], 256;\n" + kDone;

// Sixteen wgmma of n 64; the clock in front of them, behind the first six, behind all and behind their end.
std::string products() {
  std::string sums = "{";
  for (int i = 0; i < 32; ++i) sums += (i == 0 ? "%f" : ", %f") + std::to_string(i);
  const std::string one =
      "  wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " + sums + "}, %rd4, %rd4, 0, 1, 1, 0, 0;\n";
  std::string text = "  mov.u64 %rd4, 0x1000080000;\n  bar.sync 0;\n";
  for (int round = 0; round < 2; ++round) {  // the second finds its code
    text += "  wgmma.fence.sync.aligned;\n  mov.u32 %r10, %clock;\n";
    for (int i = 0; i < 16; ++i) text += one + (i == 5 ? "  mov.u32 %r11, %clock;\n" : "");
    text +=
        "  mov.u32 %r12, %clock;\n  wgmma.commit_group.sync.aligned;\n"
        "  wgmma.wait_group.sync.aligned 0;\n  mov.u32 %r13, %clock;\n";
  }
  return text +
         "  sub.u32 %r11, %r11, %r10;\n  sub.u32 %r12, %r12, %r10;\n  sub.u32 %r13, %r13, %r10;\n"
         "  st.global.u32 [%rd1], %r11;\n  st.global.u32 [%rd1+4], %r12;\n  st.global.u32 [%rd1+8], %r13;\n";
}

std::string zero_fill(const std::string& level) {
  return "  setp.lt.u32 %p1, %r1, %r4;\n  selp.u32 %r8, 16, 0, %p1;\n  shl.b32 %r9, %r1, 4;\n"
         "  add.u32 %r10, %r2, %r9;\n  cvt.u64.u32 %rd4, %r9;\n  add.u64 %rd5, %rd1, %rd4;\n"
         "  cp.async." +
         level +
         ".shared.global [%r10], [%rd5], 16, %r8;\n  cp.async.wait_all;\n"
         "  ld.shared.u32 %r11, [%r10];\n  add.u64 %rd6, %rd5, 8192;\n  st.global.u32 [%rd6], %r11;\n";
}

// Lanes of warp 0 wait for warp 1, which comes after some thousand cycles; the others count for longer.
// `one`: a single lane waits, else a single one counts.
std::string partly_waiting(bool one) {
  return std::string(
             "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 mbarrier.init.shared.b64 [%r2+8192], 1;\n  bar.sync 0;\n"
             "  mov.u32 %r10, 0;\n  setp.ge.u32 %p2, %r1, 32;\n  @%p2 bra LATE;\n  ") +
         (one ? "@%p1" : "@!%p1") +
         " bra WAIT;\n"
         "COUNT:\n  add.u32 %r10, %r10, %r7;\n  mul.lo.u32 %r11, %r10, %r10;\n  st.shared.u32 [%r6], %r11;\n"
         "  setp.lt.u32 %p3, %r10, 400;\n  @%p3 bra COUNT;\n  bra.uni DONE;\n"
         "WAIT:\n  mbarrier.try_wait.parity.shared.b64 %p3, [%r2+8192], 0, 10000000;\n"
         "  @!%p3 bra WAIT;\n  bra.uni DONE;\n"
         "LATE:\n  add.u32 %r10, %r10, %r7;\n  st.shared.u32 [%r6], %r10;\n  setp.lt.u32 %p3, %r10, 50;\n"
         "  @%p3 bra LATE;\n  setp.eq.u32 %p3, %r1, 32;\n"
         "  @%p3 mbarrier.arrive.shared.b64 %rd4, [%r2+8192];\n"
         "DONE:\n  st.global.u32 [%rd3], %r10;\n";
}

}  // namespace

TEST_CASE("Lanes that wait at an mbarrier while others of their warp go on see its phase end",
          "[timed][async]") {
  for (const bool one : {false, true})
    REQUIRE(run(partly_waiting(one), 1, 64).value("sm__cycles_active.max") < 100'000);
}

TEST_CASE("A warp stores in bulk once what its lanes ask for alike", "[timed][async]") {
  for (const uint32_t different : {1u, 2u, 32u}) {
    const Result r = run(kStore, different);
    CHECK(r.value("sim__bulk_copies.sum") == different);
    CHECK(r.value("lts__t_sectors_srcunit_tex.sum") == 8 * different);
    CHECK(r.words[0] == 1);
  }
}

TEST_CASE("A bulk reduction is done for each lane, whether lanes differ or not", "[timed][async]") {
  const Result same = run(kAdd, 1), other = run(kAdd, 32);
  CHECK(same.value("sim__bulk_copies.sum") == 32);
  CHECK(same.words[0] == 32);
  CHECK(other.value("sim__bulk_copies.sum") == 32);
  CHECK(other.words[0] == 1);
}

TEST_CASE("A bulk load counts at its mbarrier for each lane", "[timed][async]") {
  const std::string load =
      "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 mbarrier.init.shared::cta.b64 [s+8192], 1;\n"
      "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+8192], 8192;\n  bar.sync 0;\n"
      "  mov.u32 %r8, s;\n  add.u32 %r8, %r8, 8192;\n"
      "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, [%r8];\n"
      "wait:\n  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], 0;\n  @!%p2 bra wait;\n";
  CHECK(run(load, 1).value("sim__bulk_copies.sum") == 32);
}

TEST_CASE("A loop over lanes issues its operations again for each copy", "[timed][async]") {
  const auto issued = [](uint32_t different) {
    return run(kStore, different).value("smsp__inst_executed.sum");
  };
  const double turn = issued(2) - issued(1);
  CHECK(turn >= 8);
  CHECK(turn <= 12);
  CHECK(issued(32) - issued(1) == 31 * turn);
}

TEST_CASE("A lane whose cp.async has no source bytes reads nothing", "[timed][async]") {
  for (const char* level : {"ca", "cg"}) {
    const Result all = run(zero_fill(level), 32);
    CHECK(all.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 16);
    CHECK(run(zero_fill(level), 8).value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 4);
  }
}

TEST_CASE("wgmma waits for the tensor cores in a queue, which holds its warp up when it is full",
          "[timed][async]") {
  const Result r = run(products(), 1, 128);
  CHECK(r.words[0] < 6 * 12);  // 32 cycles each for the tensor cores
  CHECK(r.words[1] > 8 * 32);  // the sixteenth waits for the tenth to begin
  CHECK(r.words[1] < 12 * 32);
  CHECK(r.words[2] > 16 * 32);  // as long as without a queue
  CHECK(r.words[2] < 16 * 32 + 100);
}
