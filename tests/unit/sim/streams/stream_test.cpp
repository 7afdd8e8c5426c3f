// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/stream.h"

#include "base/config/config.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {
Costs h200_costs() { return Costs(Config::load("h200")); }
}  // namespace

TEST_CASE("Work of two non-blocking streams overlaps where it needs different engines", "[host]") {
  Timeline t(h200_costs());
  Stream &a = t.create_stream(true, 0), &b = t.create_stream(true, 0);
  t.occupy(a, Engine::kToDevice, t.ready(a, Engine::kToDevice), 100);
  REQUIRE(t.ready(b, Engine::kCompute) == 0);
  REQUIRE(t.ready(b, Engine::kToDevice) == 100);  // one copy after another
  REQUIRE(t.ready(a, Engine::kCompute) == 100);   // and a stream in its order
}

TEST_CASE("The legacy stream waits for blocking streams and they for it", "[host]") {
  Timeline t(h200_costs());
  Stream &blocking = t.create_stream(false, 0), &free = t.create_stream(true, 0);
  t.occupy(blocking, Engine::kToDevice, 0, 50);
  REQUIRE(t.ready(t.legacy(), Engine::kNone) == 50);
  t.occupy(t.legacy(), Engine::kCompute, 50, 30);
  REQUIRE(t.ready(blocking, Engine::kNone) == 80);
  REQUIRE(t.ready(free, Engine::kNone) == 0);
}

TEST_CASE("An event carries the time of its stream to another one", "[host]") {
  Timeline t(h200_costs());
  Stream &a = t.create_stream(true, 0), &b = t.create_stream(true, 0);
  Event& event = t.create_event(true);
  t.wait(b, event);  // nothing recorded: nothing to wait for
  REQUIRE(t.ready(b, Engine::kNone) == 0);
  t.occupy(a, Engine::kCompute, 0, 70);
  t.record(event, a);
  t.wait(b, event);
  REQUIRE(event.at == 70);
  REQUIRE(t.ready(b, Engine::kNone) == 70);
  t.synchronise(event);
  REQUIRE(t.now() == 70);
}

TEST_CASE("Each thread of a program has its clock, and a new one's begins where the first one's is",
          "[host]") {
  Timeline t(h200_costs());
  t.advance(10);
  t.enter(1);
  REQUIRE(t.now() == 10);
  t.advance(50);
  t.enter(2);
  REQUIRE(t.now() == 50);
  t.advance(90);
  t.enter(1);
  REQUIRE(t.now() == 50);
  REQUIRE(t.latest() == 90);
  t.enter(3);
  REQUIRE(t.now() == 50);
  t.enter(2);
  REQUIRE(t.now() == 90);
}

TEST_CASE("A program that polls sees work end", "[host]") {
  Timeline t(h200_costs());
  Stream& s = t.create_stream(true, 0);
  t.occupy(s, Engine::kCompute, 0, 10);
  REQUIRE_FALSE(t.query(t.end_of(s)));
  REQUIRE(t.query(t.end_of(s)));
}

TEST_CASE("Handles of destroyed streams and events are known to be dead", "[host]") {
  Timeline t(h200_costs());
  Stream& s = t.create_stream(false, -1);
  const Stream* handle = &s;
  REQUIRE(t.alive(handle));
  t.destroy(s);
  REQUIRE_FALSE(t.alive(handle));
  REQUIRE(t.alive(&t.legacy()));
}

TEST_CASE("Pageable copies take longer than pinned ones, and copies grow with their bytes", "[host]") {
  const Costs costs = h200_costs();
  constexpr uint64_t kMiB = 1 << 20;
  REQUIRE(costs.of_copy(Route::kPageableToDevice, 64 * kMiB) >
          2 * costs.of_copy(Route::kToDevice, 64 * kMiB));
  // 64 MiB from pinned memory take 1211 to 1218 us on an H200 (bench/silicon/overlap.cu).
  REQUIRE(costs.of_copy(Route::kToDevice, 64 * kMiB) == Approx(1.215e9).epsilon(0.02));
  REQUIRE(costs.of_copy(Route::kHost, kMiB) == 0);
}
