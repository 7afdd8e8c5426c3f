// SPDX-License-Identifier: Apache-2.0
// How lowering's time grows with the kernel. Four times the code may take twelve times as long: a step that
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
  const std::clock_t begin = std::clock();
  const auto l = lowered_text(test_kernel(body), Loops::kUnrolled);
  REQUIRE(!l.machine.ops.empty());
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// The least time of each over up to twenty turns. A busy machine slows single turns, the larger kernel's more
// since it fills the caches; a step that grows with the square is slow in every turn.
bool takes_less_than_twelve_times(const std::string& small, const std::string& large) {
  double least_small = 1e9, least_large = 1e9;
  for (int turn = 0; turn < 20; ++turn) {
    least_small = std::min(least_small, seconds(small));
    least_large = std::min(least_large, seconds(large));
    if (turn > 0 && least_large < 12 * least_small) return true;
  }
  return false;
}

TEST_CASE("Four times as many operations under pressure take less than twelve times as long to lower") {
  CHECK(takes_less_than_twelve_times(under_pressure(400, 60), under_pressure(1600, 60)));
}

TEST_CASE("Four times as many blocks take less than twelve times as long to lower") {
  CHECK(takes_less_than_twelve_times(chain(512), chain(2048)));
}

}  // namespace
}  // namespace gpuloom::ptx
