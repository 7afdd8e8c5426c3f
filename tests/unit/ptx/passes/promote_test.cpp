// SPDX-License-Identifier: Apache-2.0
// Arrays in local memory that an index reaches. Whether they stay there is ptxas 13.0's answer for sm_90
// (bench/silicon/lowering/targets/indexed.csv).
#include "tests/catch2.h"
#include "tests/unit/lowered.h"
#include "tests/unit/module_of_text.h"
#include "tests/unit/ptx/exec/run_ptx.h"

namespace gpuloom::ptx {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

// An array of so many words, each stored once: word k is what is loaded at 128 * k, or k itself.
std::string array_of(unsigned words, bool loaded) {
  std::string text =
      ".local .align 16 .b8 d[" + number(4 * words) + "]; .reg .b64 %base, %i, %at<90>; mov.u64 %base, d;\n";
  for (unsigned k = 0; k < words; ++k) {
    text += loaded ? "ld.global.b32 %r9, [%rd1+" + number(128 * k) + "];" : "mov.u32 %r9, " + number(k) + ";";
    text += "st.local.u32 [%base+" + number(4 * k) + "], %r9;\n";
  }
  return text;
}

// Loads words by an index that is loaded as well.
std::string loads(unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) {
    const std::string index = "%at" + number(2 * k), at = "%at" + number(2 * k + 1);
    text += "ld.global.b32 %r8, [%rd1+" + number(200000 + 4 * k) + "]; mul.wide.u32 " + index +
            ", %r8, 4; add.s64 " + at + ", %base, " + index + "; ld.local.b32 %r7, [" + at +
            "]; st.global.u32 [%rd1+" + number(300000 + 4 * k) + "], %r7;\n";
  }
  return text;
}

bool in_memory(const std::string& body) {
  const auto t = test_program(test_kernel(body));
  return count_class(*t.program, OpClass::ldl) + count_class(*t.program, OpClass::stl) != 0;
}

std::string in_loop(const std::string& body) {
  return "mov.u32 %r3, 0; L:\n" + body +
         "add.s64 %rd1, %rd1, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n";
}

std::string sums(unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) text += "fma.rn.f32 %f1, %f1, %f2, %f1;\n";
  return text;
}

TEST_CASE("A small array that an index reaches is in registers") {
  CHECK_FALSE(in_memory(array_of(4, true) + loads(20)));
  CHECK_FALSE(in_memory(array_of(16, true) + loads(4)));
}

TEST_CASE("Many accesses by an index keep an array of many words in memory") {
  CHECK(in_memory(array_of(16, true) + loads(12)));
  CHECK(in_memory(array_of(32, true) + loads(8)));
}

TEST_CASE("An index in a loop keeps an array in memory unless the loop does much else") {
  CHECK(in_memory(array_of(16, true) + in_loop(loads(1)) + "st.global.f32 [%rd1], %f1;"));
  CHECK_FALSE(in_memory(array_of(16, true) + in_loop(loads(1) + sums(20)) + "st.global.f32 [%rd1], %f1;"));
}

TEST_CASE("An array stays in memory where an access by an index has a guard, or its words have two sizes") {
  CHECK(in_memory(array_of(4, true) +
                  "ld.global.b32 %r8, [%rd1+2000]; setp.lt.u32 %p1, %r8, 4; mul.wide.u32 %at1, %r8, 4;"
                  "add.s64 %i, %base, %at1; @%p1 st.local.u32 [%i], %r8; ld.local.b32 %r7, [%base];"
                  "st.global.u32 [%rd1], %r7;"));
  CHECK(in_memory(array_of(4, true) +
                  "ld.global.b32 %r8, [%rd1+2000]; mul.wide.u32 %at1, %r8, 8; add.s64 %i, %base, %at1;"
                  "ld.local.b64 %at2, [%i]; st.global.b64 [%rd1], %at2;"));
}

TEST_CASE("Words of registers that an index chooses are the array's") {
  const std::string array = array_of(6, false);
  test::PtxRun run(array +
                   "rem.u32 %r2, %tid, 6; mul.wide.u32 %at1, %r2, 4; add.s64 %i, %base, %at1;"
                   "ld.local.u32 %r3, [%i]; add.u32 %r3, %r3, 100; st.local.u32 [%i], %r3;"
                   "ld.local.u32 %r4, [%base+8]; mad.lo.u32 %r0, %r3, 1000, %r4;");
  for (uint32_t thread = 0; thread < run.values.size(); ++thread) {
    const uint32_t at = thread % 6;
    CHECK(run[thread] == (100 + at) * 1000 + (at == 2 ? 102 : 2));
  }
}

// Rules of lowering ask what was written: what a pass makes up in front of a sum is none.
TEST_CASE("An index of 64 bits into an array of doubles is lowered like any other") {
  std::string body = ".local .align 16 .b8 d[64]; .reg .b64 %base, %i, %at<90>; mov.u64 %base, d;";
  for (int k = 0; k < 8; ++k)
    body +=
        "ld.global.f64 %d1, [%rd1+" + number(8 * k) + "]; st.local.f64 [%base+" + number(8 * k) + "], %d1;\n";
  body +=
      "ld.global.b64 %at1, [%rd1+800]; and.b64 %at2, %at1, 7; shl.b64 %at3, %at2, 3; add.s64 %i, %base, %at3;"
      "ld.local.f64 %d2, [%i]; st.global.f64 [%rd1+900], %d2;";
  const Lowered l = lowered_text(test_kernel(body), Loops::kAsWritten);
  CHECK(l.count(OpClass::ldl) + l.count(OpClass::stl) == 0);
  CHECK(l.count(OpClass::isetp) == 7);
}

TEST_CASE("A walk behind an array's end changes none of its words") {
  test::PtxRun run(
      array_of(4, false) +
      "mul.wide.u32 %at1, %tid, 4; add.s64 %i, %base, %at1; mov.u32 %r3, 77; st.local.u32 [%i], %r3;"
      "ld.local.v4.u32 {%r3, %r4, %r5, %r6}, [%base]; add.u32 %r3, %r3, %r4; add.u32 %r5, %r5, %r6;"
      "add.u32 %r0, %r3, %r5;");
  for (uint32_t thread = 0; thread < run.values.size(); ++thread)
    CHECK(run[thread] == (thread < 4 ? 6 - thread + 77 : 6));
}

TEST_CASE("Vectors, negative offsets and 64-bit indices choose the array's words as well") {
  test::PtxRun run(
      array_of(8, false) +
      "rem.u32 %r2, %tid, 4; cvt.u64.u32 %at1, %r2; shl.b64 %at2, %at1, 3; add.s64 %i, %at2, %base;"
      "ld.local.v2.u32 {%r3, %r4}, [%i]; ld.local.u32 %r5, [%i+4];"
      "mad.lo.u32 %r0, %r3, 100, %r4; mad.lo.u32 %r0, %r0, 100, %r5;");
  for (uint32_t thread = 0; thread < run.values.size(); ++thread) {
    const uint32_t low = 2 * (thread % 4);
    CHECK(run[thread] == (low * 100 + low + 1) * 100 + low + 1);
  }
}

}  // namespace
}  // namespace gpuloom::ptx
