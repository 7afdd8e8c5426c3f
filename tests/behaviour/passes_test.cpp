// SPDX-License-Identifier: Apache-2.0
// Each pass of the lowering by a small kernel and the listing that it leaves (tests/golden/passes;
// scripts/golden_passes writes the listings anew).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ptx/machine/lower.h"
#include "sim/api/describe_lowering.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string golden(const std::string& file) { return tests::in_tree("/tests/golden/passes/" + file); }

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string beside_rule(const std::string& file) { return tests::in_tree("/ptx/machine/rules/" + file); }

std::vector<std::string> kernels() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(golden("")))
    if (entry.path().extension() == ".ptx") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string listing(const std::string& kernel, const sim::PassRequest& request) {
  return sim::describe_lowering(golden(kernel + ".ptx"), "h200", {}, request);
}

std::vector<ptx::PassInfo> optional_passes() {
  std::vector<ptx::PassInfo> out;
  for (const ptx::PassInfo& pass : ptx::lowering_passes())
    if (pass.kind != ptx::PassKind::kRequired) out.push_back(pass);
  return out;
}

}  // namespace

TEST_CASE("Each pass leaves of its kernel what its listing says", "[passes]") {
  for (const std::string& kernel : kernels()) {
    INFO(kernel);
    sim::PassRequest request;
    request.dump_after = {kernel};
    CHECK(listing(kernel, request) == text_of(golden(kernel + ".txt")));
  }
}

TEST_CASE("Every pass that can be left out has a kernel whose code is another without it", "[passes]") {
  for (const ptx::PassInfo& pass : optional_passes()) {
    const std::string name(pass.name);
    INFO(name);
    REQUIRE(std::filesystem::exists(golden(name + ".ptx")));
    sim::PassRequest with, without;
    if (name == "split_virtual_registers") with.without = {"split_webs"};  // which leaves it next to nothing
    without.without = with.without;
    without.without.push_back(name);
    without.verify = true;
    CHECK(listing(name, without) != listing(name, with));
  }
}

TEST_CASE("Each rule of selection writes what stands beside it, and without it something else", "[passes]") {
  for (const std::string_view rule : ptx::selection_rules()) {
    INFO(rule);
    const std::string file = beside_rule(std::string(rule));
    sim::PassRequest request;
    request.dump_after = {"select"};
    request.verify = true;
    const std::string with = sim::describe_lowering(file + ".ptx", "h200", {}, request);
    CHECK(with == text_of(file + ".txt"));
    request.verify = false;  // what no rule writes may have no operation
    request.without = {std::string(rule)};
    CHECK(sim::describe_lowering(file + ".ptx", "h200", {}, request) != with);
  }
}

TEST_CASE("What every pass leaves of every kernel is sound, whatever pass is left out", "[passes]") {
  const std::vector<ptx::PassInfo> passes = optional_passes();
  for (const std::string& kernel : kernels()) {
    sim::PassRequest request;
    request.verify = true;
    INFO(kernel);
    CHECK_NOTHROW(listing(kernel, request));
    for (const ptx::PassInfo& pass : passes) {
      INFO(pass.name);
      request.without = {std::string(pass.name)};
      CHECK_NOTHROW(listing(kernel, request));
    }
  }
}

TEST_CASE("A pass that there is not is refused with the names that there are", "[passes]") {
  const tests::ProgramFolder folder;
  const std::string add = "info --machine " + golden("unroll.ptx");
  const tests::Outcome none = folder.run(add + " --dump-after unrol");
  CHECK(none.code == 2);
  CHECK_THAT(none.out, ContainsSubstring("there is no pass 'unrol'"));
  CHECK_THAT(none.out, ContainsSubstring("if_convert, unroll, "));
  const tests::Outcome needed = folder.run(add + " --disable-pass select");
  CHECK(needed.code == 2);
  CHECK_THAT(needed.out, ContainsSubstring("pass 'select' cannot be left out"));
  CHECK(folder.run("info " + golden("unroll.ptx") + " --time-passes").code == 2);
}

TEST_CASE("info lists what all passes leave, and how long each took", "[passes]") {
  const tests::ProgramFolder folder;
  const std::string add = "info --machine " + golden("unroll.ptx");
  const tests::Outcome all = folder.run(add + " --dump-after all --verify-passes");
  const tests::Outcome time = folder.run(add + " --time-passes");
  CHECK(all.code == 0);
  for (const char* pass : {"decode", "unroll", "select", "schedule", "control"}) {
    CHECK_THAT(all.out, ContainsSubstring(std::string("after ") + pass + ":"));
    CHECK_THAT(time.out, ContainsSubstring(pass));
  }
}
