// SPDX-License-Identifier: Apache-2.0
// Where ptxas decides what an instruction gives: constants, moves, expansions. Values from an H200, or from
// the code that ptxas 13.0 makes for it.
#include <limits>

#include "ptx/exec/atomic_ops.h"
#include "ptx/numeric/integer.h"
#include "tests/unit/ptx/exec/run_ptx.h"
#include "tests/unit/ptx/isa/one_instruction.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

// d in lanes 0 and 31 of an instruction whose second operand is `a`, if that is a register.
void check(const char* registers, const char* text, uint64_t a, uint64_t wanted, bool constant = false) {
  INFO(text);
  OneInstruction one(registers, text);
  for (const unsigned lane : {0u, 31u})
    if (!constant) one.set(1, lane, a);
  one.run();
  for (const unsigned lane : {0u, 31u}) CHECK(one.get(0, lane) == wanted);
}

}  // namespace

TEST_CASE("A list of constants alone shares the whole between them") {
  const PtxRun run(
      "mov.b32 %r1, {2, 13}; mov.b64 %w1, {7, 9}; shr.u64 %w1, %w1, 31; cvt.u32.u64 %r2, %w1; "
      "add.u32 %r0, %r1, %r2;");
  for (size_t t = 0; t < 32; ++t) CHECK(run[t] == 0x000d0002 + 18);
}

TEST_CASE("A negative constant of 128 bits has zeros above its 64 bits") {
  const PtxRun run(
      ".reg .b128 %q; mov.b128 %q, -2; mov.b128 {%w1, %w2}, %q; cvt.u32.u64 %r1, %w1; "
      "cvt.u32.u64 %r2, %w2; sub.u32 %r0, %r1, %r2;");
  for (size_t t = 0; t < 32; ++t) CHECK(run[t] == 0xfffffffeu);
}

TEST_CASE("Of a constant amount of a 16-bit shift the lower 16 bits count") {
  check(".b16 d, a", "shl.b16 d, a, 0x00800001;", 0x461b, 0x8c36);
  check(".b16 d, a", "shl.b16 d, a, 0x00800000;", 0x461b, 0x461b);
  check(".b16 d, a", "shl.b16 d, a, 17;", 0x461b, 0);
  check(".b16 d, a", "shr.s16 d, a, 0x10003;", 0x8000, 0xf000);
  check(".b16 d, a", "shr.u16 d, a, 0x01000000;", 0x8000, 0x8000);
  check(".b32 d, a", "shl.b32 d, a, 0x00800001;", 5, 0);
}

TEST_CASE("Conversions that convert nothing leave NaNs alone, those that flush do not") {
  check(".b32 d, a", "cvt.f32.f32 d, a;", 0x7f800001, 0x7f800001);
  check(".b64 d, a", "cvt.f64.f64 d, a;", 0x7ff0000000000001, 0x7ff0000000000001);
  check(".b32 d; .b16 a", "cvt.f32.bf16 d, a;", 0xfffe, 0xfffe0000);
  check(".b32 d; .b16 a", "cvt.ftz.f32.bf16 d, a;", 0xfffe, 0x7fffffff);
  check(".b32 d; .b16 a", "cvt.ftz.f32.bf16 d, a;", 0x8001, 0x80000000);
  check(".b32 d; .b16 a", "cvt.ftz.f32.bf16 d, a;", 0x4049, 0x40490000);
}

TEST_CASE("The larger of a register and itself is a move") {
  check(".b32 d, a", "max.f32 d, a, a;", 0xffffffd9, 0xffffffd9);
  check(".b32 d, a", "max.NaN.f32 d, a, a;", 0xffffffd9, 0x7fffffff);
  check(".b16 d, a", "min.f16 d, a, a;", 0xfdc8, 0xfdc8);
  check(".b16 d, a", "min.bf16 d, a, a;", 0xffc8, 0x7fff);
}

TEST_CASE("Approximations of constants are rounded to nearest") {
  const auto folds = [](const char* text, uint32_t wanted) { check(".f32 d", text, 0, wanted, true); };
  folds("rcp.approx.ftz.f32 d, 0f40400000;", 0x3eaaaaab);
  folds("rcp.approx.f32 d, 0f00400000;", 0x7f000000);
  folds("rcp.approx.ftz.f32 d, 0f00400000;", 0x7f800000);
  folds("rcp.approx.f32 d, 0f7F000000;", 0x00400000);
  folds("rcp.approx.ftz.f32 d, 0f7F000000;", 0);
  folds("sin.approx.f32 d, 0f3F800000;", 0x3f576aa4);
  folds("sin.approx.f32 d, 0f4E000000;", 0x3ea733e0);
  folds("sin.approx.f32 d, 0fbd436b06;", 0xbd43580c);
  folds("cos.approx.f32 d, 0f40000000;", 0xbed51133);
  folds("ex2.approx.f32 d, 0fc1d185c9;", 0x32605c4d);
  folds("ex2.approx.ftz.f32 d, 0fC2FE0000;", 0);
  folds("lg2.approx.f32 d, 0f3de1dba0;", 0xc04b910e);
  folds("sqrt.approx.ftz.f32 d, 0f00400000;", 0);
  folds("rsqrt.approx.ftz.f32 d, 0f80400000;", 0xff800000);
  folds("sqrt.approx.f32 d, 0fBF800000;", 0x7fffffff);
  // So are those of registers that hold one constant.
  const std::string known = "{ .reg .f32 %f<4>; mov.f32 %f1, 0f3de1dba0;",
                    then = "lg2.approx.f32 %f2, %f1; mov.b32 %r0, %f2; }";
  CHECK(PtxRun(known + then)[0] == 0xc04b910e);
  CHECK(PtxRun(known + "setp.eq.u32 %p1, %tid, 99; @%p1 mov.f32 %f1, 0f3F800000;" + then)[0] == 0xc04b910d);
}

TEST_CASE("A saturated video shift is compared with c as if it had a sign") {
  const std::string values = "mov.b32 %r1, 0x40000000; mov.b32 %r2, 1; mov.b32 %r3, 0xffff0000; ";
  CHECK(PtxRun(values + "vshl.u32.u32.u32.sat.wrap.min %r0, %r1, %r2, %r3;")[0] == 0xffff0000);
  CHECK(PtxRun(values + "vshl.u32.u32.u32.sat.clamp.max %r0, %r1, %r2, %r3;")[0] == 0x80000000);
  CHECK(PtxRun(values + "vshl.u32.u32.u32.wrap.min %r0, %r1, %r2, %r3;")[0] == 0x80000000);
}

TEST_CASE("Sums of f64 in global memory keep a NaN's bits, those in shared memory make it quiet") {
  const auto sum = [](uint64_t memory, uint64_t operand, bool in_global) {
    uint64_t old = 0;
    ptx::atomic_op("add", ptx::Type::kF64, 1, in_global)(&memory, &operand, nullptr, &old);
    return memory;
  };
  const uint64_t one = 0x3ff0000000000000, signalling = 0x7ff00000005e0000, quiet = 0xfff8000000000007;
  CHECK(sum(signalling, one, true) == signalling);
  CHECK(sum(signalling, one, false) == 0x7ff80000005e0000);
  CHECK(sum(one, signalling, true) == signalling);
  CHECK(sum(signalling, quiet, true) == quiet);
  CHECK(sum(one, one, true) == 0x4000000000000000);
}

TEST_CASE("fns counts as the code that ptxas writes for it") {
  using ptx::numeric::fns;
  CHECK(fns(0xf0f0, 40, 1) == ~0u);
  CHECK(fns(0xf0f0, 40, -1) == ~0u);
  CHECK(fns(0xf0f0, 40, 0) == ~0u);
  CHECK(fns(0xf0f0, 4, 5) == 12);
  CHECK(fns(0xf0f0, 15, -5) == 7);
  CHECK(fns(0xf0f0, 15, -9) == ~0u);
  CHECK(fns(0, 7, std::numeric_limits<int32_t>::min()) == 0);
}
