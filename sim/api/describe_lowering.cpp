// SPDX-License-Identifier: Apache-2.0
#include "sim/api/describe_lowering.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/config/config.h"
#include "base/demangle.h"
#include "base/error.h"
#include "ptx/isa/table/form.h"
#include "ptx/machine/lower.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/pipeline.h"
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
                                const ptx::MachineModel& model) {
  ptx::PassOptions options;
  options.habits = model.profile.habits;
  options.reuse_rows = false;  // as a timed run: rows of their own leave the schedule free
  return ptx::lower(*ptx::build_program(module, entry, ptx::OffsetResolver(module), options), model);
}

std::string describe_lowering(const std::string& file, const std::string& config,
                              const std::vector<std::string>& patterns) {
  const arch::GpuConfig gpu = gpu_of(config);
  const ptx::MachineModel model = arch::machine_model(gpu);
  frontend::PtxRequest request;
  if (patterns.size() == 1) request.kernel = patterns[0];
  const frontend::PtxSource source = frontend::read_ptx(file, request);
  ptx::ParseOptions options;
  options.device = ptx::widest_target(gpu.targets);  // another GPU's code is refused, as a launch would be
  const auto module = ptx::load_module_text(source.text, source.name, ptx::isa_table(), options);
  std::string out;
  for (const ptx::Function& f : module->functions) {
    if (!f.is_entry || !f.has_body || !kernel_wanted(f.name, patterns)) continue;
    out += (out.empty() ? "" : "\n") + ptx::describe(lower_entry(*module, f, model));
  }
  if (out.empty()) throw Error(ErrorKind::kUsage, "no kernel of '" + file + "' matches");
  return out;
}

}  // namespace gpuloom::sim
