// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_file.h"

#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const kGood = R"(
ptx: kernels/add.ptx
config: h200
buffers:
  a: {type: f32, count: 1024, init: uniform, seed: 7}
  b: {dtype: i32, shape: [4, 8], init: {range: {seed: 3, param: 10}}}
  c: {type: f16, shape: [16], init: random, save: out/c.npy, output: true}
launches:
  - kernel: add
    grid: [4, 2]
    block: 128
    cluster: [2]
    dynamic_shared: 96KiB
    cooperative: true
    repeat: 3
    carveout: 50
    args: [a, {buffer: b, offset: 16}, c, 42, {f32: 1.5}, {bytes: "00ff"}]
    l2_window: {buffer: a, bytes: 4KiB, hit_ratio: 0.5, set_aside: 8KiB}
verify:
  - {buffer: c, against: ref.npy, rtol: 1e-3}
  - {buffer: a, fnv1a64: "00000000000000ff"}
)";

}  // namespace

TEST_CASE("A launch file says what to run, on what, and what to expect", "[launch]") {
  const LaunchFile f = parse_launch_file(kGood, "jobs/add.yaml");
  CHECK(f.ptx == "jobs/kernels/add.ptx");
  CHECK(f.config == "h200");
  REQUIRE(f.buffers.size() == 3);
  CHECK(f.buffers[0].fill.kind == Fill::kUniform);
  CHECK(f.buffers[0].fill.seed == 7);
  CHECK(f.buffers[1].type == ElementType::kS32);
  CHECK(f.buffers[1].count() == 32);
  CHECK(f.buffers[1].fill.param == 10);
  CHECK(f.buffers[2].fill.kind == Fill::kUniform);
  CHECK(f.buffers[2].save == "jobs/out/c.npy");
  CHECK(f.buffers[2].output);
  REQUIRE(f.launches.size() == 1);
  const LaunchSpec& l = f.launches[0];
  CHECK(l.grid.x == 4);
  CHECK(l.grid.y == 2);
  CHECK(l.grid.z == 1);
  CHECK(l.block.x == 128);
  CHECK(l.cluster->x == 2);
  CHECK(l.dynamic_shared_bytes == 96 * 1024);
  CHECK(l.cooperative);
  CHECK(l.repeat == 3);
  CHECK(*l.carveout_pct == 50);
  REQUIRE(l.args.size() == 6);
  CHECK(l.args[1].kind == ArgSpec::Kind::kBuffer);
  CHECK(l.args[1].offset == 16);
  CHECK(l.args[3].text == "42");
  CHECK(l.args[4].type == "f32");
  CHECK(l.args[5].bytes == std::vector<uint8_t>{0, 0xff});
  CHECK(l.window->bytes == 4096);
  REQUIRE(f.verify.size() == 2);
  CHECK(f.verify[0].against == "jobs/ref.npy");
  CHECK(*f.verify[1].fnv1a == 0xff);
}

TEST_CASE("The JSON form of the reference suite is a launch file too", "[launch]") {
  const LaunchFile f = parse_launch_file(
      R"({"name":"v","module":"memory","kernel":"vecadd","about":"x","grid":[256,1,1],"block":[256,1,1],"cluster":[0,0,0],"dynamic_shared":0,
"repeat":1,"args":[{"buffer":"a","type":"f32","count":64,"init":"uniform","seed":1,"param":0,"output":false},{"type":"s32","value":-5}]})",
      "suite/v");
  CHECK(f.ptx == "suite/ptx/memory.ptx");
  CHECK(f.name == "v");
  REQUIRE(f.buffers.size() == 1);
  CHECK(f.buffers[0].bytes() == 256);
  CHECK_FALSE(f.launches[0].cluster.has_value());
  CHECK(f.launches[0].args[1].text == "-5");
}

TEST_CASE("Every problem of a launch file is reported with its line", "[launch]") {
  const char* const bad = R"(ptx: x.ptx
buffers:
  a: {type: f32, count: 4, init: unifrom}
  b: {type: f33, count: 4}
  c: {type: u32, count: 4, init: uniform}
kernel: k
grid: [1, 2, 3, 4]
block: 32
args: [aa, a]
colour: red
)";
  try {
    parse_launch_file(bad, "bad.yaml");
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kInput);
    const std::string text = e.what();
    CHECK_THAT(text, ContainsSubstring("bad.yaml:3") && ContainsSubstring("'unifrom' is not a generator"));
    CHECK_THAT(text, ContainsSubstring("bad.yaml:4") && ContainsSubstring("f33"));
    CHECK_THAT(text, ContainsSubstring("'uniform' makes floating-point numbers, not u32"));
    CHECK_THAT(text, ContainsSubstring("one to three sizes"));
    CHECK_THAT(text, ContainsSubstring("'aa' is neither a buffer nor a number"));
    CHECK_THAT(text, ContainsSubstring("unknown key 'colour'"));
  }
}

TEST_CASE("A tensor map takes type and extents of its buffer, innermost first", "[launch]") {
  const LaunchFile f = parse_launch_file(R"(ptx: x.ptx
buffers:
  A: {type: f16, shape: [128, 1024]}
tensor_maps:
  tmA: {buffer: A, box: [64, 128], swizzle: 128B, oob_fill: nan, interleave: none}
kernel: k
grid: 1
block: 1
args: [tmA, A]
)",
                                         "t.yaml");
  REQUIRE(f.tensor_maps.size() == 1);
  const TensorMapSpec& map = f.tensor_maps[0].map;
  CHECK(map.dims == std::vector<uint64_t>{1024, 128});
  CHECK(map.element == ptx::TensorElement::kF16);
  CHECK(map.swizzle == ptx::TensorSwizzle::k128B);
  CHECK(f.launches[0].args[0].kind == ArgSpec::Kind::kTensorMap);
  const ptx::TensorMap encoded = encode_tensor_map(map);
  CHECK(encoded.stride[0] == 2048);
  CHECK(encoded.last[1] == 127);
}

TEST_CASE("A tensor map that CUDA would refuse is an error that says why", "[launch]") {
  TensorMapSpec spec;
  spec.dims = {64, 64};
  spec.box = {33, 4};
  CHECK_THROWS_WITH(encode_tensor_map(spec), ContainsSubstring("not a multiple of 16"));
  spec.box = {64, 4};
  spec.swizzle = ptx::TensorSwizzle::k128B;
  CHECK_THROWS_WITH(encode_tensor_map(spec), ContainsSubstring("under a swizzle of 128"));
  spec.swizzle = ptx::TensorSwizzle::kNone;
  spec.interleave = ptx::TensorInterleave::k16B;
  CHECK_THROWS_WITH(encode_tensor_map(spec), ContainsSubstring("interleaved channels with 2 dimensions"));
}
