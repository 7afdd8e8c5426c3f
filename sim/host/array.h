// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: opaque memory for textures and surfaces.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/exec/texture/state.h"

namespace gpuloom::host {

// As cudaChannelFormatDesc: bits of each channel, and how they are read.
struct ChannelDesc {
  int bits[4] = {0, 0, 0, 0};
  int kind = 3;  // 0 signed, 1 unsigned, 2 float, 3 none
};

// Elements; 0 where the array has no such dimension.
struct Extent {
  uint64_t width = 0, height = 0, depth = 0;
};

struct MipmappedArray;

// One array, or one level of a mipmapped one. The state says where texels are.
struct Array {
  ptx::TextureState state;
  unsigned level = 0;
  ChannelDesc channels;
  Extent extent;       // as asked for, of this level
  uint32_t flags = 0;  // cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4
  MipmappedArray* owner = nullptr;
};

struct MipmappedArray {
  ptx::TextureState state;
  ChannelDesc channels;
  Extent extent;
  uint32_t flags = 0;
  std::vector<std::unique_ptr<Array>> levels;
};

}  // namespace gpuloom::host
