// SPDX-License-Identifier: Apache-2.0
// Graphs of a context: what captures take of its streams, and what nodes become.
#include <algorithm>
#include <unordered_map>

#include "sim/host/context.h"
#include "sim/host/status.h"

namespace gpuloom::host {

// A launch that is refused ends the capture (H200).
void Context::check_captured(const Launch& launch, Capture& capture) {
  try {
    launcher_.check(launch);
  } catch (const Failure&) {
    capture.invalidate();
    throw;
  }
}

void Context::record(Event& event, Stream& stream) {
  if (stream.capture != nullptr) return stream.capture->record(event, stream);
  forget_ended();
  record_in_time(event, stream);
  if (event.interprocess) carry_out_all();  // another process cannot wait for this one's time
}

void Context::wait(Stream& stream, Event& event) {
  if (stream.capture != nullptr) return stream.capture->wait(stream, event);
  if (Capture* capture = captures_.of(event)) {
    require(!stream.legacy, Status::kStreamCaptureImplicit);
    return capture->wait(stream, event);  // the stream joins
  }
  wait_in_time(stream, event);
}

// A node is work of the device that was current at its making, or whose stream was captured.
Context& Context::of_device(unsigned device) {
  if (device == number()) return *this;
  const auto other =
      std::find_if(others_.begin(), others_.end(), [&](const Context* c) { return c->number() == device; });
  require(other != others_.end());
  return **other;
}

// Nodes follow each other where they depend on each other; the stream goes on after the last.
void Context::run_nodes(const std::vector<GraphNode*>& order, Stream& stream) {
  for (const GraphNode* node : order)
    if (const auto* conditional = std::get_if<Conditional>(&node->operation);
        conditional != nullptr && conditional->value->at_launch)
      carry_out(Fill{.address = conditional->value->handle,
                     .value = *conditional->value->at_launch,
                     .element = 4,
                     .width = 1},
                stream);
  if (queue_) return queue_nodes(order, stream);
  std::unordered_map<const GraphNode*, Time> ends;
  const Time begin = timeline_.ready(stream, Engine::kNone);
  Time last = begin;
  for (const GraphNode* node : order) {
    Context& by = of_device(node->device);
    Stream branch;  // of this node alone
    branch.id = stream.id;
    branch.device = by.number();
    branch.non_blocking = true;
    branch.tail = begin;
    for (const GraphNode* before : node->from) branch.tail = std::max(branch.tail, ends[before]);
    if (node->enabled) by.carry_out(node->operation, branch);
    ends[node] = branch.tail;
    last = std::max(last, branch.tail);
  }
  timeline_.occupy(stream, Engine::kNone, last, 0);
}

void Context::queue_nodes(const std::vector<GraphNode*>& order, Stream& stream) {
  std::unordered_map<const GraphNode*, size_t> places;
  std::vector<DeviceQueue::Piece> all(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    places[order[k]] = k;
    all[k].queue = of_device(order[k]->device).queue_.get();
    for (const GraphNode* before : order[k]->from) all[k].after.push_back(places.at(before));
    for (const GraphNode* before : order[k]->dependent) all[k].dependent.push_back(places.at(before));
  }
  queue_->graph(stream, all, [&](size_t k, Stream& branch) {
    if (order[k]->enabled) of_device(order[k]->device).carry_out(order[k]->operation, branch);
  });
}

void Context::run_conditional(const Conditional& node, Stream& stream) {
  // What kernels have set. In a timed run the machine comes so far first: the decision takes no time of its
  // own.
  const auto set = [&] {
    carry_out_all();
    return conditionals_.read(*node.value);
  };
  const auto run = [&](size_t body) {
    if (body < node.bodies.size()) run_nodes(node.bodies[body]->order(), stream);
  };
  const uint32_t value = set();
  switch (node.kind) {
    case Conditional::Kind::kIf:
      return run(value != 0 ? 0 : 1);
    case Conditional::Kind::kSwitch:
      return run(value);
    case Conditional::Kind::kWhile:
      for (bool again = value != 0; again && launcher_.fault() == 0; again = set() != 0) run(0);
  }
}

void Context::launch(GraphExec& graph, Stream& stream) {
  if (stream.capture != nullptr) {
    stream.capture->invalidate();
    throw Failure(Status::kStreamCaptureUnsupported);
  }
  if (stream.legacy) captures_.forbid_legacy();
  free_left_over(graph);
  forget_ended();
  if (graph.last_launch->ticket != 0) stream.come_after(*graph.last_launch);
  run_nodes(graph.order(), stream);
  *graph.last_launch = {number(), stream.last};
  graph_ends_.insert_or_assign(graph.last_launch.get(), graph.last_launch);
  if (interprocess_.has_events()) carry_out_all();  // it may record one
}

// A graph whose last launch has left memory that nobody freed cannot be launched again, unless it frees that
// itself (CUDA C++ guide, graph memory nodes: cudaGraphInstantiateFlagAutoFreeOnLaunch).
void Context::free_left_over(const GraphExec& graph) {
  constexpr uint64_t kAutoFreeOnLaunch = 1;
  const auto freed_within = [&](uint64_t address) {
    return std::any_of(graph.order().begin(), graph.order().end(), [&](const GraphNode* node) {
      const auto* release = std::get_if<Release>(&node->operation);
      return release != nullptr && release->address == address;
    });
  };
  for (const GraphNode* node : graph.order()) {
    const auto* allocate = std::get_if<Allocate>(&node->operation);
    if (allocate == nullptr || !pools_.holds(allocate->address) || freed_within(allocate->address)) continue;
    carry_out_all();  // a stream may have been asked to free it
    if (!pools_.holds(allocate->address)) continue;
    require((graph.flags() & kAutoFreeOnLaunch) != 0);
    pools_.free(allocate->address);
  }
}

}  // namespace gpuloom::host
