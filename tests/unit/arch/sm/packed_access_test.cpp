// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/packed_access.h"

#include <set>

#include "arch/sm/coalescer.h"
#include "tests/catch2.h"

using namespace gpuloom::arch;

namespace {

unsigned sectors(const uint64_t* address, uint32_t lanes, unsigned bytes) {
  Coalesced lines;
  coalesce(address, lanes, bytes, false, lines);
  return lines.sectors;
}

}  // namespace

TEST_CASE("Packed lanes take as many sectors as their bytes need", "[arch][ideal]") {
  for (const uint64_t stride : {8u, 12u, 36u, 128u, 516u, 4096u}) {
    uint64_t address[32];
    for (unsigned l = 0; l < 32; ++l) address[l] = 0x10000 + 4 + l * stride;
    pack_lanes(address, ~0u, 4);
    INFO(stride);
    CHECK(sectors(address, ~0u, 4) == 4);
  }
}

TEST_CASE("Misaligned lanes begin at a line", "[arch][ideal]") {
  uint64_t address[32];
  for (unsigned l = 0; l < 32; ++l) address[l] = 0x10004 + 4 * l;
  CHECK(sectors(address, ~0u, 4) == 5);
  pack_lanes(address, ~0u, 4);
  CHECK(address[0] == 0x10000);
  CHECK(sectors(address, ~0u, 4) == 4);
}

TEST_CASE("The columns of a matrix are packed to different places of its own", "[arch][ideal]") {
  constexpr uint64_t kBase = 0x100000, kPitch = 1024, kRows = 1024;
  std::set<uint64_t> places;
  for (unsigned at = 0; at < kPitch / 4 * kRows / 32; ++at) {
    const uint64_t column = at % (kPitch / 4), row = at / (kPitch / 4) * 32;
    uint64_t address[32];
    for (unsigned l = 0; l < 32; ++l) address[l] = kBase + (row + l) * kPitch + column * 4;
    pack_lanes(address, ~0u, 4);
    REQUIRE(address[0] == kBase + column * kRows * 4 + row * 4);  // the matrix is transposed
    places.insert(address[0]);
  }
  CHECK(places.size() == kPitch / 4 * kRows / 32);  // nothing is found twice that was not the same before
}

TEST_CASE("Lanes without a pattern go to where the first one is", "[arch][ideal]") {
  uint64_t address[32];
  for (unsigned l = 0; l < 32; ++l) address[l] = 0x20000 + (l * 7919 % 32) * 512;
  pack_lanes(address, ~0u, 4);
  CHECK(address[0] == 0x20000);
  CHECK(sectors(address, ~0u, 4) == 4);
}
