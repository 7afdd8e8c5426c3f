// SPDX-License-Identifier: Apache-2.0
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
