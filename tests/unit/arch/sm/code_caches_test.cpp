// SPDX-License-Identifier: Apache-2.0
// The SM's caches of code and constants, and groups of matrix products.
#include "arch/sm/code_caches.h"

#include "arch/sm/matrix_groups.h"
#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom::arch;

namespace {

// The SM's cache is the last before L2, 40 cycles away, and brings nothing along.
void alone(FetchConfig& f) {
  f.l1.latency = 40;
  f.l1_prefetch_lines = 0;
  f.gpc.cache.size = 0;
}

// Code of more than eight lines.
std::string long_code() {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "mov.u32 %r" + std::to_string(i % 4) + ", %clock;\n";
  return body;
}

}  // namespace

TEST_CASE("What a launch brings along of the code is there at one time, other lines come from L2",
          "[arch][code]") {
  AroundUnit a;
  const FetchConfig& f = a.gpu.sm.fetch;
  a.grids[0].preload_at = 5000;
  const Cycle far = f.gpc.cache.latency + f.l1.latency;
  CHECK(a.code.fetch(a.grids[0], 0, 100, false) == 5000 + far);
  const uint64_t beyond = f.preload_bytes / f.l1.line + 1;
  CHECK(a.code.fetch(a.grids[0], beyond, 10000, false) == 10000 + f.l2_latency + far);
  CHECK(a.code.fetch(a.grids[0], beyond, 20000, false) == 20000 + f.l1.latency);
}

TEST_CASE("A line that was preloaded once comes from L2 when it has been forgotten", "[arch][code]") {
  AroundUnit a;
  a.code.fetch(a.grids[0], 0, 100, false);
  a.code.invalidate(false);
  const FetchConfig& f = a.gpu.sm.fetch;
  CHECK(a.code.fetch(a.grids[0], 0, 10000, false) ==
        10000 + f.l2_latency + f.gpc.cache.latency + f.l1.latency);
}

TEST_CASE("A line that a warp needs passes the lines ahead that have not been asked for", "[arch][code]") {
  AroundUnit a;
  const FetchConfig& f = a.gpu.sm.fetch;
  alone(a.gpu.sm.fetch);
  a.gpu.sm.fetch.l0_prefetch_lines = 8;
  a.gpu.sm.fetch.l0_fill_interval = 16;
  a.grids[0].preload_at = 0;
  InstructionL0 l0{f, a.code, a.grids};
  CHECK(l0.need(0, 0, 1000, 1000).ready == 1000 + f.l1.latency);
  // Of the eight lines behind it two have had their turn: the third comes after what is needed.
  const InstructionL0::Needed other = l0.need(0, 30, 1000, 1040);
  CHECK(other.missed);
  CHECK(other.ready == 1048 + f.l1.latency);
  CHECK_FALSE(l0.need(0, 2, 1000, 1041).missed);
  CHECK(l0.need(0, 3, 1000, 1042).missed);
}

TEST_CASE("Lines ahead of a miss come one after another, also those that hits ask for", "[arch][code]") {
  AroundUnit a;
  const FetchConfig& f = a.gpu.sm.fetch;
  alone(a.gpu.sm.fetch);
  a.gpu.sm.fetch.l0_prefetch_lines = 2;
  a.gpu.sm.fetch.l0_fill_interval = 16;
  a.grids[0].preload_at = 0;
  InstructionL0 l0{f, a.code, a.grids};
  Cycle now = l0.need(0, 0, 1000, 1000).ready;
  for (uint64_t line = 1; line < 20; ++line) {
    const InstructionL0::Needed next = l0.need(0, line, 1000, now);
    CHECK_FALSE(next.missed);
    CHECK(next.ready == 1000 + f.l1.latency + line * 16);
    now = std::max(now, next.ready);
  }
  CHECK(l0.need(0, 40, 40, now).missed);  // nothing is behind the last line
  CHECK(l0.need(0, 41, 41, now + 1000).missed);
}

TEST_CASE("SMs of a GPC share the way from its cache of code", "[arch][code]") {
  for (const uint32_t sms : {1u, 16u}) {
    AroundUnit a;
    const FetchConfig& f = a.gpu.sm.fetch;
    const Cycle far = f.gpc.cache.latency + f.l1.latency;
    a.grids[0].gpc_sms = sms;
    CHECK(a.code.fetch(a.grids[0], 0, 1000, false) == 1000 + far);
    // The SM's cache takes a line each two cycles, all SMs of the GPC one a cycle.
    CHECK(a.code.fetch(a.grids[0], 40, 1000, false) == 1000 + std::max(2u, sms) + far);
  }
}

TEST_CASE("A request for code brings along the next line", "[arch][code]") {
  AroundUnit a{long_code()};
  const FetchConfig& f = a.gpu.sm.fetch;
  const Cycle far = f.gpc.cache.latency + f.l1.latency;
  a.code.fetch(a.grids[0], 0, 1000, false);
  CHECK(a.code.fetch(a.grids[0], 1, 1010, false) == 1001 + far);
  CHECK(a.code.fetch(a.grids[0], 4, 2000, false) == 2000 + far);  // too far from the one before
}

TEST_CASE("Code that is asked for ahead leaves the way to what a warp needs", "[arch][code]") {
  AroundUnit a{long_code()};
  const FetchConfig& f = a.gpu.sm.fetch;
  const Cycle far = f.gpc.cache.latency + f.l1.latency;
  a.grids[0].gpc_sms = 16;
  CHECK(a.code.fetch(a.grids[0], 0, 1000, false) == 1000 + far);
  CHECK(a.code.fetch(a.grids[0], 1, 1001, true) == kNever);
  CHECK(a.code.fetch(a.grids[0], 5, 1010, false) == 1016 + far);
  CHECK(a.code.fetch(a.grids[0], 1, 1050, false) == 1032 + far);
}

TEST_CASE("Parameters are here with the launch, other constants come from L2 at first", "[arch][code]") {
  AroundUnit a;
  const uint32_t hit = a.gpu.sm.constant.l1.latency;
  CHECK(a.constant_l1.line(0, 0, true, 100) == 100 + hit);
  CHECK(a.constant_l1.line(1 << 20, 0, false, 100) == 100 + a.gpu.sm.fetch.l2_latency + hit);
  CHECK(a.constant_l1.line(1 << 20, 0, false, 5000) == 5000 + hit);
}

TEST_CASE("Sub-cores that need the same line of constants get it one after another", "[arch][code]") {
  AroundUnit a;
  ConstantConfig& c = a.gpu.sm.constant;
  c.fill_interval = 32;
  CHECK(a.constant_l1.fill(0, 0, true, 100) == 100 + c.fill_latency);
  CHECK(a.constant_l1.fill(0, 0, true, 100) == 100 + c.fill_latency + c.fill_interval);
  CHECK(a.constant_l1.fill(64, 0, true, 101) == 100 + c.fill_latency + 2 * c.fill_interval);
  CHECK(a.constant_l1.fill(0, 0, true, 5000) == 5000 + c.fill_latency);
}

TEST_CASE("Where the caches were flushed, code and constants that no launch brings along come from memory",
          "[arch][code]") {
  AroundUnit a;
  const FetchConfig& f = a.gpu.sm.fetch;
  a.code.invalidate(true);
  a.constant_l1.invalidate(true);
  const uint64_t beyond = f.preload_bytes / f.l1.line + 1;
  CHECK(f.memory_latency > 0);
  CHECK(a.code.fetch(a.grids[0], beyond, 10000, false) ==
        10000 + f.l2_latency + f.memory_latency + f.gpc.cache.latency + f.l1.latency);
  const uint32_t hit = a.gpu.sm.constant.l1.latency;
  CHECK(a.constant_l1.line(1 << 20, 0, false, 100) == 100 + f.l2_latency + f.memory_latency + hit);
  CHECK(a.constant_l1.line(0, 0, true, 100) == 100 + hit);
}

TEST_CASE("A wait for matrix groups ends with the newest that must be done", "[arch][code]") {
  MatrixGroups g;
  CHECK(g.done(0) == 0);
  g.issued(500, 110);
  g.commit();
  g.issued(700, 120);
  g.commit();
  CHECK(g.next() == 120);
  CHECK(g.done(1) == 500);
  CHECK(g.done(0) == 700);
  CHECK(g.done(2) == 0);
}
