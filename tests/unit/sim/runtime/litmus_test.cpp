// SPDX-License-Identifier: Apache-2.0
// Litmus tests of the memory model (tests/conformance/litmus): outcomes that the PTX manual forbids never
// appear.
#include <cstring>
#include <sstream>

#include "sim/memory/files.h"
#include "sim/runtime/device.h"
#include "tests/catch2.h"
#include "tests/conformance/litmus/case_file.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace litmus_cases;

namespace {

const std::string kFolder = tests::in_tree("/tests/conformance/litmus/");

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream file(read_file(path));
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class Runner {
 public:
  Runner(Mode mode, unsigned threads, unsigned iterations, unsigned groups)
      : device_({.config = "h200", .mode = mode, .threads = threads}),
        iterations_(iterations),
        groups_(groups) {
    module_ = &device_.load_file(kFolder + "kernels.ptx");
    mem_ = device_.memory().allocate(runs() * 12, "mem");
    out_ = device_.memory().allocate(runs() * 16, "out");
    sync_ = device_.memory().allocate(instances() * 4, "sync");
  }
  size_t instances() const { return groups_ * 32; }
  size_t runs() const { return instances() * iterations_; }

  std::map<std::string, size_t> run(const Case& c) {
    const Shape shape = shape_of(c, groups_);
    LaunchRequest r;
    r.kernel = &module_->kernel(c.kernel);
    r.grid = {shape.grid, 1, 1};
    r.block = {shape.block, 1, 1};
    if (shape.cluster != 0) r.cluster = ptx::Dim3{shape.cluster, 1, 1};
    r.params.resize(r.kernel->program->param_bytes);
    const uint64_t addresses[3] = {mem_, out_, sync_};
    const uint32_t words[3] = {iterations_, static_cast<uint32_t>(instances()), placement_of(c)};
    std::memcpy(r.params.data(), addresses, 24);
    std::memcpy(&r.params[24], words, 12);
    std::memset(device_.memory().view(mem_, runs() * 12), 0, runs() * 12);
    std::memset(device_.memory().view(out_, runs() * 16), 0, runs() * 16);
    std::memset(device_.memory().view(sync_, instances() * 4), 0, instances() * 4);
    device_.launch(r);
    std::vector<uint32_t> out(runs() * 4), mem(runs() * 3);
    std::memcpy(out.data(), device_.memory().view(out_, runs() * 16), runs() * 16);
    std::memcpy(mem.data(), device_.memory().view(mem_, runs() * 12), runs() * 12);
    return histogram(c, out.data(), mem.data(), runs());
  }

 private:
  Device device_;
  LoadedModule* module_ = nullptr;
  uint32_t iterations_, groups_;
  uint64_t mem_ = 0, out_ = 0, sync_ = 0;
};

// Runs every `step`th case and demands that no outcome is forbidden; the number of cases.
size_t check_all(Mode mode, unsigned threads, size_t step, unsigned iterations, unsigned groups) {
  const std::vector<std::string> cases = lines_of(kFolder + "cases.txt");
  Runner runner(mode, threads, iterations, groups);
  size_t done = 0;
  for (size_t i = 0; i < cases.size(); i += step) {
    const Case c = parse_case(cases[i]);
    INFO(cases[i]);
    size_t runs = 0;
    for (const auto& [outcome, count] : runner.run(c)) {
      INFO(outcome << " " << count << " times");
      CHECK_FALSE(is_forbidden(c, outcome));
      runs += count;
    }
    CHECK(runs == runner.runs());
    ++done;
  }
  return done;
}

}  // namespace

TEST_CASE("The H200 shows no outcome that the litmus tests call forbidden", "[litmus]") {
  const std::vector<std::string> cases = lines_of(kFolder + "cases.txt"),
                                 results = lines_of(kFolder + "results.txt");
  REQUIRE(cases.size() == results.size());
  size_t outcomes = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case c = parse_case(cases[i]);
    std::istringstream line(results[i]);
    std::string word;
    line >> word;
    INFO(cases[i] << " / " << results[i]);
    while (line >> word) {
      CHECK_FALSE(is_forbidden(c, word.substr(0, word.find(':'))));
      ++outcomes;
    }
  }
  CHECK(outcomes > cases.size());
}

TEST_CASE("No forbidden outcome appears in functional runs of the litmus tests", "[litmus]") {
  CHECK(check_all(Mode::kFunctional, 1, 1, 3, 2) > 1500);
}

TEST_CASE("No forbidden outcome appears in timed runs of the litmus tests, with one and two threads",
          "[litmus]") {
  CHECK(check_all(Mode::kTimed, 1, 4, 4, 2) > 300);
  CHECK(check_all(Mode::kTimed, 2, 7, 4, 4) > 200);
}
