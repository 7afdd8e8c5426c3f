// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/combined_atomics.h"

#include "tests/catch2.h"

using namespace gpuloom::arch;

namespace {

constexpr uint8_t kAdd = 1, kMin = 2;

// Lane l adds to word l % words.
struct Lanes {
  uint64_t address[32];
  explicit Lanes(unsigned words) {
    for (unsigned l = 0; l < 32; ++l) address[l] = 0x10000 + 4 * (l % words);
  }
};

}  // namespace

TEST_CASE("A warp sends a word once in its life, and words that lanes share apart", "[arch][ideal]") {
  CombinedAtomics combined(2);
  const Lanes shared(4), own(32);
  const CombinedLanes first = combined.without_result(0, shared.address, ~0u, kAdd);
  CHECK(first.apart == 0xfu);
  CHECK(first.together == 0);
  const CombinedLanes later = combined.without_result(0, own.address, ~0u, kAdd);
  CHECK(later.together == ~0xfu);  // the four words have gone
  CHECK(later.apart == 0);
  CHECK(combined.without_result(0, own.address, ~0u, kAdd).together == 0);
}

TEST_CASE("Other warps, other operations and a warp that begins send a word again", "[arch][ideal]") {
  CombinedAtomics combined(2);
  const Lanes own(32);
  combined.without_result(0, own.address, ~0u, kAdd);
  CHECK(combined.without_result(1, own.address, ~0u, kAdd).together == ~0u);
  CHECK(combined.without_result(0, own.address, ~0u, kMin).together == ~0u);
  CHECK(combined.without_result(0, own.address, ~0u, kAdd).together == 0);
  combined.launch(0);
  CHECK(combined.without_result(0, own.address, ~0u, kAdd).together == ~0u);
}

TEST_CASE("Where results are read, a lane of each word goes", "[arch][ideal]") {
  const Lanes shared(4);
  const CombinedLanes lanes = CombinedAtomics::with_result(shared.address, 0xfffffff0u);
  CHECK(lanes.together == 0xf0u);
  CHECK(lanes.apart == 0);
}
