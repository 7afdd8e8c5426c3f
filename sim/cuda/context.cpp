// SPDX-License-Identifier: Apache-2.0
// Contexts: the device's primary one, those that programs create, and each thread's stack of them.
//
// There is one simulated context a device. Contexts that a program creates are handles of their own that
// share its memory and modules: a pointer of one is valid in another.
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "base/error.h"
#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

struct ContextState {
  uint64_t id = 0;
  unsigned flags = 0;
};

struct Contexts {
  ContextState primary{1, 0};
  unsigned retained = 0;  // of the primary context
  std::map<const ContextState*, std::unique_ptr<ContextState>> created;
  uint64_t next_id = 2;
};

// Under the runtime's lock.
Contexts& contexts() {
  static auto* const all = new Contexts;
  return *all;
}

std::vector<ContextState*>& stack() {
  thread_local std::vector<ContextState*> pushed;
  return pushed;
}

ContextHandle context_handle(ContextState* state) { return reinterpret_cast<ContextHandle>(state); }
ContextState* state_of(ContextHandle handle) { return reinterpret_cast<ContextState*>(handle); }

bool alive(const ContextState* state) {
  return state == &contexts().primary || contexts().created.contains(state);
}

void require_own_device(host::Runtime& r, int device) {
  if (cudart::checked_device(r, device) != 0)
    throw Error(ErrorKind::kUnsupported, "contexts of the driver API on a second GPU", {},
                "use the runtime API: cudaSetDevice");
}

int anyway(const std::function<void(host::Runtime&)>& body) {
  return after_init([&] { return cudart::call_anyway(body); });
}

int create_context(ContextHandle* handle, unsigned flags, int device) {
  return anyway([&](host::Runtime& r) {
    host::require(handle != nullptr);
    require_own_device(r, device);
    r.context(0);
    auto made = std::make_unique<ContextState>(ContextState{contexts().next_id++, flags});
    stack().push_back(made.get());
    *handle = context_handle(made.get());
    const ContextState* key = made.get();
    contexts().created[key] = std::move(made);
  });
}

}  // namespace

// A thread that has none but whose process uses the runtime API has the primary one, which the runtime made
// current.
ContextHandle current_context() {
  host::Runtime& r = cudart::runtime();
  const std::lock_guard<std::mutex> lock(r.mutex());
  auto& pushed = stack();
  if (!pushed.empty())
    return pushed.back() != nullptr && alive(pushed.back()) ? context_handle(pushed.back()) : nullptr;
  return cudart::runtime_api_used() ? context_handle(&contexts().primary) : nullptr;
}

GPULOOM_CUDA int cuCtxCreate_v2(ContextHandle* context, unsigned flags, int device) {
  return create_context(context, flags, device);
}

// The parameters in front (CUctxCreateParams) divide a device or give limits of several: none asked for.
GPULOOM_CUDA int cuCtxCreate_v4(ContextHandle* context, const ContextParams* parameters, unsigned flags,
                                int device) {
  if (parameters != nullptr && (parameters->affinity_count != 0 || parameters->graphics != nullptr))
    return refuse("cuCtxCreate", "parameters of execution affinity");
  return create_context(context, flags, device);
}

GPULOOM_CUDA int cuCtxCreate_v3(ContextHandle* context, void* parameters, int count, unsigned flags,
                                int device) {
  if (parameters != nullptr || count != 0) return refuse("cuCtxCreate", "parameters of execution affinity");
  return create_context(context, flags, device);
}

GPULOOM_CUDA int cuCtxDestroy_v2(ContextHandle context) {
  return anyway([&](host::Runtime&) {
    const ContextState* state = state_of(context);
    host::require(contexts().created.contains(state), Status::kDeviceUninitialized);
    if (!stack().empty() && stack().back() == state) stack().pop_back();
    contexts().created.erase(state);
  });
}

GPULOOM_CUDA int cuCtxGetCurrent(ContextHandle* context) {
  return after_init([&]() -> int {
    if (context == nullptr) return kInvalidValue;
    *context = current_context();
    return kSuccess;
  });
}

GPULOOM_CUDA int cuCtxSetCurrent(ContextHandle context) {
  return anyway([&](host::Runtime& r) {
    if (context == nullptr) {
      if (!stack().empty()) stack().pop_back();
      return;
    }
    host::require(alive(state_of(context)), Status::kDeviceUninitialized);
    r.context(0);
    if (stack().empty())
      stack().push_back(state_of(context));
    else
      stack().back() = state_of(context);
  });
}

GPULOOM_CUDA int cuCtxPushCurrent_v2(ContextHandle context) {
  return anyway([&](host::Runtime& r) {
    host::require(context != nullptr && alive(state_of(context)), Status::kDeviceUninitialized);
    r.context(0);
    stack().push_back(state_of(context));
  });
}

GPULOOM_CUDA int cuCtxPopCurrent_v2(ContextHandle* context) {
  return anyway([&](host::Runtime&) {
    host::require(!stack().empty(), Status::kDeviceUninitialized);
    if (context != nullptr) *context = context_handle(stack().back());
    stack().pop_back();
  });
}

GPULOOM_CUDA int cuCtxGetDevice(int* device) {
  return in_context([&]() -> int {
    if (device == nullptr) return kInvalidValue;
    *device = cudart::thread_state().device;
    return kSuccess;
  });
}

GPULOOM_CUDA int cuCtxGetDevice_v2(int* device, ContextHandle) { return cuCtxGetDevice(device); }

GPULOOM_CUDA int cuCtxGetFlags(unsigned* flags) {
  return in_context([&]() -> int {
    if (flags == nullptr) return kInvalidValue;
    *flags = state_of(current_context())->flags;
    return kSuccess;
  });
}

GPULOOM_CUDA int cuCtxGetId(ContextHandle context, unsigned long long* id) {
  return in_context([&]() -> int {
    const ContextState* state = state_of(context != nullptr ? context : current_context());
    if (id == nullptr || !alive(state)) return kInvalidValue;
    *id = state->id;
    return kSuccess;
  });
}

// Of the driver API's contexts, since 4.0.
GPULOOM_CUDA int cuCtxGetApiVersion(ContextHandle, unsigned* version) {
  return after_init([&]() -> int {
    if (version == nullptr) return kInvalidValue;
    *version = 3020;
    return kSuccess;
  });
}

GPULOOM_CUDA int cuDevicePrimaryCtxRetain(ContextHandle* context, int device) {
  return anyway([&](host::Runtime& r) {
    host::require(context != nullptr);
    require_own_device(r, device);
    r.context(0);
    ++contexts().retained;
    *context = context_handle(&contexts().primary);
  });
}

GPULOOM_CUDA int cuDevicePrimaryCtxRelease_v2(int device) {
  return anyway([&](host::Runtime& r) {
    require_own_device(r, device);
    host::require(contexts().retained != 0, Status::kDeviceUninitialized);
    --contexts().retained;
  });
}

GPULOOM_CUDA int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return anyway([&](host::Runtime& r) {
    require_own_device(r, device);
    contexts().primary.flags = flags;
  });
}

GPULOOM_CUDA int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return anyway([&](host::Runtime& r) {
    require_own_device(r, device);
    host::require(flags != nullptr && active != nullptr);
    *flags = contexts().primary.flags;
    *active = r.has_context(0) ? 1 : 0;
  });
}

GPULOOM_CUDA int cuDevicePrimaryCtxReset_v2(int device) {
  return anyway([&](host::Runtime& r) {
    require_own_device(r, device);
    r.reset(0);
  });
}

GPULOOM_SAME(cuCtxSynchronize, cudaDeviceSynchronize, ())
extern "C" int cudaDeviceSynchronize();
GPULOOM_CUDA int cuCtxSynchronize_v2(ContextHandle) {
  return in_context([] { return cudaDeviceSynchronize(); });
}
GPULOOM_SAME(cuCtxGetLimit, cudaDeviceGetLimit, (size_t * value, int limit), value, limit)
GPULOOM_SAME(cuCtxSetLimit, cudaDeviceSetLimit, (int limit, size_t value), limit, value)
GPULOOM_SAME(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig, (int* config), config)
GPULOOM_SAME(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig, (int config), config)
GPULOOM_SAME(cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig, (int* config), config)
GPULOOM_SAME(cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig, (int config), config)
GPULOOM_SAME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, (int* least, int* greatest),
             least, greatest)
GPULOOM_SAME(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache, ())
GPULOOM_SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (int* mode), mode)

}  // namespace gpuloom::driver
