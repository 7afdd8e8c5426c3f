// SPDX-License-Identifier: Apache-2.0
#include "sim/host/graph.h"

#include "base/config/config.h"
#include "sim/host/capture.h"
#include "sim/host/status.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {

template <class F>
int status_of(F&& f) {
  try {
    f();
  } catch (const Failure& failure) {
    return static_cast<int>(failure.status());
  }
  return 0;
}

struct Streams {
  Timeline timeline{Costs(Config::load("h200"))};
  Stream& a = timeline.create_stream(true, 0);
  Stream& b = timeline.create_stream(true, 0);
  Event& event = timeline.create_event(true);
};

}  // namespace

TEST_CASE("Nodes come after all that they depend on", "[host]") {
  Graph g;
  GraphNode& last = g.add(Nothing{}, {});
  GraphNode& first = g.add(Nothing{}, {});
  GraphNode& middle = g.add(Nothing{}, {&first});
  g.connect(middle, last);
  REQUIRE(g.order() == std::vector<GraphNode*>{&first, &middle, &last});
  g.connect(last, first);
  REQUIRE(status_of([&] { g.order(); }) == 1);  // a cycle
}

TEST_CASE("A clone has the shape and the ids of its original and nothing else of it", "[host]") {
  Graph g;
  GraphNode& a = g.add(Fill{}, {});
  GraphNode& b = g.add(Nothing{}, {&a});
  const auto copy = g.clone();
  REQUIRE(copy->nodes().size() == 2);
  GraphNode* same = copy->node_of(b.id);
  REQUIRE(same != nullptr);
  REQUIRE(same != &b);
  REQUIRE(same->from.size() == 1);
  REQUIRE(same->from[0] == copy->node_of(a.id));
  g.remove(a);
  REQUIRE(copy->nodes().size() == 2);
  REQUIRE(b.from.empty());
}

TEST_CASE("A dependence of another graph, or named twice, is refused", "[host]") {
  Graph g, other;
  GraphNode& a = g.add(Nothing{}, {});
  GraphNode& stranger = other.add(Nothing{}, {});
  REQUIRE(status_of([&] { g.add(Nothing{}, {&stranger}); }) == 1);
  REQUIRE(status_of([&] { g.add(Nothing{}, {&a, &a}); }) == 1);
  REQUIRE(g.nodes().size() == 1);
}

TEST_CASE("An update takes parameters over and says why it cannot", "[host]") {
  Graph g;
  GraphNode& a = g.add(Fill{}, {});
  GraphNode& b = g.add(Copy{}, {&a});
  GraphExec exec(g, 0);
  const GraphNode* failed = nullptr;
  std::get<Fill>(a.operation).value = 77;
  REQUIRE(exec.update(g, failed) == UpdateResult::kSuccess);
  REQUIRE(std::get<Fill>(exec.node_of(a).operation).value == 77);
  b.operation = Fill{};
  REQUIRE(exec.update(g, failed) == UpdateResult::kNodeTypeChanged);
  REQUIRE(failed == &b);
  g.add(Nothing{}, {});
  REQUIRE(exec.update(g, failed) == UpdateResult::kTopologyChanged);
}

TEST_CASE("A captured fork and join becomes a diamond", "[host]") {
  Streams s;
  Capture capture(s.a, CaptureMode::kGlobal, 1);
  GraphNode& top = capture.add(s.a, Nothing{});
  capture.record(s.event, s.a);
  capture.wait(s.b, s.event);
  GraphNode& left = capture.add(s.a, Nothing{});
  GraphNode& right = capture.add(s.b, Nothing{});
  capture.record(s.event, s.b);
  capture.wait(s.a, s.event);
  GraphNode& bottom = capture.add(s.a, Nothing{});
  REQUIRE(left.from == std::vector<GraphNode*>{&top});
  REQUIRE(right.from == std::vector<GraphNode*>{&top});
  REQUIRE(bottom.from == std::vector<GraphNode*>{&left, &right});
  REQUIRE(capture.end(s.a) != nullptr);
  REQUIRE(s.b.capture == nullptr);
}

TEST_CASE("A capture with work that nobody joined, or ended on another stream, fails as CUDA says",
          "[host]") {
  Streams s;
  Capture capture(s.a, CaptureMode::kGlobal, 1);
  capture.record(s.event, s.a);
  capture.wait(s.b, s.event);
  capture.add(s.b, Nothing{});
  REQUIRE(status_of([&] { capture.end(s.b); }) == 903);  // unmatched
  REQUIRE(status_of([&] { capture.end(s.a); }) == 904);  // unjoined
}

TEST_CASE("Waiting for an event of outside invalidates a capture", "[host]") {
  Streams s;
  s.timeline.record(s.event, s.b);
  Capture capture(s.a, CaptureMode::kGlobal, 1);
  REQUIRE(status_of([&] { capture.wait(s.a, s.event); }) == 905);
  REQUIRE(capture.state() == CaptureState::kInvalidated);
  REQUIRE(status_of([&] { capture.add(s.a, Nothing{}); }) == 901);
}
