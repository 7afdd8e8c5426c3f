// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of a tensor map. NVIDIA documents no layout; this is the H200's, read off the maps that
// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col make and off what tensormap.replace changes
// (tests/conformance/tensor_maps/layout.txt). Words of 32 bits:
//   0-1    address
//   2      0 im2col; 4-6 rank - 1; 7-10 element type; 11-12 interleave; 13-14 swizzle; 15 fill with NaN;
//          16 tf32 (of the types f32 and f32_ftz); 17-18 L2 promotion
//   3-6    strides of dimensions 1 to 4 in units of 16 bytes; word 7 has their upper four bits, each in four
//   8-12   extents - 1
//   13     0-14 element strides - 1, three bits each; 24-31 box of dimension 0, or channels, - 1
//   14     tiled: boxes of dimensions 1 to 4, - 1, eight bits each; im2col: lower corners in the lower half,
//          upper ones in the upper, of 16, 8 or 5 bits each
//   15     im2col: pixels - 1
//   16, 18 bytes of the box and the swizzle once more: made by the driver, not looked at by the hardware
// 128 zero bytes are thus a tensor of one byte, which no copy takes; replacing every field makes any tiled
// map of it, as Triton's tl.make_tensor_descriptor does.
//
// Earlier versions had a layout of their own, TensorMap as it stands in memory behind a magic number. Such
// maps may stand in data files; they are still read.
#pragma once
#include <array>
#include <cstdint>

#include "ptx/exec/tensor_map.h"

namespace gpuloom::ptx {

constexpr unsigned kTensorMapBytes = 128;
using TensorMapWords = std::array<uint32_t, kTensorMapBytes / 4>;

TensorMapWords pack_tensor_map(const TensorMap& map);
// Any bits make a map; tensor_map_problem says what is wrong with it.
TensorMap unpack_tensor_map(const TensorMapWords& words);

// What tensormap.replace can set (PTX ISA 9.7.9.28).
enum class TensorField : uint8_t {
  kAddress,
  kRank,
  kBoxDim,
  kGlobalDim,
  kGlobalStride,
  kElementStride,
  kElement,
  kInterleave,
  kSwizzle,
  kFill
};
// `value` as the instruction has it; bits beyond the field are dropped, as the H200 does.
void replace_field(TensorMapWords& words, TensorField field, unsigned ordinal, uint64_t value);

}  // namespace gpuloom::ptx
