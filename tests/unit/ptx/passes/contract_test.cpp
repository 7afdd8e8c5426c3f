// SPDX-License-Identifier: Apache-2.0
// Each case is what ptxas 13.0 does for sm_90 with this text.
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

struct Counts {
  unsigned fma, mul, add;
};

Counts counts(const std::string& body, bool contract = true) {
  PassOptions options;
  options.set("contract", contract);
  const auto t =
      test_program(test_kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n" + body), options);
  return {count_class(*t.program, OpClass::ffma), count_class(*t.program, OpClass::fmul),
          count_class(*t.program, OpClass::fadd)};
}

void check(const Counts& got, unsigned fma, unsigned mul, unsigned add) {
  CHECK(got.fma == fma);
  CHECK(got.mul == mul);
  CHECK(got.add == add);
}

TEST_CASE("A product that is added becomes a fused multiply-add") {
  const std::string body = "mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;";
  check(counts(body), 1, 0, 0);
  check(counts(body, false), 0, 1, 1);
}

TEST_CASE("An explicit rounding on either side forbids contraction") {
  check(counts("mul.rn.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 0, 1, 1);
  check(counts("mul.f32 %f5, %f1, %f2; add.rn.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 0, 1, 1);
}

TEST_CASE("A product with one use that cannot take it is not contracted into the others") {
  check(counts("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6; st.global.f32 "
               "[%rd1+4], %f5;"),
        0, 1, 1);
  check(counts("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f5; st.global.f32 [%rd1], %f6;"), 0, 1, 1);
}

TEST_CASE("A product with several additions goes into each of them") {
  check(counts("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; sub.f32 %f7, %f4, %f5;\n"
               "st.global.f32 [%rd1], %f6; st.global.f32 [%rd1+4], %f7;"),
        2, 0, 0);
}

TEST_CASE("A product by an immediate is contracted over a division, one of two registers is not") {
  const std::string later = " div.rn.f32 %f8, %f3, %f4; sub.f32 %f6, %f8, %f5; st.global.f32 [%rd1], %f6;";
  check(counts("mul.f32 %f5, %f1, 0f3FC00000;" + later), 1, 0, 0);
  check(counts("mul.f32 %f5, %f1, %f2;" + later), 0, 1, 1);
}

TEST_CASE(
    "A product by a constant variable at a known address is contracted over a division, a square is not") {
  const std::string table = ".const .f32 table[4];\n";
  const std::string later = " div.rn.f32 %f8, %f3, %f4; sub.f32 %f6, %f8, %f5; st.global.f32 [%rd1], %f6;";
  const auto of = [&](const std::string& product) {
    const auto t = test_program(
        table + test_kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; mov.u32 %r2, %tid.x;\n" +
                            product + later));
    return Counts{count_class(*t.program, OpClass::ffma), count_class(*t.program, OpClass::fmul),
                  count_class(*t.program, OpClass::fadd)};
  };
  check(of("ld.const.f32 %f7, [table+8]; mul.f32 %f5, %f1, %f7;"), 1, 0, 0);
  check(of("ld.const.f32 %f7, [table+8]; mul.f32 %f5, %f7, %f7;"), 1, 0, 0);
  check(of("mul.f32 %f5, %f1, %f1;"), 0, 1, 1);
  check(of("shl.b32 %r2, %r2, 2; mov.u32 %r3, table; add.u32 %r2, %r2, %r3; ld.const.f32 %f7, [%r2];"
           "mul.f32 %f5, %f1, %f7;"),
        0, 1, 1);
}

TEST_CASE("Of two products that are added the first operand is contracted") {
  const auto t = test_program(test_kernel(
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
      "mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f7, %f6, %f5; st.global.f32 [%rd1], %f7;"));
  const Instr* load = nullptr;
  const Instr* fma = nullptr;
  for (const Instr& in : t.program->code) {
    if (in.kind == InstrKind::kLoad && in.vec == 4) load = &in;
    if (static_cast<OpClass>(in.op_class) == OpClass::ffma) fma = &in;
  }
  REQUIRE(load != nullptr);
  REQUIRE(fma != nullptr);
  CHECK(fma->ops[1].at == t.program->extra[static_cast<uint32_t>(load->ops[0].at) + 2].at);  // %f3
}

TEST_CASE("Contraction needs the same .ftz on both, and keeps .sat of the addition") {
  check(counts("mul.ftz.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 0, 1, 1);
  check(counts("mul.ftz.f32 %f5, %f1, %f2; add.ftz.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 1, 0, 0);
  check(counts("mul.f32 %f5, %f1, %f2; add.sat.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 1, 0, 0);
  check(counts("mul.sat.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 0, 1, 1);
}

TEST_CASE("A factor's register may be overwritten between product and addition: values count") {
  check(counts("mul.f32 %f5, %f1, %f2; mov.f32 %f1, %f4; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;\n"
               "st.global.f32 [%rd1+4], %f1;"),
        1, 0, 0);
}

TEST_CASE("A register that holds something else first may hold a product later") {
  check(counts("mov.f32 %f5, %f4; mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"),
        1, 0, 0);
}

TEST_CASE("A dead use of a product does not keep it") {
  check(
      counts(
          "mul.f32 %f5, %f1, %f2; mul.f32 %f7, %f5, %f1; add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"),
      1, 0, 0);
}

TEST_CASE("Nothing is contracted across blocks, nor across what ptxas expands into blocks") {
  const std::string mul = "mul.f32 %f5, %f1, %f2;", add = "add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;";
  const std::string test = "setp.gt.f32 %p1, %f1, %f2;";
  check(
      counts(test + mul + "@%p1 bra L; st.global.f32 [%rd1+8], %f1; st.global.f32 [%rd1+12], %f1; L:" + add),
      0, 1, 1);
  check(counts(test + mul + "@%p1 st.global.f32 [%rd1+8], %f1;" + add), 0, 1, 1);
  check(counts(mul + "membar.gl;" + add), 0, 1, 1);
  check(counts(mul + "bar.sync 0;" + add), 1, 0, 0);
  check(counts(mul + "bra L; L:" + add), 1, 0, 0);
  check(counts(test + mul + "@%p1 mov.f32 %f3, %f4;" + add), 1, 0, 0);
}

TEST_CASE("A guarded addition takes a product, a guarded product is not contracted") {
  const std::string test = "setp.gt.f32 %p1, %f1, %f2; mov.f32 %f6, %f4; mov.f32 %f5, %f4;";
  check(counts(test + "mul.f32 %f5, %f1, %f2; @%p1 add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"), 1, 0,
        0);
  check(counts(test + "@%p1 mul.f32 %f5, %f1, %f2; @%p1 add.f32 %f6, %f5, %f3; st.global.f32 [%rd1], %f6;"),
        0, 1, 1);
}

TEST_CASE("A product that is negated or copied before it is added is contracted") {
  const std::string store = " st.global.f32 [%rd1], %f6;";
  check(counts("mul.f32 %f5, %f1, %f2; neg.f32 %f7, %f5; add.f32 %f6, %f7, %f3;" + store), 1, 0, 0);
  check(counts("mul.f32 %f5, %f1, %f2; neg.f32 %f7, %f5; sub.f32 %f6, %f3, %f7;" + store), 1, 0, 0);
  check(counts("mul.f32 %f5, %f1, %f2; mov.b32 %r2, %f5; mov.b32 %f7, %r2; add.f32 %f6, %f7, %f3;" + store),
        1, 0, 0);
  check(counts("mul.f32 %f5, %f1, %f2; neg.f32 %f7, %f5; add.f32 %f6, %f7, %f3; add.f32 %f8, %f5, %f4;"
               "st.global.f32 [%rd1+4], %f8;" +
               store),
        2, 0, 0);
}

TEST_CASE("Another use of a product's negation or copy is a use of the product") {
  const std::string store = " st.global.f32 [%rd1], %f6;";
  const auto product = [&](const std::string& more) {
    return counts("mul.f32 %f5, %f1, %f2;" + more + "add.f32 %f6, %f7, %f3;" + store);
  };
  CHECK(product("neg.f32 %f7, %f5; st.global.f32 [%rd1+4], %f7;").fma == 0);
  CHECK(product("neg.f32 %f7, %f5; st.global.f32 [%rd1+4], %f5;").fma == 0);
  CHECK(product("mov.f32 %f7, %f5; st.global.f32 [%rd1+4], %f7;").fma == 0);
  CHECK(product("neg.ftz.f32 %f7, %f5;").fma == 0);  // flushes what the sum would keep
  CHECK(product("abs.f32 %f7, %f5;").fma == 0);
}

}  // namespace
}  // namespace gpuloom::ptx
