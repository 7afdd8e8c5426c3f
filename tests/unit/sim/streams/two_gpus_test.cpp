// SPDX-License-Identifier: Apache-2.0
// Programs of two GPUs: what they compute, and what the link between them costs.
#include <cmath>

#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "sim/report/program_report.h"
#include "sim/report/writers.h"
#include "sim/runtime/device_team.h"
#include "sim/streams/program_run.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

// to[i] = from[i] * 2 + 1, of a value a thread; and the sum of all values of `from` on one word of `to`.
const char* const kKernels = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 to, .param .u64 from)
{
  .reg .b64 %rd<6>;
  .reg .b32 %r<8>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r5, [%rd5];
  mad.lo.u32 %r6, %r5, 2, 1;
  st.global.u32 [%rd4], %r6;
  ret;
}
.visible .entry sum(.param .u64 to, .param .u64 from)
{
  .reg .b64 %rd<6>;
  .reg .b32 %r<8>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r5, [%rd5];
  red.global.add.u32 [%rd1], %r5;
  ret;
}
)";

struct Ran {
  RunReport report;
  const ProgramWork& named(const std::string& name) const {
    for (const ProgramWork& w : report.program->work)
      if (w.name == name) return w;
    throw std::runtime_error("no work is named " + name);
  }
  double end() const { return report.program->end_ns; }
  uint64_t hash(const std::string& buffer) const {
    for (const auto& o : report.outputs)
      if (o.name == buffer) return o.fnv1a64;
    throw std::runtime_error("no output is named " + buffer);
  }
};

Ran run(const std::string& rest, std::vector<std::string> overrides = {}, Mode mode = Mode::kTimed,
        unsigned threads = 1) {
  const ScratchFolder folder;
  write_file(folder.path() + "/kernels.ptx", kKernels);
  const LaunchFile file = parse_launch_file("ptx: kernels.ptx\n" + rest, folder.path() + "/p.yaml");
  DeviceOptions options;
  options.config = "test/tiny";
  options.overrides = std::move(overrides);
  options.mode = mode;
  options.threads = threads;
  Device device(options);
  return {host::run_file(device, file, {})};
}

constexpr const char* kBuffers =
    "buffers:\n"
    "  a: {type: u32, count: 65536, init: iota, output: true}\n"
    "  b: {type: u32, count: 65536, device: 1, output: true}\n"
    "  c: {type: u32, count: 65536, device: 1, init: iota, output: true}\n"
    "  d: {type: u32, count: 65536, output: true}\n"
    "streams: {near: {}, other: {non_blocking: true}, far: {device: 1, non_blocking: true}}\n";

std::string two(const std::string& steps) {
  return std::string("devices: 2\n") + kBuffers + "program:\n" + steps;
}
std::string launch(const std::string& kernel, const std::string& args, const std::string& stream,
                   int blocks = 256) {
  return "  - {launch: {kernel: " + kernel + ", grid: " + std::to_string(blocks) + ", block: 256, args: [" +
         args + "]}, stream: " + stream + "}\n";
}
const char* const kPush = "  - {copy: {from: a, to: b}, stream: near}\n";
const char* const kPull = "  - {copy: {from: c, to: d}, stream: near}\n";
const char* const kPullBeside = "  - {copy: {from: c, to: d}, stream: other}\n";

void check_same(const Ran& a, const Ran& b, size_t kernel) {
  const auto &of_a = a.report.kernels.at(kernel).metrics, &of_b = b.report.kernels.at(kernel).metrics;
  REQUIRE(of_a.size() == of_b.size());
  for (size_t i = 0; i < of_a.size(); ++i) {
    INFO(of_a[i].name);
    CHECK(of_a[i].value == of_b[i].value);
  }
}

double took(const ProgramWork& w) { return w.end_ns - w.begin_ns; }
constexpr double kBytes = 65536 * 4;

}  // namespace

TEST_CASE("A copy to another GPU brings its bytes, by either of the two", "[two_gpus]") {
  for (const Mode mode : {Mode::kFunctional, Mode::kTimed}) {
    const Ran r = run(two(std::string(kPush) + kPull), {}, mode);
    CHECK(r.hash("b") == r.hash("a"));
    CHECK(r.hash("d") == r.hash("c"));
  }
}

TEST_CASE("A copy to another GPU takes what the link takes for its bytes", "[two_gpus][timed]") {
  // tiny has two connections of 25 GB/s.
  const Ran r = run(two(kPush));
  const double link = kBytes / 50e9 * 1e9;
  CHECK(took(r.named("a")) > link);
  CHECK(took(r.named("a")) < 1.3 * link + 3000);
  CHECK(r.named("a").kind == WorkKind::kPeer);
}

TEST_CASE("A copy out and a copy in go on at the same time", "[two_gpus][timed]") {
  const Ran alone = run(two(kPush)), both = run(two(std::string(kPush) + kPullBeside));
  CHECK(took(both.named("a")) < 1.3 * took(alone.named("a")));
  CHECK(both.named("c").begin_ns < both.named("a").end_ns);
}

TEST_CASE("A kernel on one of two GPUs takes as long as on one alone", "[two_gpus][timed]") {
  const std::string one = std::string(
                              "buffers: {a: {type: u32, count: 65536, init: iota, output: true},"
                              " d: {type: u32, count: 65536, output: true}}\nprogram:\n") +
                          "  - {launch: {kernel: step, grid: 256, block: 256, args: [d, a]}}\n";
  const Ran alone = run(one), beside = run(two(launch("step", "d, a", "near")));
  CHECK(beside.hash("d") == alone.hash("d"));
  check_same(alone, beside, 0);
}

TEST_CASE("A kernel that reads another GPU's memory waits for the link", "[two_gpus][timed]") {
  const Ran near = run(two(launch("step", "b, c", "far"))), over = run(two(launch("step", "d, c", "near")));
  CHECK(over.hash("d") == near.hash("b"));
  CHECK(took(over.named("step")) > took(near.named("step")) + 2 * 320);
  const double link = kBytes / 50e9 * 1e9;
  CHECK(took(over.named("step")) > link);
}

TEST_CASE("Stores and reductions reach another GPU's memory", "[two_gpus][timed]") {
  const Ran near = run(two(launch("sum", "b, c", "far"))), over = run(two(launch("sum", "b, a", "near")));
  CHECK(over.hash("b") == near.hash("b"));
  const Ran stored = run(two(launch("step", "b, a", "near")));
  CHECK(stored.hash("b") == run(two(launch("step", "d, c", "near"))).hash("d"));
}

TEST_CASE("What waits for another GPU's event comes after it", "[two_gpus][timed]") {
  const std::string steps = std::string(kPush) + "  - {record: there, stream: near}\n" +
                            "  - {wait: there, stream: far}\n" + launch("step", "c, b", "far") +
                            "  - {record: done, stream: far}\n  - {wait: done, stream: near}\n" +
                            "  - {copy: {from: c, to: d}, stream: near}\n";
  for (const Mode mode : {Mode::kFunctional, Mode::kTimed})
    CHECK(run(two(steps), {}, mode).hash("d") == run(two(launch("step", "b, c", "far")), {}, mode).hash("b"));
  const Ran r = run(two(steps));
  CHECK(r.named("step").begin_ns > r.named("a").end_ns);
  CHECK(r.named("c").begin_ns > r.named("step").end_ns);
}

namespace {

// A graph of both: the copy there, work there, the copy back, and work here beside it.
std::string both_in_a_graph(const std::string& launched_in) {
  const std::string steps =
      "    - {copy: {from: a, to: b}, stream: near}\n    - {record: there, stream: near}\n"
      "    - {wait: there, stream: far}\n  " +
      launch("step", "c, b", "far") + "  " + launch("step", "d, a", "near") +
      "    - {record: done, stream: far}\n    - {wait: done, stream: near}\n"
      "    - {copy: {from: c, to: d}, stream: near}\n";
  return std::string("devices: 2\n") + kBuffers + "graphs:\n  both:\n" + steps +
         "program:\n  - {graph: both, stream: " + launched_in +
         "}\n  - {graph: both, stream: " + launched_in + "}\n";
}

}  // namespace

TEST_CASE("A graph has work of two GPUs, in the order of its edges", "[two_gpus][timed]") {
  const Ran wanted = run(two(launch("step", "b, c", "far")));
  for (const char* stream : {"near", "far"}) {
    INFO(stream);
    for (const Mode mode : {Mode::kFunctional, Mode::kTimed})
      CHECK(run(both_in_a_graph(stream), {}, mode).hash("d") == wanted.hash("b"));
    const Ran r = run(both_in_a_graph(stream));
    REQUIRE(r.report.program->work.size() == 8);
    std::vector<const ProgramWork*> there, here;
    for (const ProgramWork& w : r.report.program->work) {
      CHECK(w.graph == "both");
      CHECK(w.stream == stream);
      if (w.name == "step") (w.device == 1 ? there : here).push_back(&w);
    }
    REQUIRE(there.size() == 2);
    REQUIRE(here.size() == 2);
    CHECK(there[0]->begin_ns > r.named("a").end_ns);
    CHECK(r.named("c").begin_ns > there[0]->end_ns);
    CHECK(there[1]->begin_ns > there[0]->end_ns);
    CHECK(here[0]->begin_ns >= r.named("a").end_ns);
  }
}

TEST_CASE("Two GPUs give the same times whatever the number of threads", "[two_gpus][timed]") {
  const std::string steps = std::string(kPush) + kPullBeside + launch("sum", "b, a", "near") +
                            launch("step", "c, d", "far") + launch("step", "d, c", "near");
  const Ran one = run(two(steps)), several = run(two(steps), {}, Mode::kTimed, 3);
  CHECK(one.end() == several.end());
  for (size_t i = 0; i < one.report.kernels.size(); ++i) check_same(one, several, i);
}

TEST_CASE("Each value of the link changes a program of two GPUs", "[two_gpus][timed]") {
  const std::string steps = std::string(kPush) + "  - {record: there, stream: near}\n" +
                            "  - {wait: there, stream: far}\n" + launch("step", "c, b", "far") +
                            "  - {copy: {from: c, to: d}, stream: far}\n" + launch("sum", "d, c", "near", 8) +
                            kPush + kPullBeside;
  const double before = run(two(steps)).end();
  for (const char* change : {"link.links=4", "link.link_bandwidth=10GB/s", "link.packet_header=64B",
                             "link.latency=900ns", "link.copy_engines=1", "link.copy_start=9us",
                             "link.copy_call=9us", "link.switch_time=30us", "link.stream_wait=30us"}) {
    INFO(change);
    CHECK(run(two(steps), {change}).end() != before);
  }
  // Where nothing stands before it, a copy by the target's GPU waits until it is ready.
  CHECK(run(two(kPull), {"link.pull_start=40us"}).end() > run(two(kPull)).end() + 20000);
}

TEST_CASE("A copy between GPUs without access goes through the host", "[two_gpus][timed]") {
  const auto took_staged = [](std::vector<std::string> overrides) {
    DeviceOptions options;
    options.config = "test/tiny";
    options.overrides = std::move(overrides);
    const DeviceTeam team(options, 2);
    arch::Simulation& machine = team.all()[0]->machine();
    arch::CopyWork work;
    work.way = arch::CopyWay::kPush;
    work.staged = true;
    work.bytes = 65536;
    work.from = team.all()[0]->memory().allocate(work.bytes);
    work.to = team.all()[1]->memory().allocate(work.bytes);
    const arch::Ticket ticket = machine.submit(std::move(work), {});
    machine.advance_until(ticket);
    return static_cast<double>(machine.end_of(ticket) - machine.begin_of(ticket)) /
           team.all()[0]->gpu().clock_hz * 1e9;
  };
  const double staged = took_staged({});
  CHECK(staged > 8750 + 2 * 65536 / 38.0);
  CHECK(staged < 1.3 * (8750 + 2 * 65536 / 38.0));
  CHECK(took_staged({"link.staged_chunk=1KiB"}) < staged - 1500);
  CHECK(took_staged({"link.staged_bandwidth=10GB/s"}) > staged + 4000);
  CHECK(took_staged({"link.staged_start=30us"}) > staged + 14000);
}

TEST_CASE("A kernel faults on another GPU's memory without access to it", "[two_gpus]") {
  DeviceMemory first(1 << 30, HostPlacement::kSameAddress, {0, 2}),
      second(1 << 30, HostPlacement::kSameAddress, {1, 2});
  first.add_peer(second);
  const uint64_t there = second.allocate(4096), pinned = second.allocate(4096, {}, 512, MemoryKind::kPinned);
  uint64_t low = 0, high = 0;
  CHECK_FALSE(first.locate(there, 4, low, high));
  CHECK_THAT(first.describe(there, 4),
             ContainsSubstring("of another device, to which peer access is not enabled"));
  CHECK(first.locate(pinned, 4, low, high));
  first.set_peer_access(second, true);
  REQUIRE(first.locate(there, 4, low, high));
  CHECK(low == there);
  CHECK(high == there + 4096);
  CHECK_FALSE(second.locate(first.allocate(64), 4, low, high));
  first.set_peer_access(second, false);
  CHECK_FALSE(first.locate(there, 4, low, high));
}

TEST_CASE("What a program of two GPUs cannot be is said with its place", "[two_gpus]") {
  CHECK_THROWS_WITH(run(std::string(kBuffers) + "program:\n" + kPush),
                    ContainsSubstring("the program has 1 GPU"));
  CHECK_THROWS_WITH(run("devices: 2\nbuffers: {a: {type: u32, count: 32}}\nkernel: step\ngrid: 1\nblock: "
                        "32\nargs: [a, a]\n"),
                    ContainsSubstring("has an effect only in a `program`"));
  CHECK_THROWS_WITH(run(two("  - {fill: b, value: 1, stream: near}\n")),
                    ContainsSubstring("buffer 'b' is on device 1, and the step's stream on device 0"));
  CHECK_THROWS_WITH(run(two(kPush), {"link.links=0"}), ContainsSubstring("has no link to another GPU"));
  CHECK_THROWS_WITH(run(two("  - {record: e, stream: near}\n  - {record: e, stream: far}\n")),
                    ContainsSubstring("recorded in streams of two devices"));
  CHECK_THROWS_WITH(run(two(kPush), {"link.latency=1ns"}), ContainsSubstring("as long as a window"));
}
