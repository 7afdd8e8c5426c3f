// SPDX-License-Identifier: Apache-2.0
// Where parameters are loaded: each pattern is one of ptxas 13.0 for sm_90, compiled for the purpose.
#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

constexpr uint16_t kPointer = 0x210, kNumber = 0x218;  // of the test kernel's parameters

struct Load {
  size_t block = 0;
  bool uniform = false, guarded = false;
};

std::vector<Load> loads(const std::string& body, uint16_t offset) {
  const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten);
  std::vector<Load> found;
  for (size_t b = 0; b < l.machine.blocks.size(); ++b) {
    const MachineBlock& block = l.machine.blocks[b];
    for (uint32_t k = block.first; k < block.first + block.count; ++k) {
      const MachineOp& op = l.machine.ops[k];
      if (op.op == OpClass::ldc && op.constant_offset == offset)
        found.push_back({b, op.uniform != 0, op.guarded != 0});
    }
  }
  return found;
}

const std::string kStart = "mov.u32 %r2, %tid.x; mov.u32 %r3, 0;\n";
const std::string kLookUp =
    "mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];\n";

TEST_CASE("A loop without loops inside finds its parameter loaded in front of it") {
  const auto found = loads(kStart + "L:\n" + kLookUp +
                               "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 9; @%p1 bra L;\n"
                               "st.global.u32 [%rd3], %r2;",
                           kPointer);
  REQUIRE(found.size() == 1);
  CHECK(found[0].block == 0);
}

TEST_CASE("A loop with loops inside loads its parameter in each iteration, once for its blocks") {
  const auto found = loads(kStart + kLookUp + "O:\n mov.u32 %r4, 0;\n" + kLookUp + "I:\n" + kLookUp +
                               "add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 9; @%p2 bra I;\n"
                               "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 9; @%p1 bra O;\n"
                               "st.global.u32 [%rd3], %r2;",
                           kPointer);
  REQUIRE(found.size() == 2);
  CHECK(found[0].block == 0);
  CHECK(found[1].block == 1);
}

TEST_CASE("What a guarded operation alone needs is loaded under its guard, in a loop too") {
  const auto found =
      loads(kStart +
                "cvta.to.global.u64 %rd5, %rd1; mov.u64 %rd6, 4096;\n"
                "L:\n ld.global.u32 %r2, [%rd6]; setp.ge.s32 %p3, %r2, 6; @!%p3 bra J;\n"
                "mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd5, %rd2; ld.global.u32 %r2, [%rd3];\n"
                "J:\n add.s32 %r3, %r3, %r2; setp.lt.s32 %p1, %r3, 9; @%p1 bra L;\n"
                "st.global.u32 [%rd6], %r2;",
            kPointer);
  REQUIRE(found.size() == 1);
  CHECK(found[0].guarded);
  CHECK(found[0].block == 1);
}

TEST_CASE(
    "Arithmetic reads a parameter from a uniform register, what is stored comes from a vector register") {
  const std::string sum = kStart + "add.s32 %r4, %r2, %r1; st.global.u32 [%rd1], %r4;\n";
  const auto read = loads(sum, kNumber);
  REQUIRE(read.size() == 1);
  CHECK(read[0].uniform);
  const auto stored = loads(sum + "st.global.u32 [%rd1+4], %r1;", kNumber);
  REQUIRE(stored.size() == 1);
  CHECK(!stored[0].uniform);
}

TEST_CASE("An immediate takes the operand's place, and a loop's arithmetic asks the constant bank again") {
  const auto found = loads(kStart +
                               "setp.lt.s32 %p4, %r1, 1; @%p4 bra E;\n"
                               "L:\n add.s32 %r2, %r2, %r1; xor.b32 %r2, %r2, %r3; add.s32 %r3, %r3, 1;\n"
                               "setp.lt.s32 %p1, %r3, 9; @%p1 bra L;\nE:\n st.global.u32 [%rd1], %r2;",
                           kNumber);
  REQUIRE(found.size() == 2);
  CHECK(!found[0].uniform);
  CHECK(found[1].uniform);
}

TEST_CASE("Two neighbours that one block's arithmetic reads are one load") {
  const std::string head =
      ".visible .entry k(.param .u64 p, .param .u32 a, .param .u32 b)\n{ .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; mov.u32 %r3, %tid.x;\n";
  const auto loads_of = [&](const std::string& body) {
    return lowered_text(head + body + " ret; }\n", Loops::kAsWritten).count(OpClass::ldc);
  };
  // The stack pointer, the descriptor, the pointer and the pair.
  CHECK(loads_of("add.s32 %r4, %r3, %r1; xor.b32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5;") == 4);
  CHECK(loads_of("add.s32 %r4, %r3, %r1; st.global.u32 [%rd1], %r4; st.global.u32 [%rd1+4], %r2;") == 5);
}

TEST_CASE("The global address of an asynchronous copy keeps its 64 bits") {
  const Lowered l =
      lowered_text(test_kernel("mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 4; cvt.s64.s32 %rd2, %r3;\n"
                               "add.s64 %rd3, %rd1, %rd2; shr.u64 %rd4, %rd3, 1;\n"
                               "cp.async.cg.shared.global [%r3], [%rd4], 16;"),
                   Loops::kAsWritten);
  bool whole = false;
  for (const MachineOp& op : l.machine.ops) whole |= op.dst_count == 2 && op.op != OpClass::ldc;
  CHECK(whole);
}

// A loop that stores `count` constants.
Lowered stores_constants(unsigned count) {
  std::string body = "mov.u32 %r2, 0;\nL:\n";
  for (unsigned k = 0; k < count; ++k) {
    const std::string r = "%r" + std::to_string(5 + k);
    body += "mov.u32 " + r + ", " + std::to_string(5 * k + 3) + "; st.global.u32 [%rd1+" +
            std::to_string(4 * k) + "], " + r + ";\n";
  }
  return lowered_text(test_kernel(body + "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;"),
                      Loops::kAsWritten);
}

unsigned constants_in_first_block(const Lowered& l) {
  const MachineBlock& block = l.machine.blocks[0];
  return static_cast<unsigned>(
      std::count_if(l.machine.ops.begin() + block.first, l.machine.ops.begin() + block.first + block.count,
                    [](const MachineOp& op) {
                      return (op.op == OpClass::mov || op.op == OpClass::imad) && op.uniform == 0;
                    }));
}

TEST_CASE("A loop finds up to nine constants made in front of it, and makes more in every turn") {
  CHECK(constants_in_first_block(stores_constants(9)) == 9);
  CHECK(constants_in_first_block(stores_constants(10)) == 0);
  CHECK(stores_constants(20).machine.registers_per_thread <= 32);
}

TEST_CASE("Constants of an inner loop are made in each turn of the outer one") {
  const Lowered l = lowered_text(
      test_kernel("mov.u32 %r2, 0;\nO:\n mov.u32 %r3, 0;\nL:\n mov.u32 %r5, 77; st.global.u32 [%rd1], %r5;\n"
                  "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra L;\n"
                  "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, %r1; @%p2 bra O;"),
      Loops::kAsWritten);
  CHECK(constants_in_first_block(l) == 0);
}

TEST_CASE("A double's constant stands in uniform registers for all blocks behind the one that makes it") {
  const std::string use = "fma.rn.f64 %d1, %d1, %d1, 0d3E5ADE1569CE2BDF; ";
  const Lowered l = lowered_text(test_kernel("ld.global.f64 %d1, [%rd1];\n" + use +
                                             "\nA: add.f64 %d1, %d1, %d1; setp.lt.f64 %p1, %d1, "
                                             "0d4000000000000000; @%p1 bra A;\n" +
                                             use + "st.global.f64 [%rd1], %d1;"),
                                 Loops::kAsWritten);
  CHECK(std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                      [](const MachineOp& op) { return op.op == OpClass::mov && op.uniform != 0; }) == 2);
}

}  // namespace
}  // namespace gpuloom::ptx
