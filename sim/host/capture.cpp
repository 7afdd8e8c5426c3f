// SPDX-License-Identifier: Apache-2.0
#include "sim/host/capture.h"

#include <algorithm>
#include <unordered_set>

#include "sim/host/status.h"

namespace gpuloom::host {

Capture::Capture(Stream& origin, CaptureMode mode, uint64_t id)
    : origin_(origin), mode_(mode), id_(id), owned_(std::make_unique<Graph>()), graph_(owned_.get()) {
  tips_[&origin] = {};
  streams_.push_back(&origin);
  origin.capture = this;
}

Capture::Capture(Stream& origin, CaptureMode mode, uint64_t id, Graph& into, std::vector<GraphNode*> after)
    : origin_(origin), mode_(mode), id_(id), graph_(&into) {
  tips_[&origin] = std::move(after);
  streams_.push_back(&origin);
  origin.capture = this;
}

GraphNode& Capture::add(Stream& stream, Operation operation) {
  require(!invalidated_, Status::kStreamCaptureInvalidated);
  std::vector<GraphNode*>& tips = tips_.at(&stream);
  GraphNode& node = graph_->add(std::move(operation), tips);
  node.device = stream.device;
  const auto* launch = std::get_if<Launch>(&node.operation);
  if (launch != nullptr && launch->dependent && tips.size() == 1 &&
      std::holds_alternative<Launch>(tips[0]->operation))
    node.dependent = tips;
  tips = {&node};
  return node;
}

void Capture::record(Event& event, Stream& stream) {
  require(!invalidated_, Status::kStreamCaptureInvalidated);
  event.capture = this;
  event.capture_id = id_;
  event.capture_nodes = tips_.at(&stream);
}

void Capture::wait(Stream& stream, const Event& event) {
  require(!invalidated_, Status::kStreamCaptureInvalidated);
  if (event.capture != this) {
    // An event of the world outside, or of another capture.
    invalidated_ = true;
    throw Failure(event.capture == nullptr ? Status::kStreamCaptureIsolation : Status::kStreamCaptureMerge);
  }
  if (stream.capture == nullptr) {
    stream.capture = this;
    streams_.push_back(&stream);
  }
  std::vector<GraphNode*>& tips = tips_[&stream];
  for (GraphNode* node : event.capture_nodes)
    if (std::find(tips.begin(), tips.end(), node) == tips.end()) tips.push_back(node);
}

const std::vector<GraphNode*>& Capture::tips(const Stream& stream) const { return tips_.at(&stream); }

void Capture::set_tips(Stream& stream, std::vector<GraphNode*> nodes, bool add) {
  std::vector<GraphNode*>& tips = tips_.at(&stream);
  if (!add) tips.clear();
  for (GraphNode* node : nodes) {
    require(graph_->has(node));
    if (std::find(tips.begin(), tips.end(), node) == tips.end()) tips.push_back(node);
  }
}

void Capture::abandon() {
  for (Stream* s : streams_) s->capture = nullptr;
}

void Capture::leave(Stream& stream) {
  const auto tips = tips_.find(&stream);
  left_.insert(left_.end(), tips->second.begin(), tips->second.end());
  tips_.erase(tips);
  std::erase(streams_, &stream);
  stream.capture = nullptr;
}

// Whether everything that other streams captured leads to what the origin's last work depends on.
bool Capture::joined(const Stream& origin) const {
  std::unordered_set<const GraphNode*> reached;
  std::vector<const GraphNode*> open(tips_.at(&origin).begin(), tips_.at(&origin).end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->from.begin(), node->from.end());
  }
  for (const auto& [stream, tips] : tips_)
    for (const GraphNode* node : tips)
      if (!reached.contains(node)) return false;
  return std::all_of(left_.begin(), left_.end(), [&](const GraphNode* n) { return reached.contains(n); });
}

std::unique_ptr<Graph> Capture::end(Stream& stream) {
  require(&stream == &origin_, Status::kStreamCaptureUnmatched);
  for (Stream* s : streams_) s->capture = nullptr;
  require(!invalidated_, Status::kStreamCaptureInvalidated);
  require(joined(stream), Status::kStreamCaptureUnjoined);
  return std::move(owned_);
}

}  // namespace gpuloom::host
