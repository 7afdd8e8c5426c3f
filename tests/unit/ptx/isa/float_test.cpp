// SPDX-License-Identifier: Apache-2.0
#include "tests/catch2.h"
#include "tests/unit/ptx/isa/one_instruction.h"

using gpuloom::test::check_all;
using gpuloom::test::OneCase;
using gpuloom::test::OneInstruction;

namespace {

constexpr uint64_t kOne = 0x3f800000, kTiny = 1, kNaN = 0x7fffffff;

}  // namespace

TEST_CASE("Single precision follows .rnd, .ftz and .sat") {
  check_all({
      {".f32 d, a, b", "add.f32 d, a, b;", {kOne, 0x33800000}, kOne},
      {".f32 d, a, b", "add.rp.f32 d, a, b;", {kOne, kTiny}, 0x3f800001},
      {".f32 d, a, b", "add.rm.f32 d, a, b;", {kOne, 0x80000001}, 0x3f7fffff},
      {".f32 d, a, b", "add.ftz.f32 d, a, b;", {kTiny, kTiny}, 0},
      {".f32 d, a, b", "mul.sat.f32 d, a, b;", {0xbf800000, kOne}, 0},
      {".f32 d, a, b", "mul.f32 d, a, b;", {0x7f800000, 0}, kNaN},
      {".f32 d, a, b, c", "fma.rn.f32 d, a, b, c;", {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000},
      {".f32 d, a, b", "max.f32 d, a, b;", {kNaN, kOne}, kOne},
      {".f32 d, a, b", "max.NaN.f32 d, a, b;", {kNaN, kOne}, kNaN},
      {".f32 d, a, b, c", "min.f32 d, a, b, c;", {0x40400000, kOne, 0x40000000}, kOne},
      {".f32 d, a, b", "div.rn.f32 d, a, b;", {kOne, 0x40400000}, 0x3eaaaaab},
      {".f32 d, a, b", "copysign.f32 d, a, b;", {0x80000000, kOne}, 0xbf800000},
      {".b64 d, a, b", "add.f32x2 d, a, b;", {0x3f80000040000000, 0x3f8000003f800000}, 0x4000000040400000},
      {".pred d; .f32 a", "testp.subnormal.f32 d, a;", {kTiny}, 1},
  });
}

TEST_CASE("Double precision and halves are exact") {
  check_all({
      {".f64 d, a, b", "add.f64 d, a, b;", {0x3ff0000000000000, 0x3cb0000000000000}, 0x3ff0000000000001},
      {".f64 d, a", "sqrt.rn.f64 d, a;", {0x4000000000000000}, 0x3ff6a09e667f3bcd},
      {".b16 d, a, b", "add.f16 d, a, b;", {0x3c00, 0x1400}, 0x3c01},
      {".b32 d, a, b, c", "fma.rn.relu.f16x2 d, a, b, c;", {0x3c00bc00, 0x3c003c00, 0}, 0x3c000000},
      {".b32 d, a, b", "mul.bf16x2 d, a, b;", {0x3f804000, 0x40404040}, 0x404040c0},
      {".f32 d, c; .b16 a", "add.f32.bf16 d, a, c;", {0x3f80, kOne}, 0x40000000},
  });
}

TEST_CASE("Conversions round, clamp and respect wider registers") {
  check_all({
      {".u64 d; .u32 a", "cvt.u64.u32 d, a;", {0xffffffff}, 0xffffffff},
      {".s64 d; .s32 a", "cvt.s64.s32 d, a;", {0xffffffff}, ~0ull},
      {".u32 d, a", "cvt.u8.u32 d, a;", {0x1ff}, 0xff},
      {".s32 d; .u32 a", "cvt.s8.u32 d, a;", {0x1ff}, 0xffffffff},
      {".u32 d; .b32 a", "cvt.u32.s8 d, a;", {0x80}, 0xffffff80},
      {".u32 d; .s32 a", "cvt.sat.u8.s32 d, a;", {static_cast<uint32_t>(-5)}, 0},
      {".s32 d; .f32 a", "cvt.rzi.s32.f32 d, a;", {0x4f000000}, 0x7fffffff},
      {".s32 d; .f32 a", "cvt.rni.s8.f32 d, a;", {0xc3480000}, 0xffffff80},
      {".f32 d; .s32 a", "cvt.rz.f32.s32 d, a;", {0x7fffffff}, 0x4effffff},
      {".f32 d; .b32 a", "cvt.rn.f32.u8 d, a;", {0x1ff}, 0x437f0000},
      {".f64 d; .f32 a", "cvt.f64.f32 d, a;", {kOne}, 0x3ff0000000000000},
      {".b16 d; .f32 a", "cvt.rn.f16.f32 d, a;", {0x477ff000}, 0x7c00},
      {".b16 d; .f32 a", "cvt.rz.satfinite.f16.f32 d, a;", {0x7f800000}, 0x7bff},
      {".f32 d, a", "cvt.rpi.f32.f32 d, a;", {0x3f000000}, kOne},
      {".b32 d; .f32 a, b", "cvt.rn.bf16x2.f32 d, a, b;", {kOne, 0x40000000}, 0x3f804000},
      {".b32 d; .f32 a", "cvt.rna.tf32.f32 d, a;", {0x3f801000}, 0x3f802000},
      {".b16 d; .f32 a, b", "cvt.rn.satfinite.e4m3x2.f32 d, a, b;", {kOne, 0x7f800000}, 0x387e},
      {".b32 d; .b16 a", "cvt.rn.f16x2.e5m2x2 d, a;", {0x3c40}, 0x3c004000},
      {".b8 d; .f32 a, b", "cvt.rn.satfinite.e2m1x2.f32 d, a, b;", {kOne, 0x40c00000}, 0x27},
      {".b32 d; .s32 a, b; .b32 c",
       "cvt.pack.sat.s8.s32.b32 d, a, b, c;",
       {300, static_cast<uint32_t>(-300), 0x1234},
       0x12347f80},
  });
}

TEST_CASE("Comparisons treat NaN, signs and the second predicate as PTX says") {
  check_all({
      {".pred d; .f32 a, b", "setp.ne.f32 d, a, b;", {kNaN, kOne}, 0},
      {".pred d; .f32 a, b", "setp.neu.f32 d, a, b;", {kNaN, kOne}, 1},
      {".u32 d; .s32 a, b", "set.lt.u32.s32 d, a, b;", {0xffffffff, 0}, 0xffffffff},
      {".f32 d; .u32 a, b", "set.lo.f32.u32 d, a, b;", {0, 0xffffffff}, kOne},
      {".b32 d, a, b", "set.gt.f16x2.f16x2 d, a, b;", {0x40003c00, 0x3c003c00}, 0x3c000000},
      {".b32 d, a, b; .pred c", "selp.b32 d, a, b, c;", {7, 9, 0}, 9},
      {".b64 d, a, b; .f32 c", "slct.b64.f32 d, a, b, c;", {7, 9, 0x80000000}, 7},
  });
  OneInstruction both(".pred p, q, c; .u32 a, b", "setp.lt.and.u32 p|q, a, b, !c;");
  both.set(2, 3, 1), both.set(3, 3, 2);
  both.run();
  CHECK(both.get(0, 3) == 1);
  CHECK(both.get(1, 3) == 0);
  both.set(4, 3, 1);
  both.run();
  CHECK(both.get(0, 3) == 0);
}

TEST_CASE("Moves pack and unpack registers, and drop what goes to a sink") {
  OneInstruction pack(".b64 d; .b32 a, b", "mov.b64 d, {a, b};");
  auto& extra = pack.warp().program->extra;
  const uint32_t list = static_cast<uint32_t>(pack.instruction().ops[1].at);
  for (uint32_t k = 0; k < 2; ++k)
    for (unsigned l = 0; l < 32; ++l)
      gpuloom::ptx::row<uint32_t>(pack.warp(), extra[list + k])[l] = 10 * k + l;
  pack.run(0x2u);
  CHECK(pack.get(0, 1) == (uint64_t{11} << 32 | 1));
  CHECK(pack.get(0, 2) == 0);

  OneInstruction unpack(".b64 a; .b32 d", "mov.b64 {_, d}, a;");
  unpack.set(1, 5, 0x1234567890abcdef);
  unpack.run();
  const uint32_t parts = static_cast<uint32_t>(unpack.instruction().ops[0].at);
  CHECK(gpuloom::ptx::source<uint32_t>(unpack.warp(), unpack.warp().program->extra[parts + 1])[5] ==
        0x12345678);
}

TEST_CASE("The clock and the global timer are read when they are asked for") {
  OneInstruction clock(".u64 d", "mov.u64 d, %clock64;");
  clock.warp().now = 1234;
  clock.run();
  CHECK(clock.get(0, 31) == 1234);
  CHECK(clock.instruction().kind == gpuloom::ptx::InstrKind::kReadClock);
}
