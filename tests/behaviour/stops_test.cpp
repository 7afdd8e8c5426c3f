// SPDX-License-Identifier: Apache-2.0
// Runs that end early and output that goes nowhere: what is left, what is said, and the exit code.
#include <cstdlib>

#include "sim/memory/files.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

namespace {

const char* kEndless = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry forever()
{
  .reg .b32 %r<4>;
L:
  add.u32 %r1, %r1, 1;
  bra L;
}
)";

// Each thread prints 500 characters.
const char* kTalks = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 format[6] = {37, 53, 48, 48, 100, 0};
.visible .entry talks()
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .local .align 8 .b8 buffer[8];
  mov.u64 %rd1, buffer;
  mov.u32 %r1, %tid.x;
  st.local.u32 [%rd1], %r1;
  cvta.local.u64 %rd1, %rd1;
  mov.u64 %rd2, format; cvta.global.u64 %rd2, %rd2;
  { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd2; st.param.b64 [b], %rd1; call.uni (r), vprintf, (a, b); }
  ret;
}
)";

// `gpuloom arguments` in the folder, ended by a signal once a command of the shell succeeds, however slow the
// machine is. `twice`: a second signal at once, as `timeout` gives its child.
Outcome stopped_when(const std::string& condition, const tests::ProgramFolder& folder, const char* signal,
                     const std::string& arguments, bool twice = false) {
  const std::string kill = std::string("kill -") + signal + " $p; ";
  folder.write("go.sh", ": > said.txt\n'" + tests::program() + "' " + arguments +
                            " > shown.txt 2> said.txt & p=$!\n"
                            "until " +
                            condition + " || ! kill -0 $p; do sleep 0.1; done\n" + kill +
                            (twice ? kill : "") + "wait $p\n");
  Outcome r;
  const int status = std::system(("cd '" + folder.file(".") + "' && sh go.sh").c_str());
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  r.out = sim::read_file(folder.file("said.txt")) + sim::read_file(folder.file("shown.txt"));
  return r;
}

// Once its first line of progress has come.
Outcome stopped_by(const tests::ProgramFolder& folder, const char* signal, const std::string& arguments,
                   bool twice = false) {
  return stopped_when("grep -q 'warp instructions' said.txt", folder, signal, arguments + " --progress plain",
                      twice);
}

}  // namespace

TEST_CASE("Ctrl-C and SIGTERM leave the partial result and a sentence", "[stops]") {
  const tests::ProgramFolder folder;
  folder.write("e.ptx", kEndless);
  const Outcome c = stopped_by(
      folder, "INT", "run e.ptx --block 32 -o timed --trace perfetto --trace-window 0:2000 -c test/tiny");
  INFO(c.out);
  CHECK(c.code == 130);
  CHECK_THAT(c.out, ContainsSubstring("interrupted (Ctrl-C) in kernel 'forever' at cycle") &&
                        ContainsSubstring("are in 'timed'") && ContainsSubstring("INCOMPLETE"));
  const RunReport run = parse_result_json(sim::read_file(folder.file("timed/result.json")), "result.json");
  CHECK(!run.complete);
  CHECK(run.kernels.at(0).find("sm__cycles_elapsed.max")->value > 1000);
  CHECK(sim::file_exists(folder.file("timed/trace.json")));
  const Outcome term = stopped_by(folder, "TERM", "run e.ptx --block 32 --functional", true);
  INFO(term.out);
  CHECK(term.code == 143);
  CHECK_THAT(term.out, ContainsSubstring("interrupted (SIGTERM) in kernel 'forever'"));
}

TEST_CASE("A limit of seconds ends an endless loop and keeps what was measured", "[stops]") {
  const tests::ProgramFolder folder;
  folder.write("e.ptx", kEndless);
  for (const char* mode : {"", " --functional"}) {
    const Outcome r =
        folder.run(std::string("run e.ptx --block 32 --max-seconds 0.3 -c test/tiny -q") + mode);
    INFO(r.out);
    CHECK(r.code == 5);
    CHECK_THAT(r.out, ContainsSubstring("stopped after 0.3 s (--max-seconds) in kernel 'forever'"));
  }
}

TEST_CASE("Output that cannot be written is an error", "[stops]") {
  if (!sim::file_exists("/dev/full")) return;
  const tests::ProgramFolder folder;
  for (const char* command : {"run add.ptx --functional --arg 'u32[1]' --arg 1 --json",
                              "run add.ptx --functional --arg 'u32[1]' --arg 1 --csv", "config show h200",
                              "config list", "metrics", "--help"}) {
    const Outcome r = folder.run(std::string(command) + " > /dev/full");
    INFO(command);
    CHECK(r.code == 3);
  }
}

TEST_CASE("printf beyond CUDA's ring is shown, and noted", "[stops]") {
  const tests::ProgramFolder folder;
  folder.write("t.ptx", kTalks);
  const Outcome little = folder.run("run t.ptx --functional --block 32");
  CHECK(little.out.find("cudaLimitPrintfFifoSize") == std::string::npos);
  const Outcome much = folder.run("run t.ptx --functional --grid 4 --block 1024");
  CHECK_THAT(much.out, ContainsSubstring("kernel 'talks' printed 2048000 bytes") &&
                           ContainsSubstring("cudaLimitPrintfFifoSize"));
}

TEST_CASE("A second run of another thing into a folder is refused unless forced", "[stops]") {
  const tests::ProgramFolder folder;
  const std::string run = "run add.ptx --functional -q -o out --arg 'u32[1]' --arg 1";
  CHECK(folder.run(run).code == 0);
  CHECK(folder.run(run).code == 0);  // the same again
  const Outcome other = folder.run(run + " -c a100-40g");
  INFO(other.out);
  CHECK(other.code == 3);
  CHECK_THAT(other.out,
             ContainsSubstring("the folder 'out' holds a result on h200") && ContainsSubstring("--force"));
  CHECK_THAT(folder.run(run + " -s sm.shared.banks=64").out, ContainsSubstring("holds a result on h200"));
  CHECK(folder.run(run + " -c a100-40g --force").code == 0);
}

TEST_CASE("An analysis and a score that are stopped show what they have", "[stops]") {
  const tests::ProgramFolder folder;
  folder.write("e.ptx", kEndless);
  const Outcome analysis = folder.run("analyze e.ptx --block 32 --max-seconds 0.3");
  INFO(analysis.out);
  CHECK(analysis.code == 5);
  CHECK_THAT(analysis.out, ContainsSubstring("stopped after 0.3 s (--max-seconds) in kernel 'forever'"));

  const Outcome score = folder.run("score --suite '" + tests::in_tree("/bench/silicon") +
                                   "' --functional-only --max-seconds 1 -j 1 --csv s.csv");
  INFO(score.out);
  CHECK(score.code == 5);
  CHECK_THAT(score.out, ContainsSubstring("stopped after 1 s (--max-seconds) after") &&
                            ContainsSubstring("cases: the figures above are of those only"));
  CHECK(sim::file_exists(folder.file("s.csv")));
}

TEST_CASE("A sweep that is stopped or meets its limit of seconds keeps the points that are done", "[stops]") {
  const tests::ProgramFolder folder;
  folder.write("e.ptx", kEndless);
  folder.write("s.yaml",
               "name: s\nconfig: test/tiny\nmode: functional\n"
               "launch: {ptx: add.ptx, kernel: add_one, grid: 1, block: 1, buffers: {d: {type: u32, count: "
               "1}}, args: [d, 1]}\n"
               "axes:\n  ptx: {launch: [ptx, kernel, args], values: [[add.ptx, add_one, [d, 1]], [e.ptx, "
               "forever, []]]}\n");
  const Outcome sweep = stopped_when("ls s.sweep/results/*.json > listed.txt 2>&1", folder, "INT",
                                     "sweep run s.yaml -j 1 --progress none");
  INFO(sweep.out);
  CHECK(sweep.code == 130);
  CHECK_THAT(sweep.out, ContainsSubstring("1 of 2 points done") &&
                            ContainsSubstring("sweep resume s.sweep") &&
                            ContainsSubstring("sweep collect s.sweep shows the points that are done"));
  CHECK_THAT(folder.run("sweep collect s.sweep --metric sim__ptx_inst_executed.sum").out,
             ContainsSubstring(",done,") && ContainsSubstring("1 points have no result"));
  const Outcome limit = folder.run("sweep resume s.sweep -j 1 --max-seconds 0.3 --progress none");
  INFO(limit.out);
  CHECK(limit.code == 5);
  CHECK_THAT(limit.out, ContainsSubstring("stopped after 0.3 s (--max-seconds)") &&
                            ContainsSubstring("1 of 2 points done (1 before)"));
}
