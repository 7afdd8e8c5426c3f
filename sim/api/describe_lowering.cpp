// SPDX-License-Identifier: Apache-2.0
#include "sim/api/describe_lowering.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/config/config.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "ptx/isa/table/form.h"
#include "ptx/machine/lower.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/pipeline.h"
#include "ptx/passes/watchers.h"
#include "ptx/target.h"
#include "sim/frontend/ptx_source.h"

namespace gpuloom::sim {

arch::GpuConfig gpu_of(const std::string& config) {
  const Config loaded = Config::load(config);
  arch::GpuConfig gpu = arch::load_gpu_config(loaded.root());
  loaded.check();
  return gpu;
}

bool kernel_wanted(const std::string& name, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) {
           return fnmatch(p.c_str(), name.c_str(), 0) == 0 ||
                  fnmatch(p.c_str(), short_name(name).c_str(), 0) == 0 || !names_meant(p, {name}).empty();
         });
}

ptx::MachineProgram lower_entry(const ptx::Module& module, const ptx::Function& entry,
                                const ptx::MachineModel& model, const ptx::PassControl& control) {
  ptx::PassOptions options;
  options.control = control;
  options.habits = model.profile.habits;
  options.reuse_rows = false;  // as a timed run: rows of their own leave the schedule free
  ptx::LoweringOptions lowering;
  lowering.control = control;
  return ptx::lower(*ptx::build_program(module, entry, ptx::OffsetResolver(module), options), model,
                    lowering);
}

namespace {

void check_names(const PassRequest& request) {
  std::vector<std::string> names;
  for (const ptx::PassInfo& pass : ptx::lowering_passes()) {
    if (std::find(names.begin(), names.end(), pass.name) == names.end()) names.emplace_back(pass.name);
  }
  const std::vector<std::string_view> rules = ptx::selection_rules();
  const auto check = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    throw Error(ErrorKind::kUsage, "unknown pass '" + name + "'", {}, "passes are " + join(names, ", "));
  };
  for (const std::string& name : request.dump_after)
    if (name != "all") check(name);
  for (const std::string& name : request.without) {
    if (std::find(rules.begin(), rules.end(), name) != rules.end()) continue;
    check(name);
    for (const ptx::PassInfo& pass : ptx::lowering_passes()) {
      if (pass.name == name && pass.kind == ptx::PassKind::kRequired)
        throw Error(ErrorKind::kUsage, "pass '" + name + "' cannot be left out", {}, "later passes need it");
    }
  }
}

// Those who watch, and what they have to say in the end.
class Watchers {
 public:
  explicit Watchers(const PassRequest& request) : request_(request), dump_(request.dump_after) {
    for (const std::string& name : request.without) control_.set(name, false);
    if (request.time) control_.watchers.push_back(&clock_);
    if (!request.dump_after.empty()) control_.watchers.push_back(&dump_);
    if (request.verify) control_.watchers.push_back(&verifier_);
  }
  const ptx::PassControl& control() const { return control_; }
  bool replace_listing() const { return request_.time || !request_.dump_after.empty(); }
  void verify() const { verifier_.throw_if_any(); }
  std::string text() const { return dump_.text() + (request_.time ? clock_.text() : ""); }

 private:
  const PassRequest& request_;
  ptx::PassControl control_;
  ptx::PassDump dump_;
  ptx::PassClock clock_;
  ptx::PassVerifier verifier_;
};

}  // namespace

std::string describe_lowering(const std::string& file, const std::string& config,
                              const std::vector<std::string>& patterns, const PassRequest& passes) {
  check_names(passes);
  const arch::GpuConfig gpu = gpu_of(config);
  const ptx::MachineModel model = arch::machine_model(gpu);
  frontend::PtxRequest request;
  if (patterns.size() == 1) request.kernel = patterns[0];
  const frontend::PtxSource source = frontend::read_ptx(file, request);
  ptx::ParseOptions options;
  options.device = ptx::widest_target(gpu.targets);  // another GPU's code is refused, as a launch would be
  const auto module = ptx::load_module_text(source.text, source.name, ptx::isa_table(), options);
  Watchers watchers(passes);
  std::string out;
  bool any = false;
  for (const ptx::Function& f : module->functions) {
    if (!f.is_entry || !f.has_body || !kernel_wanted(f.name, patterns)) continue;
    any = true;
    const ptx::MachineProgram machine = lower_entry(*module, f, model, watchers.control());
    if (!watchers.replace_listing()) out += (out.empty() ? "" : "\n") + ptx::describe(machine);
  }
  watchers.verify();
  if (!any) throw Error(ErrorKind::kUsage, "no kernel of '" + file + "' matches");
  return watchers.replace_listing() ? watchers.text() : out;
}

}  // namespace gpuloom::sim
