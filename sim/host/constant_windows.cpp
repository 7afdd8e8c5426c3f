// SPDX-License-Identifier: Apache-2.0
#include "sim/host/constant_windows.h"

#include <algorithm>

#include "ptx/exec/memory_view.h"
#include "sim/host/status.h"

namespace gpuloom::host {

sim::SymbolPlace ConstantWindows::place(sim::LoadedModule& module, std::string_view name) {
  sim::SymbolPlace place = module.symbol(name);
  require(place.address != 0, Status::kSymbolNotFound);
  if (place.address - ptx::kConstWindowBase >= ptx::kConstWindowSize) return place;
  auto at = std::find(owners_.begin(), owners_.end(), &module);
  if (at == owners_.end()) at = owners_.insert(at, &module);
  place.address += static_cast<uint64_t>(at - owners_.begin()) * ptx::kConstWindowSize;
  return place;
}

void ConstantWindows::forget(const sim::LoadedModule& module) {
  std::replace_if(
      owners_.begin(), owners_.end(), [&](const sim::LoadedModule* owner) { return owner == &module; },
      nullptr);
}

sim::LoadedModule* ConstantWindows::owner(uint64_t& address) const {
  const uint64_t window = (address - ptx::kConstWindowBase) / ptx::kConstWindowSize;
  if (window >= owners_.size()) return nullptr;
  address -= window * ptx::kConstWindowSize;
  return owners_[window];
}

}  // namespace gpuloom::host
