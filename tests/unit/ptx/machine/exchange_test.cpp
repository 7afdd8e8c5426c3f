// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body, const MachineModel& model = plain_model(),
                Loops loops = Loops::kUnrolled) {
  return lowered_text(test_kernel(body), loops, model);
}

const std::string kLoad =
    "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r9, [%rd3];\n";
const std::string kStore = "st.global.u32 [%rd3], %r3;";

TEST_CASE("What one lane has given to all is not shuffled again") {
  const std::string first = "shfl.sync.idx.b32 %r2, %r9, %r1, 31, -1;";
  CHECK(lowered(kLoad + first + "shfl.sync.bfly.b32 %r3, %r2, 5, 31, -1;" + kStore).count(OpClass::shfl) ==
        1);
  CHECK(lowered(kLoad + first + "add.s32 %r2, %r2, %r1; shfl.sync.idx.b32 %r3, %r2, %r8, 31, -1;" + kStore)
            .count(OpClass::shfl) == 1);
}

TEST_CASE("A shuffle within segments of a warp gives lanes different values") {
  const std::string segments =
      "shfl.sync.idx.b32 %r2, %r9, 3, 0x181f, -1; shfl.sync.idx.b32 %r3, %r2, 3, 0x181f, -1;";
  CHECK(lowered(kLoad + segments + kStore).count(OpClass::shfl) == 2);
}

TEST_CASE("A shuffle by each lane's own index is not its own inverse") {
  const std::string own = "shfl.sync.idx.b32 %r2, %r9, %r8, 31, -1; shfl.sync.idx.b32 %r3, %r2, %r8, 31, -1;";
  CHECK(lowered(kLoad + own + kStore).count(OpClass::shfl) == 2);
}

TEST_CASE("An exchange with the same operands is made once, also behind a barrier") {
  const std::string twice =
      "shfl.sync.down.b32 %r2, %r9, 1, 31, -1; bar.sync 0; shfl.sync.down.b32 %r4, %r9, 1, 31, -1;"
      "add.s32 %r3, %r2, %r4;";
  CHECK(lowered(kLoad + twice + kStore).count(OpClass::shfl) == 1);
}

TEST_CASE("Bits of a parameter are counted on the uniform path where the user can read its registers") {
  const auto added = lowered(kLoad + "popc.b32 %r2, %r1; add.s32 %r3, %r2, %r8;" + kStore);
  CHECK(added.count(OpClass::upopc) == 1);
  CHECK(added.count(OpClass::popc) == 0);
  const auto stored = lowered(kLoad + "popc.b32 %r3, %r1;" + kStore);
  CHECK(stored.count(OpClass::upopc) == 0);
  CHECK(stored.count(OpClass::popc) == 1);
}

TEST_CASE("A parameter that is added twice is a shift and an addition, another value is not") {
  const auto doubled = lowered(kLoad + "add.s32 %r2, %r9, %r1; add.s32 %r3, %r2, %r1;" + kStore);
  CHECK(doubled.count(OpClass::lea) + doubled.count(OpClass::imad) == 1);
  CHECK(doubled.count(OpClass::iadd) == 0);
  const auto other = lowered(kLoad + "add.s32 %r2, %r9, %r8; add.s32 %r3, %r2, %r8;" + kStore);
  CHECK(other.count(OpClass::iadd) == 1);
}

TEST_CASE("More than fifteen cycles to the next operation take a NOP") {
  MachineModel slow = plain_model();
  slow.latency[static_cast<size_t>(OpClass::lop3)].latency = 24;
  const auto l = lowered(kLoad +
                             "xor.b32 %r2, %r9, %r8; xor.b32 %r4, %r2, 5; xor.b32 %r5, %r4, %r8;"
                             "add.s32 %r3, %r5, %r9;" +
                             kStore,
                         slow);
  CHECK(l.count(OpClass::nop) >= 1);
  CHECK(std::all_of(l.machine.ops.begin(), l.machine.ops.end(),
                    [](const MachineOp& op) { return op.stall <= 15; }));
}

TEST_CASE("Each place of a matrix operand has a register, constants too") {
  const auto l = lowered(
      "mov.b32 %r2, 0x3c003c00; mov.f32 %f1, 0f00000000;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r2,%r2,%r1,%r1}, {%r2,%r1},"
      " {%f1,%f1,%f1,%f1}; st.global.f32 [%rd1], %f2;");
  CHECK(l.count(OpClass::hmma_16816) == 1);
  // Three constants; %r1 keeps its register once and is copied twice.
  CHECK(l.count(OpClass::mov) + l.count(OpClass::imad) == 5);
}

TEST_CASE("A loop's variable is read before its next value takes the register") {
  const auto l = lowered(
      "mov.f32 %f1, 0f3f800000; mov.u32 %r2, 0;\n"
      "L: add.f32 %f2, %f1, 0f40000000; mul.f32 %f3, %f1, %f1; mov.f32 %f1, %f2; st.global.f32 [%rd1], %f3;"
      "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L; st.global.f32 [%rd1+4], %f1;",
      plain_model(), Loops::kAsWritten);
  // The two constants in front of the loop and the counter's step, on whichever pipe: no copy.
  CHECK(l.count(OpClass::mov) + l.count(OpClass::imad) + l.count(OpClass::iadd) == 3);
  CHECK(l.place(OpClass::fmul) < l.place(OpClass::fadd));
}

TEST_CASE("The first of two clocks comes in a uniform register and the parameter's user follows it") {
  const auto l = lowered(
      "mov.u32 %r2, %clock; shl.b32 %r3, %r1, %r1; mov.u32 %r4, %clock; sub.s32 %r5, %r4, %r2;"
      "st.global.u32 [%rd1], %r5; st.global.u32 [%rd1+4], %r3;");
  CHECK(l.count(OpClass::s2r) == 1);
  CHECK(l.count(OpClass::cs2r) == 1);
  CHECK(l.place(OpClass::s2r) < l.place(OpClass::shift));
  CHECK(l.place(OpClass::shift) < l.place(OpClass::cs2r));
}

TEST_CASE("A matrix of global memory is loaded in as many pieces as its fragment has registers") {
  const auto l = lowered(
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%rd1], %r1;\n"
      "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%rd1],"
      " %r1;\n"
      "mov.f32 %f1, 0f00000000;\n"
      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9},"
      " {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17},"
      " {%f1,%f1,%f1,%f1,%f1,%f1,%f1,%f1};\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9}, %r1;");
  CHECK(l.count(OpClass::ldg) == 8);
  CHECK(l.count(OpClass::movm) == 4);  // B is contiguous along the other dimension
  CHECK(l.count(OpClass::stg) == 4);
}

TEST_CASE("The halves of a wmma multiplication follow each other at the pipe's interval, without a wait") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::hmma_pair)] = {OpClass::hmma_16816, OpClass::hmma_16816};
  model.latency[static_cast<size_t>(OpClass::hmma_16816)] = {24, 6, false};
  const auto l = lowered(
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%rd1], %r1;\n"
      "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%rd1],"
      " %r1;\n"
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9}, [%rd1], %r1;\n"
      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9},"
      " {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17},"
      " {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9};\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9}, %r1;",
      model);
  REQUIRE(l.count(OpClass::hmma_16816) == 2);
  const size_t first = l.place(OpClass::hmma_16816);
  size_t second = first + 1;
  unsigned cycles = l.machine.ops[first].stall;
  while (l.machine.ops[second].op != OpClass::hmma_16816) cycles += l.machine.ops[second++].stall;
  CHECK(cycles == 6);
  CHECK(l.machine.ops[first].dst_count == 4);
  CHECK(l.machine.ops[first].dst % 4 == 0);
}

TEST_CASE(
    "Without a multiplication of bytes, fp8 is unpacked once a register, multiplied by halves and added") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::qmma_16832)] = {OpClass::f2fp, OpClass::hmma_16816,
                                                              OpClass::hmma_16816, OpClass::fadd};
  const std::string two =
      "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1]; ld.global.v4.u32 {%r6,%r7,%r8,%r9}, [%rd1+16];\n"
      "mov.f32 %f1, 0f00000000;\n"
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f2,%f3,%f4,%f5}, {%r2,%r3,%r4,%r5}, {%r6,%r7},"
      " {%f1,%f1,%f1,%f1};\n"
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f6,%f7,%f8,%f9}, {%r2,%r3,%r4,%r5}, {%r8,%r9},"
      " {%f2,%f3,%f4,%f5};\n"
      "st.global.v4.f32 [%rd1], {%f6,%f7,%f8,%f9};";
  const auto l = lowered(two, model);
  CHECK(l.count(OpClass::f2fp) == 8 + 2 * 4);
  CHECK(l.count(OpClass::hmma_16816) == 4);
  CHECK(l.count(OpClass::fadd) == 8);
  CHECK(l.count(OpClass::qmma_16832) == 0);
  const auto own = lowered(two);
  CHECK(own.count(OpClass::qmma_16832) == 2);
  CHECK(own.count(OpClass::f2fp) == 0);
}

}  // namespace
}  // namespace gpuloom::ptx
