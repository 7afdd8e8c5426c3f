// SPDX-License-Identifier: Apache-2.0
// Switches of `ideal` that take away habits of code: functions, calls, lanes alone, common work, wide
// integers, what comes before the first access; and slices that get more than their share.
#include <fmt/core.h>

#include <cmath>

#include "tests/behaviour/ideal_runs.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace gpuloom::tests;

namespace {

// A polynomial of `steps` steps on a line of its own; with another factor in every second step, or with the
// same coefficient in all, it is none.
std::string polynomial(unsigned steps, bool same_factor = true, bool same_coefficient = false) {
  std::string text = " .loc 1 5 1\n cvt.rn.f32.u32 %f2, %r6; mov.f32 %f1, 0f3F000000;\n";
  for (unsigned k = 0; k < steps; ++k) {
    const std::string factor = same_factor || k % 2 == 0 ? "%f2" : "%f3";
    const std::string coefficient = same_coefficient ? "3E000000" : fmt::format("3E{:02X}0000", k);
    text += " fma.rn.f32 %f1, %f1, " + factor + ", 0f" + coefficient + ";";
  }
  return text + "\n .loc 1 6 1\n cvt.rzi.u32.f32 %r9, %f1; add.u32 %r6, %r9, %r5;";
}

std::string with_lines(std::string text) {
  const std::string size = ".address_size 64\n";
  return text.insert(text.find(size) + size.size(), ".file 1 \"code.cu\"\n");
}

}  // namespace

TEST_CASE("A polynomial of four steps and more takes the time of one special function",
          "[behaviour][ideal]") {
  const auto took = [](const std::string& body, std::vector<std::string> on) {
    return cycles(with_lines(loop(body)), {.on = std::move(on), .threads = 1024});
  };
  CHECK(took(polynomial(16), {}) > 1.5 * took(polynomial(4), {}));
  CHECK(std::fabs(took(polynomial(16), {"functions"}) / took(polynomial(4), {"functions"}) - 1) < 0.03);
  CHECK(took(polynomial(16), {"functions"}) < 0.8 * took(polynomial(16), {}));
  for (const std::string& other : {polynomial(16, false), polynomial(16, true, true), polynomial(3)})
    CHECK(took(other, {"functions"}) == took(other, {}));
}

TEST_CASE("Virtual functions that cost no call come near those that are inlined", "[behaviour][ideal]") {
  const double called = planted_cycles("unseen4/virtual_terms", ""),
               ideal = planted_cycles("unseen4/virtual_terms", "calls");
  const ReportKernel inlined = planted("unseen4/virtual_terms", "", "repaired");
  CHECK(called > 4 * inlined.find("sm__cycles_elapsed.max")->value);
  CHECK(ideal < 0.6 * called);
  const ReportKernel inlined_ideal = planted("unseen4/virtual_terms", "calls", "repaired");
  CHECK(inlined_ideal.find("sm__cycles_elapsed.max")->value == inlined.find("sm__cycles_elapsed.max")->value);
}

TEST_CASE("What one lane does alone takes a part of the time, what all do takes all of it",
          "[behaviour][ideal]") {
  const std::string alone = loop(
      " setp.ne.u32 %p2, %r4, 0; @%p2 bra M;\n mov.u32 %r11, 0;\n"
      "N: mad.lo.u32 %r6, %r6, 3, 1; mad.lo.u32 %r6, %r6, 3, 1; add.u32 %r11, %r11, 1;\n"
      " setp.lt.u32 %p3, %r11, %r3; @%p3 bra N;\nM:");
  const Run run{.rounds = 20, .threads = 64}, ideal{.on = {"lone_threads"}, .rounds = 20, .threads = 64};
  CHECK(cycles(alone, ideal) < 0.5 * cycles(alone, run));
  CHECK(outcome(alone, ideal).values == outcome(alone, run).values);
  CHECK(cycles(chain(), ideal) == cycles(chain(), run));
}

TEST_CASE("Sums that every thread finds for itself take no time, those that differ do",
          "[behaviour][ideal]") {
  const std::string common = loop(
      " mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd2, %rd3; ld.global.u32 %r9, [%rd3]; add.u32 %r6, %r6, "
      "%r9;");
  const std::string own = loop(
      " add.u32 %r10, %r5, %r4; mul.wide.u32 %rd3, %r10, 4; add.u64 %rd3, %rd2, %rd3;\n"
      " ld.global.u32 %r9, [%rd3]; add.u32 %r6, %r6, %r9;");
  const std::string factor = loop(
      " mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd2, %rd3; ld.global.u32 %r9, [%rd3];\n"
      " mul.lo.u32 %r10, %r9, %r4; add.u32 %r6, %r6, %r10;");
  const Run run{.rounds = 100}, ideal{.on = {"common_work"}, .rounds = 100};
  CHECK(cycles(common, ideal) < 0.7 * cycles(common, run));
  CHECK(outcome(common, ideal).values == outcome(common, run).values);
  CHECK(cycles(own, ideal) == cycles(own, run));
  CHECK(cycles(factor, ideal) == cycles(factor, run));
}

TEST_CASE(
    "A product of 64-bit integers takes one operation where wide integers cost no more, an address what it "
    "does",
    "[behaviour][ideal]") {
  const std::string wide = loop(
      " cvt.u64.u32 %rd3, %r6; mul.lo.u64 %rd3, %rd3, 6364136223846793005; shr.u64 %rd3, %rd3, 33;\n"
      " cvt.u32.u64 %r6, %rd3;");
  const std::string address = loop(
      " mul.wide.u32 %rd3, %r7, 4; add.u64 %rd3, %rd2, %rd3; ld.global.u32 %r9, [%rd3]; add.u32 %r6, %r6, "
      "%r9;");
  const Run run{.threads = 1024}, ideal{.on = {"wide_integers"}, .threads = 1024};
  CHECK(cycles(wide, ideal) < 0.95 * cycles(wide, run));
  CHECK(outcome(wide, ideal).values == outcome(wide, run).values);
  CHECK(cycles(address, ideal) == cycles(address, run));
}

TEST_CASE("What comes before the first access takes a part of the time, what comes behind all of it",
          "[behaviour][ideal]") {
  const std::string text = chain();
  CHECK(cycles(text, {.on = {"prologue"}}) < 0.4 * cycles(text, {}));
  std::string body = " ld.global.u32 %r9, [%rd2];";
  for (int i = 0; i < 32; ++i) body += " mad.lo.u32 %r6, %r6, %r9, 1;";
  const std::string behind = loop(body);
  CHECK(cycles(behind, {.on = {"prologue"}}) > 0.9 * cycles(behind, {}));
}

TEST_CASE("Columns that fall into one slice come as fast as others where lines are spread",
          "[behaviour][ideal]") {
  const double plain = planted_cycles("unseen4/camping_columns", ""),
               spread = planted_cycles("unseen4/camping_columns", "slices");
  CHECK(spread < 0.6 * plain);
  const std::string text = chain();
  CHECK(cycles(text, {.on = {"slices"}}) == cycles(text, {}));
}

TEST_CASE("Without barriers blocks of a cluster do not wait for each other", "[behaviour][ideal]") {
  const double plain = planted_cycles("unseen4/cluster_each_step", ""),
               ideal = planted_cycles("unseen4/cluster_each_step", "barriers");
  CHECK(ideal < 0.9 * plain);
}
