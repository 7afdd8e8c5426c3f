// SPDX-License-Identifier: Apache-2.0
#include "base/divisor.h"

#include <random>
#include <vector>

#include "tests/catch2.h"

using gpuloom::Divisor;

TEST_CASE("A divisor divides as the processor does", "[base]") {
  std::mt19937_64 random(7);
  for (const uint64_t by : {1ull, 2ull, 3ull, 47ull, 48ull, 94ull, 768ull, 4096ull, 8192ull, 1ull << 40}) {
    const Divisor d(by);
    for (unsigned bits = 0; bits <= 64; ++bits)
      for (unsigned k = 0; k < 50; ++k) {
        const uint64_t n = bits == 0 ? 0 : random() >> (64 - bits);
        REQUIRE(n / d == n / by);
        REQUIRE(n % d == n % by);
      }
  }
}

TEST_CASE("It is exact around its multiples, large numbers included", "[base]") {
  for (const uint64_t by : {3ull, 47ull, 6177ull, 0xffff'ffffull}) {
    const Divisor d(by);
    for (const uint64_t times : std::vector<uint64_t>{1, 2, 1000, UINT64_MAX / by / by, UINT64_MAX / by})
      for (const uint64_t n : {times * by - 1, times * by, times * by + 1}) {
        REQUIRE(n / d == n / by);
        REQUIRE(n % d == n % by);
      }
  }
}
