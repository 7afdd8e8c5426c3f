// SPDX-License-Identifier: Apache-2.0
// Tensor maps (PTX ISA 5.5): what the 128 opaque bytes say, and which bytes one tensor copy moves.
// sim/runtime/tensor_map.h makes maps, tensor_map_layout.h has their 128 bytes. What the copies do was
// measured on an H200: tests/conformance/tensor_maps.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/exec/access.h"

namespace gpuloom::ptx {

// In the order of CUtensorMapDataType, and of tensormap.replace's .elemtype.
enum class TensorElement : uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,
  kTf32,
  kTf32Ftz
};
constexpr unsigned kTensorElements = 13;
enum class TensorMode : uint8_t { kTiled, kIm2col };
enum class TensorInterleave : uint8_t { kNone, k16B, k32B };
enum class TensorSwizzle : uint8_t { kNone, k32B, k64B, k128B };
enum class TensorFill : uint8_t { kZero, kNan };

unsigned bytes_of(TensorElement element);
bool is_float(TensorElement element);

constexpr uint64_t kTensorMapMagic = 0x0170'616d'6d6f'6f6c;  // "loommap", layout 1

// A map's fields. As it stands here, this is also the layout of earlier versions (tensor_map_layout.h).
struct alignas(8) TensorMap {
  uint64_t magic = kTensorMapMagic;
  uint64_t address = 0;                  // device address, a multiple of 16
  uint64_t stride[4] = {};               // bytes, of dimensions 1 to 4
  uint32_t last[5] = {};                 // greatest coordinate: extents - 1, for they go up to 2^32
  uint16_t box[5] = {};                  // tiled: elements, of which every element_stride-th is copied
  int16_t lower[3] = {}, upper[3] = {};  // im2col: corners of the box of pixels
  uint16_t channels = 0, pixels = 0;     // im2col
  uint8_t element_stride[5] = {1, 1, 1, 1, 1};
  uint8_t rank = 1;
  TensorElement element = TensorElement::kU8;
  TensorMode mode = TensorMode::kTiled;
  TensorInterleave interleave = TensorInterleave::kNone;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorFill fill = TensorFill::kZero;
  uint8_t l2_promotion = 0;
  uint8_t reserved[22] = {};

  bool interleaved() const { return interleave != TensorInterleave::kNone; }
  // What the innermost extent, start, box and stride count: elements; where channels are interleaved, the
  // slices of 16 or 32 bytes of one pixel, whatever the type. Dimension rank - 2 then numbers the slices of
  // channels, and a copy takes one: its box and element stride count for nothing, nor do im2col's channels
  // (H200).
  unsigned unit_bytes() const { return interleaved() ? 8u << unsigned(interleave) : bytes_of(element); }
  unsigned row_bytes() const {  // of what stands together in shared memory
    if (interleaved()) return unit_bytes();
    return (mode == TensorMode::kTiled ? box[0] : channels) * bytes_of(element);
  }
};
static_assert(sizeof(TensorMap) == 128);

// What is wrong with a map's fields, in words; "" if nothing. The rules are those of cuTensorMapEncodeTiled
// and cuTensorMapEncodeIm2col; `extents` of 2^32 are stored as last = 2^32 - 1.
std::string tensor_map_problem(const TensorMap& map);

struct TensorRun {  // elements side by side, inside the tensor
  uint64_t address = 0;
  uint32_t offset = 0;  // in the box without gaps
  uint32_t bytes = 0;
};

// One copy: where its bytes are. In shared memory rows are `pitch` apart, which is more than row_bytes where
// the swizzle is wider than the row.
struct TensorTransfer {
  std::vector<TensorRun> runs;
  uint64_t map = 0;    // its address
  uint32_t bytes = 0;  // of the whole box; what the mbarrier counts
  uint32_t row_bytes = 0, pitch = 0;
  TensorElement element = TensorElement::kU8;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorFill fill = TensorFill::kZero;
  bool shared_to_global = false;

  uint32_t shared_bytes() const { return bytes / row_bytes * pitch; }
};

// Coordinates are signed, innermost first; offsets are those of im2col. Returns what makes the instruction
// illegal, in words, or "".
std::string plan_transfer(const TensorMap& map, const int32_t* at, const uint16_t* offsets, bool writes,
                          TensorTransfer& out);
// Where the 16 bytes at `address` of shared memory are under a swizzle: the pattern follows address bits.
uint64_t swizzled(TensorSwizzle swizzle, uint64_t address);
// What a load makes of an element on its way (tf32 rounds), in place.
void convert_loaded(TensorElement element, uint8_t* data, uint32_t bytes);
// A reduction on elements of a tensor; fn is nullptr where there is none.
struct TensorReduction {
  AtomicFn fn = nullptr;
  uint8_t element_bytes = 0;
};
TensorReduction tensor_reduction(std::string_view op, TensorElement element);

}  // namespace gpuloom::ptx
