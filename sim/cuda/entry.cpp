// SPDX-License-Identifier: Apache-2.0
// Functions by their names: cuGetProcAddress, and the runtime's cudaGetDriverEntryPoint.
#include "sim/cuda/entry.h"

#include <algorithm>
#include <string>

#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

// A program asks for "cuMemAlloc" and a version of CUDA, and gets the variant that this version's header
// declares. Names whose newer variants came after CUDA 11 (cudaTypedefs.h names each with its version).
struct Since {
  const char* name;
  int version;
};
constexpr Since kSince[] = {
    {"cuCtxCreate_v3", 11040},
    {"cuCtxCreate_v4", 12050},
    {"cuDeviceGetUuid_v2", 11040},
    {"cuEventElapsedTime_v2", 12080},
    {"cuGetProcAddress_v2", 12000},
    {"cuGraphAddDependencies_v2", 12030},
    {"cuGraphAddKernelNode_v2", 12000},
    {"cuGraphAddNode_v2", 12030},
    {"cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecUpdate_v2", 12000},
    {"cuGraphGetEdges_v2", 12030},
    {"cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphNodeGetDependencies_v2", 12030},
    {"cuGraphNodeGetDependentNodes_v2", 12030},
    {"cuGraphRemoveDependencies_v2", 12030},
    {"cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync_v2", 12020},
    {"cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo_v3", 12030},
    {"cuStreamGetCtx_v2", 12050},
    {"cuStreamUpdateCaptureDependencies_v2", 12030},
    {"cuMemcpyBatchAsync_v2", 13000},
    {"cuMemcpy3DBatchAsync_v2", 13000},
    {"cuCtxGetDevice_v2", 13000},
    {"cuCtxSynchronize_v2", 13000},
};

int since(const std::string& name) {
  const auto* known =
      std::find_if(std::begin(kSince), std::end(kSince), [&](const Since& s) { return name == s.name; });
  return known == std::end(kSince) ? 0 : known->version;
}

void* exported(const std::string& name) {
  const auto* known =
      std::lower_bound(kEntries, kEntries + kEntryCount, name,
                       [](const Entry& e, const std::string& wanted) { return e.name < wanted; });
  return known != kEntries + kEntryCount && known->name == name ? known->function : nullptr;
}

constexpr unsigned long long kPerThread = 2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
// CUdriverProcAddressQueryResult.
enum : int { kEntryFound = 0, kNoEntry = 1 };

}  // namespace

void* entry_point(const std::string& symbol, int version, unsigned long long flags) {
  // Since 12.0 the header means another function by this name.
  if (symbol == "cuGraphInstantiate" && version >= 12000) return exported("cuGraphInstantiateWithFlags");
  constexpr const char* kVariants[] = {"_v4", "_v3", "_v2", ""};
  for (const char* variant : kVariants) {
    const std::string name = symbol + variant;
    if (exported(name) == nullptr || since(name) > version) continue;
    if (flags == kPerThread)
      for (const char* suffix : {"_ptsz", "_ptds"})
        if (void* own = exported(name + suffix); own != nullptr) return own;
    return exported(name);
  }
  return nullptr;
}

GPULOOM_CUDA int cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                     unsigned long long flags, int* result) {
  if (symbol == nullptr || function == nullptr) return kInvalidValue;
  *function = entry_point(symbol, version, flags);
  if (result != nullptr) *result = *function != nullptr ? kEntryFound : kNoEntry;
  return *function != nullptr ? kSuccess : kNotFound;
}

GPULOOM_CUDA int cuGetProcAddress(const char* symbol, void** function, int version,
                                  unsigned long long flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // namespace gpuloom::driver
