// SPDX-License-Identifier: Apache-2.0
// Replays tests/conformance/tensor_maps: the same kernels and cases as on the H200, and its results.
#include <cstring>
#include <sstream>

#include "ptx/exec/fault.h"
#include "ptx/exec/tensor_map_layout.h"
#include "sim/memory/files.h"
#include "sim/runtime/device.h"
#include "sim/runtime/tensor_map.h"
#include "tests/catch2.h"
#include "tests/conformance/tensor_maps/case_file.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace tensor_map_cases;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kFolder = tests::in_tree("/tests/conformance/tensor_maps/");

template <class T>
std::vector<T> as(const std::vector<int64_t>& in) {
  return {in.begin(), in.end()};
}

unsigned index_of(const std::string& word, std::initializer_list<const char*> words) {
  unsigned i = 0;
  for (const char* w : words) {
    if (word == w) return i;
    ++i;
  }
  return i;
}

TensorMapSpec spec_of(const Case& c, uint64_t tensor) {
  TensorMapSpec spec;
  REQUIRE(tensor_element_named(c.text("type"), spec.element));
  spec.address = tensor + static_cast<uint64_t>(c.number("base"));
  spec.dims = as<uint64_t>(c.list("dims"));
  spec.strides = as<uint64_t>(c.list("strides"));
  if (spec.dims.size() == 1) spec.strides.clear();
  spec.element_strides = as<uint32_t>(c.list("estr"));
  spec.im2col = c.text("mode") == "im2col";
  if (spec.im2col) {
    spec.lower = as<int>(c.list("lower"));
    spec.upper = as<int>(c.list("upper"));
    spec.channels = static_cast<uint32_t>(c.number("channels"));
    spec.pixels = static_cast<uint32_t>(c.number("pixels"));
  } else {
    spec.box = as<uint32_t>(c.list("box"));
  }
  spec.interleave = static_cast<ptx::TensorInterleave>(index_of(c.text("inter"), {"none", "16B", "32B"}));
  spec.swizzle = static_cast<ptx::TensorSwizzle>(index_of(c.text("swz"), {"none", "32B", "64B", "128B"}));
  spec.fill = static_cast<ptx::TensorFill>(index_of(c.text("oob"), {"zero", "nan"}));
  return spec;
}

template <class T>
void put(std::vector<uint8_t>& params, size_t at, T value) {
  std::memcpy(&params[at], &value, sizeof value);
}

// CUDA's error numbers.
int error_of(const ptx::Fault& fault) {
  return fault.info().kind == ptx::FaultKind::kMisaligned ? 716
         : fault.info().kind == ptx::FaultKind::kIllegal  ? 715
                                                          : 700;
}

class Replay {
 public:
  explicit Replay(Mode mode) : device_({.config = "h200", .mode = mode}) {
    module_ = &device_.load_file(kFolder + "kernels.ptx");
    tensor_ = device_.memory().allocate(1 << 22, "tensor");
    out_ = device_.memory().allocate(kOutBytes, "out");
  }

  // "encode=0 error=0 hash=..." as probe.cpp writes it.
  std::string run(const Case& c) {
    ptx::TensorMap map;
    try {
      map = encode_tensor_map(spec_of(c, tensor_));
    } catch (const Error&) {
      return result(1, 0, 0);
    }
    const std::string& kernel = c.text("kernel");
    if (kernel == "none") return result(0, 0, 0);
    const auto bytes = static_cast<size_t>(c.number("bytes"));
    const bool writes = writes_tensor(kernel);
    DeviceMemory& memory = device_.memory();
    memory.write(tensor_, data_of(c, bytes, 0).data(), bytes);
    std::memset(memory.view(out_, kOutBytes), 0, kOutBytes);
    if (writes) memory.write(out_ + 32768, data_of(c, 32768, kStoreSalt).data(), 32768);
    try {
      launch(c, map);
    } catch (const ptx::Fault& fault) {
      return result(0, error_of(fault), 0);
    }
    const size_t count = writes ? bytes : 32768;
    const uint8_t* after = memory.view(writes ? tensor_ : out_, count);
    return result(0, 0, fnv1a({after, after + count}));
  }

 private:
  static std::string result(int encode, int error, uint64_t hash) {
    char text[80];
    std::snprintf(text, sizeof text,
                  hash == 0 ? "encode=%d error=%d hash=%llx" : "encode=%d error=%d hash=%016llx", encode,
                  error, static_cast<unsigned long long>(hash));
    return text;
  }

  void launch(const Case& c, const ptx::TensorMap& map) {
    const std::string& kernel = c.text("kernel");
    LaunchRequest r;
    r.kernel = &module_->kernel(kernel);
    r.grid = {kernel == "multicast_2d" ? 2u : 1u, 1, 1};
    r.block = {128, 1, 1};
    r.params.resize(r.kernel->program->param_bytes);
    put(r.params, 0, ptx::pack_tensor_map(map));
    put(r.params, 128, out_);
    put(r.params, 136, out_ + 32768);
    uint64_t extra = static_cast<uint64_t>(c.number("extra"));
    if (kernel == "replace_address" || kernel == "replace_shared") extra += tensor_;
    put(r.params, 144, extra);
    size_t at = 152;
    const auto word = [&](int64_t value) {
      put(r.params, at, static_cast<uint32_t>(value));
      at += 4;
    };
    for (const char* key : {"dump", "tx", "soff"}) word(c.number(key));
    std::vector<int64_t> start = c.list("at"), offsets = c.list("offs");
    start.resize(5), offsets.resize(3);
    for (const int64_t x : start) word(x);
    for (const int64_t x : offsets) word(x);
    device_.launch(r);
  }

  Device device_;
  LoadedModule* module_ = nullptr;
  uint64_t tensor_ = 0, out_ = 0;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream file(read_file(path));
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

size_t replay(Mode mode, size_t step) {
  const std::vector<std::string> cases = lines_of(kFolder + "cases.txt"),
                                 results = lines_of(kFolder + "results.txt");
  REQUIRE(cases.size() == results.size());
  Replay replay(mode);
  size_t compared = 0;
  for (size_t i = 0; i < cases.size(); i += step) {
    const Case c = parse_case(cases[i]);
    const std::string expected = results[i].substr(results[i].find(' ') + 1);
    const std::string got = replay.run(c);
    ++compared;
    INFO("case " << i << ": " << cases[i]);
    CHECK(got == expected);
  }
  return compared;
}

}  // namespace

TEST_CASE("Tensor copies do what the H200 did in every case of the probe", "[tensor_map]") {
  CHECK(replay(Mode::kFunctional, 1) > 1400);
}

TEST_CASE("The timed engine moves the same tensors", "[tensor_map]") { CHECK(replay(Mode::kTimed, 9) > 80); }

TEST_CASE("A tensor map that nobody has encoded is a fault that says so", "[tensor_map]") {
  Device device({.config = "h200", .mode = Mode::kFunctional});
  LoadedModule& module = device.load_file(kFolder + "kernels.ptx");
  LaunchRequest r;
  r.kernel = &module.kernel("load_2d");
  r.grid = {1, 1, 1};
  r.block = {128, 1, 1};
  r.params.resize(r.kernel->program->param_bytes);
  CHECK_THROWS_WITH(device.launch(r),
                    ContainsSubstring("a tensor map that is all zero: none was encoded there"));
}
