// SPDX-License-Identifier: Apache-2.0
// What fuses, and what constants among the operands make of an operation: each pattern is one of ptxas 13.0
// for sm_90, compiled for the purpose.
#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body, const MachineModel& model = plain_model()) {
  return lowered_text(test_kernel(body), Loops::kAsWritten, model);
}

unsigned uniform_moves(const Lowered& l) {
  return static_cast<unsigned>(
      std::count_if(l.machine.ops.begin(), l.machine.ops.end(),
                    [](const MachineOp& op) { return op.op == OpClass::mov && op.uniform != 0; }));
}

const std::string kThree =
    "ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4]; ld.global.u32 %r4, [%rd1+8];\n";

TEST_CASE("A sum or difference of which a minimum is taken is one operation with it") {
  for (const std::string sum : {"add.s32", "sub.s32"}) {
    const auto l =
        lowered(kThree + sum + " %r5, %r2, %r3; min.s32 %r6, %r5, %r4; st.global.u32 [%rd1], %r6;");
    CHECK(l.count(OpClass::iminmax) == 1);
    CHECK(l.count(OpClass::iadd) + l.count(OpClass::imad) == 0);
  }
  const auto both =
      lowered(kThree + "add.s32 %r5, %r2, 7; min.s32 %r6, %r5, 255; st.global.u32 [%rd1], %r6;");
  CHECK(both.count(OpClass::iadd) + both.count(OpClass::imad) == 1);
  const auto seen = lowered(kThree +
                            "add.s32 %r5, %r2, %r3; min.s32 %r6, %r5, %r4; st.global.u32 [%rd1], %r6;\n"
                            "st.global.u32 [%rd1+4], %r5;");
  CHECK(seen.count(OpClass::iadd) + seen.count(OpClass::imad) == 1);
}

TEST_CASE("A rotation by a constant that came in a register goes into the sum that follows") {
  const auto l = lowered(kThree +
                         "mov.u32 %r5, 7; shf.l.wrap.b32 %r6, %r2, %r2, %r5; add.s32 %r7, %r6, %r3;\n"
                         "st.global.u32 [%rd1], %r7;");
  CHECK(l.count(OpClass::lea) == 1);
  CHECK(l.count(OpClass::shift) == 0);
}

TEST_CASE("A signed index that several addresses add has its upper half made once") {
  const std::string index = "mov.u32 %r2, %tid.x; cvt.s64.s32 %rd2, %r2; add.s64 %rd3, %rd1, %rd2;\n";
  CHECK(lowered(index + "st.global.u8 [%rd3], %r2;").count(OpClass::shift) == 0);
  CHECK(lowered(index + "ld.global.u64 %rd4, [%rd1]; add.s64 %rd5, %rd4, %rd2; st.global.u8 [%rd3], %r2;\n"
                        "st.global.u8 [%rd5], %r2;")
            .count(OpClass::shift) == 1);
}

TEST_CASE("The minimum of three is one operation, the maximum of a minimum two") {
  const std::string store = " %r6, %r5, %r4; st.global.u32 [%rd1], %r6;";
  CHECK(lowered(kThree + "min.s32 %r5, %r2, %r3; min.s32" + store).count(OpClass::iminmax) == 1);
  CHECK(lowered(kThree + "min.s32 %r5, %r2, %r3; max.s32" + store).count(OpClass::iminmax) == 2);
}

TEST_CASE(
    "A double with a lower half is moved to two uniform registers once a block, one without is an "
    "immediate") {
  const auto l = lowered(
      "ld.global.f64 %d1, [%rd1]; fma.rn.f64 %d2, %d1, 0d3FB999999999999A, %d1;\n"
      "mul.f64 %d3, %d2, 0d3FB999999999999A; add.f64 %d4, %d3, 0d3FF0000000000000;\n"
      "st.global.f64 [%rd1], %d4;");
  CHECK(uniform_moves(l) == 2);
}

TEST_CASE("Doubles are chosen by two FSEL") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::sel64)] = {OpClass::sel, OpClass::sel};
  const auto l = lowered(
      "ld.global.f64 %d1, [%rd1]; ld.global.f64 %d2, [%rd1+8]; setp.lt.s32 %p1, %r1, 3;\n"
      "selp.f64 %d3, %d1, %d2, %p1; st.global.f64 [%rd1], %d3;",
      model);
  CHECK(l.count(OpClass::fsel) == 2);
  CHECK(l.count(OpClass::sel) == 0);
}

TEST_CASE("A field at a known place is inserted by a shift and a LOP3") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::bitfield)] = {OpClass::prmt, OpClass::shift, OpClass::sgxt};
  const auto known = lowered(kThree + "bfi.b32 %r5, %r2, %r3, 5, 8; st.global.u32 [%rd1], %r5;", model);
  CHECK(known.count(OpClass::bmsk) == 0);
  CHECK(known.count(OpClass::lop3) == 1);
  const auto given = lowered(kThree + "bfi.b32 %r5, %r2, %r3, %r4, 8; st.global.u32 [%rd1], %r5;", model);
  CHECK(given.count(OpClass::prmt) == 1);
  CHECK(given.count(OpClass::bmsk) == 1);
  CHECK(given.count(OpClass::lop3) == 1);
  CHECK(given.count(OpClass::sgxt) == 0);
  const auto cut = lowered(kThree + "bfe.u32 %r5, %r2, %r4, 8; st.global.u32 [%rd1], %r5;", model);
  CHECK(cut.count(OpClass::bmsk) == 0);
  CHECK(cut.count(OpClass::sgxt) == 1);
}

TEST_CASE("A double held between 0 and 1 is compared twice and not converted") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::minmax_f64)] = {OpClass::dsetp, OpClass::fsel, OpClass::sel};
  const std::string load = "ld.global.f64 %d1, [%rd1]; ";
  const auto held = lowered(load + "cvt.sat.f64.f64 %d2, %d1; st.global.f64 [%rd1], %d2;", model);
  CHECK(held.count(OpClass::dsetp) == 2);
  CHECK(held.count(OpClass::f2f64) == 0);
}

TEST_CASE("What a narrow load has extended is not extended again") {
  const auto l = lowered("ld.global.u8 %h1, [%rd1]; cvt.u32.u16 %r2, %h1; st.global.u32 [%rd1], %r2;");
  CHECK(l.count(OpClass::prmt) == 0);
  const auto sign = lowered("ld.global.u16 %h1, [%rd1]; cvt.s32.s16 %r2, %h1; st.global.u32 [%rd1], %r2;");
  CHECK(sign.count(OpClass::prmt) == 1);
}

TEST_CASE("A value or what is made of it is the making under a guard") {
  const std::string choice =
      "shr.u32 %r5, %r2, 1; xor.b32 %r6, %r5, 999; setp.lt.s32 %p1, %r3, 3; selp.b32 %r7, %r6, %r5, %p1;\n"
      "st.global.u32 [%rd1], %r7;";
  CHECK(lowered(kThree + choice).count(OpClass::sel) == 0);
  CHECK(lowered(kThree + choice + " st.global.u32 [%rd1+4], %r5;").count(OpClass::sel) == 1);
}

TEST_CASE(
    "Of several signed divisions in a loop the second has a reciprocal of its own, which later ones share") {
  MachineModel model = plain_model();
  for (const OpClass divide : {OpClass::div_u32, OpClass::div_s32}) {
    model.sequence[static_cast<size_t>(divide)] = {OpClass::mufu, OpClass::imad};
    model.divisor_steps[static_cast<size_t>(divide)] = 1;
  }
  const auto count = [&](const std::string& divisions) {
    return lowered(kThree + "L:\n" + divisions +
                       "setp.lt.u32 %p1, %r2, 9; @%p1 bra L;\n st.global.u32 [%rd1], %r2;",
                   model)
        .count(OpClass::mufu);
  };
  const std::string one = "div.s32 %r2, %r2, %r3; add.s32 %r2, %r2, 1;\n", other = "div.u32 %r2, %r2, %r3;\n";
  CHECK(count(one) == 1);
  CHECK(count(one + one) == 2);
  CHECK(count(one + one + one) == 2);
  CHECK(count(other + other) == 1);
}

TEST_CASE("mad.wide by a power of two is LEA and LEA.HI.X, a product with its sum is IMAD.WIDE") {
  const auto address = [](const std::string& made) {
    return lowered("mov.u32 %r2, %tid.x;\n" + made + " st.global.u32 [%rd2], %r1;");
  };
  CHECK(address("mad.wide.s32 %rd2, %r2, 4, %rd1;").count(OpClass::lea) == 2);
  CHECK(address("mad.wide.u32 %rd2, %r2, 8, %rd1;").count(OpClass::lea) == 2);
  CHECK(address("mad.wide.s32 %rd2, %r2, 12, %rd1;").count(OpClass::imad_wide) == 1);
  CHECK(address("mul.wide.s32 %rd3, %r2, 4; add.s64 %rd2, %rd1, %rd3;").count(OpClass::imad_wide) == 1);
}

TEST_CASE("What a division needs of its divisor leaves the innermost loop and no other") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::div_u32)] = {OpClass::mufu, OpClass::imad};
  model.divisor_steps[static_cast<size_t>(OpClass::div_u32)] = 1;
  const auto l = lowered(kThree +
                             "O:\n mov.u32 %r5, 0;\nI:\n div.u32 %r2, %r2, %r1; add.s32 %r5, %r5, 1;\n"
                             "setp.lt.u32 %p1, %r5, 9; @%p1 bra I; add.s32 %r4, %r4, 1;\n"
                             "setp.lt.u32 %p2, %r4, 9; @%p2 bra O; st.global.u32 [%rd1], %r2;",
                         model);
  const auto at = l.place(OpClass::mufu);
  CHECK(at >= l.machine.blocks[1].first);
  CHECK(at < l.machine.blocks[2].first);
}

TEST_CASE("A shift to the right goes into each sum that takes it, not into a difference") {
  const auto l = lowered(
      "ld.global.u32 %r2, [%rd1]; shr.s32 %r3, %r2, 5; add.s32 %r4, %r3, %r1; add.s32 %r5, %r3, 7;\n"
      "st.global.u32 [%rd1], %r4; st.global.u32 [%rd1+4], %r5;");
  CHECK(l.count(OpClass::lea) == 2);
  CHECK(l.count(OpClass::shift) == 0);
  const auto difference = lowered(
      "ld.global.u32 %r2, [%rd1]; shr.u32 %r3, %r2, 5; sub.s32 %r4, %r1, %r3; st.global.u32 [%rd1], %r4;");
  CHECK(difference.count(OpClass::shift) == 1);
}

TEST_CASE("A distance from a shared variable is part of the addresses that add a register to it") {
  const auto l = lowered_text(".shared .align 4 .b8 tables[4096];\n" +
                                  test_kernel("mov.u32 %r2, tables; add.s32 %r3, %r2, 1024;\n"
                                              "add.s32 %r4, %r3, %r1; ld.shared.u32 %r5, [%r4];\n"
                                              "st.global.u32 [%rd1], %r5;"),
                              Loops::kAsWritten);
  CHECK(l.count(OpClass::iadd) + l.count(OpClass::imad) == 0);
}

TEST_CASE("A product, sum or difference is bounded to 0 and 1 by the operation that makes it") {
  const std::string loads = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\n";
  const std::string bound = " cvt.sat.f32.f32 %f4, %f3; st.global.f32 [%rd1], %f4;";
  const auto fused = lowered(loads + "fma.rn.f32 %f3, %f1, %f2, %f1;" + bound);
  CHECK(fused.count(OpClass::ffma) == 1);
  CHECK(fused.count(OpClass::fadd) == 0);
  CHECK(lowered(loads + "mul.f32 %f3, %f1, %f2;" + bound).count(OpClass::fadd) == 0);
  const auto seen =
      lowered(loads + "fma.rn.f32 %f3, %f1, %f2, %f1;" + bound + " st.global.f32 [%rd1+4], %f3;");
  CHECK(seen.count(OpClass::fadd) == 1);
  const auto guarded = lowered(loads +
                               "mul.f32 %f3, %f1, %f2; setp.lt.f32 %p1, %f1, %f2; mov.f32 %f4, %f2;\n"
                               "@%p1 cvt.sat.f32.f32 %f4, %f3; st.global.f32 [%rd1], %f4;");
  CHECK(guarded.count(OpClass::fadd) == 1);
}

TEST_CASE("The source size of cp.async is a predicate; one between all and nothing moves the address back") {
  const std::string variable = ".shared .align 16 .b8 tile[4096];\n";
  const std::string copies =
      "cp.async.cg.shared.global [tile], [%rd1], 16, %r3; cp.async.cg.shared.global [tile+16], [%rd1+16], "
      "16, %r3;";
  const auto counted = [&](const std::string& size) {
    return lowered_text(
        variable + test_kernel("ld.global.u32 %r2, [%rd1]; setp.lt.s32 %p1, %r2, 7;\n" + size + copies),
        Loops::kAsWritten);
  };
  const auto chosen = counted("selp.b32 %r3, 16, 0, %p1;\n");
  CHECK(chosen.count(OpClass::isetp) == 1);
  CHECK(chosen.count(OpClass::sel) == 0);
  const auto twice =
      counted("selp.b32 %r4, 16, 0, %p1; setp.gt.s32 %p2, %r2, -9; selp.b32 %r3, %r4, 0, %p2;\n");
  CHECK(twice.count(OpClass::isetp) == 3);
  CHECK(twice.count(OpClass::sel) == 2);
  CHECK(twice.count(OpClass::lop3) == 0);
  const auto between = counted("and.b32 %r3, %r2, 8;\n");
  CHECK(between.count(OpClass::isetp) == 1);
  CHECK(between.count(OpClass::lop3) == 2);
}

TEST_CASE("Rounding to tf32 is a comparison and a sum, and a mask unless a multiplication reads it") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::tf32_away)] = {OpClass::fsetp, OpClass::imad};
  const auto l =
      lowered("ld.global.f32 %f1, [%rd1]; cvt.rna.tf32.f32 %r2, %f1; st.global.u32 [%rd1], %r2;", model);
  CHECK(l.count(OpClass::fsetp) == 1);
  CHECK(l.count(OpClass::imad) == 1);
  CHECK(l.count(OpClass::lop3) == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
