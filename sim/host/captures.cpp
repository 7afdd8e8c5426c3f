// SPDX-License-Identifier: Apache-2.0
#include "sim/host/captures.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

void require_can_begin(const Stream& stream) {
  require(!stream.legacy, Status::kStreamCaptureUnsupported);
  require(stream.capture == nullptr, Status::kIllegalState);
}

}  // namespace

void Captures::begin(Stream& stream, CaptureMode mode) {
  require_can_begin(stream);
  all_.push_back(std::make_unique<Capture>(stream, mode, next_++));
}

void Captures::begin(Stream& stream, CaptureMode mode, Graph& into, std::vector<GraphNode*> after) {
  require_can_begin(stream);
  all_.push_back(std::make_unique<Capture>(stream, mode, next_++, into, std::move(after)));
}

void Captures::forget(const Capture& capture) {
  std::erase_if(all_, [&](const auto& c) { return c.get() == &capture; });
}

bool Captures::holds(const Capture* capture, uint64_t id) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const auto& c) { return c.get() == capture && c->id() == id; });
}

std::unique_ptr<Graph> Captures::end(Stream& stream) {
  Capture* capture = stream.capture;
  require(capture != nullptr, Status::kIllegalState);
  require(capture->mode() == CaptureMode::kRelaxed || capture->thread() == std::this_thread::get_id(),
          Status::kStreamCaptureWrongThread);
  std::unique_ptr<Graph> graph;
  try {
    graph = capture->end(stream);
  } catch (const Failure& failure) {
    if (failure.status() != Status::kStreamCaptureUnmatched) forget(*capture);
    throw;
  }
  forget(*capture);
  return graph;
}

void Captures::leave(Stream& stream) {
  Capture& capture = *stream.capture;
  if (&stream != &capture.origin()) return capture.leave(stream);
  capture.abandon();
  forget(capture);
}

Capture* Captures::of(const Event& event) const {
  if (event.capture == nullptr) return nullptr;
  require(holds(event.capture, event.capture_id) ||
          std::any_of(others_.begin(), others_.end(),
                      [&](const Captures* other) { return other->holds(event.capture, event.capture_id); }));
  return event.capture;
}

void Captures::forbid_wait(Stream& stream, CaptureMode thread_mode) {
  if (stream.capture != nullptr) {
    stream.capture->invalidate();
    throw Failure(Status::kStreamCaptureUnsupported);
  }
  if (stream.legacy) forbid_legacy();
  forbid(thread_mode);
}

void Captures::forbid_wait(const Event& event, CaptureMode thread_mode) {
  if (Capture* capture = of(event)) {
    capture->invalidate();
    throw Failure(Status::kCapturedEvent);
  }
  forbid(thread_mode);
}

// A device of which a stream is being captured cannot be waited for, in whatever mode (CUDA C++ guide,
// capture: prohibited and unhandled operations).
void Captures::forbid_wait_for_all() {
  for (const auto& capture : all_) capture->invalidate();
  require(all_.empty(), Status::kStreamCaptureUnsupported);
}

void Captures::forbid_legacy() {
  for (const auto& capture : all_) {
    if (capture->origin().non_blocking) continue;
    capture->invalidate();
    throw Failure(Status::kStreamCaptureImplicit);
  }
}

void Captures::forbid(CaptureMode thread_mode) {
  if (thread_mode == CaptureMode::kRelaxed) return;
  for (const auto& capture : all_) {
    const bool mine = capture->thread() == std::this_thread::get_id();
    const bool forbids = capture->mode() == CaptureMode::kGlobal
                             ? mine || thread_mode == CaptureMode::kGlobal
                             : capture->mode() == CaptureMode::kThreadLocal && mine;
    if (!forbids) continue;
    capture->invalidate();
    throw Failure(Status::kStreamCaptureUnsupported);
  }
}

}  // namespace gpuloom::host
