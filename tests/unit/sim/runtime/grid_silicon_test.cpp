// SPDX-License-Identifier: Apache-2.0
// Replays tests/conformance/grids: clusters of 2 to 16 blocks and grids that synchronise, with the H200's
// results.
#include <cstring>
#include <sstream>

#include "sim/memory/files.h"
#include "sim/runtime/device.h"
#include "sim/runtime/tensor_map.h"
#include "tests/catch2.h"
#include "tests/conformance/grids/case_file.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace grid_cases;

namespace {

const std::string kFolder = tests::in_tree("/tests/conformance/grids/");

class Replay {
 public:
  Replay(Mode mode, unsigned threads) : device_({.config = "h200", .mode = mode, .threads = threads}) {
    clusters_ = &device_.load_file(kFolder + "clusters.ptx");
    grids_ = &device_.load_file(kFolder + "grids.ptx");
    in_ = device_.memory().allocate(kInWords * 8, "in");
    out_ = device_.memory().allocate(kOutWords * 8, "out");
    const std::vector<uint64_t> words = input();
    device_.memory().write(in_, words.data(), words.size() * 8);
    TensorMapSpec spec;
    REQUIRE(tensor_element_named("u32", spec.element));
    spec.address = in_;
    spec.dims = {kMapColumns, kMapRows};
    spec.strides = {kMapColumns * 4};
    spec.box = {kBoxColumns, kBoxRows};
    spec.element_strides = {1, 1};
    map_ = encode_tensor_map(spec);
  }

  // "error=0 hash=..." as probe.cpp writes it.
  std::string run(const Case& c) {
    LaunchRequest r;
    r.kernel = &(c.module == "clusters" ? clusters_ : grids_)->kernel(c.kernel);
    r.grid = {c.grid[0], c.grid[1], c.grid[2]};
    r.block = {c.block, 1, 1};
    if (c.cluster[0] != 0) r.cluster = ptx::Dim3{c.cluster[0], c.cluster[1], c.cluster[2]};
    r.cooperative = c.cooperative != 0;
    r.params.resize(r.kernel->program->param_bytes);
    std::memcpy(r.params.data(), &map_, sizeof map_);
    std::memcpy(&r.params[128], &out_, 8);
    std::memcpy(&r.params[136], &in_, 8);
    uint8_t* out = device_.memory().view(out_, kOutWords * 8);
    std::memset(out, 0, kOutWords * 8);
    device_.launch(r);
    std::vector<uint64_t> words(c.words);
    std::memcpy(words.data(), out, c.words * 8);
    char text[64];
    std::snprintf(text, sizeof text, "error=0 hash=%016llx",
                  static_cast<unsigned long long>(hash_of(words.data(), words.size())));
    return text;
  }

 private:
  Device device_;
  LoadedModule *clusters_ = nullptr, *grids_ = nullptr;
  uint64_t in_ = 0, out_ = 0;
  ptx::TensorMap map_;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream file(read_file(path));
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Every `step`th case that `wanted` picks; the number of cases compared.
template <class Wanted>
size_t replay(Mode mode, unsigned threads, size_t step, Wanted wanted) {
  const std::vector<std::string> cases = lines_of(kFolder + "cases.txt"),
                                 results = lines_of(kFolder + "results.txt");
  REQUIRE(cases.size() == results.size());
  Replay replay(mode, threads);
  size_t picked = 0, compared = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case c = parse_case(cases[i]);
    if (!wanted(c) || picked++ % step != 0) continue;
    ++compared;
    INFO(cases[i]);
    const std::string got = c.id + " " + replay.run(c);
    CHECK(got == results[i]);
  }
  return compared;
}

}  // namespace

TEST_CASE("Blocks of a cluster do to each other's shared memory what they did on the H200", "[clusters]") {
  CHECK(replay(Mode::kFunctional, 1, 1, [](const Case& c) { return c.module == "clusters"; }) > 1500);
}

TEST_CASE("The timed engine gives the same results of clusters with one and two threads", "[clusters]") {
  const auto wanted = [](const Case& c) { return c.module == "clusters"; };
  CHECK(replay(Mode::kTimed, 1, 11, wanted) > 100);
  CHECK(replay(Mode::kTimed, 2, 13, wanted) > 100);
}

TEST_CASE("Grids synchronise as they did on the H200", "[grids]") {
  CHECK(replay(Mode::kFunctional, 1, 1, [](const Case& c) { return c.module == "grids"; }) > 40);
}

TEST_CASE("Grids synchronise in time, with one and two threads", "[grids]") {
  const auto small = [](const Case& c) { return c.module == "grids" && c.grid[0] < 60; };
  CHECK(replay(Mode::kTimed, 1, 1, small) > 20);
  CHECK(replay(Mode::kTimed, 2, 1, small) > 20);
}
