// SPDX-License-Identifier: Apache-2.0
// The same input gives the same result: again, with other numbers of host threads, and after other
// simulations in the process.
#include "base/error.h"
#include "sim/api/simulator.h"
#include "sim/report/writers.h"
#include "sim/runtime/suite.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kSuite = tests::in_tree("/bench/silicon");

DeviceOptions timed(unsigned threads = 1) {
  DeviceOptions o;
  o.threads = threads;
  return o;
}

// result.json up to the host's times.
std::string result_of(const std::string& name, const DeviceOptions& options) {
  Simulator gpu(options);
  const std::string json = result_json(gpu.run(read_suite_case(kSuite, name)));
  return json.substr(0, json.find("\"host\""));
}

const char* const kTiny = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry tiny(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  atom.global.add.u32 %r2, [%rd1], 1;
  st.global.u32 [%rd3+4], %r1;
  ret;
}
.visible .entry spin()
{
again:
  bra again;
}
)";

}  // namespace

TEST_CASE("The same case twice gives the same result, byte for byte", "[determinism][timed]") {
  CHECK(result_of("vecadd_64k", timed()) == result_of("vecadd_64k", timed()));
}

TEST_CASE("The number of host threads changes nothing in the result", "[determinism][timed]") {
  for (const char* name : {"vecadd_64k", "bfs_level"}) {
    INFO(name);
    const std::string alone = result_of(name, timed(1));
    CHECK(alone == result_of(name, timed(2)));
    CHECK(alone == result_of(name, timed(5)));
  }
}

TEST_CASE("Windows in two parts, as many threads run them, change nothing in the result",
          "[determinism][timed]") {
  for (const char* name : {"vecadd_64k", "bfs_level", "histogram_shared", "sgemm_64x64_512"}) {
    INFO(name);
    CHECK(result_of(name, timed(1)) == result_of(name, timed(8)));
  }
}

TEST_CASE("How far SMs run ahead of each other changes nothing in the result", "[determinism][timed]") {
  for (const char* name : {"vecadd_64k", "bfs_level", "cluster_ring4", "histogram_shared"}) {
    INFO(name);
    DeviceOptions together = timed(), apart = timed();
    together.run_ahead = 0;
    apart.run_ahead = 100'000;
    CHECK(result_of(name, together) == result_of(name, apart));
  }
}

TEST_CASE("Fifty simulations in one process, one after another, agree", "[determinism][timed]") {
  std::string first;
  for (int i = 0; i < 50; ++i) {
    Simulator gpu(timed());
    Kernel& kernel = gpu.load_text(kTiny, "tiny.ptx").kernel("tiny");
    const DevicePointer out = gpu.allocate(4 * 65);
    const ReportKernel k = gpu.launch(kernel, {.grid = {8}, .block = {64}}, out);
    RunReport run;
    run.kernels.push_back(k);
    const std::string json = result_json(run);
    if (i == 0) first = json;
    REQUIRE(json == first);
    REQUIRE(gpu.download<uint32_t>(out, 1)[0] == 512);
  }
}

TEST_CASE("A cold launch costs what the first one did, a warm one less", "[timed]") {
  Simulator gpu(timed());
  Kernel& kernel = gpu.load_text(kTiny, "tiny.ptx").kernel("tiny");
  const DevicePointer out = gpu.allocate(4 * 65);
  const auto cycles = [&](bool cold) {
    LaunchShape shape{.grid = {8}, .block = {64}};
    shape.options.cold_caches = cold;
    return gpu.launch(kernel, shape, out).find("sm__cycles_elapsed.max")->value;
  };
  const double first = cycles(true);
  CHECK(cycles(true) == Approx(first).epsilon(0.01));  // refresh and clock phases differ
  CHECK(cycles(false) < first);
}

TEST_CASE("A run that exceeds its cycles fails and leaves the simulator usable", "[timed]") {
  Simulator gpu(timed());
  LoadedModule& module = gpu.load_text(kTiny, "tiny.ptx");
  LaunchShape shape{.grid = {1}, .block = {32}};
  shape.options.max_cycles = 20'000;
  try {
    gpu.launch(module.kernel("spin"), shape);
    FAIL("an endless loop ended");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kProgram);
    CHECK_THAT(e.what(), ContainsSubstring("20"));
  }
  const DevicePointer out = gpu.allocate(4 * 65);
  CHECK(gpu.launch(module.kernel("tiny"), {.grid = {1}, .block = {64}}, out)
            .find("sm__cycles_elapsed.max")
            ->value > 0);
}

TEST_CASE("Timed and functional runs compute the same", "[timed]") {
  DeviceOptions functional;
  functional.mode = Mode::kFunctional;
  Simulator a(timed()), b(functional);
  const LaunchFile file = read_suite_case(kSuite, "vecadd_64k");
  CHECK(a.run(file).outputs[0].fnv1a64 == b.run(file).outputs[0].fnv1a64);
}
