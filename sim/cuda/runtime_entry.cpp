// SPDX-License-Identifier: Apache-2.0
// Functions of the driver API that programs of the runtime API ask for by name.
#include "sim/cuda/entry.h"
#include "sim/cudart/process.h"

namespace gpuloom::cudart {
namespace {

// cudaDriverEntryPointQueryResult.
enum : int { kFound = 0, kSymbolNotFound = 1 };
constexpr unsigned kNewest = 13000;

int find(const char* symbol, void** function, unsigned version, unsigned long long flags, int* result) {
  return call_anyway([&](host::Runtime& r) {
    host::require(symbol != nullptr && function != nullptr);
    cudart::current_context(r);  // whoever gets a function of the driver from the runtime may call it at once
    driver::initialise();
    *function = driver::entry_point(symbol, static_cast<int>(version), flags);
    if (result != nullptr) *result = *function != nullptr ? kFound : kSymbolNotFound;
    if (*function == nullptr && result == nullptr) throw Failure(Status::kSymbolNotFound);
  });
}

// Without a flag the program's own default stream decides; the flags of both APIs agree.
unsigned long long flags_of(unsigned long long flags, Defaults defaults) {
  constexpr unsigned long long kPerThread = 2;
  return flags == 0 && defaults == Defaults::kPerThread ? kPerThread : flags;
}

}  // namespace

GPULOOM_BOTH(cudaGetDriverEntryPoint, _ptsz,
             (const char* symbol, void** function, unsigned long long flags, int* result), symbol, function,
             flags, result) {
  return find(symbol, function, kNewest, flags_of(flags, defaults), result);
}

GPULOOM_BOTH(cudaGetDriverEntryPointByVersion, _ptsz,
             (const char* symbol, void** function, unsigned version, unsigned long long flags, int* result),
             symbol, function, version, flags, result) {
  return find(symbol, function, version, flags_of(flags, defaults), result);
}

}  // namespace gpuloom::cudart
