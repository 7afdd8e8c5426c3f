// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/shared_tile.h"

#include <bit>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

constexpr uint32_t kChunk = SharedTile::kChunk;
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
  t.row_shift = static_cast<uint32_t>(std::countr_zero(t.row / kChunk));
  t.outer_major = outer_major;
  return t;
}

void read_tile(Warp& w, const Instr& in, const SharedTile& tile, const TileRead& r, uint32_t* out) {
  const unsigned lane = static_cast<unsigned>(std::countr_zero(w.lanes));
  const auto at = [&](int outer, int along_k) -> const uint8_t* {
    const uint32_t address = tile.chunk(static_cast<uint32_t>(outer), static_cast<uint32_t>(along_k));
    // As host_of finds it, where the block's own shared memory has it.
    if (w.launch->checks == nullptr && uint64_t{address} + kChunk <= w.shared_bytes)
      return w.shared + address;
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
