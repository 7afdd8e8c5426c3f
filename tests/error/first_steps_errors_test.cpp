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
  CHECK(checked >= 60);
}
