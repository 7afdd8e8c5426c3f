// SPDX-License-Identifier: Apache-2.0
// How lowering's time grows with the kernel. Four times the code may take nine times as long: a step that
// looks at all of it for each of its parts would take sixteen times.
#include <ctime>
#include <random>
#include <string>

#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

// One block of arithmetic between `values` values that are all loaded in front of it and stored behind it.
std::string under_pressure(int operations, int values) {
  std::mt19937 random(1);
  const auto name = [](const char* letter, int k) { return std::string("%") + letter + std::to_string(k); };
  std::vector<std::string> now;
  std::string code =
      ".reg .b32 %a<" + std::to_string(values) + ">, %t<" + std::to_string(operations) + ">;\n";
  for (int k = 0; k < values; ++k) {
    now.push_back(name("a", k));
    code += "ld.global.u32 " + now.back() + ", [%rd1+" + std::to_string(4 * k) + "];\n";
  }
  const std::string what[] = {"add.s32 ", "xor.b32 ", "mul.lo.s32 "};
  for (int k = 0; k < operations; ++k) {
    std::string& to = now[random() % now.size()];
    code += what[random() % 3] + name("t", k) + ", " + to + ", " + now[random() % now.size()] + ";\n";
    to = name("t", k);
  }
  for (int k = 0; k < values; ++k)
    code += "st.global.u32 [%rd1+" + std::to_string(4 * k) + "], " + now[static_cast<size_t>(k)] + ";\n";
  return code;
}

// Blocks that each leave for the end of their group of 64.
std::string chain(int blocks) {
  std::string code = ".reg .f32 %c<" + std::to_string(blocks) + ">;\nld.global.f32 %f1, [%rd1];\n";
  for (int k = 0; k < blocks; ++k) {
    const std::string label = "GROUP" + std::to_string(k / 64), c = "%c" + std::to_string(k);
    code += "ld.global.f32 " + c + ", [%rd1+" + std::to_string(4 * k) + "]; setp.lt.f32 %p1, %f1, " + c +
            "; mov.u32 %r2, " + std::to_string(k) + "; @%p1 bra " + label + ";\n";
    if (k % 64 == 63) code += label + ": st.global.u32 [%rd1+" + std::to_string(k / 16) + "], %r2;\n";
  }
  return code;
}

double seconds(const std::string& body) {
  double best = 1e9;
  for (int turn = 0; turn < 2; ++turn) {
    const std::clock_t begin = std::clock();
    const auto l = lowered_text(test_kernel(body), Loops::kUnrolled);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    REQUIRE(!l.machine.ops.empty());
  }
  return best;
}

TEST_CASE("Four times as many operations under pressure take less than nine times as long to lower") {
  CHECK(seconds(under_pressure(1600, 60)) < 9 * seconds(under_pressure(400, 60)));
}

TEST_CASE("Four times as many blocks take less than nine times as long to lower") {
  CHECK(seconds(chain(2048)) < 9 * seconds(chain(512)));
}

}  // namespace
}  // namespace gpuloom::ptx
