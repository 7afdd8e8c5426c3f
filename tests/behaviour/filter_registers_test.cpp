// SPDX-License-Identifier: Apache-2.0
// How many registers a filter takes on a T4, whose SM is full of warps with 64 a thread.
#include "arch/gpu_config.h"
#include "sim/api/describe_lowering.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

// Sums of 15 rows of six values each, two rows apart, row by row. A branch goes around the store of each.
std::string filter_by_rows() {
  constexpr unsigned kSums = 7, kTaps = 15, kColumns = 6, kRows = 2 * (kSums - 1) + kTaps;
  std::string body =
      ".reg .f32 %g<200>; .shared .f32 tile[4096];\n"
      "mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, tile; add.s32 %r3, %r3, %r4; bar.sync 0;\n";
  std::vector<bool> loaded(kRows * kColumns, false);
  for (unsigned tap = 0; tap < kTaps; ++tap) {
    for (unsigned c = 0; c < kColumns; ++c) {
      for (unsigned v = 0; v < kSums; ++v) {
        const unsigned row = 2 * v + tap, at = row * kColumns + c;
        const std::string sum = numbered("%f", v), value = numbered("%g", at);
        if (!loaded[at])
          body += "ld.shared.f32 " + value + ", [%r3+" + std::to_string(4 * (64 * row + c)) + "];\n";
        loaded[at] = true;
        body += "fma.rn.f32 " + sum + ", " + value + ", 0f3F0000" + std::to_string(10 + tap) + ", " +
                (tap + c == 0 ? "0f00000000" : sum) + ";\n";
      }
    }
  }
  for (unsigned v = 0; v < kSums; ++v) {
    const std::string end = numbered("E", v);
    body += "setp.gt.s32 %p1, %r1, " + std::to_string(v) + "; @%p1 bra " + end + ";\n";
    body += "st.global.f32 [%rd1+" + std::to_string(65536 + 4 * v) + "], " + numbered("%f", v) + ";\n" + end +
            ":\n";
  }
  return body;
}

TEST_CASE("Sums that share rows go down the rows together where the SM is full of warps then") {
  const MachineModel t4 = arch::machine_model(sim::gpu_of("t4"));
  CHECK(lowered_text(test_kernel(filter_by_rows()), Loops::kAsWritten, t4).machine.registers_per_thread ==
        64);
}

}  // namespace
}  // namespace gpuloom::ptx
