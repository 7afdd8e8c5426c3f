// SPDX-License-Identifier: Apache-2.0
// Tensor maps: descriptors of arrays in memory for the bulk tensor copies of 9.0 and later.
#include "sim/runtime/tensor_map.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "ptx/exec/tensor_map_layout.h"
#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

// What both encoders take. Enumerators of the driver API have the order of ptx::TensorElement and its
// neighbours; L2 promotion is 0, 64, 128, 256 bytes.
bool common(sim::TensorMapSpec& s, int type, unsigned rank, void* address, const uint64_t* dims,
            const uint64_t* strides, const unsigned* element_strides, int interleave, int swizzle,
            int promotion, int fill) {
  if (rank == 0 || rank > 5 || type < 0 || type >= static_cast<int>(ptx::kTensorElements) ||
      dims == nullptr || element_strides == nullptr || (rank > 1 && strides == nullptr) || interleave < 0 ||
      interleave > 2 || swizzle < 0 || swizzle > 3 || promotion < 0 || promotion > 3 || fill < 0 || fill > 1)
    return false;
  s.element = static_cast<ptx::TensorElement>(type);
  s.address = address_of(address);
  s.dims.assign(dims, dims + rank);
  s.strides.assign(strides, strides + rank - 1);
  s.element_strides.assign(element_strides, element_strides + rank);
  s.interleave = static_cast<ptx::TensorInterleave>(interleave);
  s.swizzle = static_cast<ptx::TensorSwizzle>(swizzle);
  s.l2_promotion_bytes = promotion == 0 ? 0 : 32u << promotion;
  s.fill = static_cast<ptx::TensorFill>(fill);
  return true;
}

int encode(const sim::TensorMapSpec& spec, void* map) {
  try {
    const ptx::TensorMapWords words = ptx::pack_tensor_map(sim::encode_tensor_map(spec));
    std::memcpy(map, words.data(), sizeof words);
    return kSuccess;
  } catch (const Error& error) {
    std::fprintf(stderr, "gpuloom: %s\n", error.what());
    return kInvalidValue;
  }
}

}  // namespace

GPULOOM_CUDA int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address,
                                        const uint64_t* dims, const uint64_t* strides, const unsigned* box,
                                        const unsigned* element_strides, int interleave, int swizzle,
                                        int promotion, int fill) {
  sim::TensorMapSpec s;
  if (map == nullptr || box == nullptr ||
      !common(s, type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill))
    return kInvalidValue;
  s.box.assign(box, box + rank);
  return encode(s, map);
}

GPULOOM_CUDA int cuTensorMapEncodeIm2col(void* map, int type, unsigned rank, void* address,
                                         const uint64_t* dims, const uint64_t* strides, const int* lower,
                                         const int* upper, unsigned channels, unsigned pixels,
                                         const unsigned* element_strides, int interleave, int swizzle,
                                         int promotion, int fill) {
  sim::TensorMapSpec s;
  if (map == nullptr || lower == nullptr || upper == nullptr || rank < 3 ||
      !common(s, type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill))
    return kInvalidValue;
  s.im2col = true;
  s.lower.assign(lower, lower + rank - 2);
  s.upper.assign(upper, upper + rank - 2);
  s.channels = channels;
  s.pixels = pixels;
  return encode(s, map);
}

GPULOOM_CUDA int cuTensorMapReplaceAddress(void* map, void* address) {
  if (map == nullptr || address_of(address) % 16 != 0) return kInvalidValue;
  ptx::TensorMapWords words;
  std::memcpy(words.data(), map, sizeof words);
  ptx::replace_field(words, ptx::TensorField::kAddress, 0, address_of(address));
  std::memcpy(map, words.data(), sizeof words);
  return kSuccess;
}

}  // namespace gpuloom::driver
