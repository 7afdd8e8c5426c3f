// SPDX-License-Identifier: Apache-2.0
// Streams, events, host functions.
#include "sim/cudart/process.h"

namespace gpuloom::cudart {
namespace {

constexpr unsigned kNonBlocking = 1;
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

int create(StreamHandle* handle, unsigned flags, int priority) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && flags <= kNonBlocking);
    const int held = std::min(std::max(priority, kGreatestPriority), kLeastPriority);
    *handle = handle_of(c.timeline().create_stream(flags == kNonBlocking, held));
  });
}

// cudaEventBlockingSync 1, cudaEventDisableTiming 2, cudaEventInterprocess 4.
int create(EventHandle* handle, unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && flags <= 7 && (flags & 6) != 4);  // between processes: without time
    host::Event& event = c.timeline().create_event((flags & 2) == 0);
    if ((flags & 4) != 0) c.interprocess().add(event);
    *handle = handle_of(event);
  });
}

Status ready(bool done) { return done ? Status::kSuccess : Status::kNotReady; }

}  // namespace

GPULOOM_CUDA int cudaStreamCreate(StreamHandle* stream) { return create(stream, 0, 0); }
GPULOOM_CUDA int cudaStreamCreateWithFlags(StreamHandle* stream, unsigned flags) {
  return create(stream, flags, 0);
}
GPULOOM_CUDA int cudaStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

GPULOOM_CUDA int cudaStreamDestroy(StreamHandle stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, Defaults::kLegacy);
    host::require(!s.legacy && !s.per_thread, Status::kInvalidResourceHandle);
    if (s.capture != nullptr) c.captures().leave(s);
    c.timeline().destroy(s);
  });
}

GPULOOM_BOTH(cudaStreamSynchronize, _ptsz, (StreamHandle stream), stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    c.captures().forbid_wait(s, thread_state().capture_mode);
    c.synchronise(s);
  });
}

GPULOOM_BOTH(cudaStreamQuery, _ptsz, (StreamHandle stream), stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    c.captures().forbid_wait(s, thread_state().capture_mode);
    const Status status = ready(c.done(s));
    if (status != Status::kSuccess) throw Failure(status);
  });
}

GPULOOM_BOTH(cudaStreamGetPriority, _ptsz, (StreamHandle stream, int* priority), stream, priority) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(priority != nullptr);
    *priority = any_stream(r, c, stream, defaults).stream.priority;
  });
}

GPULOOM_BOTH(cudaStreamGetFlags, _ptsz, (StreamHandle stream, unsigned* flags), stream, flags) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(flags != nullptr);
    *flags = any_stream(r, c, stream, defaults).stream.non_blocking ? kNonBlocking : 0;
  });
}

GPULOOM_BOTH(cudaStreamGetId, _ptsz, (StreamHandle stream, unsigned long long* id), stream, id) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(id != nullptr);
    *id = any_stream(r, c, stream, defaults).stream.id;
  });
}

GPULOOM_BOTH(cudaStreamGetDevice, _ptsz, (StreamHandle stream, int* device), stream, device) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(device != nullptr);
    *device = static_cast<int>(any_stream(r, c, stream, defaults).context.number());
  });
}

GPULOOM_BOTH(cudaStreamWaitEvent, _ptsz, (StreamHandle stream, EventHandle event, unsigned flags), stream,
             event, flags) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(flags <= 1);  // external
    auto [c, s] = any_stream(r, current, stream, defaults);
    if (flags == 1 && s.capture != nullptr)
      c.submit(s, host::EventWait{&event_of(c, event)});
    else
      c.wait(s, any_event(r, current, event).event);
  });
}

GPULOOM_BOTH(cudaLaunchHostFunc, _ptsz, (StreamHandle stream, HostFunction function, void* data), stream,
             function, data) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(function != nullptr);
    auto [c, s] = any_stream(r, current, stream, defaults);
    c.submit(s, host::HostCall{function, data});
  });
}

GPULOOM_BOTH(cudaStreamAddCallback, _ptsz,
             (StreamHandle stream, StreamCallback function, void* data, unsigned flags), stream, function,
             data, flags) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(function != nullptr && flags == 0);
    auto [c, s] = any_stream(r, current, stream, defaults);
    host::require(s.capture == nullptr, Status::kStreamCaptureUnsupported);
    c.submit(s, host::HostCallback{reinterpret_cast<void (*)(void*, int, void*)>(function), stream, data});
  });
}

GPULOOM_CUDA int cudaEventCreate(EventHandle* event) { return create(event, 0); }
GPULOOM_CUDA int cudaEventCreateWithFlags(EventHandle* event, unsigned flags) { return create(event, flags); }

GPULOOM_CUDA int cudaEventDestroy(EventHandle event) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, e] = any_event(r, current, event);
    c.timeline().destroy(e);
  });
}

GPULOOM_BOTH(cudaEventRecord, _ptsz, (EventHandle event, StreamHandle stream), event, stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    c.record(event_of(c, event), s);
  });
}

GPULOOM_BOTH(cudaEventRecordWithFlags, _ptsz, (EventHandle event, StreamHandle stream, unsigned flags), event,
             stream, flags) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(flags <= 1);  // external
    auto [c, s] = any_stream(r, current, stream, defaults);
    host::require(flags == 0 || s.capture != nullptr, Status::kIllegalState);
    if (flags == 1)
      c.submit(s, host::EventRecord{&event_of(c, event)});
    else
      c.record(event_of(c, event), s);
  });
}

GPULOOM_CUDA int cudaEventQuery(EventHandle event) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, e] = any_event(r, current, event);
    c.captures().forbid_wait(e, thread_state().capture_mode);
    const Status status = ready(c.done(e));
    if (status != Status::kSuccess) throw Failure(status);
  });
}

GPULOOM_CUDA int cudaEventSynchronize(EventHandle event) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, e] = any_event(r, current, event);
    c.captures().forbid_wait(e, thread_state().capture_mode);
    c.synchronise(e);
  });
}

GPULOOM_CUDA int cudaEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(milliseconds != nullptr);
    host::Context& c = any_event(r, current, start).context;
    const host::Event &a = event_of(c, start), &b = event_of(c, end);
    host::require(a.capture == nullptr && b.capture == nullptr, Status::kCapturedEvent);
    host::require(a.timing && b.timing && a.recorded && b.recorded, Status::kInvalidResourceHandle);
    host::require(std::max(a.at, b.at) <= c.timeline().latest(), Status::kNotReady);
    constexpr double kPicosecondsInMillisecond = 1e9;
    *milliseconds = static_cast<float>(static_cast<double>(b.at - a.at) / kPicosecondsInMillisecond);
  });
}

}  // namespace gpuloom::cudart
