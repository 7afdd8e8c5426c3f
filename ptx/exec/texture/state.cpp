// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/state.h"

#include <algorithm>

namespace gpuloom::ptx {
namespace {

constexpr uint64_t kBlockWidth = 64, kBlockHeight = 8, kBlockBytes = kBlockWidth * kBlockHeight;

bool in_blocks(const TextureState& state) {
  return state.pitch == 0 && state.shape != TextureShape::k1d && state.shape != TextureShape::k1dLayered &&
         state.shape != TextureShape::kBuffer;
}

}  // namespace

unsigned bytes_of(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::kU8:
    case ChannelFormat::kS8:
      return 1;
    case ChannelFormat::kU16:
    case ChannelFormat::kS16:
    case ChannelFormat::kF16:
      return 2;
    default:
      return 4;
  }
}

bool is_float(ChannelFormat format) { return format == ChannelFormat::kF16 || format == ChannelFormat::kF32; }

bool is_signed(ChannelFormat format) {
  return format == ChannelFormat::kS8 || format == ChannelFormat::kS16 || format == ChannelFormat::kS32 ||
         is_float(format);
}

bool is_layered(TextureShape shape) {
  return shape == TextureShape::k1dLayered || shape == TextureShape::k2dLayered ||
         shape == TextureShape::kCubeLayered;
}

bool is_cube(TextureShape shape) {
  return shape == TextureShape::kCube || shape == TextureShape::kCubeLayered;
}

TextureLevel level_of(const TextureState& state, unsigned level) {
  TextureLevel out;
  for (unsigned k = 0;; ++k) {
    out.width = std::max(1u, state.width >> k);
    out.height = std::max(1u, state.height >> k);
    out.depth = state.shape == TextureShape::k3d ? std::max(1u, state.depth >> k) : state.depth;
    const uint64_t row = uint64_t{out.width} * state.texel_bytes();
    if (state.pitch != 0) {
      out.row_bytes = state.pitch;
      out.slice_bytes = state.pitch * uint64_t{out.height};
    } else if (in_blocks(state)) {
      out.row_bytes = (row + kBlockWidth - 1) / kBlockWidth * kBlockBytes;
      out.slice_bytes = (out.height + kBlockHeight - 1) / kBlockHeight * out.row_bytes;
    } else {
      out.row_bytes = state.shape == TextureShape::kBuffer ? row : (row + 31) / 32 * 32;
      out.slice_bytes = out.row_bytes;
    }
    if (k == level) return out;
    out.begin += out.slice_bytes * out.depth;
  }
}

uint64_t offset_in(const TextureState& state, const TextureLevel& level, uint64_t x, uint64_t y, uint64_t z) {
  const uint64_t slice = level.begin + z * level.slice_bytes;
  if (!in_blocks(state)) return slice + y * level.row_bytes + x;
  const uint64_t block = y / kBlockHeight * level.row_bytes + x / kBlockWidth * kBlockBytes;
  const uint64_t bx = x % kBlockWidth, by = y % kBlockHeight;
  return slice + block + bx / 32 * 256 + by / 2 * 64 + bx % 32 / 16 * 32 + by % 2 * 16 + bx % 16;
}

uint64_t array_bytes(const TextureState& state) {
  const TextureLevel last = level_of(state, state.levels - 1u);
  return last.begin + last.slice_bytes * last.depth;
}

// The rules of cuArray3DCreate, cuTexObjectCreate and the CUDA programming guide's table of technical
// specifications (maximal extents are those of compute capability 9.0).
std::string texture_state_problem(const TextureState& s) {
  const auto extent = [](uint64_t n) { return std::to_string(n); };
  const bool linear = s.shape == TextureShape::kBuffer || s.pitch != 0;
  if (s.channels != 1 && s.channels != 2 && s.channels != 4)
    return extent(s.channels) + " channels (1, 2 or 4)";
  if (s.width == 0 || s.height == 0 || s.depth == 0) return "an extent of 0";
  const uint64_t most_width = s.shape == TextureShape::kBuffer          ? uint64_t{1} << 28
                              : s.shape == TextureShape::k3d            ? 16384
                              : is_layered(s.shape) || is_cube(s.shape) ? 32768
                                                                        : 131072;
  if (s.width > most_width) return "a width of " + extent(s.width) + " (at most " + extent(most_width) + ")";
  if (s.height > (s.shape == TextureShape::k3d ? 16384u : 131072u)) return "a height of " + extent(s.height);
  if (s.depth > (s.shape == TextureShape::k3d ? 16384u : 2048u))
    return "a depth or layers of " + extent(s.depth);
  if ((s.shape == TextureShape::k1d || s.shape == TextureShape::k1dLayered ||
       s.shape == TextureShape::kBuffer) &&
      s.height != 1)
    return "a height in one dimension";
  if ((s.shape == TextureShape::k1d || s.shape == TextureShape::k2d) && s.depth != 1)
    return "a depth in one or two dimensions";
  if (is_cube(s.shape)) {
    if (s.width != s.height) return "cube faces of " + extent(s.width) + " by " + extent(s.height);
    if (s.depth % 6 != 0 || (s.shape == TextureShape::kCube && s.depth != 6))
      return extent(s.depth) + " cube faces";
  }
  uint32_t longest = std::max(s.width, s.height);
  if (s.shape == TextureShape::k3d) longest = std::max(longest, s.depth);
  unsigned most_levels = 1;
  while (longest >>= 1) ++most_levels;
  if (s.levels < 1 || s.levels > most_levels)
    return extent(s.levels) + " levels (1 to " + extent(most_levels) + " for these extents)";
  if (linear && s.levels != 1) return "levels in linear memory";
  if (s.pitch != 0 && (s.pitch % 32 != 0 || s.pitch < uint64_t{s.width} * s.texel_bytes()))
    return "a pitch of " + extent(s.pitch) + " bytes (a multiple of 32 that holds a row)";
  if (linear && s.address % (s.pitch != 0 ? 512 : s.texel_bytes()) != 0)
    return s.pitch != 0 ? "an address that is not a multiple of 512"
                        : "an address that is not a multiple of a texel";
  const bool wide_integer = s.format == ChannelFormat::kU32 || s.format == ChannelFormat::kS32;
  if (s.sampler_bound && s.texture) {
    if (s.sampler.filter == TextureFilter::kLinear && !is_float(s.format) &&
        (wide_integer || s.sampler.read_integer))
      return "a linear filter for integers";
    if (s.sampler.srgb && s.format != ChannelFormat::kU8) return "sRGB for other than u8 channels";
    if (is_cube(s.shape) && !s.sampler.normalized) return "a cube map without normalised coordinates";
    if (s.mipmapped && !s.sampler.normalized) return "mipmap levels without normalised coordinates";
  }
  return {};
}

}  // namespace gpuloom::ptx
