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

TEST_CASE("Before 9.0 a factor of a product that adds a parameter is in a register, wherever it was named") {
  const std::string body =
      "mov.u32 %r2, %tid.x; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd5, [q];\n"
      "add.s64 %rd4, %rd5, %rd2; ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd4], %r5;\n";
  const std::string text =
      ".visible .entry k(.param .u64 p, .param .u64 q) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [p];\n" +
      body + "ret; }\n";
  const Lowered l = lowered_text(text, Loops::kAsWritten, model_of_80());
  CHECK(reading_bank(l, OpClass::imad_wide) == 2);
  CHECK(l.count(OpClass::mov) == 2);  // the stack pointer, and MOV R5, 0x4 for both
}

TEST_CASE(
    "Before 9.0 an address of shared memory is scaled by the access, and a variable's place part of it") {
  const std::string body =
      ".shared .b8 first[64]; .shared .b8 tile[4096]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 3;\n"
      "mov.u32 %r4, tile; add.s32 %r5, %r4, %r3; st.shared.u32 [%r5], %r2; ld.shared.u32 %r6, [%r5+8];\n"
      "st.global.u32 [%rd1], %r6;\n";
  MachineModel m = model_of_80();
  const size_t without = lowered_text(test_kernel(body), Loops::kAsWritten, m).machine.ops.size();
  m.profile.scaled_addresses = true;  // STS [R0.X8+0x40], R0
  const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten, m);
  CHECK(l.machine.ops.size() == without - 1);
  CHECK(l.count(OpClass::shift) + l.count(OpClass::lea) + l.count(OpClass::iadd) == 0);
}

TEST_CASE("Before 7.5 nothing is computed on the uniform datapath") {
  const std::string body =
      "mov.u32 %r5, %tid.x; add.s32 %r4, %r1, 77; xor.b32 %r7, %r4, %r5; st.global.u32 [%rd1], %r7;\n";
  const auto uniform = [&](const MachineModel& model) {
    const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten, model);
    return std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                         [](const MachineOp& o) { return o.uniform != 0; });
  };
  MachineModel m = model_of_80();
  m.profile.constant_bank.descriptor = 0;
  CHECK(uniform(m) > 0);
  m.profile.uniform_datapath = false;
  CHECK(uniform(m) == 0);
}

TEST_CASE(
    "Before 9.0 what is made of a parameter that a vector register must hold for somebody is made there") {
  const std::string body =  // LDC R5; IADD3 R0, R5, 0x4d; SHF.L.U32 R5, R5, 0x3, RZ; IMAD R5, R0, R7, R5
      "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd3, %rd1, %rd2; add.s32 %r2, %r1, 77;\n"
      "shl.b32 %r3, %r1, 3; mad.lo.s32 %r9, %r8, %r2, %r3; st.global.u32 [%rd3], %r9;\n";
  MachineModel m = model_of_h200();
  const auto uniform = [&] {
    const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten, m);
    return std::count_if(l.machine.ops.begin(), l.machine.ops.end(), [](const MachineOp& o) {
      return o.uniform != 0 && (o.op == OpClass::iadd || o.op == OpClass::shift);
    });
  };
  CHECK(uniform() == 1);
  m.profile.parameter_in_one_file = true;
  CHECK(uniform() == 0);
}

TEST_CASE("On 7.0 a kernel begins with an empty shuffle, and a NOP stands in front of each barrier") {
  MachineModel m = model_of_80();
  m.profile.empty_loads.shuffles = 1;
  m.profile.empty_loads.nops = 1;
  const Lowered l =
      lowered_text(test_kernel("bar.sync 0; st.global.u32 [%rd1], %r1; bar.sync 0;\n"), Loops::kAsWritten, m);
  CHECK(l.count(OpClass::shfl) == 1);
  CHECK(l.count(OpClass::nop) == 2);
  CHECK(l.machine.ops[l.place(OpClass::bar) - 1].op == OpClass::nop);
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

TEST_CASE("An extended index that is shifted has its upper half made, wherever constants are read") {
  const std::string body =
      "mov.u32 %r2, %tid.x; cvt.s64.s32 %rd2, %r2; shl.b64 %rd3, %rd2, 2; add.s64 %rd3, %rd1, %rd3;\n"
      "st.global.u32 [%rd3], %r2;\n";
  for (const bool in_bank : {false, true}) {
    MachineModel m = plain_model();
    m.profile.constant_operands = in_bank;
    const Lowered sum = lowered_text(test_kernel(body), Loops::kAsWritten, m);
    CHECK(sum.count(OpClass::imad_wide) == 0);
    CHECK(sum.count(OpClass::lea) == 2);
    CHECK(sum.count(OpClass::shift) == 1);
  }
}

TEST_CASE("One multiplication may be several operations") {
  MachineModel m = plain_model();
  const std::string body = "mov.u32 %r2, %tid.x; mul.lo.s32 %r3, %r2, %r2; st.global.u32 [%rd1], %r3;\n";
  const Lowered one = lowered_text(test_kernel(body), Loops::kAsWritten, m);
  m.sequence[static_cast<size_t>(OpClass::imad)] = {OpClass::imad, OpClass::imad, OpClass::imad};
  const Lowered three = lowered_text(test_kernel(body), Loops::kAsWritten, m);
  CHECK(three.count(OpClass::imad) == one.count(OpClass::imad) + 2);
}

TEST_CASE("A fixed latency of hundreds of cycles is waited for in full, by stalls and NOPs") {
  constexpr uint32_t kLatency = 584;
  MachineModel m = plain_model();
  m.latency[static_cast<size_t>(OpClass::imad)] = {kLatency, 2, false};
  const Lowered l = lowered_text(test_kernel("mov.u32 %r2, %tid.x; mul.lo.s32 %r3, %r2, %r2;\n"
                                             "xor.b32 %r3, %r3, %r2; st.global.u32 [%rd1], %r3;\n"),
                                 Loops::kAsWritten, m);
  unsigned apart = 0;
  for (size_t k = l.place(OpClass::imad); l.machine.ops[k].op != OpClass::lop3; ++k) {
    CHECK(l.machine.ops[k].stall <= 15);
    apart += l.machine.ops[k].stall;
  }
  CHECK(apart >= kLatency);
}

}  // namespace
}  // namespace gpuloom::ptx
