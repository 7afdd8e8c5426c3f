// SPDX-License-Identifier: Apache-2.0
// The frame of every call of the driver API: initialised, with a current context, CUDA's driver codes.
//
// Handles are those of the runtime API (streams, events, graphs, kernels, arrays), so both may be mixed.
#pragma once
#include <functional>

#include "sim/cuda/abi.h"
#include "sim/cudart/process.h"

namespace gpuloom::driver {

using cudart::address_of;
using cudart::Defaults;
using cudart::EventHandle;
using cudart::handle_of;
using cudart::pointer_of;
using cudart::StreamHandle;
using host::Failure;
using host::Status;

// Values of CUresult that this library gives by itself; others come from the runtime (result_of).
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotSupported = 801,
};

// The CUresult of an error code of the runtime.
int result_of(int status);

// Runs a call that needs cuInit; a call that needs a current context as well. What the program reads with
// cudaGetLastError stays as it is.
int after_init(const std::function<int()>& body);
int in_context(const std::function<int()>& body);

template <class F>
int call(F&& body) {
  return in_context([&] { return cudart::call(body); });
}

// Ends a call that is not there, and says its name once.
int refuse(const char* name, const char* why = "");

// Contexts: the current one of the thread (null: none).
ContextHandle current_context();

// A function of the driver API that does what one of the runtime API does.
#define GPULOOM_SAME(CU, CUDA, PARAMS, ...)               \
  extern "C" int CUDA(GPULOOM_UNWRAP PARAMS);             \
  GPULOOM_CUDA int CU(GPULOOM_UNWRAP PARAMS) {            \
    return in_context([&] { return CUDA(__VA_ARGS__); }); \
  }
// And its twin for -default-stream per-thread: GPULOOM_SAME_BOTH(cuX, _ptsz, cudaX, _ptsz, (int a), a).
#define GPULOOM_SAME_BOTH(CU, CU_SUFFIX, CUDA, CUDA_SUFFIX, PARAMS, ...) \
  GPULOOM_SAME(CU, CUDA, PARAMS, __VA_ARGS__)                            \
  GPULOOM_SAME(CU##CU_SUFFIX, CUDA##CUDA_SUFFIX, PARAMS, __VA_ARGS__)

}  // namespace gpuloom::driver
