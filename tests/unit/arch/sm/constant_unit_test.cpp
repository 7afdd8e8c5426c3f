// SPDX-License-Identifier: Apache-2.0
// Indexed loads from the constant bank, without an SM.
#include "arch/sm/constant_unit.h"

#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom::arch;

namespace {

// A load of `count` words that lie `apart` bytes from each other.
MemoryOp load(unsigned count, uint64_t apart, uint8_t scoreboard = 2) {
  MemoryOp op;
  op.kind = MemoryKind::kConstant;
  op.latency = 30;
  op.write_scoreboard = scoreboard;
  op.warp = 5;
  op.lines.lines = count;
  for (unsigned i = 0; i < count; ++i) op.lines.line[i].line = i * apart;
  return op;
}

// Runs the unit's events; returns when the scoreboard is released.
Cycle released(AroundUnit& a, uint16_t warp = 5) {
  for (Cycle at = a.events.next(); at != kNever; at = a.events.next()) {
    Cycle done = kNever;
    a.events.run(at, [&](const Event& e) {
      if (e.kind == EventKind::kConstantWord) a.constants.serve(e.b, at);
      if (e.kind == EventKind::kRelease && e.a == warp) done = at;
    });
    if (done != kNever) return done;
  }
  return kNever;
}

}  // namespace

TEST_CASE("A load of the constant bank ends with a release of its warp's scoreboard", "[arch][constants]") {
  AroundUnit a;
  a.constants.accept(load(1, 0), 0, 100);
  CHECK(released(a) != kNever);
}

TEST_CASE("Each further word of a load takes its turn behind the one before", "[arch][constants]") {
  AroundUnit a;
  const auto time = [&](unsigned words) {
    a.constants.accept(load(words, 4), 0, 10000);
    const Cycle warm = released(a);  // the line is here now
    a.constants.accept(load(words, 4), 0, warm + 1000);
    return released(a) - (warm + 1000);
  };
  const Cycle one = time(1), four = time(4);
  CHECK(four - one == 3 * a.gpu.sm.constant.replay_latency);
}

TEST_CASE("Words of lines that are not here wait for one line after another", "[arch][constants]") {
  AroundUnit a;
  a.constants.accept(load(2, 4096), 0, 1000);
  const Cycle two = released(a);
  const Cycle line = a.gpu.sm.fetch.l2_latency + a.gpu.sm.constant.l1.latency;
  CHECK(two >= 1000 + 2 * line);
}

TEST_CASE("Constants of two grids do not share lines", "[arch][constants]") {
  AroundUnit a;
  a.constants.accept(load(1, 0), 0, 1000);
  const Cycle first = released(a);
  a.constants.accept(load(1, 0), 0, first + 1000);
  const Cycle again = released(a) - (first + 1000);
  const Cycle now = first + 100000;
  a.constants.accept(load(1, 0), 1u << 20, now);
  CHECK(released(a) - now > again);
}
