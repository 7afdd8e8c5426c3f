// SPDX-License-Identifier: Apache-2.0
// Texels: reading their channels, what a channel becomes when it is read as it is, and the sums of a linear
// filter. All of it was measured on an H200 (tests/conformance/textures).
#pragma once
#include <cstdint>

#include "ptx/exec/texture/state.h"

namespace gpuloom::ptx {

// A resource with the memory that holds it.
struct TextureView {
  const TextureState* state = nullptr;
  const SamplerState* sampler = nullptr;
  const uint8_t* texels = nullptr;
};

// Where a texel is, or that the border's colour stands for it.
struct TexelPlace {
  uint64_t offset = 0;  // from the begin of the resource
  bool border = false;
};

// Raw bits of channel `channel` (zero-extended) at `place`, which is not a border.
uint32_t raw_channel(const TextureView& view, uint64_t offset, unsigned channel);
// A channel as point sampling gives it: integers that are read as numbers are divided by their greatest value
// and rounded to f32, sRGB becomes linear, halves become f32, everything else stays as it is.
uint32_t converted_channel(const TextureView& view, TexelPlace place, unsigned channel);

// Up to four texels of one layer or slice and level, with weights of 1/256.
struct FilterPass {
  TexelPlace texel[4];
  int weight[4] = {};
  unsigned count = 0;
  bool reached[4] = {};  // the weight was not 0 before it was rounded: an infinity counts, as a NaN
};
constexpr unsigned kMostPasses = 4;

// Weights of the four texels of a pass in the order (x0,y0) (x1,y0) (x0,y1) (x1,y1). `all` is what the pass
// weighs (256 alone), `x` and `y` the fractions towards the second texel. Each product is rounded to 1/256,
// halves up, and the neighbour takes the rest, so that the weights of a pass add up.
void pass_weights(int all, int x, int y, FilterPass& pass);
inline int weight_product(int a, int b) { return (a * b + 128) >> 8; }

// The weighted sum of a channel over the passes, as f32 bits.
//  u8, u16, s16: exact in 16 bits, halves up. s8: 8.8 bits, expanded to 16 bits afterwards.
//  f32 (f16): mantissas are cut to 28 (15) bits below the largest of a pass, the sum of a pass is exact, and
//  is cut (downwards) to 37 (24) bits before the next pass is added; the result is rounded to 24 (11) bits,
//  halves away from zero. sRGB (in linear light) is summed as f16 is, but cut to the 8 bits of the largest
//  texel's range of codes (srgb_table.h).
uint32_t filtered_channel(const TextureView& view, const FilterPass* passes, unsigned count,
                          unsigned channel);

}  // namespace gpuloom::ptx
