// SPDX-License-Identifier: Apache-2.0
// Programs of launch files on streams: what they compute, in which order, and how long.
#include "sim/streams/program_run.h"

#include <cmath>

#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "sim/report/program_report.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

// x[i] = x[i] * 2 + 1, after `turns` of a loop that takes time.
const char* const kStep = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 x, .param .u32 turns)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<10>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [turns];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r4, %r5, %r3;
  mul.wide.u32 %rd2, %r6, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r7, [%rd3];
  mad.lo.u32 %r8, %r7, 2, 1;
again:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra done;
  mad.lo.u32 %r9, %r1, %r1, %r3;
  sub.u32 %r1, %r1, 1;
  bra again;
done:
  st.global.u32 [%rd3], %r8;
  ret;
}
)";

struct Ran {
  RunReport report;
  const ProgramWork& work(size_t i) const { return report.program->work.at(i); }
};

Ran run(const std::string& rest, Mode mode = Mode::kTimed, unsigned threads = 1) {
  const ScratchFolder folder;
  write_file(folder.path() + "/step.ptx", kStep);
  const LaunchFile file = parse_launch_file("ptx: step.ptx\n" + rest, folder.path() + "/p.yaml");
  DeviceOptions options;
  options.mode = mode;
  options.threads = threads;
  Device device(options);
  return {host::run_file(device, file, {})};
}

// Four parts of a buffer, each copied, worked on and copied back, on two streams in turn.
std::string overlapped(const std::string& streams) {
  return "buffers: {x: {type: u32, count: 262144, init: iota, host: pinned, output: true}}\n"
         "streams: {one: {}, two: {}}\n"
         "program:\n"
         "  - repeat: 4\n"
         "    steps:\n"
         "      - {to_device: x, part: turn, stream: " +
         streams +
         "}\n"
         "      - {launch: {kernel: step, grid: 256, block: 256, args: [{buffer: x, part: turn}, 400]}, "
         "stream: " +
         streams +
         "}\n"
         "      - {to_host: x, part: turn, stream: " +
         streams + "}\n";
}

}  // namespace

TEST_CASE("A program gives the same bytes on one stream and two, with time and without", "[program]") {
  const Ran one = run(overlapped("one")), two = run(overlapped("[one, two]")),
            untimed = run(overlapped("[one, two]"), Mode::kFunctional);
  REQUIRE(one.report.outputs.size() == 1);
  CHECK(one.report.outputs[0].fnv1a64 == two.report.outputs[0].fnv1a64);
  CHECK(one.report.outputs[0].fnv1a64 == untimed.report.outputs[0].fnv1a64);
  CHECK(one.report.program->work.size() == 12);
  CHECK(one.report.kernels.size() == 4);
  CHECK_FALSE(untimed.report.program->timed);
}

TEST_CASE("Copies of one stream hide behind kernels of another", "[program]") {
  const Ran one = run(overlapped("one")), two = run(overlapped("[one, two]"));
  const ProgramTimes alone = program_times(one.report.program->work, one.report.program->end_ns),
                     beside = program_times(two.report.program->work, two.report.program->end_ns);
  CHECK(alone.both == 0);
  CHECK(beside.both > 0);
  CHECK(beside.total < alone.total);
}

TEST_CASE("A program's result does not depend on the host's threads", "[program][determinism]") {
  RunReport a = run(overlapped("[one, two]"), Mode::kTimed, 1).report,
            b = run(overlapped("[one, two]"), Mode::kTimed, 2).report;
  a.host = b.host = {};
  for (RunReport* ran : {&a, &b}) {  // each in a folder of its own
    ran->provenance = {};
    for (ReportKernel& kernel : ran->kernels)
      for (ReportLine& line : kernel.lines) line.file.clear();
  }
  CHECK(result_json(a) == result_json(b));
}

TEST_CASE("A stream that waits for an event begins after it", "[program]") {
  const Ran ran =
      run("buffers: {x: {type: u32, count: 1024, host: pinned}}\n"
          "streams: {one: {non_blocking: true}, two: {non_blocking: true}}\n"
          "program:\n"
          "  - {to_device: x, stream: one}\n"
          "  - {record: there, stream: one}\n"
          "  - {wait: there, stream: two}\n"
          "  - {launch: {kernel: step, grid: 4, block: 256, args: [x, 10]}, stream: two}\n"
          "  - {to_host: x, stream: one}\n");
  CHECK(ran.work(1).begin_ns >= ran.work(0).end_ns);
  CHECK(ran.work(2).begin_ns < ran.work(1).end_ns);  // nobody asked it to wait
  REQUIRE(ran.report.program->events.size() == 1);
  // An event tells multiples of 32 ns (H200).
  CHECK(ran.report.program->events[0].at_ns == Approx(ran.work(0).end_ns).margin(32));
  CHECK(std::fmod(ran.report.program->events[0].at_ns, 32) == 0);
}

TEST_CASE("Kernels that share the GPU say with whom", "[program]") {
  const Ran ran =
      run("buffers: {x: {type: u32, count: 1024}, y: {type: u32, count: 1024}}\n"
          "streams: {one: {}, two: {}}\n"
          "program:\n"
          "  - {launch: {kernel: step, grid: 4, block: 256, args: [x, 4000]}, stream: one}\n"
          "  - {launch: {kernel: step, grid: 4, block: 256, args: [y, 4000]}, stream: two}\n"
          "  - {synchronize: device}\n"
          "  - {launch: {kernel: step, grid: 4, block: 256, args: [y, 10]}, stream: two}\n");
  CHECK(ran.work(0).shared_with == std::vector<size_t>{1});
  CHECK(ran.work(1).shared_with == std::vector<size_t>{0});
  CHECK(ran.work(2).shared_with.empty());
}

TEST_CASE("A graph keeps the order of its streams and lets the rest overlap", "[program]") {
  const Ran ran =
      run("buffers: {x: {type: u32, count: 1024, output: true}, y: {type: u32, count: 1024, output: true}}\n"
          "streams: {one: {}, two: {}}\n"
          "graphs:\n"
          "  g:\n"
          "    - {fill: x, value: 1, stream: one}\n"
          "    - {launch: {kernel: step, grid: 4, block: 256, args: [x, 2000]}, stream: one}\n"
          "    - {launch: {kernel: step, grid: 4, block: 256, args: [y, 2000]}, stream: two}\n"
          "program:\n"
          "  - {graph: g, stream: one}\n"
          "  - {graph: g, stream: one}\n");
  REQUIRE(ran.report.program->work.size() == 6);
  CHECK(ran.work(1).begin_ns >= ran.work(0).end_ns);
  CHECK(ran.work(2).begin_ns < ran.work(1).end_ns);
  CHECK(ran.work(3).begin_ns >= ran.work(2).end_ns);  // the stream goes on after all of the graph
  CHECK(ran.work(0).graph == "g");
}

TEST_CASE("A launch that has waited has less overhead, and one of a graph less still", "[program]") {
  // A warp a block: warps that share a sub-core take more or less time by which came first.
  const std::string chain =
      "{repeat: 3, steps: [{launch: {kernel: step, grid: 4, block: 32, args: [x, 4000]}, stream: one}]}";
  const std::string head = "buffers: {x: {type: u32, count: 1024}}\nstreams: {one: {}}\n";
  const Ran queued = run(head + "program: [" + chain + "]\n"),
            graph = run(head + "graphs: {g: [" + chain + "]}\nprogram: [{graph: g, stream: one}]\n");
  const auto took = [](const ProgramWork& w) { return w.end_ns - w.begin_ns; };
  const arch::LaunchConfig launch = Device(DeviceOptions{}).gpu().launch;
  const double cycle_ns = 1e9 / Device(DeviceOptions{}).gpu().clock_hz;
  CHECK(took(queued.work(1)) - took(graph.work(1)) ==
        Approx((launch.queued_overhead_cycles - launch.graph_overhead_cycles) * cycle_ns).margin(20));
  CHECK(took(queued.work(0)) > took(queued.work(1)));
  CHECK(queued.report.program->end_ns > graph.report.program->end_ns);
}

TEST_CASE("The front end starts one kernel after another", "[program]") {
  const Ran ran =
      run("buffers: {x: {type: u32, count: 1024}}\n"
          "streams: {one: {}, two: {}}\n"
          "graphs:\n"
          "  g: [{repeat: 2, steps: [{launch: {kernel: step, grid: 1, block: 256, args: [x, 4000]}, stream: "
          "[one, "
          "two]}]}]\n"
          "program: [{graph: g}]\n");
  const Device device{DeviceOptions{}};
  CHECK(ran.work(1).begin_ns - ran.work(0).begin_ns ==
        Approx(device.gpu().launch.interval_cycles * 1e9 / device.gpu().clock_hz).margin(2));
}

TEST_CASE("A call takes the host's time: launches of a graph are one", "[program]") {
  const std::string head = "buffers: {x: {type: u32, count: 1024}}\nstreams: {one: {}}\n";
  const std::string many =
      "{repeat: 20, steps: [{launch: {kernel: step, grid: 1, block: 32, args: [x, 0]}, stream: one}]}";
  const double launches = run(head + "program: [" + many + "]\n").report.program->end_ns,
               graph = run(head + "graphs: {g: [" + many + "]}\nprogram: [{graph: g, stream: one}]\n")
                           .report.program->end_ns;
  CHECK(launches > 20 * 3000);  // host.launch_call of each
  CHECK(graph < launches / 2);
}

TEST_CASE("A fault within a program names the kernel, and a buffer has to fall into its parts", "[program]") {
  CHECK_THROWS_WITH(run("buffers: {x: {type: u32, count: 16}}\n"
                        "program: [{launch: {kernel: step, grid: 64, block: 256, args: [x, 1]}}]\n"),
                    ContainsSubstring("step"));
  CHECK_THROWS_WITH(run("buffers: {x: {type: u32, count: 16, host: pinned}}\n"
                        "program: [{repeat: 3, steps: [{to_device: x, part: turn}]}]\n"),
                    ContainsSubstring("3 equal parts"));
  CHECK_THROWS_WITH(run("buffers: {x: {type: u32, count: 16}}\n"
                        "program: [{launch: {kernel: stop, grid: 1, block: 32, args: [x, 1]}}]\n"),
                    ContainsSubstring("stop"));
}
