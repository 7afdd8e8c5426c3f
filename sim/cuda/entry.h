// SPDX-License-Identifier: Apache-2.0
// The driver API's functions by name.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gpuloom::driver {

struct Entry {
  std::string_view name;
  void* function;
};
// Every export, sorted by name (made by sim/cudart/exports.py).
extern const Entry kEntries[];
extern const size_t kEntryCount;

// The variant of "cuMemAlloc" that CUDA `version` (12080) declares; with flag 2 that of -default-stream
// per-thread. Null where there is none.
void* entry_point(const std::string& symbol, int version, unsigned long long flags);

// As cuInit.
void initialise();

}  // namespace gpuloom::driver
