// SPDX-License-Identifier: Apache-2.0
// Values of approximate divisions that ptxas takes apart: bits of the code that it makes for sm_90.
#include <bit>
#include <cmath>

#include "ptx/numeric/mufu.h"
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

// The bits that `operation` leaves in %f3 of %f1 (the dividend), %f2 (the divisor) and %f4 (the summand),
// none of which is known when the kernel is made.
uint32_t bits_of(const std::string& operation, float a, float b, float c) {
  const auto number = [](float v) { return std::to_string(std::bit_cast<uint32_t>(v)); };
  const PtxRun run("{ .reg .f32 %f<9>; st.global.u32 [%scratch], " + number(a) +
                   "; st.global.u32 [%scratch+4], " + number(b) + "; st.global.u32 [%scratch+8], " +
                   number(c) +
                   "; ld.global.f32 %f1, [%scratch]; ld.global.f32 %f2, [%scratch+4]; ld.global.f32 %f4, "
                   "[%scratch+8];\n" +
                   operation + "\nmov.b32 %r0, %f3; }\n");
  return run[0];
}
uint32_t fused(float a, float b, float c) { return std::bit_cast<uint32_t>(std::fma(a, b, c)); }

}  // namespace

TEST_CASE("A contracted quotient is rounded once, behind its scaling", "[divide]") {
  using ptx::numeric::mufu::rcp;
  const float a = 1.1f, c = 1e-5f;
  CHECK(bits_of("div.approx.ftz.f32 %f3, %f1, %f2; add.ftz.f32 %f3, %f3, %f4;", a, 2.9f, c) ==
        fused(a, rcp(2.9f), c));
  for (const float b : {2.9f, 1e-40f, 3e38f}) {
    const float up = std::fabs(b) < 0x1p-126f ? 0x1p24f : 1.0f, down = b > 0x1p126f ? 0.25f : up;
    CHECK(bits_of("div.approx.f32 %f3, %f1, %f2; add.f32 %f3, %f3, %f4;", a, b, c) ==
          fused(a * up, rcp(b * up), c));
    CHECK(bits_of("div.full.f32 %f3, %f1, %f2; add.f32 %f3, %f3, %f4;", a, b, c) ==
          fused(a * down, rcp(b * down), c));
    CHECK(bits_of("rcp.approx.f32 %f3, %f2; sub.f32 %f3, %f4, %f3;", a, b, 0x1p-140f) ==
          fused(-down, rcp(b * down), 0x1p-140f));
  }
}

TEST_CASE("A constant divisor's reciprocal is rounded to nearest, where MUFU.RCP is one off", "[divide]") {
  // 0f3f8005a9: ptxas writes 0.99982732534408569336 (3f7ff4af), the MUFU gives 3f7ff4ae.
  CHECK(bits_of("div.approx.ftz.f32 %f3, %f1, 0f3f8005a9;", 1, 0, 0) == 0x3f7ff4af);
  CHECK(bits_of("div.full.f32 %f3, %f1, 0f3f8005a9;", 1, 0, 0) == 0x3f7ff4af);
  CHECK(bits_of("div.approx.ftz.f32 %f3, %f1, %f2;", 1, std::bit_cast<float>(0x3f8005a9), 0) == 0x3f7ff4ae);
  CHECK(bits_of("div.approx.f32 %f3, %f1, 0f7f61b1e6;", 1, 0, 0) == 0);  // a subnormal reciprocal is flushed
  CHECK(bits_of("div.full.f32 %f3, %f1, 0f7f61b1e6;", 1, 0, 0) ==
        std::bit_cast<uint32_t>(0.25f * 1.3333333868573669558e-38f));
}
