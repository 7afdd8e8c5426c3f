// SPDX-License-Identifier: Apache-2.0
// The runtime of the process that has loaded this library, and the frame that every call runs in.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "sim/cudart/abi.h"
#include "sim/host/runtime.h"
#include "sim/host/status.h"

namespace gpuloom::cudart {

using host::Failure;
using host::Status;

// Which stream a null handle means: functions whose names end in _ptsz or _ptds, which programs compiled with
// -default-stream per-thread call, take the thread's own.
enum class Defaults : uint8_t { kLegacy, kPerThread };

// <<<grid, block, shared, stream>>> between its two halves.
struct CallConfiguration {
  Dim3 grid, block;
  size_t shared;
  StreamHandle stream;
};

struct ThreadState {
  Status last = Status::kSuccess;
  std::string message;  // of the last failed call
  int device = 0;       // that is current
  // Its default streams, by device, each with the context that it is of.
  struct DefaultStream {
    host::Stream* stream = nullptr;
    const host::Context* of = nullptr;
  };
  std::vector<DefaultStream> streams;
  host::CaptureMode capture_mode = host::CaptureMode::kGlobal;
  std::vector<CallConfiguration> configurations;
  bool in_driver = false;                           // the call under way is one of the driver API
  uint64_t number = 0;                              // of the thread, from 1, as threads come
  std::chrono::steady_clock::time_point left = {};  // its last call
};
ThreadState& thread_state();

// Whether the program has used the device by the runtime API, which makes the primary context current.
bool runtime_api_used();

// Lives as long as the process: programs call us from their last destructors.
host::Runtime& runtime();

// Runs a call: takes the lock, turns what it throws into an error code, and remembers that for the thread.
// Of a lost context it answers the fault; `kAnyway` is for calls that do not touch the device.
// Of the thread's current device.
inline host::Context& current_context(host::Runtime& r) {
  return r.context(static_cast<unsigned>(thread_state().device));
}
// Calls that may wait for the device, as all do that allocate, free or make objects, are not taken in a
// capture that forbids them to this thread (H200: tests/cuda/rules/capture_threads.cu). Throws Failure.
inline void not_in_capture(host::Context& c) { c.captures().forbid(thread_state().capture_mode); }

enum class Touches : uint8_t { kDevice, kAnyway };
int guarded(Touches touches, const std::function<void(host::Runtime&)>& body);
template <class F>
int call(F&& body) {
  return guarded(Touches::kDevice, [&](host::Runtime& r) { body(r, current_context(r)); });
}
template <class F>
int call_anyway(F&& body) {
  return guarded(Touches::kAnyway, [&](host::Runtime& r) { body(r); });
}

// Ends a call that the runtime does not do, and says its name once.
int refuse(const char* name, const char* why = "");

// Handles of programs, checked. Throw Failure (kInvalidResourceHandle, kInvalidValue): also for those of
// another device than the context's.
host::Stream& stream_of(host::Context& context, StreamHandle handle, Defaults defaults);
host::Event& event_of(host::Context& context, EventHandle handle);
// A stream or event of any device, for calls that take such, with its context.
struct AnyStream {
  host::Context& context;
  host::Stream& stream;
};
AnyStream any_stream(host::Runtime& r, host::Context& current, StreamHandle handle, Defaults defaults);
struct AnyEvent {
  host::Context& context;
  host::Event& event;
};
AnyEvent any_event(host::Runtime& r, host::Context& current, EventHandle handle);
// Throws Failure (kInvalidDevice).
unsigned checked_device(host::Runtime& r, int device);
inline StreamHandle handle_of(host::Stream& s) { return reinterpret_cast<StreamHandle>(&s); }
inline EventHandle handle_of(host::Event& e) { return reinterpret_cast<EventHandle>(&e); }

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
inline void* pointer_of(uint64_t address) { return reinterpret_cast<void*>(address); }
inline ptx::Dim3 dim_of(const Dim3& d) { return {d.x, d.y, d.z}; }
inline Dim3 abi_of(const ptx::Dim3& d) { return {d.x, d.y, d.z}; }

// Two exports of one function, which differ in the default stream: GPULOOM_BOTH(cudaX, _ptsz, (int a), a).
#define GPULOOM_UNWRAP(...) __VA_ARGS__
#define GPULOOM_BOTH(NAME, SUFFIX, PARAMS, ...)                                                        \
  static int NAME##_with(Defaults defaults, GPULOOM_UNWRAP PARAMS);                                    \
  GPULOOM_CUDA int NAME(GPULOOM_UNWRAP PARAMS) { return NAME##_with(Defaults::kLegacy, __VA_ARGS__); } \
  GPULOOM_CUDA int NAME##SUFFIX(GPULOOM_UNWRAP PARAMS) {                                               \
    return NAME##_with(Defaults::kPerThread, __VA_ARGS__);                                             \
  }                                                                                                    \
  static int NAME##_with(Defaults defaults, GPULOOM_UNWRAP PARAMS)

}  // namespace gpuloom::cudart
