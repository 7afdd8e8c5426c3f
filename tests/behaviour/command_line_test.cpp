// SPDX-License-Identifier: Apache-2.0
// What a user of the program sees: results, exit codes, files. Runs the program itself.
#include <string>

#include "sim/memory/files.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using tests::Outcome;
using Folder = tests::ProgramFolder;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string launch(const std::string& rest) {
  return "ptx: add.ptx\nbuffers:\n  d: {type: u32, count: 64, init: iota, output: true, save: d.npy}\n"
         "kernel: add_one\ngrid: 2\nblock: 32\nargs: [d, 64]\n" +
         rest;
}

// result.json up to the host's times.
std::string repeatable(const std::string& json) { return json.substr(0, json.find("\"host\"")); }

}  // namespace

TEST_CASE("A launch file runs, saves its buffer and exits with 0", "[cli]") {
  const Folder folder;
  folder.write("l.yaml", launch(""));
  const Outcome r = folder.run("run l.yaml --functional");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("add_one (2, 1, 1)x(32, 1, 1)"));
  const sim::NpyArray d = sim::read_npy(folder.file("d.npy"));
  CHECK(sim::element_value(d.type, d.data.data() + 4 * 63) == 64);
}

TEST_CASE("A verification that fails exits with 1 and shows the first difference", "[cli]") {
  const Folder folder;
  folder.write("l.yaml", launch("verify: [{buffer: d, against: d0.npy}]\n"));
  const uint64_t shape[] = {64};
  std::vector<uint8_t> expected(256);
  for (uint32_t i = 0; i < 64; ++i) expected[4 * i] = static_cast<uint8_t>(i + 1);
  sim::write_npy(folder.file("d0.npy"), sim::ElementType::kU32, shape, expected);
  CHECK(folder.run("run l.yaml --functional").code == 0);
  expected[4 * 5] = 99;
  sim::write_npy(folder.file("d0.npy"), sim::ElementType::kU32, shape, expected);
  const Outcome r = folder.run("run l.yaml --functional");
  CHECK(r.code == 1);
  CHECK_THAT(r.out, ContainsSubstring("element 5 is 6, expected 99"));
}

TEST_CASE("A trace for waveform viewers has signals and times, and SystemC says nothing beside it", "[cli]") {
  const Folder folder;
  folder.write("l.yaml", launch(""));
  const Outcome r = folder.run("run l.yaml -q --trace vcd -o out");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK(r.out.find("Warning") == std::string::npos);
  const std::string trace = sim::read_file(folder.file("out/trace.vcd"));
  CHECK_THAT(trace, ContainsSubstring("warp_instructions [63:0]") && ContainsSubstring("\n#"));
}

TEST_CASE("A wrong command line exits with 2", "[cli]") {
  const Folder folder;
  CHECK(folder.run("").code == 2);
  CHECK(folder.run("runn").code == 2);
  CHECK(folder.run("run").code == 2);
  CHECK(folder.run("run --lowering sass x.yaml").code == 2);
  CHECK(folder.run("run --help").code == 0);
  CHECK(folder.run("--version").code == 0);
}

TEST_CASE("Bad input exits with 3 and names the place", "[cli]") {
  const Folder folder;
  CHECK(folder.run("run none.yaml --functional").code == 3);
  folder.write("l.yaml", launch("colour: red\n"));
  const Outcome key = folder.run("run l.yaml --functional");
  CHECK(key.code == 3);
  CHECK_THAT(key.out, ContainsSubstring("l.yaml:8") && ContainsSubstring("unknown key 'colour'"));
  folder.write("bad.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bogus.u32 %r1; }\n");
  folder.write("b.yaml", "ptx: bad.ptx\nkernel: k\ngrid: 1\nblock: 1\n");
  CHECK(folder.run("run b.yaml --functional").code == 3);
  folder.write("k.yaml", "ptx: add.ptx\nkernel: add_onne\ngrid: 1\nblock: 1\n");
  const Outcome kernel = folder.run("run k.yaml --functional");
  CHECK(kernel.code == 3);
  CHECK_THAT(kernel.out, ContainsSubstring("add_one"));
}

TEST_CASE("A fault of the program exits with 5", "[cli]") {
  const Folder folder;
  folder.write("l.yaml",
               "ptx: add.ptx\nbuffers:\n  d: {type: u32, count: 40}\nkernel: add_one\ngrid: 2\nblock: "
               "32\nargs: [d, 64]\n");
  const Outcome r = folder.run("run l.yaml --functional");
  CHECK(r.code == 5);
  CHECK_THAT(r.out, ContainsSubstring("add.ptx:19") && ContainsSubstring("thread (8,0,0) of block (1,0,0)"));
}

TEST_CASE("A kernel of a .ptx runs without a launch file", "[cli]") {
  const Folder folder;
  const Outcome r = folder.run(
      "run add.ptx -k add_one --grid 2 --block 32 --arg 'u32[64]=iota' --arg 64 --functional --json");
  INFO(r.out);
  CHECK(r.code == 0);
  const RunReport run = parse_result_json(r.out, "stdout");
  REQUIRE(run.outputs.size() == 1);
  CHECK(run.outputs[0].count == 64);
}

TEST_CASE("Two runs of the same thing write the same result but for the host's times", "[cli]") {
  const Folder folder;
  folder.write("l.yaml", launch(""));
  CHECK(folder.run("run l.yaml --functional -q -o one").code == 0);
  CHECK(folder.run("run l.yaml --functional -q -o two").code == 0);
  CHECK(repeatable(sim::read_file(folder.file("one/result.json"))) ==
        repeatable(sim::read_file(folder.file("two/result.json"))));
  CHECK(sim::read_file(folder.file("one/resolved.yaml")) == sim::read_file(folder.file("two/resolved.yaml")));
  const Outcome compared = folder.run("compare one two");
  CHECK(compared.code == 0);
  CHECK_THAT(compared.out, ContainsSubstring("are equal") && ContainsSubstring("verdict: two equals one"));
}

TEST_CASE("Metrics are listed by a part of their name", "[cli]") {
  const Folder folder;
  const Outcome r = folder.run("metrics bank_conflicts");
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") &&
                        !ContainsSubstring("dram__"));
  CHECK(folder.run("metrics nothing_like_it").code == 2);
}

TEST_CASE("Suites go by name, and are listed where none is named", "[cli][suite]") {
  Folder folder;
  const Outcome list = folder.run("score --suite");
  INFO(list.out);
  CHECK(list.code == 0);
  CHECK_THAT(list.out, ContainsSubstring("reference") && ContainsSubstring("corner_cases") &&
                           ContainsSubstring("held out"));
  CHECK(folder.run("score --suite corner_cases --case one_warp_sum -q").code == 0);
  CHECK(folder.run("run --suite corner_cases --case one_warp_sum --functional -q").code == 0);
  const Outcome none = folder.run("score --suite holdout3");
  CHECK(none.code == 2);
  CHECK_THAT(none.out, ContainsSubstring("unknown suite 'holdout3'") && ContainsSubstring("benchmarks"));
}

TEST_CASE("A case of the reference suite gives the outputs of silicon", "[cli]") {
  const Folder folder;
  const Outcome r = folder.run("score --suite '" + tests::in_tree("/bench/silicon") +
                               "' --case vecadd_64k --functional-only");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("outputs equal on 1 of 1"));
  CHECK(folder.run("score --suite '" + tests::in_tree("/bench/silicon") + "' --case vecad").code == 2);
}

TEST_CASE("Groups of the conformance suite are chosen by name, and a slip is answered with the names",
          "[cli]") {
  const Folder folder;
  const Outcome r =
      folder.run("conformance '" + tests::in_tree("/tests/conformance") + "' --group mov literal -q");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("total      175     175"));
  const Outcome close =
      folder.run("conformance '" + tests::in_tree("/tests/conformance") + "' --group float32 -q");
  CHECK_THAT(close.out, ContainsSubstring("cases with a tolerance are equal bit for bit"));
  CHECK_THAT(close.out, !ContainsSubstring("; not: "));
  const Outcome slip = folder.run("conformance '" + tests::in_tree("/tests/conformance") + "' --group movs");
  CHECK(slip.code == 2);
  CHECK_THAT(slip.out, ContainsSubstring("literal"));
}
