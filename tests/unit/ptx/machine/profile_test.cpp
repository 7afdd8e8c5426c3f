// SPDX-License-Identifier: Apache-2.0
// What a lowering profile changes: each pattern is one of ptxas 13.0 for the target named.
#include "ptx/machine/lowering_profile.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

MachineModel model_of_80() {
  MachineModel m = plain_model();
  m.profile.constant_operands = true;
  m.profile.shared_window = false;
  m.profile.constant_bank.parameters = 0x160;
  m.profile.constant_bank.descriptor = 0x118;
  return m;
}

unsigned reading_bank(const Lowered& l, OpClass op) {
  return static_cast<unsigned>(
      std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                    [&](const MachineOp& o) { return o.op == op && o.constant_operand != 0; }));
}

const std::string kAdd =
    "mov.u32 %r2, %tid.x; add.s32 %r4, %r2, %r1; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r5, [%rd3]; add.s32 %r5, %r5, 1; st.global.u32 [%rd3], %r5;\n";

TEST_CASE(
    "Before 9.0 arithmetic reads parameters where they are, and an immediate beside one takes a register") {
  const Lowered l = lowered_text(test_kernel(kAdd), Loops::kAsWritten, model_of_80());
  CHECK(reading_bank(l, OpClass::imad_wide) == 1);  // IMAD.WIDE R2, R0, R3, c[0x0][0x160]
  for (const MachineOp& op : l.machine.ops)
    if (op.op == OpClass::ldc) CHECK(op.uniform != 0);  // the descriptor alone
  CHECK(l.count(OpClass::ldc) == 1);
  const Lowered later = lowered_text(test_kernel(kAdd), Loops::kAsWritten);
  CHECK(later.count(OpClass::ldc) >= 3);
  CHECK(reading_bank(later, OpClass::imad_wide) == 0);
}

TEST_CASE("Before 9.0 a parameter that is stored is moved to a register, each half by itself") {
  const Lowered l =
      lowered_text(test_kernel("st.global.u32 [%rd1], %r1;\n"), Loops::kAsWritten, model_of_80());
  CHECK(reading_bank(l, OpClass::mov) == 4);  // the stack pointer, the address's halves, the value
}

TEST_CASE("Where accesses need no descriptor none is loaded") {
  MachineModel m = model_of_80();
  m.profile.constant_bank.descriptor = 0;
  CHECK(lowered_text(test_kernel(kAdd), Loops::kAsWritten, m).count(OpClass::ldc) == 0);
}

TEST_CASE("On 7.5 a convergence barrier is cleared in front of each BSSY") {
  const std::string body =
      "mov.u32 %r2, %tid.x; setp.lt.s32 %p1, %r2, 9; @%p1 bra L;\n"
      "atom.global.add.u32 %r3, [%rd1], %r2; atom.global.add.u32 %r4, [%rd1+4], %r3;\n"
      "L:\n st.global.u32 [%rd1+8], %r2;\n";
  MachineModel m = plain_model();
  const Lowered before = lowered_text(test_kernel(body), Loops::kAsWritten, m);
  m.profile.clears_barrier = true;
  const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten, m);
  CHECK(before.count(OpClass::bmov) == 0);
  CHECK(l.count(OpClass::bssy) == before.count(OpClass::bssy));
  CHECK(l.count(OpClass::bmov) == l.count(OpClass::bssy));
}

TEST_CASE("Where no operation adds and takes the lesser, two do") {
  const std::string body =
      "mov.u32 %r2, %tid.x; ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+4];\n"
      "add.s32 %r5, %r3, %r4; min.s32 %r5, %r5, %r2; st.global.u32 [%rd1], %r5;\n";
  MachineModel m = plain_model();
  const Lowered one = lowered_text(test_kernel(body), Loops::kAsWritten, m);
  m.profile.minimum_of_sum = false;
  CHECK(lowered_text(test_kernel(body), Loops::kAsWritten, m).machine.ops.size() ==
        one.machine.ops.size() + 1);
}

TEST_CASE("Operations of one unit are kept apart as the profile says") {
  MachineModel m = plain_model();
  m.profile.spacing.memory = 9;
  const Lowered l = lowered_text(test_kernel("st.global.u32 [%rd1], 1; st.global.u32 [%rd1+64], 2;\n"),
                                 Loops::kAsWritten, m);
  const size_t first = l.place(OpClass::stg);
  unsigned apart = 0;
  for (size_t k = first; k < l.machine.ops.size() && (k == first || l.machine.ops[k].op != OpClass::stg); ++k)
    apart += l.machine.ops[k].stall;
  CHECK(apart >= 9);
}

}  // namespace
}  // namespace gpuloom::ptx
