// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/shared_tile.h"

#include <cstring>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

constexpr uint32_t kChunk = 16;
constexpr uint32_t kRows[4] = {16, 128, 64, 32};  // by the swizzling field

uint32_t field(uint64_t descriptor, int at) {
  return static_cast<uint32_t>(descriptor >> at & 0x3fff) * kChunk;
}

template <class Element>
void spread(const uint8_t* from, int step, uint32_t* out) {
  for (size_t i = 0; i < kChunk / sizeof(Element); ++i)
    out[static_cast<int>(i) * step] = load_as<Element>(from + i * sizeof(Element));
}

void spread(const uint8_t* from, int element_bits, int step, uint32_t* out) {
  if (element_bits == 8) return spread<uint8_t>(from, step, out);
  if (element_bits == 16) return spread<uint16_t>(from, step, out);
  spread<uint32_t>(from, step, out);
}

}  // namespace

SharedTile SharedTile::of(uint64_t descriptor, bool outer_major) {
  SharedTile t;
  t.start = field(descriptor, 0);
  t.leading = field(descriptor, 16);
  t.stride = field(descriptor, 32);
  t.base = static_cast<uint32_t>(descriptor >> 49 & 7);
  t.row = kRows[descriptor >> 62];
  t.outer_major = outer_major;
  return t;
}

uint32_t SharedTile::chunk(uint32_t outer, uint32_t along_k) const {
  uint32_t at = start;
  if (!outer_major) {
    const uint32_t chunks = row / kChunk;
    at += outer / 8 * stride + outer % 8 * row + along_k / chunks * leading + along_k % chunks * kChunk;
  } else if (row == kChunk) {
    at += outer / 8 * stride + along_k / 8 * leading + along_k % 8 * kChunk;
  } else {
    const uint32_t chunks = row / kChunk, block = outer / 8;
    at += block / chunks * leading + block % chunks * kChunk + along_k / 8 * stride + along_k % 8 * row;
  }
  return at ^ ((at / 128 - base) & (row / kChunk - 1)) * kChunk;
}

void read_tile(Warp& w, const Instr& in, const SharedTile& tile, const TileRead& r, uint32_t* out) {
  const unsigned lane = static_cast<unsigned>(std::countr_zero(w.lanes));
  const auto at = [&](int outer, int along_k) {
    const uint32_t address = tile.chunk(static_cast<uint32_t>(outer), static_cast<uint32_t>(along_k));
    const uint8_t* bytes = host_of(w, in, lane, Space::kShared, address, kChunk, AccessOp::kMatrixLoad);
    if (Checks* checks = w.launch->checks)
      checks->touched(w, in, lane, Space::kShared, address, kChunk, false, true);
    return bytes;
  };
  if (tile.outer_major) {  // elements have 16 bits
    for (int k = 0; k < r.depth; ++k)
      for (int o = 0; o < r.count; o += 8)
        spread<uint16_t>(at(r.first + o, k), r.outer_step, out + o * r.outer_step + k * r.depth_step);
    return;
  }
  const int elements = static_cast<int>(8 * kChunk) / r.element_bits;
  for (int o = 0; o < r.count; ++o)
    for (int k = 0; k < r.depth; k += elements)
      spread(at(r.first + o, k / elements), r.element_bits, r.depth_step,
             out + o * r.outer_step + k * r.depth_step);
}

}  // namespace gpuloom::ptx
