// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/tensor_map_layout.h"

#include <bit>
#include <cstring>
#include <iterator>

namespace gpuloom::ptx {
namespace {

struct Bits {
  unsigned word, at, width;
};
constexpr Bits kIm2col{2, 0, 1}, kRank{2, 4, 3}, kElement{2, 7, 4}, kInterleave{2, 11, 2}, kSwizzle{2, 13, 2},
    kFill{2, 15, 1}, kTf32{2, 16, 1}, kPromotion{2, 17, 2}, kBox0{13, 24, 8}, kPixels{15, 0, 10};
// Cleared by replacements of the swizzle (H200); nothing seen sets it.
constexpr Bits kSwizzleMore{2, 22, 1};

constexpr Bits stride_low(unsigned d) { return {3 + d, 0, 32}; }
constexpr Bits stride_high(unsigned d) { return {7, 4 * d, 4}; }
constexpr Bits extent(unsigned d) { return {8 + d, 0, 32}; }
constexpr Bits element_stride(unsigned d) { return {13, 3 * d, 3}; }
constexpr Bits box(unsigned d) { return d == 0 ? kBox0 : Bits{14, 8 * (d - 1), 8}; }
constexpr unsigned corner_bits(unsigned rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }
constexpr Bits corner(unsigned rank, unsigned d, bool upper) {
  return {14, (upper ? 16 : 0) + d * corner_bits(rank), corner_bits(rank)};
}

uint32_t get(const TensorMapWords& words, Bits b) {
  return words[b.word] >> b.at & static_cast<uint32_t>((uint64_t{1} << b.width) - 1);
}
void put(TensorMapWords& words, Bits b, uint64_t value) {
  const auto mask = static_cast<uint32_t>((uint64_t{1} << b.width) - 1);
  words[b.word] = (words[b.word] & ~(mask << b.at)) | (static_cast<uint32_t>(value) & mask) << b.at;
}

// The element types in the order of the hardware's numbers; those of tf32 are f32's with a bit of their own.
constexpr TensorElement kElements[] = {TensorElement::kU8,  TensorElement::kU16, TensorElement::kU32,
                                       TensorElement::kS32, TensorElement::kU64, TensorElement::kS64,
                                       TensorElement::kF16, TensorElement::kF32, TensorElement::kF32Ftz,
                                       TensorElement::kF64, TensorElement::kBf16};
constexpr unsigned kF32 = 7, kF32Ftz = 8;

void put_element(TensorMapWords& words, TensorElement element) {
  unsigned code = element == TensorElement::kTf32 ? kF32 : kF32Ftz;
  for (unsigned k = 0; k < std::size(kElements); ++k)
    if (kElements[k] == element) code = k;
  put(words, kElement, code);
  put(words, kTf32, element == TensorElement::kTf32 || element == TensorElement::kTf32Ftz ? 1 : 0);
}

TensorElement element_of(const TensorMapWords& words) {
  const unsigned code = get(words, kElement);
  if (code >= std::size(kElements)) return static_cast<TensorElement>(kTensorElements);  // none
  if (get(words, kTf32) == 0) return kElements[code];
  return code == kF32      ? TensorElement::kTf32
         : code == kF32Ftz ? TensorElement::kTf32Ftz
                           : static_cast<TensorElement>(kTensorElements);
}

int16_t signed_corner(uint32_t value, unsigned width) {
  return static_cast<int16_t>(static_cast<int32_t>(value << (32 - width)) >> (32 - width));
}

// Words that the driver makes of others.
void put_derived(TensorMapWords& words, const TensorMap& m) {
  uint32_t count = 1;
  if (m.mode == TensorMode::kIm2col) {
    count = uint32_t{m.channels} * m.pixels;
  } else {
    for (unsigned d = 0; d < m.rank; ++d) count *= m.box[d] / m.element_stride[d];
  }
  words[16] = count * bytes_of(m.element);
  words[18] = m.swizzle == TensorSwizzle::kNone ? 0x10 : 0x80u << unsigned(m.swizzle);
}

}  // namespace

TensorMapWords pack_tensor_map(const TensorMap& m) {
  TensorMapWords words{};
  std::memcpy(words.data(), &m.address, sizeof m.address);
  put(words, kIm2col, m.mode == TensorMode::kIm2col ? 1 : 0);
  put(words, kRank, m.rank - 1u);
  put_element(words, m.element);
  put(words, kInterleave, unsigned(m.interleave));
  put(words, kSwizzle, unsigned(m.swizzle));
  put(words, kFill, unsigned(m.fill));
  put(words, kPromotion, m.l2_promotion == 4 ? 3 : m.l2_promotion);  // 0, 64, 128, 256 bytes
  for (unsigned d = 0; d < m.rank; ++d) {
    put(words, extent(d), m.last[d]);
    put(words, element_stride(d), m.element_stride[d] - 1u);
    if (m.mode == TensorMode::kTiled) put(words, box(d), m.box[d] - 1u);
    if (d + 1 < m.rank) {
      put(words, stride_low(d), m.stride[d] >> 4);
      put(words, stride_high(d), m.stride[d] >> 36);
    }
  }
  if (m.mode == TensorMode::kIm2col) {
    put(words, kBox0, m.channels - 1u);
    put(words, kPixels, m.pixels - 1u);
    for (unsigned d = 0; d + 2 < m.rank; ++d) {
      put(words, corner(m.rank, d, false), static_cast<uint16_t>(m.lower[d]));
      put(words, corner(m.rank, d, true), static_cast<uint16_t>(m.upper[d]));
    }
  }
  put_derived(words, m);
  return words;
}

TensorMap unpack_tensor_map(const TensorMapWords& words) {
  TensorMap m;
  uint64_t magic = 0;
  std::memcpy(&magic, words.data(), sizeof magic);
  if (magic == kTensorMapMagic) {
    m = std::bit_cast<TensorMap>(words);
    return m;
  }
  m.address = magic;
  m.mode = get(words, kIm2col) != 0 ? TensorMode::kIm2col : TensorMode::kTiled;
  m.rank = static_cast<uint8_t>(get(words, kRank) + 1);
  m.element = element_of(words);
  m.interleave = static_cast<TensorInterleave>(get(words, kInterleave));
  m.swizzle = static_cast<TensorSwizzle>(get(words, kSwizzle));
  m.fill = static_cast<TensorFill>(get(words, kFill));
  const unsigned promotion = get(words, kPromotion);
  m.l2_promotion = static_cast<uint8_t>(promotion == 3 ? 4 : promotion);
  for (unsigned d = 0; d < 5; ++d) {
    m.last[d] = get(words, extent(d));
    m.element_stride[d] = static_cast<uint8_t>(get(words, element_stride(d)) + 1);
    if (m.mode == TensorMode::kTiled) m.box[d] = static_cast<uint16_t>(get(words, box(d)) + 1);
    if (d < 4)
      m.stride[d] = (uint64_t{get(words, stride_low(d))} | uint64_t{get(words, stride_high(d))} << 32) << 4;
  }
  if (m.mode != TensorMode::kIm2col) return m;
  m.channels = static_cast<uint16_t>(get(words, kBox0) + 1);
  m.pixels = static_cast<uint16_t>(get(words, kPixels) + 1);
  for (unsigned d = 0; m.rank <= 5 && d + 2 < m.rank; ++d) {
    m.lower[d] = signed_corner(get(words, corner(m.rank, d, false)), corner_bits(m.rank));
    m.upper[d] = signed_corner(get(words, corner(m.rank, d, true)), corner_bits(m.rank));
  }
  return m;
}

void replace_field(TensorMapWords& words, TensorField field, unsigned ordinal, uint64_t value) {
  uint64_t magic = 0;
  std::memcpy(&magic, words.data(), sizeof magic);
  if (magic == kTensorMapMagic) words = pack_tensor_map(unpack_tensor_map(words));
  switch (field) {
    case TensorField::kAddress:
      std::memcpy(words.data(), &value, sizeof value);
      return;
    case TensorField::kRank:
      return put(words, kRank, value);  // "one less than the desired tensor rank"
    case TensorField::kBoxDim:
      return put(words, box(ordinal), value - 1);
    case TensorField::kGlobalDim:
      return put(words, extent(ordinal), value - 1);
    case TensorField::kGlobalStride:
      put(words, stride_low(ordinal), value >> 4);
      return put(words, stride_high(ordinal), value >> 36);
    case TensorField::kElementStride:
      return put(words, element_stride(ordinal), value - 1);
    case TensorField::kElement:  // tf32 is set and not cleared
      if (value <= 10) return put(words, kElement, value);
      put(words, kElement, value == 11 ? kF32 : kF32Ftz);
      return put(words, kTf32, 1);
    case TensorField::kInterleave:
      return put(words, kInterleave, value);
    case TensorField::kSwizzle:
      put(words, kSwizzle, value);
      return put(words, kSwizzleMore, 0);
    case TensorField::kFill:
      return put(words, kFill, value);
  }
}

}  // namespace gpuloom::ptx
