// SPDX-License-Identifier: Apache-2.0
#include "tests/catch2.h"
#include "tests/unit/ptx/isa/one_instruction.h"

using gpuloom::test::check_all;
using gpuloom::test::OneCase;
using gpuloom::test::OneInstruction;

TEST_CASE("Integer arithmetic wraps, clamps and widens as its modifiers say") {
  check_all({
      {".u32 d, a, b", "add.u32 d, a, b;", {0xffffffff, 2}, 1},
      {".u16 d, a, b", "add.u16 d, a, b;", {0xffff, 2}, 1},
      {".s32 d, a, b", "add.sat.s32 d, a, b;", {0x7fffffff, 1}, 0x7fffffff},
      {".s32 d, a, b", "sub.sat.s32 d, a, b;", {0x80000000, 1}, 0x80000000},
      {".b32 d, a, b", "add.u16x2 d, a, b;", {0x0001ffff, 0x00010001}, 0x00020000},
      {".u64 d, a, b", "mul.hi.u64 d, a, b;", {~0ull, ~0ull}, 0xfffffffffffffffe},
      {".s64 d, a, b", "mul.hi.s64 d, a, b;", {~0ull, ~0ull}, 0},
      {".s64 d; .s32 a, b", "mul.wide.s32 d, a, b;", {0x80000000, 0x80000000}, 0x4000000000000000},
      {".u64 d, c; .u32 a, b", "mad.wide.u32 d, a, b, c;", {0xffffffff, 0xffffffff, 1}, 0xfffffffe00000002},
      {".u32 d, a, b", "mul24.lo.u32 d, a, b;", {0xff000002, 0x01000003}, 6},
      {".u32 d, a, b", "div.u32 d, a, b;", {7, 0}, 0xffffffff},
      {".s32 d, a, b", "div.s32 d, a, b;", {0x80000000, 0xffffffff}, 0x80000000},
      {".s32 d, a, b", "rem.s32 d, a, b;", {static_cast<uint32_t>(-7), 3}, static_cast<uint32_t>(-1)},
      {".s32 d, a, b", "min.relu.s32 d, a, b;", {static_cast<uint32_t>(-7), 3}, 0},
      {".b32 d, a, b", "max.relu.s16x2 d, a, b;", {0x8000fffe, 0x0003ffff}, 0x00030000},
      {".s32 d, a", "abs.s32 d, a;", {0x80000000}, 0x80000000},
      {".u32 d, a, b, c", "sad.u32 d, a, b, c;", {1, 0xffffffff, 1}, 0xffffffff},
  });
}

TEST_CASE("Bit instructions find, count, move and mask bits") {
  check_all({
      {".u32 d; .b64 a", "popc.b64 d, a;", {~0ull}, 64},
      {".u32 d; .b32 a", "clz.b32 d, a;", {0}, 32},
      {".u32 d; .s32 a", "bfind.s32 d, a;", {0xffffffff}, 0xffffffff},
      {".u32 d; .u32 a", "bfind.shiftamt.u32 d, a;", {0x00800000}, 8},
      {".b32 d, a", "brev.b32 d, a;", {1}, 0x80000000},
      {".s32 d, a", "bfe.s32 d, a, 4, 4;", {0x00000080}, 0xfffffff8},
      {".b32 d, a, b", "bfi.b32 d, a, b, 8, 8;", {0xab, 0x11111111}, 0x1111ab11},
      {".b32 d, a, b", "bmsk.clamp.b32 d, a, b;", {4, 8}, 0xff0},
      {".s32 d, a; .u32 b", "szext.wrap.s32 d, a, b;", {0x80, 8}, 0xffffff80},
      {".b32 d, m", "fns.b32 d, m, 0, 2;", {0x90}, 7},
      {".u32 d; .b32 a, b; .u32 c", "dp4a.u32.u32 d, a, b, c;", {0x01020304, 0x01010101, 5}, 15},
      {".s32 d; .b32 a, b; .s32 c", "dp2a.hi.s32.s32 d, a, b, c;", {0x0001ffff, 0x02030000, 0}, 0xffffffff},
      {".b32 d, a, b, c", "lop3.b32 d, a, b, c, 0x96;", {0xff00ff00, 0xf0f0f0f0, 0xcccccccc}, 0xc33cc33c},
      {".b32 d, a, b; .u32 c", "shf.l.wrap.b32 d, a, b, c;", {0x80000000, 1, 33}, 3},
      {".b32 d, a; .u32 b", "shl.b32 d, a, b;", {1, 32}, 0},
      {".s64 d, a; .u32 b", "shr.s64 d, a, b;", {0x8000000000000000, 100}, ~0ull},
      {".b32 d, a, b", "prmt.b32 d, a, b, 0x9180;", {0x00000080, 0x0000ff00}, 0xff80},
      {".b32 d, a", "cnot.b32 d, a;", {0}, 1},
  });
}

TEST_CASE("A carry goes from one addition to the next") {
  OneInstruction low(".u32 d, a, b", "add.cc.u32 d, a, b;");
  for (unsigned l = 0; l < 32; ++l) low.set(1, l, 0xffffffff), low.set(2, l, l % 2);
  low.run();
  CHECK(low.warp().condition_code == 0xaaaaaaaa);
  OneInstruction high(".u32 d, a, b", "addc.u32 d, a, b;");
  high.warp().condition_code = low.warp().condition_code;
  high.run();
  CHECK(high.get(0, 0) == 0);
  CHECK(high.get(0, 1) == 1);
  CHECK(high.warp().condition_code == 0xaaaaaaaa);
}

TEST_CASE("Video instructions pick parts, saturate and merge") {
  check_all({
      {".u32 d, a, b", "vadd.u32.u32.u32 d, a.b1, b.h1;", {0x0000ff00, 0x00010000}, 0x100},
      {".s32 d, a, b, c", "vsub.s32.s32.s32.sat.add d, a, b, c;", {0x80000000, 1, 1}, 0x80000001},
      {".u32 d, a, b, c", "vmax.u32.u32.u32 d.b2, a.b0, b.b0, c;", {5, 9, 0x11111111}, 0x11091111},
      {".u32 d, a, b, c", "vabsdiff4.u32.u32.u32.add d, a, b, c;", {0x01020304, 0x04030201, 10}, 18},
      {".u32 d, a, b, c",
       "vadd2.u32.u32.u32 d.h1, a.h01, b.h23, c;",
       {0x00020001, 0x00400030, 0x55555555},
       0x00315555},
      {".s32 d, a, b, c", "vmad.s32.s32.s32 d, a, -b, c;", {3, 4, 20}, 8},
      {".u32 d, a, b", "vset.s32.s32.lt d, a, b;", {0xffffffff, 0}, 1},
  });
}
