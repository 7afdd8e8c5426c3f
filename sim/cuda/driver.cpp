// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/driver.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "sim/cuda/entry.h"

namespace gpuloom::driver {
namespace {

std::atomic<bool>& initialised() {
  static std::atomic<bool> done{false};
  return done;
}

}  // namespace

// Values of cudaError_t and CUresult agree (CUDA runtime API, "error handling"), but for what one of them
// splits more finely.
int result_of(int status) {
  switch (static_cast<Status>(status)) {
    case Status::kInvalidConfiguration:
    case Status::kInvalidPitchValue:
    case Status::kInvalidHostPointer:
    case Status::kInvalidDevicePointer:
    case Status::kInvalidTexture:
    case Status::kInvalidChannelDescriptor:
    case Status::kInvalidMemcpyDirection:
    case Status::kInvalidFilterSetting:
    case Status::kInvalidNormSetting:
    case Status::kInvalidSurface:
      return kInvalidValue;
    case Status::kInvalidSymbol:
      return kNotFound;
    case Status::kInvalidDeviceFunction:
      return kInvalidHandle;
    default:
      return status;
  }
}

int after_init(const std::function<int()>& body) {
  if (!initialised() && !cudart::runtime_api_used())
    return kNotInitialized;  // the runtime calls cuInit itself
  cudart::ThreadState& thread = cudart::thread_state();
  const Status last = thread.last;
  const bool within = thread.in_driver;
  thread.in_driver = true;
  const int status = body();
  thread.in_driver = within;
  thread.last = last;
  return result_of(status);
}

int in_context(const std::function<int()>& body) {
  return after_init([&]() -> int { return current_context() != nullptr ? body() : kInvalidContext; });
}

int refuse(const char* name, const char* why) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (said.insert(name).second)
    std::fprintf(stderr, "gpuloom: %s is not supported%s%s: it answers CUDA_ERROR_NOT_SUPPORTED\n", name,
                 *why == '\0' ? "" : ": ", why);
  return kNotSupported;
}

void initialise() { initialised() = true; }

GPULOOM_CUDA int cuInit(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  // Programs ask no further where there is no device: nothing is initialised then.
  const Status last = cudart::thread_state().last;
  const int status = cudart::call_anyway([](host::Runtime& r) { r.require_some_device(); });
  cudart::thread_state().last = last;
  if (status == kSuccess) initialise();
  return result_of(status);
}

}  // namespace gpuloom::driver
