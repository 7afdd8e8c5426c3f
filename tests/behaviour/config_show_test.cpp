// SPDX-License-Identifier: Apache-2.0
// `gpuloom config show KEY`: a key of a configuration from every side.
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using tests::Outcome;
using Folder = tests::ProgramFolder;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A key says its value, meaning, range, source, reader and measured effect", "[cli][keys]") {
  const Folder folder;
  const Outcome r = folder.run("config show noc.request_latency");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("noc.request_latency: 86cycles"));
  CHECK_THAT(r.out, ContainsSubstring("from an SM to a slice"));
  CHECK_THAT(r.out, ContainsSubstring("from 1 to 100000cycles"));
  CHECK_THAT(r.out, ContainsSubstring("cc/sm_90.yaml:"));
  CHECK_THAT(r.out, ContainsSubstring("estimated: half of what 278"));
  CHECK_THAT(r.out, ContainsSubstring("arch/noc/config.cpp:"));
  CHECK_THAT(r.out, ContainsSubstring("% on average over 10 cases on h200"));
}

TEST_CASE("A group shows all its keys, of the machine that is named", "[cli][keys]") {
  const Folder folder;
  const Outcome r = folder.run("config show rtx4090 dram.timing");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("dram.timing.tRRD: 4ns"));
  CHECK_THAT(r.out, ContainsSubstring("dram.timing.tRFC:"));
}

TEST_CASE("A key that does not exist names the nearest, or those that end so", "[cli][keys]") {
  const Folder folder;
  const Outcome near = folder.run("config show h200 sm.l1.mshr");
  CHECK(near.code != 0);
  CHECK_THAT(near.out, ContainsSubstring("did you mean 'sm.l1.mshrs'?"));
  CHECK_THAT(folder.run("config show h200 tRFC").out, ContainsSubstring("dram.timing.tRFC"));
}

TEST_CASE("The effect of a key on a launch is measured by running it twice", "[cli][keys]") {
  const Folder folder;
  folder.write("l.yaml",
               "ptx: add.ptx\nbuffers:\n  d: {type: u32, count: 64, init: iota}\n"
               "kernel: add_one\ngrid: 2\nblock: 32\nargs: [d, 64]\n");
  const Outcome r = folder.run("config show h200 launch.overhead_cycles --effect l.yaml --to 3190cycles");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("launch.overhead_cycles: 2190cycles -> 3190cycles on l.yaml"));
  CHECK_THAT(r.out, ContainsSubstring("metrics change, most:"));
  CHECK_THAT(folder.run("config show h200 sm.scheduler --effect l.yaml").out,
             ContainsSubstring("give the value to compare with: --to VALUE"));
}
