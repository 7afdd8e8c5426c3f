// SPDX-License-Identifier: Apache-2.0
// What leaves an SM for what its warps ask, and how a grid's blocks come and go: small kernels whose counters
// an H200 showed (bench/silicon/probes/stores, probes/blocks).
#include <algorithm>
#include <set>

#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

std::string kernel_of(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
)" + body +
         "  ret;\n}\n";
}

// Each lane has a sector of its own, 32 of them in 8 lines.
const std::string kSectors = "  mul.wide.u32 %rd2, %r1, 32;\n  add.u64 %rd3, %rd1, %rd2;\n";

ReportKernel run(const std::string& body, uint32_t grid, uint32_t block) {
  Simulator gpu;
  Kernel& kernel = gpu.load_text(kernel_of(body), "k.ptx").kernel("k");
  const DevicePointer out = gpu.allocate(1 << 20);
  return gpu.launch(kernel, {.grid = {grid}, .block = {block}}, out);
}

// The SM of each block.
std::vector<uint32_t> places(const LaunchShape& shape) {
  Simulator gpu;
  Kernel& kernel = gpu.load_text(kernel_of("  mov.u32 %r2, %ctaid.x;\n  mul.wide.u32 %rd2, %r2, 4;\n"
                                           "  add.u64 %rd3, %rd1, %rd2;\n  mov.u32 %r3, %smid;\n"
                                           "  st.global.u32 [%rd3], %r3;\n"),
                                 "k.ptx")
                       .kernel("k");
  const DevicePointer out = gpu.allocate(1024);
  gpu.launch(kernel, shape, out);
  return gpu.download<uint32_t>(out, shape.grid.count());
}

double value(const ReportKernel& k, const char* name) { return k.find(name)->value; }

}  // namespace

TEST_CASE("Stores of a warp to the same sectors, one behind the other, are one write", "[timed][traffic]") {
  const ReportKernel k = run(
      kSectors +
          "  st.global.u32 [%rd3], %r1;\n  st.global.u32 [%rd3+4], %r1;\n  st.global.u32 [%rd3+8], %r1;\n",
      1, 32);
  CHECK(value(k, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 96);
  CHECK(value(k, "lts__t_sectors_srcunit_tex.sum") == 32);
}

TEST_CASE("A store long after another one to its sector is a write of its own", "[timed][traffic]") {
  const ReportKernel k =
      run(kSectors + "  st.global.u32 [%rd3], %r1;\n  nanosleep.u32 500;\n  st.global.u32 [%rd3+4], %r1;\n",
          1, 32);
  CHECK(value(k, "lts__t_sectors_srcunit_tex.sum") == 64);
}

TEST_CASE("A fence sends what waits for further stores", "[timed][traffic]") {
  const ReportKernel k =
      run(kSectors + "  st.global.u32 [%rd3], %r1;\n  membar.gl;\n  st.global.u32 [%rd3+4], %r1;\n", 1, 32);
  CHECK(value(k, "lts__t_sectors_srcunit_tex.sum") == 64);
}

TEST_CASE("Stores of 32 lines in turn find no write of their line any more", "[timed][traffic]") {
  const std::string lines = "  mul.wide.u32 %rd2, %r1, 128;\n  add.u64 %rd3, %rd1, %rd2;\n";
  const std::string twice = "  st.global.u32 [%rd3], %r1;\n  st.global.u32 [%rd3+4], %r1;\n";
  CHECK(value(run(lines + twice, 1, 32), "lts__t_sectors_srcunit_tex.sum") == 64);
  CHECK(value(run(lines + twice, 1, 24), "lts__t_sectors_srcunit_tex.sum") == 24);
}

TEST_CASE("A fence waits for a store that went along with another warp's", "[timed][traffic]") {
  const std::string both =
      "  and.b32 %r2, %r1, 7;\n  mul.wide.u32 %rd2, %r2, 4;\n  add.u64 %rd3, %rd1, %rd2;\n";
  const ReportKernel k = run(both + "  st.global.u32 [%rd3], %r1;\n  membar.gl;\n", 1, 256);
  CHECK(value(k, "lts__t_sectors_srcunit_tex.sum") <= 8);
}

TEST_CASE("The ends of blocks take their turns at the distributor", "[timed][traffic]") {
  const double few = value(run("", 132, 32), "sm__cycles_elapsed.max");
  const double many = value(run("", 8 * 132, 32), "sm__cycles_elapsed.max");
  CHECK(many - few > 0.9 * 1.146 * 7 * 132);
}

TEST_CASE("Eight blocks of a first wave stand on each SM before a load has come back", "[timed][traffic]") {
  const std::string load =
      "  mul.wide.u32 %rd2, %r1, 4;\n  add.u64 %rd3, %rd1, %rd2;\n  ld.global.u32 %r2, [%rd3];\n"
      "  st.global.u32 [%rd3], %r2;\n";
  const ReportKernel k = run(load, 8 * 132, 256);
  CHECK(value(k, "sm__warps_active.avg.pct_of_peak_sustained_active") > 60);
}

TEST_CASE("A grid that does not fill the GPU takes the first SMs of the TPCs of all GPCs",
          "[timed][traffic]") {
  const std::vector<uint32_t> sm = places({.grid = {64}, .block = {32}});
  // The four TPCs that stand alone take two each; of the other 62 nobody shares one.
  unsigned alone = 0, first = 0;
  for (const uint32_t s : sm) (s >= 124 ? alone : first) += s >= 124 || s % 2 == 0;
  CHECK(alone == 8);
  CHECK(first == 56);
  CHECK(std::is_sorted(sm.begin() + 8, sm.end()));
}

TEST_CASE("Clusters share SMs only where a GPC has no place for one on empty ones", "[timed][traffic]") {
  const std::vector<uint32_t> sm = places({.grid = {128}, .block = {32}, .cluster = ptx::Dim3{4}});
  // 30 clusters fit on SMs of their own: four in each of seven GPCs, two in the GPC of eight SMs.
  CHECK(std::set<uint32_t>(sm.begin(), sm.end()).size() >= 120);
}

TEST_CASE("A warp does not wait for its reductions to end", "[timed][traffic]") {
  const auto active = [](const char* op) { return value(run(op, 1, 32), "sm__cycles_active.avg") * 132; };
  const double reduces = active("  red.global.add.u32 [%rd1], %r1;\n");
  CHECK(reduces + 200 < active("  atom.global.add.u32 %r2, [%rd1], %r1;\n  st.global.u32 [%rd1+4], %r2;\n"));
  CHECK(reduces < active("  st.global.u32 [%rd1], %r1;\n") + 50);
}

TEST_CASE("SMs of a GPC that read the same sectors together share a read, and others do not",
          "[timed][traffic]") {
  const std::string load =
      "  mul.wide.u32 %rd2, %r1, 4;\n  add.u64 %rd3, %rd1, %rd2;\n  ld.global.u32 %r2, [%rd3];\n"
      "  setp.eq.u32 %p1, %r2, 77;\n  @%p1 st.global.u32 [%rd3], %r2;\n";
  const double all = value(run(load, 132, 32), "lts__t_sectors_srcunit_tex.sum");
  CHECK(all <= 4 * 40);
  // Every second SM reads half of the line: a GPC knows the latest read of a line only, so that what comes in
  // pieces is not shared (H200: flash_tile and stages3_gemm, probes/merging).
  const std::string half =
      "  mov.u32 %r2, %ctaid.x;\n  and.b32 %r2, %r2, 1;\n  mul.lo.u32 %r2, %r2, 16;\n"
      "  add.u32 %r3, %r1, %r2;\n  setp.ge.u32 %p1, %r3, 32;\n  @%p1 ret;\n";
  CHECK(value(run(half + load, 132, 32), "lts__t_sectors_srcunit_tex.sum") > 66 * 4 - 20);
}

TEST_CASE("A load that the L1 has passes as often as its words share banks, whatever lines they are of",
          "[timed][traffic]") {
  // Twice the same load, far apart; the second finds all (H200: probes/strides).
  const auto passes = [](unsigned words) {
    const std::string at = "  mul.wide.u32 %rd2, %r1, " + std::to_string(4 * words) +
                           ";\n  add.u64 %rd3, %rd1, %rd2;\n  ld.global.u32 %r2, [%rd3];\n"
                           "  st.global.u32 [%rd1+65536], %r2;\n  nanosleep.u32 5000;\n";
    const char* wavefronts = "l1tex__data_pipe_lsu_wavefronts.sum";
    const std::string again = "  ld.global.u32 %r3, [%rd3];\n  st.global.u32 [%rd1+65536], %r3;\n";
    const std::string only = "  st.global.u32 [%rd1+65536], %r2;\n";
    return value(run(at + again, 1, 32), wavefronts) - value(run(at + only, 1, 32), wavefronts);
  };
  CHECK(passes(1) == 1);
  CHECK(passes(3) == 1);
  CHECK(passes(9) == 1);
  CHECK(passes(4) == 4);
  CHECK(passes(32) == 32);
}
