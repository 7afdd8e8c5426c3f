// SPDX-License-Identifier: Apache-2.0
// Mistakes of a newcomer's first hour, with what each is answered: tests/error/first_steps.txt.
#include "base/text.h"
#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Each mistake of the first hour has a message that says what to do", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("l.yaml",
               "ptx: add.ptx\nkernel: add_one\ngrid: 2\nblock: 32\nargs: [d, 64]\nbuffers: {d: {type: u32, "
               "count: 64}}\n");
  folder.write("note.txt", "hello\n");
  folder.write("sweep.yaml", "name: s\nlaunch: l.yaml\naxes: {b: {launch: block, values: [32]}}\n");
  folder.write("mine.yaml", "extends: h200\nname: mine\n");
  const std::string two = "ptx: add.ptx\nkernel: add_one\n",
                    buffers = "buffers: {d: {type: u32, count: 64}}\n";
  folder.write("tab.yaml", two + "\tgrid: 2\n");
  folder.write("open.yaml", two + "grid: 2\nblock: 32\nargs: [d, 64]\nbuffers: {d: {type: u32, count: 64}\n");
  folder.write("shared.yaml", two + "grid: 2\nblock: 32\nshared: 64\nargs: [d, 64]\n" + buffers);
  folder.write("nogrid.yaml", two + "block: 32\nargs: [d, 64]\n" + buffers);
  folder.write("gird.yaml", two + "gird: 2\nblock: 32\nargs: [d, 64]\n" + buffers);
  folder.write("nobuffer.yaml", two + "grid: 2\nblock: 32\nargs: [e, 64]\n" + buffers);
  folder.write("twice.ptx",
               ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Z5twicePf(.param .u64 p)\n{\n"
               " .reg .b64 %rd<2>; .reg .f32 %f<2>;\n ld.param.u64 %rd1, [p];\n ld.global.f32 %f1, [%rd1];\n"
               " add.f32 %f1, %f1, %f1;\n st.global.f32 [%rd1], %f1;\n ret;\n}\n");
  folder.write("new.ptx",
               ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n");
  const std::string sweep = "name: s\nlaunch: l.yaml\n";
  folder.write("metrics.yaml", sweep + "metrics: [dram_bytes]\naxes: {b: {launch: block, values: [32]}}\n");
  folder.write("blok.yaml", sweep + "axes: {b: {launch: blok, values: [32]}}\n");
  folder.write("gpus.yaml", sweep + "axes: {gpu: {key: config, values: [h200, v100]}}\n");
  folder.write("bare.yaml", sweep + "axes: {gpu: {values: [h200, v100]}}\n");
  folder.write("none.yaml", sweep + "axes: {b: {launch: block, values: []}}\n");
  folder.write("empty.ptx", "");
  folder.write("empty.yaml", "");
  folder.write("bin.dat", std::string("\1\2\0\3", 4));
  folder.write("w.npz", "PK\3\4xx");
  folder.write("w.safetensors", "abc");
  size_t checked = 0;
  for (const std::string& line :
       split(sim::read_file(tests::in_tree("/tests/error/first_steps.txt")), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const size_t first = line.find('|'), last = line.rfind('|');
    REQUIRE(first < last);
    const std::string words(trim(line.substr(first + 1, last - first - 1)));
    std::string arguments(trim(line.substr(last + 1)));
    if (arguments.starts_with("RUN")) arguments.replace(0, 3, "run add.ptx -k add_one --functional -q");
    const tests::Outcome r = folder.run(arguments);
    INFO("gpuloom " << arguments << "\n" << r.out);
    CHECK(r.code == std::stoi(line));
    CHECK_THAT(r.out, ContainsSubstring(words));
    ++checked;
  }
  CHECK(checked >= 95);
}
