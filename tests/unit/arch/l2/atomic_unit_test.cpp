// SPDX-License-Identifier: Apache-2.0
// The atomic unit of a slice, alone: turns, and sums of floating-point numbers that wait for each other.
#include "arch/l2/atomic_unit.h"

#include <algorithm>

#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

constexpr double kClock = 1e9;

L2Config config() {
  L2Config c;
  c.clock_hz = kClock;
  c.atomic_interval = 2;
  c.atomic_part = 1.5;
  c.atomic_sum = 10;
  return c;
}

// `turns` of them on the sectors of `mask` of a line; `sums`: of floating-point numbers, on the busiest
// sector.
sim::MemoryRequest atomic(uint64_t line, uint8_t mask, uint8_t turns, uint8_t sums, bool full = true) {
  sim::MemoryRequest r;
  r.line = line;
  r.op = sim::RequestOp::kReduce;
  r.sectors = mask;
  r.atomics = turns;
  r.sums = sums;
  r.full_sectors = full;
  return r;
}

// When the last of `count` requests of two kinds in turn has begun its last turn.
Cycle last_of(AtomicUnit& unit, const sim::MemoryRequest& a, const sim::MemoryRequest& b, unsigned count) {
  Cycle end = 0;
  for (unsigned i = 0; i < count; ++i) {
    const AtomicUnit::Turns t = unit.take(i % 2 ? b : a, 100);
    end = std::max(end, t.first + t.span);
  }
  return end - 100;
}

}  // namespace

TEST_CASE("Integers take a turn of the unit for each lane of a word, wherever they are", "[arch][l2]") {
  const L2Config c = config();
  AtomicUnit one(c, kClock), other(c, kClock);
  const Cycle word = last_of(one, atomic(0, 1, 1, 0), atomic(0, 1, 1, 0), 1000);
  const Cycle words = last_of(other, atomic(0, 1, 1, 0), atomic(4096, 2, 1, 0), 1000);
  CHECK(word == words);
  CHECK(word >= 1990);
  CHECK(word <= 2004);
}

TEST_CASE("Turns that do not fill their sector take longer", "[arch][l2]") {
  const L2Config c = config();
  AtomicUnit unit(c, kClock);
  const Cycle end = last_of(unit, atomic(0, 1, 4, 0, false), atomic(0, 1, 4, 0, false), 250);
  CHECK(end >= 2990);
  CHECK(end <= 3004);
}

TEST_CASE("A sum of floating-point numbers waits for the one before it on its sector", "[arch][l2]") {
  const L2Config c = config();
  AtomicUnit unit(c, kClock);
  CHECK(last_of(unit, atomic(0, 1, 1, 1), atomic(0, 1, 1, 1), 101) == 1000);
}

TEST_CASE("Sums of one request on two sectors go on side by side", "[arch][l2]") {
  const L2Config c = config();
  AtomicUnit unit(c, kClock);
  const AtomicUnit::Turns t = unit.take(atomic(0, 3, 8, 4), 100);
  CHECK(t.span == 30);  // four on each, ten cycles apart, while eight turns take sixteen
}

TEST_CASE("Sums on two sectors in turn overlap, and one that waits keeps those behind it from starting",
          "[arch][l2]") {
  const L2Config c = config();
  AtomicUnit in_turn(c, kClock), in_pairs(c, kClock);
  const sim::MemoryRequest a = atomic(0, 1, 1, 1), b = atomic(4096, 1, 1, 1);
  CHECK(last_of(in_turn, a, b, 200) <= 1010);
  Cycle end = 0;
  for (unsigned i = 0; i < 200; ++i) end = in_pairs.take(i / 2 % 2 ? b : a, 100).first - 100;
  CHECK(end >= 980);  // a a b b: the second a is waited for, then b starts with it
  CHECK(end <= 1100);
}

TEST_CASE("Integers do not wait for sums", "[arch][l2]") {
  const L2Config c = config();
  AtomicUnit unit(c, kClock);
  unit.take(atomic(0, 1, 1, 30), 100);
  CHECK(unit.take(atomic(0, 1, 1, 0), 100).first < 110);
}
