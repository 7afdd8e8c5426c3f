// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/program_file.h"

#include "sim/runtime/launch_file.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

LaunchFile read(const std::string& program, const std::string& streams = "streams: {one: {}, two: {}}") {
  return parse_launch_file(
      "ptx: k.ptx\n"
      "buffers:\n"
      "  a: {type: f32, count: 64, host: pinned}\n"
      "  b: {type: f32, count: 32}\n" +
          streams + "\nprogram:\n" + program,
      "p.yaml");
}

const char* const kLaunch = "{launch: {kernel: k, grid: 1, block: 32, args: [a]}, stream: one}";

}  // namespace

TEST_CASE("The steps of a program name its streams, events, buffers and launches", "[launch][program]") {
  const LaunchFile f =
      read(std::string("  - {to_device: a, stream: one}\n") +
           "  - {record: there, stream: one}\n"
           "  - {wait: there, stream: two}\n"
           "  - repeat: 4\n"
           "    steps:\n"
           "      - {launch: {kernel: k, grid: 2, block: 64, args: [{buffer: a, part: turn}]}, "
           "stream: [one, two]}\n"
           "  - {synchronize: device}\n");
  REQUIRE(f.program.streams.size() == 2);
  REQUIRE(f.program.events == std::vector<std::string>{"there"});
  REQUIRE(f.program.steps.size() == 5);
  CHECK(f.program.steps[0].kind == ProgramStep::Kind::kToDevice);
  CHECK(f.program.steps[0].streams == std::vector<size_t>{0});
  CHECK(f.program.steps[3].times == 4);
  REQUIRE(f.program.steps[3].steps.size() == 1);
  CHECK(f.program.steps[3].steps[0].streams == std::vector<size_t>{0, 1});
  REQUIRE(f.launches.size() == 1);
  CHECK(f.launches[0].args[0].part);
  CHECK(f.buffers[0].host == HostSide::kPinned);
}

TEST_CASE("A step that is wrong is told with its place and what to do", "[launch][program]") {
  const auto refused = [](const std::string& step, const std::string& words) {
    INFO(step);
    CHECK_THROWS_WITH(read("  - " + step + "\n"), ContainsSubstring("p.yaml:7") && ContainsSubstring(words));
  };
  refused("{lanch: {kernel: k}}", "did you mean 'launch'");
  refused("{to_device: a, record: e}", "a step does one thing");
  refused("{to_device: c}", "unknown buffer 'c'");
  refused("{to_device: b}", "has no host side");
  refused("{to_host: a, stream: tow}", "did you mean 'two'");
  refused("{wait: never}", "event 'never' is never recorded");
  refused("{graph: g}", "unknown graph 'g'");
  refused("{synchronize: host}", "device");
  refused("{synchronize: device, stream: one}", "has no effect");
  refused("{to_device: a, part: turn}", "only in the steps of a repetition");
  refused("{to_device: a, stream: [one, two]}", "taken in turn by a repetition");
  refused("{copy: {from: a, to: b}}", "is smaller");
  refused("{fill: a, value: 256}", "255");
  refused("{repeat: 2, steps: [{repeat: 2, steps: []}]}", "do not nest");
  refused("{launch: {kernel: k, grid: 1, block: 32, repeat: 2, args: []}}", "a step of a program");
}

TEST_CASE("Graphs hold what a capture would take, and nothing that waits", "[launch][program]") {
  const LaunchFile f =
      read("  - {graph: g, stream: one}\n",
           std::string("streams: {one: {}, two: {}}\ngraphs:\n  g:\n    - ") + kLaunch + "\n");
  REQUIRE(f.program.graphs.size() == 1);
  CHECK(f.program.graphs[0].steps.size() == 1);
  CHECK_THROWS_WITH(read("  - {graph: g}\n", "streams: {}\ngraphs: {g: [{synchronize: device}]}"),
                    ContainsSubstring("cannot be part of a graph"));
}

TEST_CASE("A file has a program or launches, and host sides in a program alone", "[launch][program]") {
  CHECK_THROWS_WITH(read(std::string("  - ") + kLaunch, "streams: {one: {}}\nkernel: k"),
                    ContainsSubstring("not both"));
  CHECK_THROWS_WITH(read("  []\n"), ContainsSubstring("has no step"));
  CHECK_THROWS_WITH(parse_launch_file("ptx: k.ptx\nbuffers: {a: {type: f32, count: 4, host: pinned}}\n"
                                      "kernel: k\ngrid: 1\nblock: 1\nargs: [a]\n",
                                      "p.yaml"),
                    ContainsSubstring("only in a `program`"));
}
