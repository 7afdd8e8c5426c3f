// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/sample.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ptx/exec/texture/coordinate.h"
#include "ptx/exec/texture/cube.h"
#include "ptx/exec/texture/level.h"

namespace gpuloom::ptx {
namespace {

constexpr float kNoLevel = -32.0f;  // what ptxas asks for where the instruction names no level

unsigned axes_of(TextureShape shape) {
  switch (shape) {
    case TextureShape::k1d:
    case TextureShape::k1dLayered:
    case TextureShape::kBuffer:
      return 1;
    case TextureShape::k3d:
      return 3;
    default:
      return 2;
  }
}

// Walks over the levels, slices and texels of a fetch.
class Fetch {
 public:
  Fetch(const TextureView& view, const TextureOperation& op, const SamplePoint& point)
      : view_(view), state_(*view.state), sampler_(*view.sampler), op_(op), point_(point) {
    axes_ = axes_of(state_.shape);
    for (unsigned d = 0; d < 3; ++d) at_[d] = static_cast<double>(point.at[d]);
    if (is_layered(state_.shape)) {
      const uint32_t layers = is_cube(state_.shape) ? state_.depth / 6 : state_.depth;
      layer_ = std::min(point.layer, layers - 1);
    }
    if (is_cube(state_.shape)) {
      const CubePoint face = cube_point(point.at);
      layer_ = layer_ * 6 + face.face;
      at_[0] = face.s, at_[1] = face.t;
    }
  }

  Sampled sample() {
    if (state_.shape == TextureShape::kBuffer) return {};  // linear memory is for integer coordinates
    const int level = level_of_detail();
    const int base = level >> 8, fraction = level & 255;
    if (sampler_.mip_filter == TextureFilter::kPoint) {
      add_level(static_cast<unsigned>((level + 128) >> 8), 256);
    } else {
      add_level(static_cast<unsigned>(base), 256 - fraction);
      if (fraction != 0) add_level(static_cast<unsigned>(base) + 1, fraction);
    }
    Sampled out = seen();
    const bool converts = sampler_.filter == TextureFilter::kPoint && passes_ == 1;
    for (unsigned k = 0; k < state_.channels; ++k)
      out.value[k] = converts ? converted_channel(view_, pass_[0].texel[0], k)
                              : filtered_channel(view_, pass_, passes_, k);
    return out;
  }

  // A texel of s8 is converted as if it were filtered alone, under a point filter too.
  Sampled gather() {
    const TextureLevel level = ptx::level_of(state_, 0);
    const AxisPair x = neighbours(0, level.width), y = neighbours(1, level.height);
    const TexelPlace texels[4] = {
        place(level, x.first, y.second, layer_), place(level, x.second, y.second, layer_),
        place(level, x.second, y.first, layer_), place(level, x.first, y.first, layer_)};
    for (const TexelPlace& at : texels) pass_[passes_++] = {{at}, {256}, 1};
    Sampled out = seen();
    const bool converts = sampler_.filter == TextureFilter::kPoint &&
                          (state_.format != ChannelFormat::kS8 || sampler_.read_integer);
    for (unsigned k = 0; k < 4 && op_.component < state_.channels; ++k)
      out.value[k] = converts ? converted_channel(view_, texels[k], op_.component)
                              : filtered_channel(view_, &pass_[k], 1, op_.component);
    return out;
  }

  Sampled texel() {
    const int32_t last = state_.levels - 1;
    // tex.1d with integers is for linear memory (tex1Dfetch): from an array, a 2D one to the hardware, it
    // reads 0.
    if (state_.shape == TextureShape::k1d || (is_layered(state_.shape) && point_.layer >= state_.depth))
      return {};
    // An instruction with a level clamps it and the coordinates (H200 SASS: TLD.LL.CL against TLD.LZ).
    const bool clamps = op_.level == LevelSource::kOperand;
    const int32_t wanted = clamps ? std::clamp(static_cast<int32_t>(point_.level), 0, last) : 0;
    Sampled out;
    const TextureLevel level = ptx::level_of(state_, static_cast<unsigned>(wanted));
    const uint32_t extents[3] = {level.width, level.height, level.depth};
    int64_t at[3] = {0, 0, layer_};
    for (unsigned d = 0; d < axes_; ++d) {
      at[d] = int64_t{point_.texel[d]} + point_.offset[d];
      if (clamps) at[d] = addressed(at[d], extents[d], AddressMode::kClamp);
      if (at[d] < 0 || at[d] >= extents[d]) return out;
    }
    pass_[passes_++] = {{place(level, at[0], at[1], at[2])}, {256}, 1};
    out = seen();
    for (unsigned k = 0; k < state_.channels; ++k)
      out.value[k] = converted_channel(view_, pass_[0].texel[0], k);
    return out;
  }

 private:
  int level_of_detail() const {
    if (sampler_.normalized == 0) return 0;
    float level = kNoLevel;
    if (op_.level == LevelSource::kOperand) level = point_.level;
    if (op_.level == LevelSource::kDerivatives) {
      if (sampler_.max_anisotropy > 1)
        throw Error(ErrorKind::kUnsupported,
                    "anisotropic filtering of fetches with derivatives is not modelled", {},
                    "a texture with a maximal anisotropy of 1");
      const float extents[3] = {static_cast<float>(state_.width), static_cast<float>(state_.height),
                                static_cast<float>(state_.depth)};
      level = level_of_derivatives(point_.dx, point_.dy, extents, axes_);
    }
    return level_in_256ths(sampler_, level, state_.levels);
  }

  AxisPair pair(unsigned axis, uint32_t extent) const {
    return axis_pair(at_[axis], extent, sampler_.normalized != 0, mode(axis), point_.offset[axis]);
  }

  AxisPair neighbours(unsigned axis, uint32_t extent) const {
    return axis_neighbours(at_[axis], extent, sampler_.normalized != 0, mode(axis), point_.offset[axis]);
  }

  // Wrapping and mirroring are for normalised coordinates.
  AddressMode mode(unsigned axis) const {
    const AddressMode m = sampler_.address[axis];
    const bool repeats = m == AddressMode::kWrap || m == AddressMode::kMirror;
    return repeats && sampler_.normalized == 0 ? AddressMode::kClamp : m;
  }

  TexelPlace place(const TextureLevel& level, int64_t x, int64_t y, int64_t z) const {
    if (x < 0 || y < 0 || z < 0) return {0, true};
    return {offset_in(state_, level, static_cast<uint64_t>(x) * state_.texel_bytes(),
                      static_cast<uint64_t>(y), static_cast<uint64_t>(z)),
            false};
  }

  void add_level(unsigned number, int weight) {
    const TextureLevel level = ptx::level_of(state_, number);
    if (sampler_.filter == TextureFilter::kPoint) {
      int64_t at[3] = {0, 0, layer_};
      const uint32_t extents[3] = {level.width, level.height, level.depth};
      for (unsigned d = 0; d < axes_; ++d)
        at[d] = addressed(texel_index(at_[d], extents[d], sampler_.normalized != 0) + point_.offset[d],
                          extents[d], mode(d));
      pass_[passes_++] = {{place(level, at[0], at[1], at[2])}, {weight}, 1};
      return;
    }
    if (axes_ < 3) return add_slice(level, weight, layer_);
    const AxisPair z = pair(2, level.depth);
    const int above = weight - weight_product(256 - z.fraction, weight);
    add_slice(level, weight - above, z.first);
    if (above != 0) add_slice(level, above, z.second);
  }

  // Filters across the edges of a cube map. At a corner, where three faces meet, the fourth texel is missing:
  // its weight goes to the others, a third each.
  void add_seamless(const TextureLevel& level, int weight) {
    const int64_t extent = level.width, face = layer_ % 6;
    const int64_t x = texel_distance(at_[0], level.width, true),
                  y = texel_distance(at_[1], level.width, true);
    FilterPass& pass = pass_[passes_++];
    pass.count = 4;
    pass_weights(weight, static_cast<int>(x & 255), static_cast<int>(y & 255), pass);
    int corner = -1;
    for (int k = 0; k < 4; ++k) {
      const int64_t s = (x >> 8) + k % 2, t = (y >> 8) + k / 2;
      const bool s_out = s < 0 || s >= extent, t_out = t < 0 || t >= extent;
      if (s_out && t_out) {
        corner = k;
        continue;
      }
      const CubeTexel texel = across_edge(static_cast<unsigned>(face), s, t, extent);
      pass.texel[k] = place(level, texel.s, texel.t, layer_ - face + texel.face);
    }
    if (corner < 0) return;
    const int whole = pass.weight[corner], third = (2 * whole + 3) / 6;
    pass.texel[corner] = pass.texel[corner ^ 3];
    pass.weight[corner] = 0;
    pass.reached[corner] = false;
    pass.weight[corner ^ 1] += third;
    pass.weight[corner ^ 2] += third;
    pass.weight[corner ^ 3] += whole - 2 * third;
  }

  void add_slice(const TextureLevel& level, int weight, int64_t z) {
    if (is_cube(state_.shape) && sampler_.seamless) return add_seamless(level, weight);
    const AxisPair x = pair(0, level.width);
    // A 1D array is a 2D one of one row, which ptxas samples at 0: between the border and the row.
    const bool row = state_.shape == TextureShape::k1d;
    const AxisPair y = row         ? axis_pair(0, 1, sampler_.normalized != 0, mode(1), 0)
                       : axes_ > 1 ? pair(1, level.height)
                                   : AxisPair{};
    FilterPass& pass = pass_[passes_++];
    pass.count = 4;
    pass_weights(weight, x.fraction, y.fraction, pass);
    pass.texel[0] = place(level, x.first, y.first, z);
    if (!pass.reached[1] && !pass.reached[2] && !pass.reached[3] && !pass.texel[0].border) {
      pass.count = 1;  // the middle of a texel
      return;
    }
    pass.texel[1] = place(level, x.second, y.first, z);
    pass.texel[2] = place(level, x.first, y.second, z);
    pass.texel[3] = place(level, x.second, y.second, z);
  }

  Sampled seen() const {
    Sampled out;
    for (unsigned p = 0; p < passes_; ++p)
      for (unsigned k = 0; k < pass_[p].count; ++k)
        if (!pass_[p].texel[k].border && !out.inside) out = {{}, pass_[p].texel[k].offset, true};
    return out;
  }

  const TextureView& view_;
  const TextureState& state_;
  const SamplerState& sampler_;
  const TextureOperation& op_;
  const SamplePoint& point_;
  unsigned axes_ = 2;
  uint32_t layer_ = 0;
  double at_[3];
  FilterPass pass_[kMostPasses];
  unsigned passes_ = 0;
};

}  // namespace

Sampled sample(const TextureView& view, const TextureOperation& op, const SamplePoint& point) {
  return Fetch(view, op, point).sample();
}

Sampled gather(const TextureView& view, const TextureOperation& op, const SamplePoint& point) {
  return Fetch(view, op, point).gather();
}

Sampled fetch_texel(const TextureView& view, const TextureOperation& op, const SamplePoint& point) {
  return Fetch(view, op, point).texel();
}

}  // namespace gpuloom::ptx
