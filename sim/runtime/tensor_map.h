// SPDX-License-Identifier: Apache-2.0
// Makes tensor maps: the parameters of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col to a map,
// whose bytes ptx/exec/tensor_map_layout.h makes. Kernels take them as a __grid_constant__ parameter or read
// them from global memory.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ptx/exec/tensor_map.h"

namespace gpuloom::sim {

// Extents, strides and boxes are innermost first, as in CUDA.
struct TensorMapSpec {
  ptx::TensorElement element = ptx::TensorElement::kF32;
  uint64_t address = 0;
  std::vector<uint64_t> dims;             // one to five extents
  std::vector<uint64_t> strides;          // bytes, of dimensions 1 and up; empty: packed
  std::vector<uint32_t> box;              // tiled
  std::vector<uint32_t> element_strides;  // empty: all 1
  bool im2col = false;
  std::vector<int> lower, upper;  // im2col: corners, a value for each but the first and last dimension
  uint32_t channels = 0, pixels = 0;
  ptx::TensorInterleave interleave = ptx::TensorInterleave::kNone;
  ptx::TensorSwizzle swizzle = ptx::TensorSwizzle::kNone;
  ptx::TensorFill fill = ptx::TensorFill::kZero;
  uint32_t l2_promotion_bytes = 0;  // 0, 64, 128, 256; kept, without effect
};

// Throws Error: kInput where CUDA answers CUDA_ERROR_INVALID_VALUE, kUnsupported for interleaved maps.
ptx::TensorMap encode_tensor_map(const TensorMapSpec& spec, const FilePosition& where = {});

// "f16", "bf16", "tf32", "f32_ftz", ...: false where there is no such element type.
bool tensor_element_named(std::string_view name, ptx::TensorElement& out);
std::vector<std::string> tensor_element_names();

}  // namespace gpuloom::sim
