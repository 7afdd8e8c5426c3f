// SPDX-License-Identifier: Apache-2.0
// Each case is what ptxas 13.0 does for sm_90 with this text.
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

struct Counts {
  unsigned fma, mul, add, mufu;
};

Counts counts(const std::string& body, bool contract = true) {
  PassOptions options;
  options.set("contract", contract);
  const auto t =
      test_program(test_kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n" + body), options);
  return {count_class(*t.program, OpClass::ffma), count_class(*t.program, OpClass::fmul),
          count_class(*t.program, OpClass::fadd), count_class(*t.program, OpClass::mufu)};
}

void check(const Counts& got, unsigned fma, unsigned mul, unsigned add, unsigned mufu) {
  CHECK(got.fma == fma);
  CHECK(got.mul == mul);
  CHECK(got.add == add);
  CHECK(got.mufu == mufu);
}

const std::string kStore = " st.global.f32 [%rd1], %f6;";
const std::string kQuotient = "div.approx.ftz.f32 %f5, %f1, %f2;";
// A jump around what follows `before`, which ptxas makes no part of the block.
std::string in_another_block(const std::string& before, const std::string& sum) {
  return before +
         "setp.gt.f32 %p1, %f4, 0f00000000; mov.f32 %f6, %f4; @%p1 bra L; st.global.f32 [%rd1+8], %f4;" +
         sum + "bar.sync 0; L:" + kStore;
}

TEST_CASE("The product that ends an approximate division is contracted") {
  check(counts(kQuotient + "add.ftz.f32 %f6, %f5, %f3;" + kStore), 1, 0, 0, 1);
  check(counts(kQuotient + "sub.ftz.f32 %f6, %f3, %f5;" + kStore), 1, 0, 0, 1);
  check(counts(kQuotient +
               "add.ftz.f32 %f6, %f5, %f3; add.ftz.f32 %f7, %f5, %f4; st.global.f32 [%rd1+4], %f7;" + kStore),
        2, 0, 0, 1);
}

TEST_CASE("A quotient is not contracted where a product is not") {
  check(counts(kQuotient + "add.ftz.f32 %f6, %f5, %f3;" + kStore, false), 0, 0, 1, 0);
  check(counts(kQuotient + "add.rn.ftz.f32 %f6, %f5, %f3;" + kStore), 0, 0, 1, 0);
  check(counts(kQuotient + "add.f32 %f6, %f5, %f3;" + kStore), 0, 0, 1, 0);
  check(counts(kQuotient + "add.ftz.f32 %f6, %f5, %f3; st.global.f32 [%rd1+4], %f5;" + kStore), 0, 0, 1, 0);
}

TEST_CASE("A reciprocal that nothing scales is not a product") {
  check(counts("div.approx.ftz.f32 %f5, 0f3F800000, %f2; add.ftz.f32 %f6, %f5, %f3;" + kStore), 0, 0, 1, 0);
  check(counts("div.approx.ftz.f32 %f5, 0fBF800000, %f2; add.ftz.f32 %f6, %f5, %f3;" + kStore), 0, 0, 1, 0);
  check(counts("rcp.approx.ftz.f32 %f5, %f2; add.ftz.f32 %f6, %f5, %f3;" + kStore), 0, 0, 1, 1);
}

TEST_CASE("Divisions that scale are contracted behind their scaling") {
  check(counts("div.approx.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;" + kStore), 1, 2, 0, 1);
  check(counts("div.full.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;" + kStore), 1, 4, 0, 1);
  check(counts("div.full.ftz.f32 %f5, %f1, %f2; add.ftz.f32 %f6, %f5, %f3;" + kStore), 1, 2, 0, 1);
  check(counts("rcp.approx.f32 %f5, %f2; add.f32 %f6, %f5, %f3;" + kStore), 1, 1, 0, 1);
}

TEST_CASE("A quotient is contracted in another block where its dividend is an immediate and nothing scales") {
  const std::string flushed = "add.ftz.f32 %f6, %f5, %f3;", whole = "add.f32 %f6, %f5, %f3;";
  check(counts(in_another_block("div.approx.ftz.f32 %f5, 0f40400000, %f2;", flushed)), 1, 0, 0, 1);
  check(counts(in_another_block(kQuotient, flushed)), 0, 0, 1, 0);
  check(counts(in_another_block("div.full.f32 %f5, 0f40400000, %f2;", whole)), 0, 0, 1, 0);
}

TEST_CASE("Division by a constant is a product by its reciprocal, which is contracted anywhere") {
  check(counts("div.full.f32 %f6, %f1, 0f40400000;" + kStore), 0, 1, 0, 0);
  check(counts("mov.f32 %f9, 0f40400000; div.approx.f32 %f6, %f1, %f9;" + kStore), 0, 1, 0, 0);
  check(counts(in_another_block("div.full.f32 %f5, %f1, 0f40400000;", "add.f32 %f6, %f5, %f3;")), 1, 0, 0, 0);
  // Beyond 2^126 and below 2^-126 the dividend is scaled first.
  check(counts("div.full.f32 %f6, %f1, 0f7f61b1e6;" + kStore), 0, 2, 0, 0);
  check(counts("div.approx.f32 %f6, %f1, 0f00000100;" + kStore), 0, 2, 0, 0);
  check(counts("div.approx.f32 %f6, %f1, 0f7f61b1e6;" + kStore), 0, 1, 0, 0);
}

TEST_CASE("Division by a constant stays where a NaN or a rounding asks for it") {
  const auto t = test_program(test_kernel(
      "ld.global.f32 %f1, [%rd1]; div.rn.f32 %f6, %f1, 0f40400000; div.approx.f32 %f7, %f1, 0f7fffffff;"
      "st.global.f32 [%rd1+4], %f7;" +
      kStore));
  CHECK(count_class(*t.program, OpClass::div_f32) == 1);
  CHECK(count_class(*t.program, OpClass::div_f32_scaled) == 1);
}

}  // namespace
}  // namespace gpuloom::ptx
