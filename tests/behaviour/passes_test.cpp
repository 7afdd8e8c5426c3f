// SPDX-License-Identifier: Apache-2.0
// Each pass of the lowering by a small kernel and the listing that it leaves (tests/golden/passes;
// scripts/golden_passes writes the listings anew).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ptx/isa/table/form.h"
#include "ptx/machine/lower.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/watchers.h"
#include "sim/api/describe_lowering.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string golden(const std::string& file) { return tests::in_tree("/tests/golden/passes/" + file); }
std::string beside_rule(const std::string& file) { return tests::in_tree("/ptx/machine/rules/" + file); }

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> kernels() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(golden("")))
    if (entry.path().extension() == ".ptx") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> optional_passes() {
  std::vector<std::string> out;
  for (const ptx::PassInfo& pass : ptx::lowering_passes())
    if (pass.kind != ptx::PassKind::kRequired) out.emplace_back(pass.name);
  return out;
}

// The GPU of whose lowering a kernel is: what an H200 does not do is shown by one of the capability that it
// names.
const ptx::MachineModel& model_for(const std::string& text) {
  static const ptx::MachineModel h200 = arch::machine_model(sim::gpu_of("h200"));
  static const ptx::MachineModel a100 = arch::machine_model(sim::gpu_of("a100-80g"));
  static const ptx::MachineModel t4 = arch::machine_model(sim::gpu_of("t4"));
  if (text.find(".target sm_75") != std::string::npos) return t4;
  return text.find(".target sm_80") == std::string::npos ? h200 : a100;
}

// The kernel of a file, without some passes: the listing behind one of them, or in the end.
struct Lowering {
  std::string file;
  std::vector<std::string> without = {};
  std::string after = {};
  bool verify = true;

  std::string text() const {
    const std::string text = text_of(file);
    const ptx::MachineModel& model = model_for(text);
    const auto module = ptx::load_module_text(text, file, ptx::isa_table());
    ptx::PassDump dump({after});
    ptx::PassVerifier verifier;
    ptx::PassControl control;
    control.watchers = {&dump, &verifier};
    for (const std::string& pass : without) control.set(pass, false);
    const auto entry = std::find_if(module->functions.begin(), module->functions.end(),
                                    [](const ptx::Function& f) { return f.is_entry; });
    const ptx::MachineProgram machine = sim::lower_entry(*module, *entry, model, control);
    if (verify) verifier.throw_if_any();
    return after.empty() ? ptx::describe(machine) : dump.text();
  }
};

}  // namespace

TEST_CASE("Each pass leaves of its kernel what its listing says", "[passes]") {
  for (const std::string& kernel : kernels()) {
    INFO(kernel);
    const Lowering l{golden(kernel + ".ptx"), {}, kernel};
    CHECK(l.text() == text_of(golden(kernel + ".txt")));
  }
}

TEST_CASE("Every pass that can be left out has a kernel whose code is another without it", "[passes]") {
  for (const std::string& pass : optional_passes()) {
    INFO(pass);
    REQUIRE(std::filesystem::exists(golden(pass + ".ptx")));
    Lowering l{golden(pass + ".ptx")};
    if (pass == "split_virtual_registers") l.without = {"split_webs"};  // which leaves it next to nothing
    const std::string with = l.text();
    l.without.push_back(pass);
    CHECK(l.text() != with);
  }
}

TEST_CASE("Each rule of selection writes what stands beside it, and without it something else", "[passes]") {
  for (const std::string_view rule : ptx::selection_rules()) {
    INFO(rule);
    Lowering l{beside_rule(std::string(rule) + ".ptx"), {}, "select"};
    const std::string with = l.text();
    CHECK(with == text_of(beside_rule(std::string(rule) + ".txt")));
    l.without = {std::string(rule)};
    l.verify = false;  // what no rule writes may have no operation
    CHECK(l.text() != with);
  }
}

TEST_CASE("What every pass leaves of every kernel is sound, whatever pass is left out", "[passes]") {
  for (const std::string& kernel : kernels()) {
    INFO(kernel);
    Lowering l{golden(kernel + ".ptx")};
    CHECK_NOTHROW(l.text());
    for (const std::string& pass : optional_passes()) {
      INFO(pass);
      l.without = {pass};
      CHECK_NOTHROW(l.text());
    }
  }
}

TEST_CASE("What every pass leaves of the kernels of our own sets is sound", "[passes]") {
  const tests::ProgramFolder folder;
  for (const char* set :
       {"/tests/behaviour/configuration_keys", "/tests/fuzz/kernels/found", "/bench/silicon/ptx",
        "/bench/silicon/corner_cases/ptx", "/bench/silicon/libraries/ptx"}) {
    for (const auto& entry : std::filesystem::directory_iterator(tests::in_tree(set))) {
      const std::string file = entry.path().string();
      if (!file.ends_with(".ptx") && !file.ends_with(".ptx.gz")) continue;
      INFO(file);
      CHECK(folder.run("info --machine " + file + " --verify-passes").code == 0);
    }
  }
}

TEST_CASE("A pass that there is not is refused with the names that there are", "[passes]") {
  const tests::ProgramFolder folder;
  const std::string add = "info --machine " + golden("unroll.ptx");
  const tests::Outcome none = folder.run(add + " --dump-after unrol");
  CHECK(none.code == 2);
  CHECK_THAT(none.out, ContainsSubstring("unknown pass 'unrol'"));
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
