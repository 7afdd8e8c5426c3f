// SPDX-License-Identifier: Apache-2.0
// One fetch of one thread: from coordinates to four values.
#pragma once
#include <cstdint>

#include "ptx/exec/texture/operation.h"
#include "ptx/exec/texture/texel.h"

namespace gpuloom::ptx {

struct SamplePoint {
  float at[3] = {};       // coordinates; of a cube map the direction
  int32_t texel[3] = {};  // integer coordinates
  uint32_t layer = 0;
  float level = 0;
  float dx[3] = {}, dy[3] = {};
  int offset[3] = {};
};

struct Sampled {
  uint32_t value[4] = {};  // f32 bits, or integers
  uint64_t offset = 0;     // of a texel that was read, from the begin of the resource
  bool inside = false;     // false: nothing was read
};

Sampled sample(const TextureView& view, const TextureOperation& op, const SamplePoint& point);
// The component of the four texels around the point, in the order (0,1) (1,1) (1,0) (0,0).
Sampled gather(const TextureView& view, const TextureOperation& op, const SamplePoint& point);
// Integer coordinates: texels are not filtered, and 0 out of bounds.
Sampled fetch_texel(const TextureView& view, const TextureOperation& op, const SamplePoint& point);

// Level of detail in 1/256, biased and bounded as the sampler says. Everything is cut to 1/256 towards 0.
int level_in_256ths(const SamplerState& sampler, float level, unsigned levels);

}  // namespace gpuloom::ptx
