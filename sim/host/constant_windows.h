// SPDX-License-Identifier: Apache-2.0
// Where the host finds constant variables. They live in a bank of their module, all at the same addresses for
// kernels. For the host each module after the first has a window of its own, so that an address says whose it
// is.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/runtime/device.h"

namespace gpuloom::host {

class ConstantWindows {
 public:
  // A variable of a module, constant or not, by its name in the PTX; throws Failure (kSymbolNotFound).
  sim::SymbolPlace place(sim::LoadedModule& module, std::string_view name);
  // The module goes, and its constants with it.
  void forget(const sim::LoadedModule& module);
  // Whose constants are at an address, which becomes the one of kernels. Null: none's.
  sim::LoadedModule* owner(uint64_t& address) const;

 private:
  std::vector<sim::LoadedModule*> owners_;  // in the order of their windows
};

}  // namespace gpuloom::host
