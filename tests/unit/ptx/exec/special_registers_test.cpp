// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

TEST_CASE("mov and cvt of 16 bits read the lower halves of places in the grid") {
  Shape shape;
  shape.block = {64, 1, 1};
  shape.grid = {3, 1, 1};
  const PtxRun run(R"(
{ .reg .b16 %h<4>;
mov.u16 %h0, %tid.x; cvt.u32.u16 %r2, %h0; cvt.s32.u16 %r3, %ctaid.x; mov.u16 %h1, %ntid.x;
mad.wide.u16 %r0, %h1, %h0, %r3; }
)",
                   shape);
  for (unsigned block = 0; block < 3; ++block)
    for (unsigned t = 0; t < 64; ++t) CHECK(run[block * 64 + t] == 64 * t + block);
}

TEST_CASE("Other instructions of 16 bits do not read special registers") {
  CHECK_THROWS_WITH(PtxRun("{ .reg .b16 %h; mov.u16 %h, %smid; }"),
                    Catch::Matchers::ContainsSubstring("reading %smid as a .u16"));
}

TEST_CASE("A wait by the clock ends soon where no time is modelled") {
  Shape shape;
  shape.block = {64, 1, 1};
  shape.grid = {8, 1, 1};
  const PtxRun run(R"(
mov.u64 %w1, %clock64;
AGAIN: mov.u64 %w2, %clock64; sub.u64 %w3, %w2, %w1; setp.lt.u64 %p1, %w3, 50000000; @%p1 bra AGAIN;
mov.u32 %r0, 1;
)",
                   shape);
  CHECK(std::all_of(run.values.begin(), run.values.end(), [](uint32_t v) { return v == 1; }));
  CHECK(run.result.warp_instructions < 200'000);
}

TEST_CASE("Without time, two reads of the clock around some work show what was executed between them") {
  const PtxRun run(R"(
mov.u32 %r2, 0;
NEXT: mov.u32 %r3, %clock; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 3; mov.u32 %r5, %clock;
sub.u32 %r6, %r5, %r3; max.u32 %r0, %r0, %r6; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5000; @%p1 bra NEXT;
)");
  CHECK(run[0] == 3);
}
