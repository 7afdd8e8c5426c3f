// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/tensor_map.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ptx/exec/atomic_ops.h"

namespace gpuloom::ptx {
namespace {

constexpr uint8_t kBytes[kTensorElements] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

unsigned span_of(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::kNone ? 0 : 16u << unsigned(swizzle);
}

std::string number(int64_t n) { return std::to_string(n); }

std::string row_problem(const TensorMap& m) {
  const unsigned row = (m.mode == TensorMode::kTiled ? m.box[0] : m.channels) * bytes_of(m.element);
  const unsigned span = m.interleaved() ? 0 : span_of(m.swizzle);
  if (row % 16 != 0) return "rows of the box of " + number(row) + " bytes, which is not a multiple of 16";
  if (span != 0 && row > span)
    return "rows of the box of " + number(row) + " bytes under a swizzle of " + number(span);
  return {};
}

std::string tiled_problem(const TensorMap& m) {
  for (unsigned d = 0; d < m.rank; ++d)
    if (m.box[d] == 0 || m.box[d] > 256) return "a box of " + number(m.box[d]) + " (1 to 256)";
  return {};
}

// The first of an image's extents: without interleaving the channels come before them.
unsigned first_spatial(const TensorMap& m) { return m.interleaved() ? 0 : 1; }

std::string im2col_problem(const TensorMap& m) {
  if (m.rank < 3) return "im2col with " + number(m.rank) + " dimensions (3 to 5)";
  if (m.channels == 0 || m.channels > 256) return number(m.channels) + " channels a pixel (1 to 256)";
  if (m.pixels == 0 || m.pixels > 1024) return number(m.pixels) + " pixels a column (1 to 1024)";
  // Corners have 16 bits in all: 16, 8 or 5 a dimension.
  const int limit = m.rank == 3 ? 32768 : m.rank == 4 ? 128 : 16;
  for (unsigned d = 0; d + 2 < m.rank; ++d) {
    for (const int corner : {m.lower[d], m.upper[d]})
      if (corner < -limit || corner >= limit) return "a corner at " + number(corner);
    if (m.lower[d] > int64_t{m.last[d + first_spatial(m)]} + m.upper[d]) return "an empty box of pixels";
  }
  return {};
}

// Walks the pixels of an im2col copy: from the start to the box's end in each dimension, then to its begin in
// the next.
class Pixels {
 public:
  Pixels(const TensorMap& map, const int32_t* at)
      : map_(map), spatial_(map.rank - 2), first_(first_spatial(map)) {
    for (unsigned d = 0; d < map.rank; ++d) at_[d] = at[d];
  }
  bool starts_inside() const {
    for (unsigned d = first_; d < first_ + spatial_; ++d)
      if (at_[d] < lower(d) || at_[d] > upper(d)) return false;
    return true;
  }
  bool spatial(unsigned d) const { return d >= first_ && d < first_ + spatial_; }
  int64_t at(unsigned d) const { return at_[d]; }
  void next() {
    for (unsigned d = first_; d < first_ + spatial_; ++d) {
      at_[d] += map_.element_stride[d];
      if (at_[d] <= upper(d)) return;
      at_[d] = lower(d);
    }
    at_[map_.rank - 1] += map_.element_stride[map_.rank - 1];
  }

 private:
  int64_t lower(unsigned d) const { return map_.lower[d - first_]; }
  int64_t upper(unsigned d) const { return int64_t{map_.last[d]} + map_.upper[d - first_]; }
  const TensorMap& map_;
  unsigned spatial_, first_;
  int64_t at_[5] = {};
};

class Planner {
 public:
  Planner(const TensorMap& map, TensorTransfer& out) : map_(map), out_(out), size_(map.unit_bytes()) {}

  // One row at `at`: the innermost start and the others.
  void row(const int64_t* at, uint32_t offset, unsigned elements) {
    uint64_t address = map_.address;
    for (unsigned d = 1; d < map_.rank; ++d) {
      if (at[d] < 0 || at[d] > int64_t{map_.last[d]}) return;
      address += static_cast<uint64_t>(at[d]) * map_.stride[d - 1];
    }
    const int64_t from = std::max<int64_t>(at[0], 0), end = int64_t{map_.last[0]} + 1;
    int64_t to = std::min<int64_t>(at[0] + elements, end);
    if (from >= to) return;
    // Measured: writes are cut off at whole 16 bytes, so what lies behind the last element is overwritten
    // too.
    if (out_.shared_to_global) to = std::min<int64_t>(at[0] + elements, (to * size_ + 15) / 16 * 16 / size_);
    out_.runs.push_back({address + static_cast<uint64_t>(from) * size_,
                         offset + static_cast<uint32_t>(from - at[0]) * size_,
                         static_cast<uint32_t>(to - from) * size_});
  }

  void tiled(const int32_t* start) {
    // The innermost element stride counts for interleaved maps only.
    const bool steps = map_.interleaved() && map_.element_stride[0] != 1;
    const unsigned first = steps ? 0 : 1, elements = steps ? 1 : map_.box[0];
    uint32_t count[5] = {}, index[5] = {}, rows = 1;
    for (unsigned d = first; d < map_.rank; ++d) {
      count[d] = (map_.box[d] + map_.element_stride[d] - 1u) / map_.element_stride[d];
      if (map_.interleaved() && d + 2 == map_.rank) count[d] = 1;
      rows *= count[d];
    }
    const uint32_t row_bytes = elements * size_;
    out_.bytes = rows * row_bytes;
    for (uint32_t r = 0; r < rows; ++r) {
      int64_t at[5] = {start[0]};
      for (unsigned d = first; d < map_.rank; ++d)
        at[d] = int64_t{start[d]} + index[d] * map_.element_stride[d];
      row(at, r * row_bytes, elements);
      for (unsigned d = first; d < map_.rank && ++index[d] == count[d]; ++d) index[d] = 0;
    }
  }

  std::string im2col(const int32_t* start, const uint16_t* offsets, bool writes) {
    Pixels pixel(map_, start);
    if (!pixel.starts_inside()) return "starts outside of the box of pixels";
    out_.bytes = map_.pixels * out_.row_bytes;
    for (uint32_t p = 0; p < map_.pixels; ++p, pixel.next()) {
      int64_t at[5] = {};
      for (unsigned d = 0, spatial = 0; d < map_.rank; ++d) {
        at[d] = pixel.at(d);
        if (pixel.spatial(d) && !writes) at[d] += offsets[spatial++];
        if (writes && d != 0 && at[d] < 0) return "writes at a negative coordinate";
      }
      row(at, p * out_.row_bytes, map_.interleaved() ? 1 : map_.channels);
    }
    return {};
  }

 private:
  const TensorMap& map_;
  TensorTransfer& out_;
  unsigned size_;
};

}  // namespace

unsigned bytes_of(TensorElement element) { return kBytes[static_cast<unsigned>(element)]; }
bool is_float(TensorElement element) { return element >= TensorElement::kF16; }

std::string tensor_map_problem(const TensorMap& m) {
  if (static_cast<unsigned>(m.element) >= kTensorElements) return "an unknown element type";
  if (m.rank < 1 || m.rank > 5) return number(m.rank) + " dimensions (1 to 5)";
  if (m.interleave > TensorInterleave::k32B || m.swizzle > TensorSwizzle::k128B || m.fill > TensorFill::kNan)
    return "an unknown interleave, swizzle or fill";
  const unsigned unit = m.interleave == TensorInterleave::k32B ? 32 : 16;
  if (m.interleaved() && m.rank < 3)
    return "interleaved channels with " + number(m.rank) + " dimensions (3 to 5)";
  if (m.address % unit != 0) return "an address that is not a multiple of " + number(unit);
  for (unsigned d = 0; d < m.rank; ++d)
    if (m.element_stride[d] < 1 || m.element_stride[d] > 8)
      return "an element stride of " + number(m.element_stride[d]) + " (1 to 8)";
  for (unsigned d = 0; d + 1 < m.rank; ++d)
    if (m.stride[d] % unit != 0 || m.stride[d] >> 40 != 0)
      return "a stride of " + std::to_string(m.stride[d]) + " bytes (a multiple of " + number(unit) +
             " below 2^40)";
  if (m.fill == TensorFill::kNan && !is_float(m.element)) return "a fill with NaN for integers";
  const std::string shape = m.mode == TensorMode::kTiled ? tiled_problem(m) : im2col_problem(m);
  return shape.empty() ? row_problem(m) : shape;
}

std::string plan_transfer(const TensorMap& map, const int32_t* at, const uint16_t* offsets, bool writes,
                          TensorTransfer& out) {
  if (const std::string wrong = tensor_map_problem(map); !wrong.empty())
    return "names a tensor map with " + wrong;
  // Measured: uarch probe and tests/conformance/tensor_maps, for all element types and directions.
  if (int64_t{at[0]} * map.unit_bytes() % 16 != 0)
    return "starts at " + number(at[0]) + " in the innermost dimension, which is not a multiple of 16 bytes";
  for (unsigned d = 0; writes && d < map.rank; ++d)  // measured; the manual is silent
    if (at[d] < 0) return "writes at the negative coordinate " + number(at[d]);
  out.row_bytes = map.row_bytes();
  out.pitch = map.interleaved() ? out.row_bytes : std::max(out.row_bytes, span_of(map.swizzle));
  out.element = map.element;
  out.swizzle = map.swizzle;
  out.fill = map.fill;
  out.shared_to_global = writes;
  Planner planner(map, out);
  if (map.mode == TensorMode::kIm2col) return planner.im2col(at, offsets, writes);
  planner.tiled(at);
  return {};
}

uint64_t swizzled(TensorSwizzle swizzle, uint64_t address) {
  const uint64_t mask = (uint64_t{1} << static_cast<unsigned>(swizzle)) - 1;
  return address ^ (address >> 7 & mask) << 4;
}

void convert_loaded(TensorElement element, uint8_t* data, uint32_t bytes) {
  // f32_ftz keeps subnormals on loads; tf32 rounds to nearest even, subnormals too, and tf32_ftz does the
  // same.
  if (element != TensorElement::kTf32 && element != TensorElement::kTf32Ftz) return;
  for (uint32_t i = 0; i < bytes; i += 4) {
    uint32_t v = 0;
    std::memcpy(&v, data + i, 4);
    if ((v & 0x7fff'ffff) > 0x7f80'0000) v = 0x7fff'e000;  // any NaN
    if ((v & 0x7f80'0000) != 0x7f80'0000) v += 0xfff + (v >> 13 & 1);
    v &= ~0x1fffu;
    std::memcpy(data + i, &v, 4);
  }
}

TensorReduction tensor_reduction(std::string_view op, TensorElement element) {
  using E = TensorElement;
  const bool sum = op == "add", order = op == "min" || op == "max", step = op == "inc" || op == "dec";
  const auto named = [&](bool exists, Type type) {
    const uint8_t index = exists ? atomic_index(op, type) : UINT8_MAX;
    return index == UINT8_MAX ? nullptr : &atomic_entry(index);
  };
  const AtomicEntry* entry = nullptr;
  switch (element) {
    case E::kU32:
      entry = named(true, sum || order || step ? Type::kU32 : Type::kB32);
      break;
    case E::kS32:
      entry = named(!step, sum || order ? Type::kS32 : Type::kB32);
      break;
    case E::kU64:
      entry = named(!step, sum || order ? Type::kU64 : Type::kB64);
      break;
    case E::kS64:
      entry = named(order, Type::kS64);
      break;
    case E::kF16:
      entry = named(sum || order, Type::kF16);
      break;
    case E::kBf16:
      entry = named(sum || order, Type::kBf16);
      break;
    case E::kF64:
      entry = named(sum, Type::kF64);
      break;
    case E::kF32:
    case E::kF32Ftz:
    case E::kTf32:
    case E::kTf32Ftz:
      entry = named(sum, Type::kF32);
      break;
    default:
      break;
  }
  if (entry == nullptr) return {};
  const bool keeps_subnormals = element == E::kF32 || element == E::kTf32;
  return {keeps_subnormals ? entry->fn : entry->global_fn, static_cast<uint8_t>(entry->element_bytes)};
}

}  // namespace gpuloom::ptx
