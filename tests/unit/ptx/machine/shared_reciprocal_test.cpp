// SPDX-License-Identifier: Apache-2.0
// What approximate divisions of f32 become: comparisons, scaling and reciprocals, as ptxas 13.0 for sm_90 has
// them.
#include <tuple>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

MachineModel model_that_divides() {
  using enum OpClass;
  MachineModel model = plain_model();
  const auto set = [&](OpClass op, std::vector<OpClass> sequence, uint8_t steps) {
    model.sequence[static_cast<size_t>(op)] = std::move(sequence);
    model.divisor_steps[static_cast<size_t>(op)] = steps;
  };
  set(div_f32_full, {fsetp, fmul, fsetp, fmul, mufu, fmul, fmul, fmul}, 5);
  set(div_f32_scaled, {fsetp, fmul, mufu, fmul, fmul}, 3);
  set(div_f32_approx, {mufu, fmul}, 1);
  return model;
}

Lowered lowered(const std::string& body) {
  return lowered_text(test_kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n" + body),
                      Loops::kAsWritten, model_that_divides());
}

// Comparisons of the divisor that `makes` leaves in %f9.
unsigned comparisons(const std::string& division, const std::string& makes) {
  return lowered(makes + " " + division + " %f20, %f3, %f9; st.global.f32 [%rd1], %f20;")
      .count(OpClass::fsetp);
}

TEST_CASE("Divisions by one divisor share its comparisons and its reciprocal") {
  for (const auto& [form, fsetp, fmul] :
       {std::tuple{"div.full.f32", 2u, 11u}, std::tuple{"div.full.ftz.f32", 1u, 7u},
        std::tuple{"div.approx.f32", 1u, 7u}, std::tuple{"div.approx.ftz.f32", 0u, 3u}}) {
    const std::string divide = form;
    const auto l = lowered(divide + " %f5, %f2, %f1;" + divide + " %f6, %f3, %f1;" + divide +
                           " %f7, %f4, %f1;" + "st.global.v4.f32 [%rd1], {%f5, %f6, %f7, %f7};");
    INFO(form);
    CHECK(l.count(OpClass::mufu) == 1);
    CHECK(l.count(OpClass::fsetp) == fsetp);
    CHECK(l.count(OpClass::fmul) == fmul);
  }
}

TEST_CASE("A divisor that is written in between has a reciprocal of its own") {
  const auto l = lowered(
      "div.approx.ftz.f32 %f5, %f2, %f1; ld.global.f32 %f1, [%rd1+64]; div.approx.ftz.f32 %f6, %f3, %f1;\n"
      "div.approx.ftz.f32 %f7, %f4, %f1; st.global.v4.f32 [%rd1], {%f5, %f6, %f7, %f7};");
  CHECK(l.count(OpClass::mufu) == 2);
}

TEST_CASE("What is read again is scaled in another register, and a constant is selected") {
  const auto fsel = [](const std::string& body) {
    return lowered(body + " st.global.v2.f32 [%rd1], {%f5, %f6};").count(OpClass::fsel);
  };
  CHECK(fsel("div.full.ftz.f32 %f5, %f2, %f1; mov.f32 %f6, %f3;") == 0);
  CHECK(fsel("div.full.ftz.f32 %f5, %f2, %f1; add.f32 %f6, %f5, %f2;") == 1);
  CHECK(fsel("div.full.ftz.f32 %f5, %f2, %f1; add.f32 %f6, %f5, %f1;") == 1);
  CHECK(fsel("div.full.f32 %f5, 0f3F800000, %f1; mov.f32 %f6, %f3;") == 1);
}

TEST_CASE("A reciprocal stands in front of the loop that leaves its divisor alone") {
  const auto l = lowered(
      "mov.u32 %r5, 0;\nL:\n ld.global.f32 %f5, [%rd1+64]; div.full.f32 %f6, %f5, %f1;\n"
      "st.global.f32 [%rd1+64], %f6; bar.sync 0;\n"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r1; @%p1 bra L;\n");
  CHECK(l.place(OpClass::mufu) < l.place(OpClass::bar));
  size_t loads = 0;
  for (size_t i = 0; i < l.place(OpClass::mufu); ++i) loads += l.machine.ops[i].op == OpClass::ldg;
  CHECK(loads == 1);
}

TEST_CASE("A divisor is compared only with what its range allows") {
  const std::string ex2 = "ex2.approx.ftz.f32 %f8, %f1;", more = " add.f32 %f9, %f8, 0f3F800000;",
                    other = "ex2.approx.ftz.f32 %f7, %f2;";
  for (const auto& [makes, both] : std::initializer_list<std::pair<std::string, unsigned>>{
           {"mov.f32 %f9, %f1;", 2},
           {"add.f32 %f9, %f1, 0f3F800000;", 2},
           {ex2 + " mov.f32 %f9, %f8;", 2},
           {ex2 + more, 1},
           {ex2 + " add.f32 %f9, %f8, 0f02081CEA;", 1},  // 1e-37, a normal number
           {ex2 + " add.f32 %f9, %f8, 0f000AE398;", 2},  // 1e-39, a subnormal one
           {ex2 + " sub.f32 %f9, 0f3F800000, %f8;", 2},
           {ex2 + " neg.f32 %f7, %f8; sub.f32 %f9, 0f3F800000, %f7;", 1},
           {ex2 + other + " add.f32 %f6, %f7, %f8; add.f32 %f9, %f6, 0f3F800000;", 1},
           {ex2 + " max.f32 %f9, %f8, 0f3F800000;", 2},
           {"abs.f32 %f8, %f1;" + more, 1},
           {"sin.approx.f32 %f8, %f1;" + more, 1},
           {"sin.approx.f32 %f8, %f1; add.f32 %f9, %f8, 0f40000000;", 0},
           {"cos.approx.f32 %f8, %f1; add.f32 %f9, %f8, 0fBFC00000;", 0},
           {"tanh.approx.f32 %f9, %f1;", 1},
           {"add.sat.f32 %f9, %f1, %f2;", 1},
           {"add.sat.f32 %f8, %f1, %f2;" + more, 0},
           {"lg2.approx.ftz.f32 %f8, %f1;" + more, 2},
           {"sqrt.approx.ftz.f32 %f8, %f1;" + more, 2}}) {
    INFO(makes);
    CHECK(comparisons("div.full.f32", makes) == both);
  }
  CHECK(comparisons("div.approx.f32", ex2 + more) == 0);
  CHECK(comparisons("div.full.ftz.f32", ex2 + more) == 1);
  CHECK(comparisons("div.full.ftz.f32", "tanh.approx.f32 %f9, %f1;") == 0);
}

}  // namespace
}  // namespace gpuloom::ptx
