// SPDX-License-Identifier: Apache-2.0
// From a parsed module to what runs: the passes, in the order that pipeline.cpp lists.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "ptx/ir/module.h"
#include "ptx/ir/program.h"
#include "ptx/passes/habits.h"

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
  bool contract = true;       // mul + add -> fma where no rounding modifier forbids it, as ptxas (-fmad=true)
  bool fold_divisors = true;  // div.approx and div.full by a constant multiply, as ptxas; changes bits
  bool dead_code = true;      // remove pure instructions whose results nobody reads
  bool if_convert = true;     // short conditional blocks become guarded instructions, as ptxas makes them
  bool unroll = true;         // small counted loops run four iterations at a time, as ptxas makes them
  bool promote = true;        // words of local memory become registers (with dead_code)
  bool share = true;          // for lowering: what a block makes of special registers again is made once
  bool groups = true;         // for lowering: lanes of each mask go one after another through exchanges
  bool parameters = true;     // for lowering: parameters are loaded behind a clock read
  Habits habits;              // how far unrolling and conversion go
  bool reuse_rows = true;     // registers that never live together share a row: less memory a warp
};

// Everything that `entry` can reach, decoded. Throws one Error that lists every reachable instruction,
// function or type that gpuloom does not model (kind kUnsupported; the position of the first). The module
// must outlive the program.
std::unique_ptr<Program> build_program(const Module& module, const Function& entry,
                                       const SymbolResolver& resolver, const PassOptions& options = {});

}  // namespace gpuloom::ptx
