// SPDX-License-Identifier: Apache-2.0
#include "sim/cudart/process.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace gpuloom::cudart {
namespace {

host::Runtime* made = nullptr;  // for the process's end
pid_t made_in = 0;              // a child that fork made has no part in its parent's results
std::atomic<bool> used_by_runtime_api{false};

[[noreturn]] void end_process(const std::string& message, int exit_code) {
  std::fprintf(stderr, "gpuloom: %s\n", message.c_str());
  std::fflush(nullptr);
  _exit(exit_code);
}

host::Runtime* make_runtime() {
  try {
    made = new host::Runtime(host::settings_from_environment());
    made_in = getpid();
    return made;
  } catch (const host::RecordsFailed& failed) {
    end_process(failed.message, static_cast<int>(ErrorKind::kInput));
  } catch (const std::exception& error) {
    end_process(error.what(), static_cast<int>(ErrorKind::kUsage));
  }
}

// Results that cannot be written are the run's failure, whatever the program ends with.
void finish(host::Runtime& r, const std::string& ended) {
  try {
    r.finish(ended);
  } catch (const host::RecordsFailed& failed) {
    r.drop_records();
    end_process(failed.message, static_cast<int>(ErrorKind::kInput));
  } catch (const Error& error) {
    r.drop_records();
    end_process(error.what(), static_cast<int>(error.kind()));
  }
}

// After the program's own destructors, for the library was loaded before them.
__attribute__((destructor)) void at_end() {
  if (made == nullptr || made_in != getpid()) return;
  try {
    finish(*made, "exit");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpuloom: %s\n", error.what());
  }
}

// That work is under way is not an error that stays (H200: tests/cuda/rules).
int answer(Status status) {
  if (status != Status::kSuccess && status != Status::kNotReady) thread_state().last = status;
  return static_cast<int>(status);
}

// From one call of a thread to its next its own code runs.
class Entered {
 public:
  explicit Entered(host::Runtime& r) : thread_(thread_state()) {
    using Clock = std::chrono::steady_clock;
    static std::atomic<uint64_t> threads{0};
    const bool first = thread_.number == 0;
    if (first) thread_.number = ++threads;
    const std::chrono::duration<double, std::nano> own = Clock::now() - thread_.left;
    r.enter(thread_.number, first ? 0 : own.count());
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered() { thread_.left = std::chrono::steady_clock::now(); }

 private:
  ThreadState& thread_;
};

}  // namespace

bool runtime_api_used() { return used_by_runtime_api; }

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

host::Runtime& runtime() {
  static host::Runtime* const instance = make_runtime();
  return *instance;
}

int guarded(Touches touches, const std::function<void(host::Runtime&)>& body) {
  host::Runtime& r = runtime();
  const std::lock_guard<std::mutex> lock(r.mutex());
  const Entered entered(r);
  const auto device = static_cast<unsigned>(thread_state().device);
  try {
    // CUDA runtime API, cudaLaunchHostFunc: the function must not call CUDA.
    if (touches == Touches::kDevice && r.in_host_function()) throw Failure(Status::kNotPermitted);
    if (touches == Touches::kDevice) r.require_some_device();
    if (touches == Touches::kDevice && r.lost(device) != 0)
      throw Failure(static_cast<Status>(r.lost(device)));
    if (touches == Touches::kDevice && !thread_state().in_driver) used_by_runtime_api = true;
    body(r);
    return static_cast<int>(Status::kSuccess);
  } catch (const Failure& failure) {
    // A fault surfaces where the program waits, and stays; once told, a device that is reset is free of it.
    int fault = 0;
    r.for_each_context([&](host::Context& c) {
      if (c.launcher().fault() == static_cast<int>(failure.status()) && r.lost(c.number()) == 0)
        fault = c.launcher().fault();
    });
    if (fault != 0) r.lose(fault);
    thread_state().message = failure.what();
    return answer(failure.status());
  } catch (const host::OutOfTime& out) {
    finish(r, "out of time");
    end_process("stopped by --max-seconds in kernel '" + out.kernel + "', after " +
                    with_thousands(out.warp_instructions) + " of its warp instructions",
                static_cast<int>(ErrorKind::kProgram));
  } catch (const host::RecordsFailed& failed) {
    r.drop_records();
    end_process(failed.message, static_cast<int>(ErrorKind::kInput));
  } catch (const Error& error) {
    // What is wrong with the configuration is wrong for every call.
    if (!r.has_context(device)) end_process(error.what(), static_cast<int>(error.kind()));
    return answer(static_cast<Status>(host::report_failure(error)));
  } catch (const std::bad_alloc&) {
    return answer(Status::kMemoryAllocation);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpuloom: %s\n", error.what());
    return answer(Status::kUnknown);
  }
}

int refuse(const char* name, const char* why) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (said.insert(name).second)
    std::fprintf(stderr, "gpuloom: %s is not supported%s%s: it answers cudaErrorNotSupported\n", name,
                 *why == '\0' ? "" : ": ", why);
  return answer(Status::kNotSupported);
}

host::Stream& stream_of(host::Context& context, StreamHandle handle, Defaults defaults) {
  // cudaStreamLegacy and cudaStreamPerThread are the pointers 1 and 2.
  const uint64_t number = reinterpret_cast<uint64_t>(handle);
  if (number == 1 || (number == 0 && defaults == Defaults::kLegacy)) return context.timeline().legacy();
  if (number == 2 || number == 0) {
    auto& streams = thread_state().streams;
    if (streams.size() <= context.number()) streams.resize(context.number() + 1);
    auto& mine = streams[context.number()];
    if (mine.of != &context) mine = {&context.timeline().create_per_thread(), &context};
    return *mine.stream;
  }
  auto* stream = reinterpret_cast<host::Stream*>(handle);
  host::require(context.timeline().alive(stream), Status::kInvalidResourceHandle);
  return *stream;
}

unsigned checked_device(host::Runtime& r, int device) {
  r.require_some_device();
  host::require(device >= 0 && device < r.device_count(), Status::kInvalidDevice);
  return static_cast<unsigned>(device);
}

namespace {

// A device that was reset after a fault works while others still have it.
void require_not_lost(host::Runtime& r, const host::Context& context) {
  if (const int status = r.lost(context.number()); status != 0) throw Failure(static_cast<Status>(status));
}

}  // namespace

AnyStream any_stream(host::Runtime& r, host::Context& current, StreamHandle handle, Defaults defaults) {
  auto* stream = reinterpret_cast<host::Stream*>(handle);
  host::Context* of = &current;
  r.for_each_context([&](host::Context& c) {
    if (&c != &current && c.timeline().alive(stream)) of = &c;
  });
  require_not_lost(r, *of);
  return {*of, stream_of(*of, handle, defaults)};
}

AnyEvent any_event(host::Runtime& r, host::Context& current, EventHandle handle) {
  auto* event = reinterpret_cast<host::Event*>(handle);
  host::Context* of = &current;
  r.for_each_context([&](host::Context& c) {
    if (&c != &current && c.timeline().alive(event)) of = &c;
  });
  require_not_lost(r, *of);
  return {*of, event_of(*of, handle)};
}

host::Event& event_of(host::Context& context, EventHandle handle) {
  auto* event = reinterpret_cast<host::Event*>(handle);
  host::require(context.timeline().alive(event), Status::kInvalidResourceHandle);
  return *event;
}

}  // namespace gpuloom::cudart
