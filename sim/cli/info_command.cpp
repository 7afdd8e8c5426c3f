// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/info_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "base/demangle.h"
#include "base/text.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/pipeline.h"
#include "ptx/target.h"
#include "sim/api/describe_lowering.h"
#include "sim/cli/guarded.h"
#include "sim/cli/launch_source.h"
#include "sim/frontend/ptx_source.h"
#include "sim/memory/files.h"

namespace gpuloom::cli {
namespace {

using namespace ptx;

// What the instructions of a module ask for at least.
struct Minimum {
  unsigned version = 0;
  std::string version_text = "1.0";
  std::set<std::string> targets;

  void add(const std::string& since, const std::vector<std::string>& needs) {
    if (!since.empty() && ptx_version(since) > version) {
      version = ptx_version(since);
      version_text = since;
    }
    if (!needs.empty()) targets.insert(either(needs));
  }
};

std::string parameter_text(const Variable& v) {
  std::string text = "." + std::string(info(v.type).name);
  if (v.is_pointer)
    text += " .ptr" + (v.pointer_space == Space::kGeneric ? "" : " ." + std::string(name(v.pointer_space)));
  text += " " + v.name;
  if (v.is_array) text += "[" + std::to_string(v.size_bytes / std::max(1u, bytes(v.type))) + "]";
  return text;
}

void print_directives(const Directives& d) {
  const auto triple = [](const char* what, const uint32_t(&v)[3]) {
    if (v[0] != 0) std::printf("    %s %u, %u, %u\n", what, v[0], v[1], v[2]);
  };
  triple(".maxntid", d.maxntid);
  triple(".reqntid", d.reqntid);
  triple(".reqnctapercluster", d.reqnctapercluster);
  if (d.minnctapersm != 0) std::printf("    .minnctapersm %u\n", d.minnctapersm);
  if (d.maxnctapersm != 0) std::printf("    .maxnctapersm %u\n", d.maxnctapersm);
  if (d.maxnreg != 0) std::printf("    .maxnreg %u\n", d.maxnreg);
}

// Shared memory that the function names: its own and the module's that it refers to; of an entry that which a
// block of it has, with what its callees name.
uint64_t shared_bytes(const Module& module, const Function& function, bool& dynamic) {
  if (function.is_entry) {
    try {
      PassOptions options;  // memory alone is asked for
      for (const char* pass : {"contract", "if_convert", "unroll"}) options.set(pass, false);
      const auto program = build_program(module, function, OffsetResolver(module), options);
      for (const SharedVariable& v : program->shared_variables) dynamic = dynamic || v.bytes == 0;
      return program->shared_static_bytes;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kUnsupported) throw;  // what is not modelled stands above
    }
  }
  std::set<const Variable*> used;
  for (const Variable& v : function.variables)
    if (v.space == Space::kShared) used.insert(&v);
  for (const Operand& operand : function.operand_pool)
    if (operand.variable != nullptr && operand.variable->space == Space::kShared)
      used.insert(operand.variable);
  uint64_t total = 0;
  for (const Variable* v : used) {
    dynamic = dynamic || v->unsized;
    total += v->size_bytes;
  }
  return total;
}

void print_entry(const Module& module, const Function& function) {
  bool dynamic = false;
  const uint64_t shared = shared_bytes(module, function, dynamic);
  std::printf("\n%s %s\n", function.is_entry ? "entry" : "function", listed_name(function.name).c_str());
  std::printf("    %s instructions, %s registers declared",
              with_thousands(static_cast<uint64_t>(function.instructions.size())).c_str(),
              with_thousands(static_cast<uint64_t>(function.registers.size())).c_str());
  if (shared > 0) std::printf(", %s shared", format_bytes(shared).c_str());
  if (dynamic) std::printf(", dynamic shared");
  std::printf("\n");
  print_directives(function.directives);
  for (const Variable& param : function.params) std::printf("    param %s\n", parameter_text(param).c_str());
}

void info_of(const frontend::PtxSource& source) {
  const std::string& file = source.name;
  const std::unique_ptr<Module> module = load_module_text(source.text, file, isa_table());
  std::printf("%s\n  PTX ISA %u.%u, target %s, %u-bit addresses\n", file.c_str(), module->version_major,
              module->version_minor, join(module->targets, ", ").c_str(), module->address_bits);
  Minimum minimum;
  std::set<std::string> families, refused;
  for (const Function& function : module->functions) {
    for (const Instruction& in : function.instructions) {
      const Form& form = *in.form;
      minimum.add(form.since, form.needs);
      families.insert(form.instruction->family);
      if (!form.not_modelled.empty()) refused.insert(form.instruction->mnemonic + ": " + form.not_modelled);
      for (size_t k = 0; k < form.mods.size(); ++k)
        if (in.mods[k] != 0)
          minimum.add(form.mods[k].values[in.mods[k] - 1u].since, form.mods[k].values[in.mods[k] - 1u].needs);
    }
  }
  std::printf("  needs PTX ISA %s", minimum.version_text.c_str());
  if (!minimum.targets.empty())
    std::printf(" and %s",
                join(std::vector<std::string>(minimum.targets.begin(), minimum.targets.end()), "; ").c_str());
  std::printf("\n  instruction families: %s\n",
              join(std::vector<std::string>(families.begin(), families.end()), ", ").c_str());
  for (const std::string& what : refused) std::printf("  not modelled: %s\n", what.c_str());
  for (const Variable& v : module->variables)
    std::printf("  %s %s: %s%s\n", std::string(name(v.space)).c_str(), v.name.c_str(),
                v.unsized ? "size given at launch" : format_bytes(v.size_bytes).c_str(),
                v.initial.empty() ? "" : ", initialised");
  for (const Function& function : module->functions)
    if (function.has_body) print_entry(*module, function);
}

int info_of_file(const std::string& given) {
  const std::string file = file_with_kernels(given);
  for (const frontend::PtxSource& source : frontend::modules_of(sim::read_file(file), file, {}))
    info_of(source);
  return 0;
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_code) {
  struct InfoArguments {
    std::string file, config = "h200";
    std::vector<std::string> kernels;
    bool machine = false;
    sim::PassRequest passes;
  };
  auto a = std::make_shared<InfoArguments>();
  CLI::App* command = app.add_subcommand("info", "Show what a PTX module contains");
  command->add_option("FILE", a->file, "PTX file, or another file that contains kernels")->required();
  command->add_flag("--machine", a->machine,
                    "Show the PTX beside the machine operations whose time is counted");
  command->add_option("--kernel", a->kernels,
                      "With --machine: only these; patterns such as 'bank*' are allowed");
  command->add_option("-c,--config,--gpu", a->config, "With --machine: configuration")->capture_default_str();
  command->add_option("--dump-after", a->passes.dump_after,
                      "With --machine: the listing after a pass of the lowering instead; 'all': after each");
  command->add_option("--disable-pass", a->passes.without,
                      "With --machine: leave a pass out, or a rule of the pass 'select'");
  command->add_flag("--time-passes", a->passes.time, "With --machine: show how long each pass takes instead");
  command->add_flag("--verify-passes", a->passes.verify,
                    "With --machine: check the code after each pass; exit code 70 if one left it wrong");
  command->callback([a, &exit_code] {
    exit_code = guarded([&] {
      if (!a->machine && !a->kernels.empty()) throw Error(ErrorKind::kUsage, "--kernel needs --machine");
      const sim::PassRequest& p = a->passes;
      const bool asks_passes = !p.dump_after.empty() || !p.without.empty() || p.time || p.verify;
      if (!a->machine && asks_passes)
        throw Error(ErrorKind::kUsage,
                    "--dump-after, --disable-pass, --time-passes and --verify-passes need --machine");
      if (!a->machine) return info_of_file(a->file);
      std::fputs(sim::describe_lowering(file_with_kernels(a->file), a->config, a->kernels, p).c_str(),
                 stdout);
      return 0;
    });
  });
}

}  // namespace gpuloom::cli
