// SPDX-License-Identifier: Apache-2.0
// Policies from shared objects, compiled here and now as arch/policy/template/README.md says, and policies of
// the tree that are not the default: what they do to launches.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "sim/api/simulator.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// A folder with a copy of the template and of the interface, where policies are compiled.
class Workshop {
 public:
  Workshop() {
    fs::create_directories(path_ / "arch/policy");
    for (const char* name : {"interface.h", "age_order.h"})
      fs::copy_file(tests::in_tree("/arch/policy/") + name, path_ / "arch/policy" / name,
                    fs::copy_options::overwrite_existing);
    for (const auto& entry : fs::directory_iterator(tests::in_tree("/arch/policy/template")))
      if (entry.is_regular_file())
        fs::copy_file(entry.path(), path_ / entry.path().filename(), fs::copy_options::overwrite_existing);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  // The README's line. False where there is no compiler.
  bool compile(const std::string& source, const std::string& object) const {
    return std::system(("g++ -std=c++20 -shared -fPIC -I" + path_.string() + " " + file(source) + " -o " +
                        file(object))
                           .c_str()) == 0;
  }

 private:
  const ScratchFolder scratch_;
  const fs::path path_ = scratch_.path();
};

double cycles(const std::string& launch, const std::string& config,
              const std::vector<std::string>& overrides) {
  Simulator gpu({.config = config, .overrides = overrides});
  const RunReport run = gpu.run(read_launch_file(launch), {.max_cycles = 50'000'000});
  return run.kernels.at(0).find("sm__cycles_elapsed.max")->value;
}

std::string refusal(const std::vector<std::string>& overrides) {
  try {
    Simulator gpu({.config = "tiny", .overrides = overrides});
  } catch (const Error& e) {
    return std::string(e.what()) + " " + e.hint();
  }
  return "";
}

// The cycles that the template's page names for a scheduler, in its table.
double cycles_on_page(const std::string& page, const std::string& scheduler) {
  const std::string row = "| `" + scheduler + "` | ";
  const size_t at = page.find(row);
  REQUIRE(at != std::string::npos);
  std::string digits = page.substr(at + row.size(), page.find(" |", at + row.size()) - at - row.size());
  std::erase(digits, ',');
  return std::stod(digits);
}

const std::string kLaunches = "/tests/behaviour/configuration_keys/";

}  // namespace

TEST_CASE("CCWS from a shared object keeps lines that other schedulers lose, as it was published",
          "[timed][policy]") {
  const Workshop shop;
  if (!shop.compile("ccws.cpp", "ccws.so")) {
    WARN("no g++ here: not tested");
    return;
  }
  const std::string rows = shop.file("rows.yaml"), gpu = shop.file("small_l1.yaml");
  const double lrr = cycles(rows, gpu, {}), gto = cycles(rows, gpu, {"sm.scheduler=gto"}),
               ccws = cycles(rows, gpu, {"sm.scheduler=ccws"});
  INFO("lrr " << lrr << ", gto " << gto << ", ccws " << ccws);
  CHECK(ccws < 0.8 * lrr);
  CHECK(ccws < 0.8 * gto);
  const std::string page = read_file(shop.file("README.md"));
  for (const auto& [scheduler, found] :
       {std::pair{"lrr", lrr}, std::pair{"gto", gto}, std::pair{"ccws", ccws}}) {
    INFO("arch/policy/template/README.md, " << scheduler);
    CHECK(found == Approx(cycles_on_page(page, scheduler)).epsilon(0.03));
  }
  // Without throttling it is what it is built on.
  CHECK(cycles(rows, gpu, {"sm.scheduler=ccws", "sm.ccws.k_throttle=0"}) == gto);
}

TEST_CASE("A shared object is named by its path alone, and gives what the same code in the tree gives",
          "[timed][policy]") {
  const Workshop shop;
  if (!shop.compile("my_scheduler.cpp", "my_scheduler.so")) {
    WARN("no g++ here: not tested");
    return;
  }
  const std::string launch = tests::in_tree(kLaunches + "memory.yaml");
  CHECK(cycles(launch, "tiny", {"sm.scheduler=" + shop.file("my_scheduler.so")}) ==
        cycles(launch, "tiny", {"sm.scheduler=lrr"}));
}

TEST_CASE("A shared object that does not fit is refused with the reason", "[policy]") {
  const Workshop shop;
  CHECK_THAT(refusal({"sm.scheduler=./not_there.so"}),
             ContainsSubstring("there is no file './not_there.so'"));
  std::ofstream(shop.file("text.so")) << "text";
  CHECK_THAT(refusal({"sm.scheduler=" + shop.file("text.so")}), ContainsSubstring("cannot be loaded"));
  std::ofstream(shop.file("empty.cpp")) << "int nothing;\n";
  if (!shop.compile("empty.cpp", "empty.so")) {
    WARN("no g++ here: not tested");
    return;
  }
  CHECK_THAT(refusal({"sm.scheduler=" + shop.file("empty.so")}), ContainsSubstring("but not a policy"));
  REQUIRE(shop.compile("my_scheduler.cpp", "my_scheduler.so"));
  CHECK_THAT(refusal({"l2.replacement=" + shop.file("my_scheduler.so")}),
             ContainsSubstring("is a policy of the kind scheduler, and a replacement is wanted here"));
  std::ofstream(shop.file("lead.cpp")) << R"(#include <bit>
#include "arch/policy/interface.h"
struct Lead final : gpuloom::policy::Scheduler {
  Lead(gpuloom::policy::Parameters& p, const gpuloom::policy::SchedulerHost&) { p.count("lead", 1, 1000000); }
  void launched(unsigned, uint64_t) override {}
  void retired(unsigned) override {}
  unsigned pick(uint32_t warps, gpuloom::policy::Cycle) override { return std::countr_zero(warps); }
};
GPULOOM_POLICY(scheduler, lead, Lead)
)";
  REQUIRE(shop.compile("lead.cpp", "lead.so"));
  CHECK_THAT(refusal({"sm.scheduler=" + shop.file("lead.so")}),
             ContainsSubstring("a parameter 'lead', from 1 to 1000000,") &&
                 ContainsSubstring("there is no group 'lead' beside it"));
  std::string header = read_file(shop.file("arch/policy/interface.h"));
  const std::string version = "kVersion = ";
  header.replace(header.find(version) + version.size(), 1, "99");
  std::ofstream(shop.file("arch/policy/interface.h")) << header;
  REQUIRE(shop.compile("my_scheduler.cpp", "other.so"));
  CHECK_THAT(refusal({"sm.scheduler=" + shop.file("other.so")}),
             ContainsSubstring("was compiled for version 99") && ContainsSubstring("compile it again"));
}

TEST_CASE("Parameters of policies are read by them alone", "[policy]") {
  CHECK_THAT(refusal({"l2.srrip.bits=9"}),
             ContainsSubstring("l2.srrip.bits: expected a whole number from 1 to 8"));
  CHECK_THAT(refusal({"l2.replacement=lruu"}), ContainsSubstring("lru"));
  const tests::ProgramFolder folder;
  folder.write("odd.yaml", "extends: tiny\nname: odd\nl2: {srrip: {bits: 2, bobs: 3}}\n");
  CHECK_THAT(folder.run("config validate odd.yaml").out,
             ContainsSubstring("unknown key 'bobs' in 'l2.srrip'"));
}

TEST_CASE("Every alternative of every kind changes some launch's time and no result", "[timed][policy]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> kinds = {
      {"sm.l1.replacement", {"fifo", "srrip", "bip"}},
      {"l2.replacement", {"fifo", "srrip", "bip"}},
      {"l2.hash", {"modulo", "ipoly"}},
      {"l2.prefetch", {"next_lines", "stride"}},
      {"dram.page_policy", {"closed", "idle"}},
      {"gpc.order", {"fill", "tiles"}},
      {"sm.scheduler", {"gto", "gty", "lrr", "oldest_block", "two_level"}}};
  LaunchFile traffic = read_launch_file(tests::in_tree(kLaunches + "traffic.yaml"));
  traffic.launches.at(0).grid = {33, 2};  // rows of blocks do the same: which of them run together shows
  const auto run = [&](const std::vector<std::string>& overrides) {
    Simulator gpu({.config = "tiny", .overrides = overrides});
    const RunReport report = gpu.run(traffic, {.max_cycles = 50'000'000});
    return std::pair(report.kernels.at(0).find("sm__cycles_elapsed.max")->value, report.outputs.size());
  };
  const auto base = run({});
  for (const auto& [key, words] : kinds)
    for (const std::string& word : words) {
      INFO(key << "=" << word);
      CHECK(run({key + "=" + word}).first != base.first);
    }
}
