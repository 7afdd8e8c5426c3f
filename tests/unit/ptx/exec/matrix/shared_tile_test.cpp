// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/shared_tile.h"

#include "tests/catch2.h"

using namespace gpuloom::ptx;

namespace {

uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride, uint64_t base, uint64_t swizzle) {
  return start / 16 | leading / 16 << 16 | stride / 16 << 32 | base << 49 | swizzle << 62;
}

}  // namespace

TEST_CASE("A matrix descriptor's offsets count in units of 16 bytes") {
  const SharedTile t = SharedTile::of(descriptor(0x3fff0, 128, 256, 5, 2), false);
  CHECK(t.start == 0x3fff0);
  CHECK(t.leading == 128);
  CHECK(t.stride == 256);
  CHECK(t.base == 5);
  CHECK(t.row == 64);
}

TEST_CASE("Without swizzling core matrices of 128 bytes stand at both offsets") {
  const SharedTile t = SharedTile::of(descriptor(1024, 128, 256, 0, 0), false);
  CHECK(t.chunk(0, 0) == 1024);
  CHECK(t.chunk(3, 1) == 1024 + 128 + 3 * 16);
  CHECK(t.chunk(9, 1) == 1024 + 256 + 128 + 16);
}

TEST_CASE("Swizzling of 128 bytes permutes the chunks of a row by the row's number") {
  const SharedTile t = SharedTile::of(descriptor(0, 16, 1024, 0, 1), false);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t chunk = 0; chunk < 2; ++chunk)
      CHECK(t.chunk(row, chunk) == row * 128 + ((chunk ^ row % 8) * 16));
}

TEST_CASE("A row of B that is longer than the swizzling goes on at the leading offset") {
  const SharedTile t =
      SharedTile::of(descriptor(0, 2048, 256, 0, 3), false);  // 32 bytes; sparse A has 64 of B
  CHECK(t.chunk(0, 1) == 16);
  CHECK(t.chunk(0, 2) == 2048);
  CHECK(t.chunk(9, 3) == 2048 + 256 + 32 + 16);
}

TEST_CASE("A descriptor may start inside a swizzled row") {
  const SharedTile whole = SharedTile::of(descriptor(0, 16, 1024, 0, 1), false);
  const SharedTile later = SharedTile::of(descriptor(64, 16, 1024, 0, 1), false);
  for (uint32_t row = 0; row < 16; ++row) CHECK(later.chunk(row, 1) == whole.chunk(row, 5));
}

TEST_CASE("The base offset is taken from the row's number before swizzling") {
  const SharedTile plain = SharedTile::of(descriptor(0, 16, 1024, 0, 1), false);
  const SharedTile moved = SharedTile::of(descriptor(128, 16, 1024, 1, 1), false);
  for (uint32_t row = 0; row < 8; ++row) CHECK(moved.chunk(row, 1) == plain.chunk(row, 1) + 128);
}

TEST_CASE("MN-major tiles step along K by rows, then by the stride") {
  const SharedTile t = SharedTile::of(descriptor(0, 4096, 1024, 0, 1), true);
  CHECK(t.chunk(0, 8) == 1024);
  CHECK(t.chunk(8, 0) == 16);
  CHECK(t.chunk(8, 3) == 3 * 128 + (1 ^ 3) * 16);
  CHECK(t.chunk(64, 0) == 4096);
}
