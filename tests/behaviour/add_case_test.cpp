// SPDX-License-Identifier: Apache-2.0
// gpuloom score --add: a launch and what a GPU did with it become a case that the score runs.
#include <string>

#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using tests::Outcome;
using Folder = tests::ProgramFolder;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kLaunch =
    "ptx: add.ptx\nbuffers: {d: {type: u32, count: 64, init: {file: d.npy}, output: true, save: out.npy}}\n"
    "launches:\n- {kernel: add_one, grid: 2, block: 32, args: [d, 64]}\n"
    "- {kernel: add_one, grid: 1, block: 64, args: [d, 64]}\n";

// The raw page of Nsight Compute: a launch each of (grid, block, cycles).
std::string profile(const std::string& metrics, const std::string& units, const std::string& rows) {
  return "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"," + metrics +
         "\n\"\",\"\",\"\",\"\",\"\"," + units + "\n" + rows;
}
std::string row(const std::string& block, const std::string& grid, const std::string& values) {
  return "\"0\",\"7\",\"add_one(unsigned int *, unsigned int)\",\"(" + block + ", 1, 1)\",\"(" + grid +
         ", 1, 1)\"," + values + "\n";
}
const std::string kMetrics = "\"sm__cycles_elapsed.max\",\"dram__bytes_read.sum\"",
                  kUnits = "\"cycle\",\"Kbyte\"";

struct Measured {
  Folder folder;
  explicit Measured(const std::string& options = "") {
    std::vector<uint8_t> data(256);
    const uint64_t shape[] = {64};
    sim::write_npy(folder.file("d.npy"), sim::ElementType::kU32, shape, data);
    folder.write("l.yaml", kLaunch);
    folder.write("p.csv", profile(kMetrics, kUnits,
                                  row("32", "2", "\"9,000\",\"1.5\"") + row("32", "2", "\"9,200\",\"1.5\"") +
                                      row("64", "1", "\"8,000\",\"2\"")));
    const Outcome r = folder.run("run l.yaml -q -o out " + options);
    INFO(r.out);
    REQUIRE(r.code == 0);
  }
  Outcome add(const std::string& rest = "") const {
    return folder.run("score --suite mine --add out --ncu p.csv " + rest);
  }
};

}  // namespace

TEST_CASE("Each launch of a result that a profile has becomes a case, which the score runs",
          "[cli][add_case]") {
  const Measured m;
  const Outcome added = m.add();
  INFO(added.out);
  REQUIRE(added.code == 0);
  CHECK_THAT(added.out, ContainsSubstring("new suite 'mine': add_one_0, add_one_1 added, measured on h200"));
  CHECK_THAT(added.out, ContainsSubstring("no number for") && ContainsSubstring("sm__cycles_active.avg"));
  CHECK(sim::read_file(m.folder.file("mine/h200/metrics.csv")) ==
        "case,cycles_median,cycles_spread_pct,sm__cycles_elapsed.max,dram__bytes_read.sum\n"
        "add_one_0,9100,2.197802197802198,9100,1500\nadd_one_1,8000,,8000,2000\n");
  std::filesystem::remove_all(m.folder.file("out"));  // the suite stands alone
  std::filesystem::remove(m.folder.file("d.npy"));
  const Outcome scored = m.folder.run("score --suite mine --csv scored.csv");
  CHECK_THAT(scored.out, ContainsSubstring("2 cases: 2 ran, 0 refused, 0 failed"));
  const std::string csv = sim::read_file(m.folder.file("scored.csv"));
  CHECK_THAT(csv, ContainsSubstring("add_one_0,ran,-,cycles,9100,") &&
                      ContainsSubstring("add_one_1,ran,-,cycles,8000,"));
}

TEST_CASE("A case of a suite is not replaced by another of its name, and takes another name",
          "[cli][add_case]") {
  const Measured m;
  REQUIRE(m.add().code == 0);
  const std::string before = sim::read_file(m.folder.file("mine/cases.json"));
  const Outcome again = m.add();
  CHECK(again.code == 2);
  CHECK_THAT(again.out, ContainsSubstring("'mine' has a case 'add_one_0' already"));
  CHECK(sim::read_file(m.folder.file("mine/cases.json")) == before);
  CHECK_THAT(m.add("--name other").out, ContainsSubstring("suite 'mine': other_0, other_1 added"));
  CHECK(sim::read_file(m.folder.file("mine/cases.json")).starts_with(before.substr(0, before.rfind('}'))));
  CHECK(m.folder.run("score --suite mine --case 'other*'").code == 0);
}

TEST_CASE("A profile without cycles adds nothing", "[cli][add_case]") {
  const Measured m;
  m.folder.write("p.csv", profile("\"dram__bytes_read.sum\"", "\"Kbyte\"", row("32", "2", "\"1.5\"")));
  const Outcome r = m.add();
  CHECK(r.code == 2);
  CHECK_THAT(r.out,
             ContainsSubstring("the profile has no cycles of add_one") && ContainsSubstring("--set full"));
  CHECK(!std::filesystem::exists(m.folder.file("mine")));
}

TEST_CASE("A launch whose PTX has changed since the run is not made a case", "[cli][add_case]") {
  const Measured m;
  m.folder.write("add.ptx", sim::read_file(m.folder.file("add.ptx")) + "// another\n");
  const Outcome r = m.add();
  CHECK(r.code == 3);
  CHECK_THAT(r.out, ContainsSubstring("is not the PTX that ran"));
}

TEST_CASE("Cases are added to a folder of one's own, and numbers lie under the GPU's name",
          "[cli][add_case]") {
  const Measured m("-c rtx4090 -s dram.bandwidth=900GB/s");
  CHECK_THAT(m.folder.run("score --add out --ncu p.csv").out,
             ContainsSubstring("--add takes the folder of a suite"));
  CHECK_THAT(m.folder.run("score --suite libraries --add out --ncu p.csv").out,
             ContainsSubstring("--add takes the folder of a suite"));
  CHECK_THAT(m.add().out, ContainsSubstring("score --suite mine --silicon rtx4090 -c rtx4090"));
  CHECK(sim::file_exists(m.folder.file("mine/rtx4090/metrics.csv")));
}

TEST_CASE("What a run launched runs again from its folder", "[cli][add_case]") {
  const Folder folder;
  CHECK(
      folder.run("run add.ptx --grid 2 --block 32 --arg d=u32[64]=iota --arg 64 -q --no-lines -o out").code ==
      0);
  CHECK_THAT(sim::read_file(folder.file("out/launch.yaml")),
             ContainsSubstring("ptx: ../add.ptx") && ContainsSubstring("kernel: add_one"));
  CHECK(folder.run("run out/launch.yaml -q --no-lines -o again").code == 0);
  const auto outputs = [&](const char* path) {
    const std::string json = sim::read_file(folder.file(path));
    return json.substr(json.find("\"kernels\""), json.find("\"host\"") - json.find("\"kernels\""));
  };
  CHECK(outputs("out/result.json") == outputs("again/result.json"));
}
