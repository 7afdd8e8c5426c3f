// SPDX-License-Identifier: Apache-2.0
// Handles, references, samplers of their own, launch files, and what goes wrong with them.
#include "sim/runtime/texture.h"

#include <cstring>

#include "ptx/exec/fault.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"
#include "sim/runtime/session.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const kModule = R"(.version 8.1
.target sm_90
.address_size 64
.global .texref bound;
.global .samplerref smooth;
.global .surfref target;
.visible .entry by_handle(.param .u64 object, .param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [object];
  ld.param.u64 %d1, [out];
  mov.b32 %r0, 0f40200000;
  mov.b32 %r1, 0f3F800000;
  tex.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%d0, {%r0, %r1}];
  st.global.u32 [%d1], %r2;
  ret;
}
.visible .entry by_reference(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.b32 %r0, 0f40200000;
  mov.b32 %r1, 0f3F800000;
  tex.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [bound, {%r0, %r1}];
  st.global.u32 [%d1], %r2;
  tex.2d.v4.f32.f32 {%r2, _, _, _}, [bound, smooth, {%r0, %r1}];
  st.global.u32 [%d1+4], %r2;
  txq.width.b32 %r2, [bound];
  st.global.u32 [%d1+8], %r2;
  ret;
}
.visible .entry kinds(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u64 %d2, bound;
  istypep.texref %p0, %d2;
  istypep.surfref %p1, %d2;
  istypep.texref %p2, %d1;
  selp.u32 %r0, 1, 0, %p0;
  selp.u32 %r1, 1, 0, %p1;
  selp.u32 %r2, 1, 0, %p2;
  st.global.u32 [%d1], %r0;
  st.global.u32 [%d1+4], %r1;
  st.global.u32 [%d1+8], %r2;
  ret;
}
.visible .entry through_surface(.param .u64 object)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [object];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, 1;
  suld.b.2d.b32.trap {%r3}, [%d0, {%r1, %r2}];
  add.u32 %r3, %r3, 100;
  sust.b.2d.b32.trap [%d0, {%r1, %r2}], {%r3};
  ret;
}
)";

struct Bench {
  Device device{{.config = "h200", .mode = Mode::kFunctional}};
  DeviceMemory& memory = device.memory();
  LoadedModule& module = device.load_text(kModule, "bench.ptx");
  uint64_t out = memory.allocate(256, "out");

  ptx::TextureState array(ptx::ChannelFormat format = ptx::ChannelFormat::kF32) {
    ArraySpec spec;
    spec.format = format;
    spec.width = 4, spec.height = 2;
    const ptx::TextureState a = allocate_array(memory, spec);
    const float texels[8] = {0, 1, 2, 3, 10, 11, 12, 13};
    write_level(memory, a, 0, texels);
    return a;
  }
  void run(const char* kernel, std::initializer_list<uint64_t> arguments, uint32_t threads = 1) {
    LaunchRequest r;
    r.kernel = &module.kernel(kernel);
    r.block = {threads, 1, 1};
    r.params.resize(r.kernel->program->param_bytes);
    std::memcpy(r.params.data(), std::data(arguments), arguments.size() * 8);
    device.launch(r);
  }
  template <class T>
  T result(unsigned index) const {
    T value;
    memory.read(out + index * 4, &value, 4);
    return value;
  }
};

ptx::SamplerState smooth_sampler() {
  ptx::SamplerState s;
  s.filter = ptx::TextureFilter::kLinear;
  return s;
}

}  // namespace

TEST_CASE("A texture object fetches the texel, or the mean of two rows under a linear filter", "[texture]") {
  Bench b;
  b.run("by_handle", {create_texture(b.memory, b.array(), {}), b.out});
  CHECK(b.result<float>(0) == 12.0f);
  b.run("by_handle", {create_texture(b.memory, b.array(), smooth_sampler()), b.out});
  CHECK(b.result<float>(0) == 7.0f);
}

TEST_CASE("A texture reference is what the host binds, and another sampler filters it otherwise",
          "[texture]") {
  Bench b;
  bind_object(b.memory, b.module.symbol("bound").address, create_texture(b.memory, b.array(), {}));
  bind_object(b.memory, b.module.symbol("smooth").address, create_sampler(b.memory, smooth_sampler()));
  b.run("by_reference", {b.out});
  CHECK(b.result<float>(0) == 12.0f);
  CHECK(b.result<float>(1) == 7.0f);
  CHECK(b.result<uint32_t>(2) == 4);
}

TEST_CASE("istypep tells textures from surfaces and from memory", "[texture]") {
  Bench b;
  bind_object(b.memory, b.module.symbol("bound").address, create_texture(b.memory, b.array(), {}));
  b.run("kinds", {b.out});
  CHECK(b.result<uint32_t>(0) == 1);
  CHECK(b.result<uint32_t>(1) == 0);
  CHECK(b.result<uint32_t>(2) == 0);
}

TEST_CASE("A surface is loaded and stored in bytes", "[texture]") {
  Bench b;
  const ptx::TextureState array = b.array(ptx::ChannelFormat::kU32);
  const uint32_t before[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  write_level(b.memory, array, 0, before);
  b.run("through_surface", {create_surface(b.memory, array)}, 4);
  uint32_t after[8];
  read_level(b.memory, array, 0, after);
  CHECK(std::vector<uint32_t>(after, after + 8) == std::vector<uint32_t>{0, 1, 2, 3, 104, 105, 106, 107});
}

TEST_CASE("An access outside of a surface names kernel, line, block and thread", "[texture]") {
  Bench b;
  const uint64_t surface = create_surface(b.memory, b.array(ptx::ChannelFormat::kU32));
  CHECK_THROWS_WITH(b.run("through_surface", {surface}, 5), ContainsSubstring("outside of a surface") &&
                                                                ContainsSubstring("thread (4,0,0)") &&
                                                                ContainsSubstring("through_surface"));
}

TEST_CASE("A handle that is none, a reference that is not bound and a wrong use are faults", "[texture]") {
  Bench b;
  CHECK_THROWS_WITH(b.run("by_handle", {0x1234, b.out}),
                    ContainsSubstring("0x1234") && ContainsSubstring("no object has this handle") &&
                        ContainsSubstring("block (0,0,0)") && ContainsSubstring("bench.ptx:15"));
  CHECK_THROWS_WITH(b.run("by_handle", {b.out, b.out}), ContainsSubstring("nothing is bound to"));
  CHECK_THROWS_WITH(b.run("by_reference", {b.out}), ContainsSubstring("nothing is bound to"));
  CHECK_THROWS_WITH(b.run("by_handle", {create_surface(b.memory, b.array()), b.out}),
                    ContainsSubstring("the object is a surface"));
  ArraySpec volume;
  volume.shape = ptx::TextureShape::k3d;
  volume.width = volume.height = volume.depth = 4;
  CHECK_THROWS_WITH(
      b.run("by_handle", {create_texture(b.memory, allocate_array(b.memory, volume), {}), b.out}),
      ContainsSubstring("a 3D resource with an instruction for 2D"));
}

TEST_CASE("A texture of a freed array is a fault", "[texture]") {
  Bench b;
  const ptx::TextureState array = b.array();
  const uint64_t texture = create_texture(b.memory, array, {});
  free_array(b.memory, array);
  CHECK_THROWS_WITH(b.run("by_handle", {texture, b.out}), ContainsSubstring("whose memory is gone"));
}

TEST_CASE("Objects that CUDA refuses are refused with the reason", "[texture]") {
  Bench b;
  CHECK_THROWS_WITH(create_texture(b.memory, b.array(ptx::ChannelFormat::kU32), smooth_sampler()),
                    ContainsSubstring("a linear filter for integers"));
  CHECK_THROWS_WITH(create_surface(b.memory, linear_memory(b.out, ptx::ChannelFormat::kF32, 1, 64)),
                    ContainsSubstring("a surface needs an array"));
  CHECK_THROWS_WITH(pitched_memory(b.out & ~uint64_t{511}, ptx::ChannelFormat::kF32, 1, 100, 2, 64),
                    ContainsSubstring("pitch of 64"));
}

TEST_CASE("A launch file declares textures and surfaces over its buffers", "[texture]") {
  const ScratchFolder folder;
  const std::string ptx = folder.file("k.ptx");
  write_file(ptx, {kModule, std::strlen(kModule)});
  const LaunchFile file = parse_launch_file("ptx: " + ptx + R"(
buffers:
  image: {type: f32, shape: [2, 4], init: iota}
  field: {type: u32, shape: [2, 4], init: iota, output: true}
  out: {type: f32, count: 4, output: true}
textures:
  t: {buffer: image, kind: 2d, width: 4, height: 2, filter: linear, address: [clamp]}
surfaces:
  s: {buffer: field, kind: 2d, width: 4, height: 2}
launches:
  - {kernel: by_handle, grid: [1], block: [1], args: [t, out]}
  - {kernel: through_surface, grid: [1], block: [4], args: [s]}
)",
                                            "texture_launch_test.yaml");
  DeviceOptions options{.config = "h200", .mode = Mode::kFunctional};
  options.checks.init = true;  // texels that the host copied into an array are written
  Device device(options);
  const RunReport report = run_launch_file(device, file, {});
  CHECK(report.findings.empty());
  REQUIRE(report.outputs.size() == 2);
  CHECK(report.outputs[1].values[0] == (2 + 6) / 2.0);
  const uint64_t field = device.memory().find_named("field")->address;
  uint32_t last = 0;
  device.memory().read(field + 28, &last, 4);
  CHECK(last == 107);
}
