// SPDX-License-Identifier: Apache-2.0
// Switches of `ideal` that take away work which other code would do without.
#include <cmath>

#include "tests/behaviour/ideal_runs.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace gpuloom::tests;

TEST_CASE("A warp of eight threads takes a quarter of the time where partial warps cost their part",
          "[behaviour][ideal]") {
  const std::string text = chain();
  const Run few{.rounds = 64, .threads = 8};
  Run part = few;
  part.on = {"partial_warps"};
  const double plain = cycles(text, few), quarter = cycles(text, part);
  CHECK(plain > 64 * 32 * 4);
  CHECK(quarter < 0.4 * plain);
  CHECK(cycles(text, {.on = {"partial_warps"}, .rounds = 64}) == cycles(text, {.rounds = 64}));
}

TEST_CASE("Loads that go around the L1 take the time of those that do not where that is free",
          "[behaviour][ideal]") {
  const auto loads = [](const std::string& load) {
    return loop(" mul.wide.u32 %rd3, %r7, 4; add.u64 %rd3, %rd2, %rd3; " + load +
                " %r11, [%rd3]; add.u32 %r6, %r6, %r11;");
  };
  const double plain = cycles(loads("ld.global.u32"), {});
  for (const char* load : {"ld.volatile.global.u32", "ld.global.cg.u32", "ld.global.cv.u32"}) {
    INFO(load);
    CHECK(cycles(loads(load), {}) > 1.5 * plain);
    CHECK(std::fabs(cycles(loads(load), {.on = {"uncached_loads"}}) / plain - 1) < 0.05);
  }
  CHECK(cycles(loads("ld.global.u32"), {.on = {"uncached_loads"}}) == plain);
}

TEST_CASE("Words of shared memory that lie together come with one load, those that lie apart do not",
          "[behaviour][ideal]") {
  const std::string place = " mul.lo.u32 %r9, %r7, %r1; mov.u32 %r10, s; add.u32 %r9, %r9, %r10;\n";
  const std::string words =
      loop(place +
           " ld.volatile.shared.u32 %r11, [%r9]; ld.volatile.shared.u32 %r12, [%r9+4];\n"
           " ld.volatile.shared.u32 %r13, [%r9+8]; ld.volatile.shared.u32 %r14, [%r9+12];\n"
           " add.u32 %r11, %r11, %r12; add.u32 %r13, %r13, %r14;\n"
           " add.u32 %r11, %r11, %r13; add.u32 %r6, %r6, %r11;");
  const std::string vector = loop(place +
                                  " ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r9];\n"
                                  " add.u32 %r11, %r11, %r12; add.u32 %r13, %r13, %r14;\n"
                                  " add.u32 %r11, %r11, %r13; add.u32 %r6, %r6, %r11;");
  const Run aligned{.a = 16, .threads = 512}, shifted{.a = 4, .threads = 512};
  Run joined = aligned, apart = shifted;
  joined.on = apart.on = {"shared_loads"};
  const double one = cycles(vector, aligned);
  CHECK(cycles(words, aligned) > 1.2 * one);
  CHECK(std::fabs(cycles(words, joined) / one - 1) < 0.05);
  CHECK(cycles(words, apart) == cycles(words, shifted));  // lanes overlap: no vector begins at a word
  CHECK(cycles(vector, joined) == one);
}

TEST_CASE("Without divisions a remainder takes what products with a reciprocal do", "[behaviour][ideal]") {
  const auto text = [](const std::string& operations) {
    return loop(" add.u32 %r9, %r6, 77; " + operations);
  };
  const std::string remainder = text("rem.u32 %r6, %r9, %r1;"),
                    products = text(
                        "mul.hi.u32 %r11, %r9, %r1; mul.lo.u32 %r12, %r11, %r2; sub.u32 %r6, %r9, %r12;");
  const Run run{.a = 1000, .b = 999};
  const Run ideal{.on = {"division"}, .a = 1000, .b = 999};
  const double twin = cycles(products, run);
  CHECK(cycles(remainder, run) > 1.2 * twin);
  CHECK(std::fabs(cycles(remainder, ideal) / twin - 1) < 0.25);
  CHECK(cycles(products, ideal) == twin);
}

TEST_CASE("Without conversions, exchanges and the counting of loops their instructions take no time",
          "[behaviour][ideal]") {
  const std::string sums = " add.u32 %r6, %r6, %r4; xor.b32 %r6, %r6, %r5;";
  const std::string converted = loop(sums + " cvt.rn.f32.u32 %f1, %r6; cvt.rzi.u32.f32 %r6, %f1;");
  const std::string exchanged =
      loop(sums + " shfl.sync.bfly.b32 %r9, %r6, 1, 31, 0xffffffff; add.u32 %r6, %r6, %r9;");
  const std::string kept = loop(sums + " add.u32 %r6, %r6, %r9;");
  const double plain = cycles(loop(sums), {});
  CHECK(cycles(converted, {}) > 1.2 * plain);
  CHECK(cycles(converted, {.on = {"conversions"}}) < 1.05 * plain);
  CHECK(cycles(exchanged, {}) > 1.2 * plain);
  CHECK(std::fabs(cycles(exchanged, {.on = {"exchanges"}}) / cycles(kept, {}) - 1) < 0.15);
  CHECK(cycles(loop(sums), {.on = {"conversions", "exchanges"}}) == plain);
  const double rolled = cycles(loop(sums), {.rounds = 200, .threads = 32}),
               counted = cycles(loop(sums), {.on = {"loop_overhead"}, .rounds = 200, .threads = 32});
  CHECK(counted < 0.9 * rolled);
  CHECK(counted > 200 * 4);  // what the loop is for is left
}

TEST_CASE("What a thread has loaded before takes no time, what changes its place does",
          "[behaviour][ideal]") {
  const std::string store =
      " add.u32 %r6, %r6, %r11; mul.wide.u32 %rd9, %r22, 4; add.u64 %rd9, %rd1, %rd9;\n"
      " st.global.u32 [%rd9], %r6;";
  const std::string reloaded = loop(" ld.global.u32 %r11, [%rd2];" + store);
  const std::string kept = loop(" mov.u32 %r11, 0;" + store);
  const Run run{.rounds = 100}, ideal{.on = {"reloads"}, .rounds = 100};
  const double twin = cycles(kept, run);
  CHECK(cycles(reloaded, run) > 1.5 * twin);
  CHECK(std::fabs(cycles(reloaded, ideal) / twin - 1) < 0.25);
  for (const std::string load :
       {" ld.volatile.global.u32 %r11, [%rd2];", " ld.relaxed.gpu.global.u32 %r11, [%rd2];",
        " add.u64 %rd2, %rd2, 4; ld.global.u32 %r11, [%rd2];", " bar.sync 0; ld.global.u32 %r11, [%rd2];"}) {
    INFO(load);
    CHECK(cycles(loop(load + store), ideal) == cycles(loop(load + store), run));
  }
  // Twice in a round, from a place that changes: the second load is free.
  const std::string place = " add.u64 %rd2, %rd2, 4; ld.global.u32 %r11, [%rd2];";
  const std::string again =
      " st.global.u32 [%rd1], %r11; ld.global.u32 %r12, [%rd2]; add.u32 %r6, %r6, %r12;";
  const std::string once = " st.global.u32 [%rd1], %r11; add.u32 %r6, %r6, %r11;";
  CHECK(std::fabs(cycles(loop(place + again), ideal) / cycles(loop(place + once), run) - 1) < 0.1);
}

TEST_CASE("Passes of shared memory that do not wait for each other leave the time of a single one",
          "[behaviour][ideal]") {
  const Run apart{.a = 4, .threads = 512}, conflicted{.a = 128, .threads = 512};
  Run ideal = conflicted;
  ideal.on = {"data_passes"};
  CHECK(cycles(kShared, conflicted) > 5 * cycles(kShared, apart));
  CHECK(cycles(kShared, ideal) < 0.4 * cycles(kShared, conflicted));
  CHECK(outcome(kShared, ideal).conflicts == outcome(kShared, conflicted).conflicts);
}
