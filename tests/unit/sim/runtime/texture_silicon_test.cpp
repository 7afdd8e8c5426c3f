// SPDX-License-Identifier: Apache-2.0
// Replays tests/conformance/textures: the same kernels and cases as on the H200, and its results.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "ptx/exec/fault.h"
#include "sim/memory/files.h"
#include "sim/runtime/device.h"
#include "sim/runtime/texture.h"
#include "tests/catch2.h"
#include "tests/conformance/textures/case_file.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace texture_cases;

namespace {

const std::string kFolder = tests::in_tree("/tests/conformance/textures/");

ptx::SamplerState sampler_of(const Case& c) {
  ptx::SamplerState s;
  const std::vector<std::string> modes = split(c.get("addr", "clamp,clamp,clamp"), ',');
  for (unsigned k = 0; k < 3; ++k) REQUIRE(address_mode_named(modes[k], s.address[k]));
  s.filter = static_cast<ptx::TextureFilter>(c.number("linear"));
  s.mip_filter = static_cast<ptx::TextureFilter>(c.number("miplinear"));
  s.read_integer = c.number("read_int") != 0;
  s.normalized = c.number("norm") != 0;
  s.srgb = c.number("srgb") != 0;
  s.seamless = c.number("seamless") != 0;
  s.trilinear_optimization = c.number("notri") == 0;
  s.max_anisotropy = static_cast<uint8_t>(c.number("aniso"));
  s.level_bias = static_cast<float>(c.real("bias"));
  s.min_level = static_cast<float>(c.real("minlod"));
  s.max_level = static_cast<float>(c.real("maxlod"));
  for (int k = 0; k < 4; ++k) s.border[k] = static_cast<float>(c.real(("b" + std::to_string(k)).c_str()));
  return s;
}

// CUDA's error numbers.
int error_of(const ptx::Fault& fault) { return fault.info().kind == ptx::FaultKind::kMisaligned ? 716 : 700; }

class Replay {
 public:
  explicit Replay(Mode mode) : device_({.config = "h200", .mode = mode}), memory_(device_.memory()) {
    linear_ = memory_.allocate(1 << 22, "linear");
    in_ = memory_.allocate(kMost * kWords * 4, "in");
    out_ = memory_.allocate(kMost * kResults * 4, "out");
  }

  // What probe.cpp would write: "create=0 error=0 hash=..."; the bytes behind the hash in `bytes`.
  std::string run(const Case& c, std::vector<uint8_t>& bytes) {
    ptx::TextureState resource;
    uint64_t handle = 0;
    const bool surface = is_surface(c.text("kernel"));
    try {
      resource = make(c);
      handle = surface ? create_surface(memory_, resource) : create_texture(memory_, resource, sampler_of(c));
    } catch (const Error&) {
      return "create=1 error=0 hash=0";
    }
    std::string result;
    try {
      launch(c, handle);
      bytes.resize(static_cast<size_t>(c.number("n")) * kResults * 4);
      memory_.read(out_, bytes.data(), bytes.size());
      if (writes_surface(c.text("kernel"))) {
        bytes.resize(level_bytes(resource, 0));
        read_level(memory_, resource, 0, bytes.data());
      }
      char text[80];
      std::snprintf(text, sizeof text, "create=0 error=0 hash=%016llx",
                    static_cast<unsigned long long>(fnv1a(bytes.data(), bytes.size())));
      result = text;
    } catch (const ptx::Fault& fault) {
      result = "create=0 error=" + std::to_string(error_of(fault)) + " hash=0";
    }
    destroy_object(memory_, handle);
    if (resource.address != linear_) free_array(memory_, resource);
    return result;
  }

 private:
  static constexpr size_t kMost = 1 << 17;

  ptx::TextureState make(const Case& c) {
    ArraySpec spec;
    REQUIRE(texture_shape_named(c.text("kind"), spec.shape));
    REQUIRE(channel_format_named(c.text("fmt"), spec.format));
    spec.channels = static_cast<uint8_t>(c.number("ch"));
    const auto extent = [&](const char* key) {
      return static_cast<uint32_t>(std::max<int64_t>(1, c.number(key)));
    };
    spec.width = extent("w"), spec.height = extent("h"), spec.depth = extent("d");
    spec.levels = static_cast<uint8_t>(c.number("levels"));
    const std::string place = c.get("place", "array");
    std::vector<uint8_t> texels = texels_of(c, 0);
    const auto row = static_cast<uint32_t>(spec.width * channel_bytes(c.text("fmt")) * spec.channels);
    if (place == "linear") {
      memory_.write(linear_, texels.data(), texels.size());
      return linear_memory(linear_, spec.format, spec.channels, texels.size());
    }
    if (place == "pitch") {
      const uint32_t pitch = (row + 31) / 32 * 32;
      for (uint32_t y = 0; y < spec.height; ++y) memory_.write(linear_ + y * pitch, &texels[y * row], row);
      return pitched_memory(linear_, spec.format, spec.channels, spec.width, spec.height, pitch);
    }
    const ptx::TextureState array = allocate_array(memory_, spec);
    for (unsigned level = 0; level < array.levels; ++level) {
      texels = texels_of(c, level);
      write_level(memory_, array, level, texels.data());
    }
    return array;
  }

  void launch(const Case& c, uint64_t handle) {
    const std::string& name = c.text("module");
    if (!modules_.count(name)) modules_[name] = &device_.load_file(kFolder + name + ".ptx");
    const auto n = static_cast<uint32_t>(c.number("n"));
    const std::vector<uint32_t> words = inputs_of(c);
    memory_.write(in_, words.data(), words.size() * 4);
    const std::vector<uint32_t> before(size_t{n} * kResults, 0xdeadbeef);
    memory_.write(out_, before.data(), before.size() * 4);
    LaunchRequest r;
    r.kernel = &modules_[name]->kernel(c.text("kernel"));
    r.grid = {(n + 127) / 128, 1, 1};
    r.block = {128, 1, 1};
    r.params.resize(r.kernel->program->param_bytes);
    const uint64_t pointers[3] = {handle, in_, out_};
    std::memcpy(r.params.data(), pointers, 24);
    std::memcpy(r.params.data() + 24, &n, 4);
    device_.launch(r);
  }

  Device device_;
  DeviceMemory& memory_;
  uint64_t linear_ = 0, in_ = 0, out_ = 0;
  std::map<std::string, LoadedModule*> modules_;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream file(read_file(path));
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// What gpuloom refuses, with the reason: the README of the probe.
bool refused(const Case& c) {
  const std::string& kernel = c.text("kernel");
  const bool derivatives = kernel.rfind("tex_grad", 0) == 0;
  return c.text("module") == "compare_kernels" || c.text("module") == "cube_gradients" ||
         (derivatives && c.number("aniso") > 1);
}

// Where single fetches differ from the H200's: levels of 3D footprints below 2^-11 of a texel (the driver's
// library computes them), and sRGB filtered over two slices of two levels.
bool inexact(const Case& c) {
  return (c.text("module") == "volume_gradients" && (c.text("c5") == "x" || c.real("bias") > 10)) ||
         (c.text("kernel") == "tex_level_3d_f32_f32" && c.number("srgb") != 0 && c.number("linear") != 0);
}

struct Tally {
  size_t equal = 0, inexact = 0;
};

Tally replay(Mode mode, size_t step, int64_t most_fetches) {
  const std::vector<std::string> cases = lines_of(kFolder + "cases.txt"),
                                 results = lines_of(kFolder + "results.txt");
  REQUIRE(cases.size() == results.size());
  Replay replay(mode);
  Tally tally;
  for (size_t i = 0; i < cases.size(); i += step) {
    const Case c = parse_case(cases[i]);
    if (refused(c) || c.number("n") > most_fetches) continue;
    std::vector<uint8_t> bytes;
    const std::string expected = results[i].substr(results[i].find(' ') + 1);
    INFO("case " << i << ": " << cases[i]);
    const std::string got = replay.run(c, bytes);
    if (inexact(c)) {
      ++tally.inexact;
      continue;
    }
    CHECK(got == expected);
    ++tally.equal;
  }
  return tally;
}

}  // namespace

TEST_CASE("Textures and surfaces do what the H200 did in every case of the probe", "[texture]") {
  const Tally tally = replay(Mode::kFunctional, 1, INT64_MAX);
  CHECK(tally.equal == 1774);
  CHECK(tally.inexact == 3);
}

TEST_CASE("The timed engine fetches the same texels", "[texture]") {
  CHECK(replay(Mode::kTimed, 37, 256).equal > 30);
}
