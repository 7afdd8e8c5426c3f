// SPDX-License-Identifier: Apache-2.0
// The calendar of a port's bytes.
#include "arch/noc/bandwidth.h"

#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::arch;

TEST_CASE("A port gives away no more bytes a cycle than it has, in whatever order they are asked for",
          "[arch]") {
  BandwidthCalendar port(32);
  REQUIRE(port.reserve(1000, 32) == 1000);  // late first
  for (int i = 0; i < 8; ++i) REQUIRE(port.reserve(0, 32) <= 8);
  REQUIRE(port.reserve(0, 32) >= 8);  // the first eight cycles are taken
  Cycle last = 0;
  for (int i = 0; i < 1000; ++i) last = port.reserve(2000, 64);
  REQUIRE(last >= 2000 + 2 * 999 - BandwidthCalendar::kBucket);
  REQUIRE(last <= 2000 + 2 * 1000 + BandwidthCalendar::kBucket);
}

TEST_CASE("A port that is asked for many times what its calendar keeps apart forgets nothing", "[arch]") {
  BandwidthCalendar port(1);
  constexpr Cycle kHeld = BandwidthCalendar::kBucket * BandwidthCalendar::kBuckets;
  constexpr Cycle kAsked = 10 * kHeld / 32;
  Cycle last = 0;
  for (Cycle k = 0; k < kAsked; ++k) last = port.reserve(1000 + k, 32);  // 32 cycles each, one a cycle
  CHECK(last >= 1000 + 32 * (kAsked - 1) - BandwidthCalendar::kBucket);
  CHECK(last <= 1000 + 32 * kAsked + BandwidthCalendar::kBucket);
  CHECK(port.reserve(2 * last, 32) == 2 * last);  // and what comes later
  CHECK(port.reserve(5000, 32) > last);
}
