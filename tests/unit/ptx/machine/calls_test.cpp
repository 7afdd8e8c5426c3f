// SPDX-License-Identifier: Apache-2.0
// Calls: what passes in registers, what is saved, and who follows the calling convention.
#include "ptx/machine/calls.h"

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& text) { return lowered_text(text, Loops::kAsWritten); }

std::string call_of(const std::string& function, const std::string& to, const std::string& from) {
  return "{ .param .b32 a; .param .b32 r; st.param.b32 [a], " + from + "; call (r), " + function +
         ", (a); ld.param.b32 " + to + ", [r]; }\n";
}

const std::string kFib =
    ".func (.param .b32 r0) fib(.param .b32 x) { .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.u32 %r1, [x];\n"
    "setp.lt.u32 %p1, %r1, 2; @%p1 bra END; add.s32 %r2, %r1, -1;\n" +
    call_of("fib", "%r3", "%r2") + "add.s32 %r4, %r1, -2;\n" + call_of("fib", "%r5", "%r4") +
    "add.s32 %r1, %r5, %r3;\nEND: st.param.b32 [r0], %r1; ret; }\n";

const std::string kTwice =
    ".func (.param .b32 r0) twice(.param .b32 x) { .reg .b32 %r<9>; ld.param.u32 %r1, [x];\n"
    "add.s32 %r2, %r1, %r1; st.param.b32 [r0], %r2; ret; }\n";

TEST_CASE("A function that calls itself saves what it must keep and loads it before it returns") {
  // SASS of recursion: R2, R16, R17, R20, R21 are saved
  const auto l = lowered(kFib + test_kernel("ld.global.u32 %r2, [%rd1];\n" + call_of("fib", "%r3", "%r2") +
                                            "st.global.u32 [%rd1], %r3;"));
  CHECK(l.count(OpClass::stl) == 5);
  CHECK(l.count(OpClass::ldl) == 5);
  CHECK(l.count(OpClass::bmov) == 2);
  CHECK(l.count(OpClass::call) == 3);
  CHECK(l.machine.program->functions[1].saved_bytes == 20);
  CHECK(l.machine.program->functions[0].saved_bytes == 0);
  for (const MachineOp& op : l.machine.ops) {
    if (op.op != OpClass::stl && op.op != OpClass::ldl) continue;
    CHECK(op.frame == 1);
    CHECK(op.exec_count == 0);
  }
}

TEST_CASE("Arguments and results are made and used in the registers that pass them") {
  // SASS of recursion: the loaded value goes to R4, the result is stored from R4, no move between
  const auto l = lowered(kFib + test_kernel("ld.global.u32 %r2, [%rd1];\n" + call_of("fib", "%r3", "%r2") +
                                            "st.global.u32 [%rd1], %r3;"));
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::ldg) CHECK(op.dst == kFirstArgument);
    if (op.op == OpClass::stg) CHECK((op.src[0] == kFirstArgument || op.src[1] == kFirstArgument));
  }
}

TEST_CASE("A function that others call by name shares their registers and has no frame") {
  const auto l =
      lowered(kTwice + test_kernel("ld.global.u32 %r2, [%rd1];\n" + call_of("twice", "%r3", "%r2") +
                                   "add.s32 %r4, %r3, %r2; st.global.u32 [%rd1], %r4;"));
  CHECK(l.count(OpClass::stl) == 0);
  CHECK(l.machine.program->functions[1].saved_bytes == 0);
}

TEST_CASE("A function whose address is taken follows the convention") {
  const std::string text = ".global .u64 table[1] = {twice};\n" + kTwice +
                           test_kernel(
                               "mov.u64 %rd2, table; ld.global.u64 %rd3, [%rd2]; ld.global.u32 %r2, [%rd1];\n"
                               "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r2;\n"
                               "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                               "call (r), %rd3, (a), proto; ld.param.b32 %r3, [r]; }\n"
                               "st.global.u32 [%rd1], %r3;");
  const auto l = lowered(".func (.param .b32 r0) twice(.param .b32 x);\n" + text);
  CHECK(Calls::find_conventional(*l.machine.program) == std::vector<uint8_t>{0, 1});
  CHECK(l.count(OpClass::stl) == 0);  // it changes nothing that it must keep
}

TEST_CASE("Vectors of arguments and whole vector registers are lowered") {
  // The places of their operands are lists: taken for registers, they led beyond the ends of tables.
  const auto call = lowered(
      ".func (.param .align 16 .b8 r[16]) f(.param .align 16 .b8 q[16]) { .reg .b64 %w<3>;\n"
      "ld.param.v2.b64 {%w1, %w2}, [q]; st.param.v2.b64 [r], {%w2, %w1}; ret; }\n" +
      test_kernel(
          "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n{ .param .align 16 .b8 q[16]; .param .align 16 "
          ".b8 rr[16]; st.param.v4.b32 [q], {%r1, %r2, %r3, %r4}; call (rr), f, (q);\n"
          "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [rr]; } st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};"));
  CHECK(call.count(OpClass::call) == 1);
  CHECK(call.count(OpClass::stg) == 1);
  const auto registers =
      lowered(".func (.reg .u32 rv) g(.reg .u32 a, .reg .u32 b) { sub.u32 rv, a, b; ret; }\n" +
              test_kernel("ld.global.v2.u32 {%r1, %r2}, [%rd1]; call.uni (%r3), g, (%r1, %r2);\n"
                          "cvt.u64.u32 %rd3, %r3; st.global.u64 [%rd1], %rd3;"));
  CHECK(registers.count(OpClass::call) == 1);
  const auto whole =
      lowered(test_kernel(".reg .v2 .b32 %v<4>; ld.global.v2.b32 %v1, [%rd1]; mov.v2.b32 %v2, %v1;\n"
                          "mov.v2.b32 %v3, {%v2.y, %v2.x}; st.global.v2.b32 [%rd1+8], %v3;"));
  CHECK(whole.count(OpClass::ldg) == 1);
  CHECK(whole.count(OpClass::stg) == 1);
}

// `count` calls of one function, each with eight values that live across it alone.
std::string calls_in_turn(unsigned count) {
  std::string body;
  for (unsigned c = 0; c < count; ++c) {
    for (unsigned k = 0; k < 8; ++k)
      body +=
          "ld.global.u32 %r" + std::to_string(10 + k) + ", [%rd1+" + std::to_string(64 * c + 4 * k) + "];\n";
    body += call_of("twice", "%r3", "%r10");
    for (unsigned k = 0; k < 8; ++k) body += "mad.lo.s32 %r3, %r3, %r" + std::to_string(10 + k) + ", %r3;\n";
    body += "st.global.u32 [%rd1+" + std::to_string(4000 + 4 * c) + "], %r3;\n";
  }
  return kTwice + test_kernel(body);
}

TEST_CASE("What lives across one call of a function takes no registers from what lives across another") {
  const uint32_t two = lowered(calls_in_turn(2)).machine.registers_per_thread;
  CHECK(lowered(calls_in_turn(8)).machine.registers_per_thread <=
        two + 2);  // ptxas: 22 for 8 and for 40 calls
}

}  // namespace
}  // namespace gpuloom::ptx
