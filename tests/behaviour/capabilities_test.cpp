// SPDX-License-Identifier: Apache-2.0
// Every compute capability: a kernel built for it runs in time, one for a later capability is refused.
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/config_unknowns.h"
#include "sim/api/simulator.h"
#include "sim/runtime/device.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Capability {
  const char* target;
  const char* version;  // of the PTX ISA that introduced it
  const char* gpu;
};
const Capability kCapabilities[] = {
    {"sm_50", "4.0", "gtx750ti"}, {"sm_52", "4.1", "gtx980"},  {"sm_53", "4.2", "tx1"},
    {"sm_60", "5.0", "p100"},     {"sm_61", "5.0", "gtx1080"}, {"sm_62", "5.0", "tx2"},
    {"sm_70", "6.0", "v100"},     {"sm_72", "6.1", "xavier"},  {"sm_75", "6.3", "t4"},
    {"sm_80", "7.0", "a100-40g"}, {"sm_86", "7.1", "rtx3090"}, {"sm_87", "7.4", "orin-agx"},
    {"sm_89", "7.8", "rtx4090"},  {"sm_90", "7.8", "h200"},    {"sm_100", "8.6", "b200"},
    {"sm_103", "8.8", "b300"},    {"sm_110", "9.0", "thor"},   {"sm_120", "8.7", "rtx5090"},
    {"sm_121", "8.8", "gb10"}};

// y = 2 (a x + y), through shared memory, a barrier and f64.
std::string kernel_for(const std::string& target, const std::string& version) {
  return ".version " + version + "\n.target " + target + R"(
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y, .param .f32 a)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .f64 %d<4>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, 64, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f3, %f2, %f1, %f3;
  cvt.f64.f32 %d1, %f3;
  add.f64 %d2, %d1, %d1;
  cvt.rn.f32.f64 %f3, %d2;
  mov.u32 %r6, tile;
  shl.b32 %r7, %r4, 2;
  add.u32 %r6, %r6, %r7;
  st.shared.f32 [%r6], %f3;
  bar.sync 0;
  ld.shared.f32 %f2, [%r6];
  st.global.f32 [%rd5], %f2;
  ret;
}
)";
}

std::string refusal(Simulator& gpu, const std::string& target, const std::string& version) {
  try {
    gpu.load_text(kernel_for(target, version), "later.ptx");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kUnsupported);
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A kernel built for each of the 19 capabilities runs in time, and one for a later is refused") {
  const size_t n = std::size(kCapabilities);
  REQUIRE(n == 19);
  for (size_t i = 0; i < n; ++i) {
    const Capability& c = kCapabilities[i];
    INFO(c.gpu);
    Simulator gpu({.config = c.gpu, .overrides = {}});
    Kernel& kernel = gpu.load_text(kernel_for(c.target, c.version), "own.ptx").kernel("twice");
    const DevicePointer x = gpu.upload<float>(std::vector<float>(256, 3.0f));
    const DevicePointer y = gpu.upload<float>(std::vector<float>(256, 1.0f));
    const ReportKernel run = gpu.launch(kernel, {.grid = {4}, .block = {64}}, x, y, 2.0f);
    CHECK(gpu.download<float>(y, 256) == std::vector<float>(256, 14.0f));
    const auto* cycles = run.find("sm__cycles_elapsed.max");
    REQUIRE(cycles != nullptr);
    CHECK(cycles->value > 1000);
    if (i + 1 < n) {
      CHECK_THAT(refusal(gpu, kCapabilities[i + 1].target, kCapabilities[i + 1].version),
                 ContainsSubstring("this module is for " + std::string(kCapabilities[i + 1].target)) &&
                     ContainsSubstring("cudaErrorNoKernelImageForDevice") &&
                     ContainsSubstring("later.ptx:2:9"));
    }
  }
}

TEST_CASE("Architecture-specific code runs on its own capability, family-specific code on its family") {
  const auto runs = [](const char* gpu, const char* target, const char* version) {
    DeviceOptions options;
    options.config = gpu;
    options.mode = Mode::kFunctional;
    Simulator device(options);
    return refusal(device, target, version);
  };
  CHECK(runs("h200", "sm_90a", "8.0") == "accepted");
  CHECK_THAT(runs("b200", "sm_90a", "8.0"), ContainsSubstring("runs on that architecture only"));
  CHECK_THAT(runs("rtx4090", "sm_90a", "8.0"), ContainsSubstring("the device is sm_89"));
  CHECK(runs("b200", "sm_100a", "8.6") == "accepted");
  CHECK(runs("b200", "sm_100f", "8.8") == "accepted");
  CHECK(runs("b300", "sm_100f", "8.8") == "accepted");
  CHECK_THAT(runs("b300", "sm_100a", "8.6"), ContainsSubstring("runs on that architecture only"));
  CHECK_THAT(runs("thor", "sm_100f", "8.8"), ContainsSubstring("runs on that family only"));
  CHECK(runs("thor", "sm_101a", "8.6") == "accepted");  // 11.0 was called 10.1 before PTX ISA 9.0
  CHECK(runs("gb10", "sm_120f", "8.8") == "accepted");
  CHECK_THAT(runs("rtx5090", "sm_121f", "8.8"), ContainsSubstring("runs on that family only"));
  CHECK_THAT(runs("rtx5090", "sm_100a", "8.6"), ContainsSubstring("runs on that architecture only"));
  CHECK(runs("h200", "sm_20", "3.0") == "accepted");
}

TEST_CASE("Code for a GPU of 2008 runs, with subnormals of f32 flushed as there, and without f64") {
  const auto text = [](const char* target, const std::string& body) {
    return std::string(".version 1.4\n.target ") + target + R"(
.entry k(.param .u64 out, .param .f32 small)
{
  .reg .u64 %rd<2>; .reg .f32 %f<4>; .reg .f64 %d<2>;
  ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [small];
)" + body + "  exit;\n}\n";
  };
  const std::string sums =
      "  add.f32 %f2, %f1, %f1; st.global.f32 [%rd1], %f2;\n"
      "  mad.f32 %f3, %f1, 0f3F800000, %f1; st.global.f32 [%rd1+4], %f3;\n";
  const auto bits = [&](const std::string& ptx) {
    DeviceOptions options;
    options.config = "h200";
    options.mode = Mode::kFunctional;
    Device device(options);
    LoadedModule& module = device.load_text(ptx, "old.ptx");
    LaunchRequest request;
    request.kernel = &module.kernel("k");
    request.params.resize(12);
    const uint64_t out = device.memory().allocate(8);
    const float small = 0x1p-130f;
    std::memcpy(request.params.data(), &out, 8);
    std::memcpy(request.params.data() + 8, &small, 4);
    device.launch(request);
    std::array<uint32_t, 2> words{};
    device.memory().read(out, words.data(), 8);
    return words;
  };
  CHECK(bits(text("sm_10, map_f64_to_f32", sums)) == std::array<uint32_t, 2>{0, 0});
  std::string later = text("sm_20", sums);
  later.replace(later.find("1.4"), 3, "3.0");
  later.replace(later.find("mad.f32"), 7, "mad.rn.f32");
  CHECK(bits(later) == std::array<uint32_t, 2>{1u << 20, 1u << 20});  // 2^-129
  const std::string doubles = "  mov.f32 %f2, 0f3F800000; cvt.f64.f32 %d1, %f2; st.global.f64 [%rd1], %d1;\n";
  CHECK_THROWS_WITH(bits(text("sm_10, map_f64_to_f32", doubles)), ContainsSubstring("needs sm_13"));
  CHECK(bits(text("sm_13", doubles))[1] == 0x3ff00000);
}

TEST_CASE("A feature that the module's target lacks is named with the first capability that has it") {
  Simulator gpu({.config = "h200", .overrides = {}, .mode = Mode::kFunctional});
  const auto said = [&](const std::string& target, const std::string& version,
                        const std::string& instruction) {
    try {
      gpu.load_text(".version " + version + "\n.target " + target +
                        "\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n" +
                        instruction + "\nret;\n}\n",
                    "feature.ptx");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(
      said("sm_75", "7.0", "cp.async.ca.shared.global [%r1], [%rd1], 16;"),
      ContainsSubstring("`cp.async` needs sm_80 or what includes it, compute capability 8.0 is the first") &&
          ContainsSubstring("feature.ptx:7:1"));
  CHECK_THAT(said("sm_90", "8.0", "wgmma.fence.sync.aligned;"),
             ContainsSubstring("needs sm_90a, compute capability 9.0 is the first"));
  CHECK_THAT(said("sm_80", "8.0", "barrier.cluster.arrive;"),
             ContainsSubstring("compute capability 9.0 is the first with it"));
  CHECK_THAT(said("sm_90", "8.6", "tcgen05.wait::ld.sync.aligned;"),
             ContainsSubstring("compute capability 10.0 is the first with it"));
}

TEST_CASE("Every product configuration reads without a problem and lists what it estimates") {
  unsigned products = 0;
  for (const std::string& name : list_configs()) {
    if (!name.starts_with("gpu/") && !name.starts_with("test/")) continue;
    INFO(name);
    const Config config = Config::load(name);
    arch::load_gpu_config(config.root());
    CHECK_NOTHROW(config.check());
    const ConfigUnknowns unknowns = config_unknowns(config);
    CHECK(unknowns.values > 400);
    CHECK(unknowns.estimated_values > 0);
    CHECK(unknowns.estimated_values < unknowns.values * 3 / 4);
    for (const ConfigUnknown& u : unknowns.estimated) CHECK(u.where.line > 0);
    ++products;
  }
  CHECK(products >= 24);
}

TEST_CASE(
    "What a configuration estimates is found by the comment of its line, the lines above, or its group") {
  const ConfigUnknowns found = config_unknowns(Config::load("rtx4090"));
  const auto why = [&](const std::string& path) {
    for (const ConfigUnknown& u : found.estimated)
      if (u.path == path) return u.why;
    return std::string();
  };
  CHECK_THAT(why("clocks.l2"), ContainsSubstring("estimated: as the SMs"));
  CHECK(why("clocks.sm") == "");  // the whitepaper says it
  CHECK_THAT(why("sm.operations.ccctl.latency"), ContainsSubstring("estimated: as membar"));
  CHECK_THAT(why("dram.timing.tRRD"), ContainsSubstring("estimated"));
}

TEST_CASE("What was measured on one capability is an estimate for every other") {
  const auto lists = [](const char* config, const std::string& path) {
    for (const ConfigUnknown& u : config_unknowns(Config::load(config)).estimated)
      if (u.path == path) return true;
    return false;
  };
  for (const char* path : {"sm.operations.shfl.latency", "sm.branch.taken", "sm.barrier.fence_sys"}) {
    INFO(path);
    CHECK(lists("a100-80g", path));
    CHECK(lists("rtx4090", path));
    CHECK_FALSE(lists("h200", path));  // measured there
  }
  CHECK(lists("h200", "noc.request_latency"));
  // What a capability does not have is not an estimate of it.
  CHECK_FALSE(lists("a100-80g", "sm.operations.utma.latency"));
  CHECK(lists("h200", "sm.operations.utma.latency"));
  CHECK_FALSE(lists("a100-80g", "sm.tma.start_latency"));
  CHECK_FALSE(lists("h200", "sm.tma.start_latency"));
  CHECK(lists("b200", "sm.tma.start_latency"));
  // A source that begins with a capability leaves the earlier ones estimated.
  CHECK_FALSE(lists("v100", "sm.operations.exit.latency"));
  CHECK(lists("gtx1080", "sm.operations.exit.latency"));
  // What another value leaves without effect is not one either.
  CHECK(lists("a100-80g", "link.latency"));
  CHECK_FALSE(lists("rtx4090", "link.latency"));
  CHECK(lists("a100-80g", "l2.partition_interleave"));
  CHECK_FALSE(lists("v100", "l2.partition_interleave"));
}

TEST_CASE("Every value of a product has a comment with its source or the reasoning behind its estimate") {
  const std::set<std::string> names{"name", "description", "compute_capability"};
  for (const std::string& name : list_configs()) {
    if (!name.starts_with("gpu/")) continue;
    for (const std::string& path : config_unknowns(Config::load(name)).silent) {
      INFO(name << ": " << path);
      CHECK(names.count(path) == 1);
    }
  }
}
