// SPDX-License-Identifier: Apache-2.0
#include "base/init_map.h"

#include "tests/catch2.h"

namespace gpuloom {
namespace {

constexpr uint64_t kBase = 0x7000'0000'0000;

TEST_CASE("Written bytes are remembered one by one, across pages", "[base]") {
  InitMap map(kBase);
  const uint64_t at = kBase + (uint64_t{1} << 16) - 3;
  CHECK(map.first_unset(at, 8) == at);
  map.set(at, 6);
  CHECK(map.first_unset(at, 6) == at + 6);
  CHECK(map.first_unset(at, 7) == at + 6);
  CHECK(map.first_unset(at - 1, 2) == at - 1);
  map.clear(at + 2, 1);
  CHECK(map.first_unset(at, 6) == at + 2);
}

TEST_CASE("A long range is written and forgotten as a whole", "[base]") {
  InitMap map(kBase);
  map.set(kBase + 1, 300'000);
  CHECK(map.first_unset(kBase + 1, 300'000) == kBase + 300'001);
  CHECK(map.first_unset(kBase, 1) == kBase);
  map.clear(kBase, 1 << 20);
  CHECK(map.first_unset(kBase + 150'000, 1) == kBase + 150'000);
  map.clear(kBase + (uint64_t{1} << 40), 64);  // never seen: nothing to forget
}

}  // namespace
}  // namespace gpuloom
