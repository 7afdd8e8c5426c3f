// SPDX-License-Identifier: Apache-2.0
// Checks, limits, the heap and system calls through the public API.
#include "base/error.h"
#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const kKernels = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry copy(.param .u64 out, .param .u64 in)
{
  .reg .b64 %rd<5>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
}
.visible .entry leak()
{
  .reg .b64 %rd<3>;
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 100; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r]; }
  pmevent 3;
  pmevent.mask 9;
  ret;
}
.visible .entry hello()
{
  .reg .b64 %rd<3>;
  mov.u64 %rd1, text;
  cvta.global.u64 %rd1, %rd1;
  { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], 0; call.uni (r), vprintf, (a, b); }
  ret;
}
)";

DeviceOptions options_for(Mode mode) {
  DeviceOptions o;
  o.mode = mode;
  o.threads = 2;
  return o;
}

}  // namespace

TEST_CASE("Memory counts as written by the host, by a kernel, or not at all", "[api][check]") {
  const Mode mode = GENERATE(Mode::kFunctional, Mode::kTimed);
  DeviceOptions o = options_for(mode);
  o.checks.init = true;
  Simulator gpu(o);
  Kernel& copy = gpu.load_text(kKernels, "kernels.ptx").kernel("copy");
  const DevicePointer host = gpu.upload<int>({1, 2, 3, 4}), a = gpu.allocate(16, "a"),
                      b = gpu.allocate(16, "b");
  gpu.launch(copy, {.grid = {1}, .block = {4}}, a, host);
  gpu.launch(copy, {.grid = {1}, .block = {4}}, b, a);
  CHECK(gpu.device().findings().empty());
  const DevicePointer c = gpu.allocate(16, "c");
  gpu.launch(copy, {.grid = {1}, .block = {4}}, b, c);
  const auto found = gpu.device().findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 4);
  CHECK(found[0].position.line == 15);
  CHECK_THAT(found[0].text(),
             ContainsSubstring("kernels.ptx:15:") && ContainsSubstring("inside 'c' (16 bytes"));
  // What is freed and given out again is as good as new.
  gpu.free(host);
  gpu.device().memory().fill(c.address, 0, 16);
  gpu.launch(copy, {.grid = {1}, .block = {4}}, b, c);
  CHECK(gpu.device().findings()[0].count == 4);
}

TEST_CASE("Blocks of device malloc that outlive their kernel are noted, and events are counted", "[api]") {
  const Mode mode = GENERATE(Mode::kFunctional, Mode::kTimed);
  Simulator gpu(options_for(mode));
  Kernel& leak = gpu.load_text(kKernels, "kernels.ptx").kernel("leak");
  const ReportKernel k = gpu.launch(leak, {.grid = {2}, .block = {64}});
  REQUIRE(gpu.device().notes().size() == 1);
  CHECK_THAT(gpu.device().notes()[0], ContainsSubstring("128 blocks of device malloc (12800 bytes)"));
  CHECK(k.find("sim__prof_trigger_03.sum")->value == 8);  // four warps, twice
  CHECK(k.find("sim__prof_trigger_00.sum")->value == 4);
  CHECK(k.find("sim__prof_trigger_01.sum") == nullptr);
}

TEST_CASE("What a kernel prints goes where the device's owner wants it", "[api]") {
  const Mode mode = GENERATE(Mode::kFunctional, Mode::kTimed);
  DeviceOptions o = options_for(mode);
  std::string printed;
  o.print = [&](const std::string& text) { printed += text; };
  Simulator gpu(o);
  gpu.launch(gpu.load_text(kKernels, "kernels.ptx").kernel("hello"), {.grid = {2}, .block = {2}});
  CHECK(printed == "hi\nhi\nhi\nhi\n");
}

TEST_CASE("A launch file sets the limits of stack and heap", "[api]") {
  const LaunchFile file = parse_launch_file(
      "ptx: k.ptx\nlimits: {stack: 4KiB, heap: 16MiB}\nkernel: k\ngrid: 1\nblock: 1\n"
      "buffers:\n  a: {type: u32, count: 4}\n  b: {type: u32, count: 4, init: zero}\n"
      "  c: {type: u32, count: 4, init: none}\n",
      "launch.yaml");
  CHECK(file.stack_limit == 4096u);
  CHECK(file.heap_limit == 16u << 20);
  CHECK_FALSE(file.buffers[0].initialised);
  CHECK(file.buffers[1].initialised);
  CHECK_FALSE(file.buffers[2].initialised);
}
