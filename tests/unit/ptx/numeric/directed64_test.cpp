// SPDX-License-Identifier: Apache-2.0
#include "ptx/numeric/directed64.h"

#include "ptx/numeric/test_support.h"
#include "tests/catch2.h"

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;

struct Count {
  int wrong = 0, doubtful = 0;
};

// How often the fast way gives other bits than the exact one where it has no doubt.
template <class Operation>
Count compared(std::uint64_t seed, int pairs) {
  Random random(seed);
  Count count;
  for (int n = 0; n < pairs; ++n) {
    const double a = testing::random_double(random), b = testing::random_double(random);
    if constexpr (requires { Operation::fast(a); }) {
      if (Operation::doubtful(a))
        ++count.doubtful;
      else
        count.wrong += bits_of(Operation::fast(a)) != bits_of(Operation::exact(a));
    } else {
      if (Operation::doubtful(a, b))
        ++count.doubtful;
      else
        count.wrong += bits_of(Operation::fast(a, b)) != bits_of(Operation::exact(a, b));
    }
  }
  return count;
}

template <Rounding R>
void check_mode() {
  constexpr int kPairs = 400000;
  CHECK(compared<DirectedAdd<R>>(1, kPairs).wrong == 0);
  CHECK(compared<DirectedSub<R>>(2, kPairs).wrong == 0);
  CHECK(compared<DirectedMul<R>>(3, kPairs).wrong == 0);
  CHECK(compared<DirectedDiv<R>>(4, kPairs).wrong == 0);
  CHECK(compared<DirectedRcp<R>>(5, kPairs).wrong == 0);
  CHECK(compared<DirectedSqrt<R>>(6, kPairs).wrong == 0);
}

}  // namespace

TEST_CASE("f64 rounded down, up and to zero without branches is exact where it has no doubt") {
  check_mode<Rounding::kDown>();
  check_mode<Rounding::kUp>();
  check_mode<Rounding::kZero>();
}

TEST_CASE("Directed f64 doubts specials, zeros and the ends of the range, and little else") {
  CHECK(DirectedAdd<Rounding::kDown>::doubtful(1.0, -1.0));
  CHECK(DirectedAdd<Rounding::kUp>::doubtful(double_of(kInf64), 1.0));
  CHECK(DirectedAdd<Rounding::kZero>::doubtful(0x1.fffffffffffffp1023, 0x1p1000));
  CHECK(DirectedMul<Rounding::kDown>::doubtful(0x1p-1000, 0x1p-40));
  CHECK(DirectedMul<Rounding::kDown>::doubtful(0.0, 3.0));
  CHECK(DirectedDiv<Rounding::kUp>::doubtful(1.0, 0.0));
  CHECK(DirectedSqrt<Rounding::kUp>::doubtful(-1.0));
  CHECK_FALSE(DirectedAdd<Rounding::kDown>::doubtful(1.0, 0x1p-80));
  CHECK_FALSE(DirectedMul<Rounding::kDown>::doubtful(0x1p-400, 0x1p-400));
  CHECK(bits_of(DirectedAdd<Rounding::kDown>::fast(1.0, -0x1p-80)) == bits_of(0x1.fffffffffffffp-1));
  CHECK(bits_of(DirectedAdd<Rounding::kUp>::fast(1.0, 0x1p-80)) == bits_of(0x1.0000000000001p0));
}

}  // namespace gpuloom::ptx::numeric
