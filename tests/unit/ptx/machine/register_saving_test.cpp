// SPDX-License-Identifier: Apache-2.0
// What lowering does where values need more registers than the first step has.
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kAsWritten); }

// `sums` accumulators in a loop, which stores `columns` products of one value each and works so long.
std::string columns_in_a_loop(unsigned columns, unsigned sums, unsigned work) {
  std::string body = "mov.u32 %r2, %tid.x;\n", turn = "L:\n";
  for (unsigned k = 0; k < columns; ++k)
    body += "or.b32 " + numbered("%r", 10 + k) + ", %r2, " + std::to_string(256 << k) + ";\n";
  for (unsigned k = 0; k < sums; ++k) body += "mov.f32 " + numbered("%f", k) + ", 0f00000000;\n";
  for (unsigned k = 0; k < columns; ++k)
    turn += "mul.lo.u32 %r9, " + numbered("%r", 10 + k) + ", %r3; st.global.u32 [%rd1+" +
            std::to_string(1024 + 4 * k) + "], %r9;\n";
  for (unsigned k = 0; k < sums * work; ++k) {
    const std::string f = numbered("%f", k % sums);
    turn += "fma.rn.f32 " + f + ", " + f + ", 0f3F000000, 0f3F800000;\n";
  }
  turn += "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra L;\n";
  for (unsigned k = 0; k < sums; ++k)
    turn += "st.global.f32 [%rd1+" + std::to_string(4 * k) + "], " + numbered("%f", k) + ";\n";
  return body + turn;
}

unsigned count_in_loop(const Lowered& l, OpClass op) {
  unsigned count = 0;
  const MachineBlock& loop = l.machine.blocks[1];
  for (uint32_t k = loop.first; k < loop.first + loop.count; ++k) count += l.machine.ops[k].op == op ? 1 : 0;
  return count;
}

TEST_CASE("Sums of one value are made again in a loop where they would take it beyond 32 registers") {
  const Lowered crowded = lowered(columns_in_a_loop(8, 18, 20));
  CHECK(crowded.machine.registers_per_thread <= 32);
  CHECK(count_in_loop(crowded, OpClass::lop3) == 8);
}

TEST_CASE("Sums of one value are not made again in a loop that would take much longer with them") {
  const Lowered crowded = lowered(columns_in_a_loop(8, 18, 1));
  CHECK(crowded.machine.registers_per_thread == 40);
  CHECK(count_in_loop(crowded, OpClass::lop3) == 0);
}

TEST_CASE("No more sums are made again than take a loop beyond 32 registers") {
  const Lowered crowded = lowered(columns_in_a_loop(12, 14, 20));
  CHECK(crowded.machine.registers_per_thread <= 32);
  CHECK(count_in_loop(crowded, OpClass::lop3) > 0);
  CHECK(count_in_loop(crowded, OpClass::lop3) < 12);
}

TEST_CASE("Sums of one value stay in front of a loop that has room for them") {
  const Lowered roomy = lowered(columns_in_a_loop(8, 4, 20));
  CHECK(roomy.machine.registers_per_thread <= 32);
  CHECK(count_in_loop(roomy, OpClass::lop3) == 0);
}

// x * a - y * b and x * b + y * a of 14 pairs, each step for all of them before the next one.
std::string rotations() {
  std::string body;
  constexpr unsigned kPairs = 7;
  const auto for_pairs = [&](auto line) {
    for (unsigned k = 0; k < kPairs; ++k) body += line(k);
  };
  for_pairs([](unsigned k) {
    return "ld.global.f32 " + numbered("%f", 4 * k) + ", [%rd1+" + std::to_string(64 * k) + "];\n" +
           "ld.global.f32 " + numbered("%f", 4 * k + 1) + ", [%rd1+" + std::to_string(64 * k + 4) + "];\n";
  });
  for_pairs([](unsigned k) {
    return "mul.f32 " + numbered("%f", 4 * k + 2) + ", " + numbered("%f", 4 * k) + ", 0f3F000000;\n";
  });
  for_pairs([](unsigned k) {
    return "fma.rn.f32 " + numbered("%f", 4 * k + 2) + ", " + numbered("%f", 4 * k + 1) + ", 0fBF400000, " +
           numbered("%f", 4 * k + 2) + ";\n";
  });
  for_pairs([](unsigned k) {
    return "mul.f32 " + numbered("%f", 4 * k + 3) + ", " + numbered("%f", 4 * k) + ", 0f3F400000;\n";
  });
  for_pairs([](unsigned k) {
    return "fma.rn.f32 " + numbered("%f", 4 * k + 3) + ", " + numbered("%f", 4 * k + 1) + ", 0f3F000000, " +
           numbered("%f", 4 * k + 3) + ";\n";
  });
  std::string stores;
  for (unsigned k = 0; k < 2 * kPairs; ++k)
    stores += "st.global.f32 [%rd1+" + std::to_string(2048 + 4 * k) + "], " +
              numbered("%f", 4 * (k % kPairs) + 2 + k / kPairs) + ";\n";
  return body + stores;
}

TEST_CASE("Two results of the same values need no more registers than the values") {
  CHECK(lowered(rotations()).machine.registers_per_thread <= 32);
}

}  // namespace
}  // namespace gpuloom::ptx
