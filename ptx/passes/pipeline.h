// SPDX-License-Identifier: Apache-2.0
// From a parsed module to what runs: the passes, in the order that pipeline.cpp lists.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/ir/program.h"
#include "ptx/passes/habits.h"
#include "ptx/passes/pass.h"

namespace gpuloom::ptx {

// Where the module's variables are. The runtime implements it (it owns device memory); a listing may use
// OffsetResolver.
class SymbolResolver {
 public:
  virtual ~SymbolResolver() = default;
  // Generic device address of a module-scope .global or .const variable (constants lie at kConstWindowBase +
  // offset), after `extern` declarations have been resolved. Throws Error(kInput) for an extern variable that
  // no loaded module defines.
  virtual uint64_t address_of(const Variable& variable) const = 0;
};

// Gives made-up addresses, in order of declaration: enough for listings, checks and tests without a device.
class OffsetResolver : public SymbolResolver {
 public:
  explicit OffsetResolver(const Module& module) : module_(&module) {}
  uint64_t address_of(const Variable& variable) const override;

 private:
  const Module* module_;
};

struct PassOptions {
  PassControl control;  // passes that are left out, and who watches
  Habits habits;        // how far unrolling and conversion go
  bool reuse_rows =
      true;  // registers that never live together share a row: less memory a warp. Off: for lowering

  bool runs(std::string_view pass) const { return control.runs(pass); }
  void set(std::string_view pass, bool on) { control.set(pass, on); }
};

// The passes of build_program, in order.
std::vector<PassInfo> program_passes();

// Everything that `entry` can reach, decoded. Throws one Error that lists every reachable instruction,
// function or type that gpuloom does not model (kind kUnsupported; the position of the first). The module
// must outlive the program.
std::unique_ptr<Program> build_program(const Module& module, const Function& entry,
                                       const SymbolResolver& resolver, const PassOptions& options = {});

}  // namespace gpuloom::ptx
