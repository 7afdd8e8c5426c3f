// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

MachineModel with_alu() {
  MachineModel model = plain_model();
  for (const OpClass op : {OpClass::lop3, OpClass::iadd}) {
    model.latency[static_cast<size_t>(op)].interval = 2;
    model.latency[static_cast<size_t>(op)].stalled_unit = 1;
  }
  return model;
}

TEST_CASE("An operation of fixed latency yields where it stalls for three cycles, a store does not") {
  const auto l =
      lowered_text(test_kernel("ld.global.u32 %r2, [%rd1]; xor.b32 %r3, %r2, 5; and.b32 %r4, %r3, 9;\n"
                               "st.global.u32 [%rd1+4], %r4; st.global.u32 [%rd1+8], %r3;"),
                   Loops::kUnrolled, with_alu());
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::lop3) CHECK((op.yield != 0) == (op.stall >= 3));
    if (op.op == OpClass::stg) CHECK(op.yield == 0);
  }
  CHECK(l.count(OpClass::lop3) == 2);
}

TEST_CASE("Operations of the ALU side by side stall two cycles, and yield when ten have passed") {
  std::string body = "ld.global.u32 %r2, [%rd1];";
  for (int k = 3; k < 17; ++k) body += "xor.b32 %r" + std::to_string(k) + ", %r2, " + std::to_string(k) + ";";
  for (int k = 3; k < 17; ++k)
    body += "st.global.u32 [%rd1+" + std::to_string(4 * k) + "], %r" + std::to_string(k) + ";";
  const auto l = lowered_text(test_kernel(body), Loops::kAsWritten, with_alu());
  std::string yields;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::lop3) yields += op.yield != 0 ? 'y' : '.';
  }
  const size_t first = yields.find('y');
  REQUIRE(first != std::string::npos);
  CHECK(yields.find('y', first + 1) == first + 6);  // five others of two cycles each between
}

TEST_CASE(
    "The last clock behind a barrier is read when the warp comes to it, an earlier one when it leaves") {
  const auto l =
      lowered_text(test_kernel("bar.sync 0; mov.u32 %r2, %clock; xor.b32 %r3, %r1, %r2;\n"
                               "bar.sync 0; mov.u32 %r4, %clock; st.global.v2.u32 [%rd1], {%r3, %r4};"),
                   Loops::kUnrolled);
  std::string order;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::bar) order += 'b';
    if (op.op == OpClass::cs2r || op.op == OpClass::s2r) order += 'c';
  }
  CHECK(order == "bccb");
}

TEST_CASE("A barrier waits for the proxy fence in front of it, a store does not") {
  const auto l = lowered_text(test_kernel("st.shared.u32 [0], %r1; fence.proxy.async.shared::cta;\n"
                                          "st.shared.u32 [4], %r1; bar.sync 0; st.shared.u32 [8], %r1;"),
                              Loops::kUnrolled);
  uint8_t board = kNoScoreboard;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::fence_async) board = op.write_scoreboard;
    if (op.op == OpClass::sts && board != kNoScoreboard) CHECK((op.wait_mask >> board & 1) == 0);
    if (op.op != OpClass::bar) continue;
    REQUIRE(board != kNoScoreboard);
    CHECK((op.wait_mask >> board & 1) == 1);
    board = kNoScoreboard;
  }
}

}  // namespace
}  // namespace gpuloom::ptx
