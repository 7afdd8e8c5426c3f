// SPDX-License-Identifier: Apache-2.0
// Capture of streams into graphs.
#include "sim/cudart/graph.h"

namespace gpuloom::cudart {
namespace {

host::CaptureMode mode_of(int mode) {
  host::require(mode >= 0 && mode <= 2);
  return static_cast<host::CaptureMode>(mode);
}

// What cudaStreamGetCaptureInfo lends: valid until the thread's next call.
std::vector<NodeHandle>& lent() {
  thread_local std::vector<NodeHandle> handles;
  return handles;
}

}  // namespace

GPULOOM_BOTH(cudaStreamBeginCapture, _ptsz, (StreamHandle stream, int mode), stream, mode) {
  return call([&](host::Runtime&, host::Context& c) {
    c.captures().begin(stream_of(c, stream, defaults), mode_of(mode));
  });
}

GPULOOM_BOTH(cudaStreamBeginCaptureToGraph, _ptsz,
             (StreamHandle stream, GraphHandle graph, const NodeHandle* from, const EdgeData* data,
              size_t count, int mode),
             stream, graph, from, data, count, mode) {
  static_cast<void>(data);
  return call([&](host::Runtime&, host::Context& c) {
    c.captures().begin(stream_of(c, stream, defaults), mode_of(mode), graph_of(graph), nodes_of(from, count));
  });
}

GPULOOM_BOTH(cudaStreamEndCapture, _ptsz, (StreamHandle stream, GraphHandle* graph), stream, graph) {
  return call([&](host::Runtime&, host::Context& c) {
    if (graph != nullptr) *graph = nullptr;
    host::Stream& s = stream_of(c, stream, defaults);
    host::Graph* given = s.capture != nullptr ? &s.capture->graph() : nullptr;
    host::require(graph != nullptr || (s.capture != nullptr && s.capture->graph_was_given()));
    const std::unique_ptr<host::Graph>::pointer owned = c.captures().end(s).release();
    if (graph != nullptr) *graph = handle_of(owned != nullptr ? *owned : *given);
  });
}

GPULOOM_BOTH(cudaStreamIsCapturing, _ptsz, (StreamHandle stream, int* state), stream, state) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(state != nullptr);
    const host::Capture* capture = stream_of(c, stream, defaults).capture;
    *state = static_cast<int>(capture != nullptr ? capture->state() : host::CaptureState::kNone);
  });
}

GPULOOM_BOTH(cudaStreamGetCaptureInfo, _ptsz,
             (StreamHandle stream, int* state, unsigned long long* id, GraphHandle* graph,
              const NodeHandle** from, const EdgeData** data, size_t* count),
             stream, state, id, graph, from, data, count) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(state != nullptr);
    host::Stream& s = stream_of(c, stream, defaults);
    *state = static_cast<int>(s.capture != nullptr ? s.capture->state() : host::CaptureState::kNone);
    if (s.capture == nullptr) return;
    if (id != nullptr) *id = s.capture->id();
    if (graph != nullptr) *graph = handle_of(s.capture->graph());
    lent().clear();
    for (host::GraphNode* node : s.capture->tips(s)) lent().push_back(handle_of(*node));
    if (from != nullptr) *from = lent().data();
    if (data != nullptr) *data = nullptr;
    if (count != nullptr) *count = lent().size();
  });
}

GPULOOM_BOTH(cudaStreamUpdateCaptureDependencies, _ptsz,
             (StreamHandle stream, NodeHandle* nodes, const EdgeData* data, size_t count, unsigned flags),
             stream, nodes, data, count, flags) {
  static_cast<void>(data);
  return call([&](host::Runtime&, host::Context& c) {
    host::Stream& s = stream_of(c, stream, defaults);
    host::require(s.capture != nullptr, Status::kIllegalState);
    host::require(flags <= 1);
    s.capture->set_tips(s, nodes_of(nodes, count), flags == 0);
  });
}

GPULOOM_CUDA int cudaThreadExchangeStreamCaptureMode(int* mode) {
  return call_anyway([&](host::Runtime&) {
    host::require(mode != nullptr);
    const host::CaptureMode asked = mode_of(*mode);
    *mode = static_cast<int>(thread_state().capture_mode);
    thread_state().capture_mode = asked;
  });
}

}  // namespace gpuloom::cudart
