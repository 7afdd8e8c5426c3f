// SPDX-License-Identifier: Apache-2.0
// What a user gets wrong on the command line or in a file that it names: the exit code, and one message that
// says what.
#include <algorithm>
#include <string>

#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Refusal {
  const char* arguments;
  int code;
  const char* words;
};

void check(const tests::ProgramFolder& folder, const Refusal& refusal) {
  const tests::Outcome r = folder.run(refusal.arguments);
  INFO("gpuloom " << refusal.arguments << "\n" << r.out);
  CHECK(r.code == refusal.code);
  CHECK_THAT(r.out, ContainsSubstring(refusal.words));
  CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 1);
}

// A launch of add_one with some lines replaced or added.
void write_launch(const tests::ProgramFolder& folder, const std::string& lines,
                  const std::string& args = "[d, 64]", const std::string& buffer = "{type: u32, count: 64}") {
  folder.write("l.yaml", "ptx: add.ptx\nkernel: add_one\ngrid: 2\nargs: " + args +
                             "\nbuffers: {d: " + buffer + "}\n" + lines);
}

}  // namespace

TEST_CASE("A kernel launched from the command line is refused in its words, not in a file's", "[cli]") {
  const tests::ProgramFolder folder;
  const std::string run = "run add.ptx --functional -k add_one --block 32 --arg 'u32[64]' ";
  const Refusal refusals[] = {
      {"--arg ''", 2, "--arg is empty"},
      {"--arg '5, 6'", 2, "command line: args.1: '5, 6' is neither a buffer nor a number"},
      {"--arg 'f32[abc]'", 2, "arg1.count: expected a whole number, 0 or more, got 'abc'"},
      {"--arg 'f32[4'", 2, "--arg 'f32[4' is not a buffer"},
      {"--arg 'f32[4]=a {'", 2, "is not a buffer"},
      {"--arg 'f32[4]=unifrom'", 2, "'unifrom' is not a generator"},
      {"--arg 'f32[4]=uniform:x'", 2, "arg1.seed: expected a whole number"},
      {"--arg q32=5", 3, "unknown type 'q32'"},
      {"--arg u32=abc", 3, "command line: 'abc' is not a number of type u32"},
      {"--arg 1.5", 3, "command line: '1.5' is not a number of type u32"},
      {"--arg 99999999999", 3, "'99999999999' is not a number of type u32"},
      {"", 3, "takes 2 arguments, but the launch gives 1"},
      {"--arg 64 --grid 1,2,3,4", 2, "grid: expected one to three sizes, got 4"},
      {"--arg 64 --dynamic-shared 5XB", 2, "dynamic_shared: expected a size"},
      {"--arg 64 --dynamic-shared 4294967297", 2, "from 0 to 4294967295"},
      {"--arg 64 --stack-limit 1e30GiB", 2, "'1e30GiB' is not a size of memory"},
      {"--arg 64 --json --csv", 2, "--json and --csv cannot both print to standard output"},
      {"--arg 64 --section Nope", 2, "unknown section 'Nope' (expected basic, full, LaunchStats"},
  };
  for (const Refusal& r : refusals) check(folder, {(run + r.arguments).c_str(), r.code, r.words});
}

TEST_CASE("A slip of the command line is answered with what there is", "[cli]") {
  const tests::ProgramFolder folder;
  check(folder, {"rnu add.ptx", 2, "unknown command 'rnu' (did you mean 'run'?)"});
  check(folder, {"info add.ptx --kernel add_one", 2, "--kernel needs --machine"});
  check(folder, {"check add.ptx none.ptx", 3, "cannot read 'none.ptx'"});
  CHECK_THAT(folder.run("check --limit -1 add.ptx").out, ContainsSubstring("'-1' is not a whole number"));
  CHECK(folder.run("run add.ptx --max-cycles -1").code == 2);
}

TEST_CASE("What cannot be written is said before anything runs", "[cli]") {
  const tests::ProgramFolder folder;
  folder.write("file", "");
  write_launch(folder, "block: 32\n");
  check(folder, {"run l.yaml -q --functional -o file", 3,
                 "cannot make the folder 'file': a file of that name exists"});
  check(folder, {"run l.yaml -q --functional -o file/x", 3, "cannot make the folder 'file/x'"});
  check(folder,
        {"run l.yaml -q --trace perfetto --trace-file none/t", 3, "the folder 'none' does not exist"});
  write_launch(folder, "block: 32\n", "[d, 64]", "{type: u32, count: 64, save: none/d.npy}");
  check(folder, {"run l.yaml -q --functional", 3, "the folder 'none' does not exist"});
  const std::string score = "score --suite '" + tests::in_tree("/bench/silicon") + "' --case vecadd_64k ";
  check(folder, {(score + "--json none/s.json").c_str(), 3, "the folder 'none' does not exist"});
  check(folder, {(score + "--compare none.json").c_str(), 3, "cannot read 'none.json'"});
  check(folder, {(score + "--require conflict=exact").c_str(), 2, "not 'conflict=exact'"});
  check(folder, {(score + "-c h300").c_str(), 3, "unknown configuration 'h300'"});
}

TEST_CASE("Views of a run say what they need", "[cli]") {
  const tests::ProgramFolder folder;
  write_launch(folder, "block: 32\n");
  check(folder, {"run l.yaml -q --intervals 100", 2, "needs a folder for them"});
  check(folder, {"run l.yaml -q --functional --intervals 100 -o out", 2, "--intervals needs simulated time"});
  CHECK_THAT(folder.run("run l.yaml -q --intervals 0 -o out").out,
             ContainsSubstring("an interval must be at least one cycle"));
  check(folder, {"pipeline l.yaml --stages 0..4", 2, "'0..4' is not a list of stage counts"});
  check(folder, {"pipeline l.yaml --stages 4..2", 2, "'4..2' is not a list of stage counts"});
  check(folder, {"pipeline l.yaml --stages 2,x", 2, "'2,x' is not a list of stage counts"});
  check(folder, {"pipeline l.yaml --stages 2", 2, "is not CUDA C++"});
}

TEST_CASE("A wrong value of a launch file is one problem, and so is one that others follow from", "[cli]") {
  const tests::ProgramFolder folder;
  const char* run = "run l.yaml -q --functional";
  write_launch(folder, "block: 32\n", "[d, 1.5]");
  check(folder, {run, 3, "l.yaml:4:11: '1.5' is not a number of type u32"});
  write_launch(folder, "block: 32\n", "[d, 64]", "{type: u32, shape: [4294967296, 4294967296, 2]}");
  check(folder, {run, 3, "buffers.d.shape: has more than 1099511627776 elements"});
  write_launch(folder, "block: 32\ndynamic_shared: 4294967297\n");
  check(folder, {run, 3, "from 0 to 4294967295, got '4294967297'"});
  write_launch(folder, "block: 4294967296\n");
  check(folder, {run, 3, "from 0 to 4294967295, got '4294967296'"});
  folder.write("l.yaml", "ptx: add.ptx\nkernel: add_one\ngrid: 2\nblock: 32\nargs: [d, 64]\nbuffers: [d]\n");
  check(folder, {run, 3, "buffers: expected a map, got a list of 1"});
  folder.write("l.yaml", "ptx: add.ptx\nlaunches: []\n");
  check(folder, {run, 3, "launches: names no launch"});
  folder.write("l.yaml", std::string(5000, 'x'));
  check(folder, {run, 3, "xxx...'"});
  write_launch(folder, "block: 32\n");
  check(folder, {"run l.yaml -q -s gpc.count=0", 3, "gpc.count: expected a whole number from 1 to 64"});
  check(folder, {"run l.yaml -q -s limits.warps_per_sm=512", 3, "expected a whole number from 1 to 256"});
}

TEST_CASE("PTX that ends early is one problem, and PTX from a pipe is read", "[cli]") {
  const tests::ProgramFolder folder;
  folder.write("deep.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{{{{{{{\n");
  const tests::Outcome deep = folder.run("check deep.ptx");
  CHECK(deep.code == 3);
  CHECK_THAT(deep.out,
             ContainsSubstring("the file ends inside a body") && ContainsSubstring("deep.ptx: 1 error"));
  folder.write("comment.ptx", "/* never ends");
  const tests::Outcome comment = folder.run("check comment.ptx");
  CHECK(comment.code == 3);
  CHECK_THAT(comment.out, ContainsSubstring("this comment does not end") && ContainsSubstring(": 1 error"));
  CHECK(folder.run("check /dev/stdin < add.ptx").code == 0);
  const tests::Outcome pipe =
      folder.run("--version >/dev/null; cat add.ptx | '" + tests::program() + "' check /dev/stdin");
  CHECK_THAT(pipe.out, ContainsSubstring("no problems"));
}
