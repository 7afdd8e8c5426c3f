// SPDX-License-Identifier: Apache-2.0
// Capturing streams into a graph.
#pragma once
#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "sim/host/graph.h"

namespace gpuloom::host {

enum class CaptureMode : int { kGlobal, kThreadLocal, kRelaxed };
enum class CaptureState : int { kNone, kActive, kInvalidated };

// One capture sequence: the stream that began it, and all that have joined by waiting for its events.
class Capture {
 public:
  Capture(Stream& origin, CaptureMode mode, uint64_t id);
  // Into a graph that exists, after nodes of it.
  Capture(Stream& origin, CaptureMode mode, uint64_t id, Graph& into, std::vector<GraphNode*> after);

  // Work of a captured stream becomes a node.
  GraphNode& add(Stream& stream, Operation operation);
  void record(Event& event, Stream& stream);
  // The stream joins, or depends on more. Throws Failure (kStreamCaptureIsolation, kStreamCaptureMerge).
  void wait(Stream& stream, const Event& event);
  // A stream that has joined is destroyed; what it has captured stays.
  void leave(Stream& stream);
  // The stream that it began in is destroyed: nothing becomes of it.
  void abandon();
  // Throws Failure (kStreamCaptureUnmatched, kStreamCaptureUnjoined, kStreamCaptureInvalidated); the streams
  // capture no more in any case. Null where the graph was given.
  std::unique_ptr<Graph> end(Stream& stream);
  void invalidate() { invalidated_ = true; }

  CaptureState state() const { return invalidated_ ? CaptureState::kInvalidated : CaptureState::kActive; }
  CaptureMode mode() const { return mode_; }
  uint64_t id() const { return id_; }
  const Stream& origin() const { return origin_; }
  Graph& graph() { return *graph_; }
  bool graph_was_given() const { return owned_ == nullptr; }
  const std::vector<GraphNode*>& tips(const Stream& stream) const;
  void set_tips(Stream& stream, std::vector<GraphNode*> nodes, bool add);
  std::thread::id thread() const { return thread_; }

 private:
  bool joined(const Stream& origin) const;

  Stream& origin_;
  CaptureMode mode_;
  uint64_t id_;
  std::unique_ptr<Graph> owned_;
  Graph* graph_;
  std::unordered_map<const Stream*, std::vector<GraphNode*>> tips_;  // what the next node depends on
  std::vector<Stream*> streams_;
  std::vector<GraphNode*> left_;  // last work of streams that are gone
  bool invalidated_ = false;
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace gpuloom::host
