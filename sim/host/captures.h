// SPDX-License-Identifier: Apache-2.0
// The captures under way in a context: where they begin and end, and which calls they forbid meanwhile (H200:
// tests/cuda/rules). A call that is forbidden invalidates the capture that forbids it.
#pragma once
#include <memory>
#include <vector>

#include "sim/host/capture.h"

namespace gpuloom::host {

class Captures {
 public:
  // Captures of other devices, which streams of this one may join.
  void meet(Captures& other) { others_.push_back(&other); }
  void part(Captures& other) { std::erase(others_, &other); }
  void begin(Stream& stream, CaptureMode mode);
  void begin(Stream& stream, CaptureMode mode, Graph& into, std::vector<GraphNode*> after);
  std::unique_ptr<Graph> end(Stream& stream);
  // A stream that is destroyed leaves its capture, which ends with the one it began in (H200).
  void leave(Stream& stream);
  // In which an event was recorded. Null: in none. Throws Failure (kInvalidValue) for one that is over
  // (H200).
  Capture* of(const Event& event) const;

  // Calls that wait for a stream or an event, or query it: those of captured ones, of the legacy stream
  // beside a captured blocking one, and all others as forbid() says.
  void forbid_wait(Stream& stream, CaptureMode thread_mode);
  void forbid_wait(const Event& event, CaptureMode thread_mode);
  void forbid_wait_for_all();
  // Work of the legacy stream, which would wait for blocking streams that are being captured.
  void forbid_legacy();
  // Calls that may wait, or allocate, or use the legacy stream unasked.
  void forbid(CaptureMode thread_mode);

 private:
  bool holds(const Capture* capture, uint64_t id) const;
  void forget(const Capture& capture);

  std::vector<std::unique_ptr<Capture>> all_;
  std::vector<Captures*> others_;
  uint64_t next_ = 1;
};

}  // namespace gpuloom::host
