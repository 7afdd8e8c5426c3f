// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/query.h"

#include <algorithm>
#include <iterator>

#include "ptx/exec/cta.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

// In the order of TextureQuery.
constexpr std::string_view kNames[] = {"width",         "height",
                                       "depth",         "channel_data_type",
                                       "channel_order", "normalized_coords",
                                       "array_size",    "num_mipmap_levels",
                                       "num_samples",   "force_unnormalized_coords",
                                       "filter_mode",   "addr_mode_0",
                                       "addr_mode_1",   "addr_mode_2",
                                       "memory_layout"};

// The source language's enumeration (PTX ISA table 39): OpenCL's, whose values cl.h gives.
uint32_t data_type(const TextureState& s) {
  const bool number = !s.sampler.read_integer && s.sampler_bound;
  switch (s.format) {
    case ChannelFormat::kS8:
      return number ? 0x10d0 : 0x10d7;
    case ChannelFormat::kS16:
      return number ? 0x10d1 : 0x10d8;
    case ChannelFormat::kU8:
      return number ? 0x10d2 : 0x10da;
    case ChannelFormat::kU16:
      return number ? 0x10d3 : 0x10db;
    case ChannelFormat::kS32:
      return 0x10d9;
    case ChannelFormat::kU32:
      return 0x10dc;
    case ChannelFormat::kF16:
      return 0x10dd;
    case ChannelFormat::kF32:
      return 0x10de;
  }
  return 0;
}

uint32_t answer(const TextureState& s, TextureQuery query, int32_t number) {
  if (number < 0 || number >= s.levels) return 0;
  const TextureLevel level = level_of(s, static_cast<unsigned>(number));
  const bool layers = is_layered(s.shape) || is_cube(s.shape);
  switch (query) {
    case TextureQuery::kWidth:
      return level.width;
    case TextureQuery::kHeight:  // layers take the place of the next extent, as the H200 answers
      if (s.surface && s.shape == TextureShape::k1d) return 0;
      return s.shape == TextureShape::k1dLayered ? s.depth : level.height;
    case TextureQuery::kDepth:
      if (s.shape == TextureShape::k3d) return level.depth;
      if (s.surface && is_cube(s.shape)) return s.depth;  // faces are layers
      return s.shape == TextureShape::k2dLayered     ? s.depth
             : s.shape == TextureShape::kCubeLayered ? s.depth / 6
                                                     : 0;
    case TextureQuery::kChannelDataType:
      return data_type(s);
    case TextureQuery::kChannelOrder:
      return s.channels == 1 ? 0x10b0 : s.channels == 2 ? 0x10b2 : 0x10b5;
    case TextureQuery::kNormalizedCoords:
      return s.sampler.normalized;
    case TextureQuery::kArraySize:
      return !layers ? 1 : is_cube(s.shape) ? s.depth / 6 : s.depth;
    case TextureQuery::kMipmapLevels:
      return s.levels;
    case TextureQuery::kSamples:
      return 1;
    case TextureQuery::kForceUnnormalized:
      return s.sampler.normalized ? 0 : 1;
    case TextureQuery::kFilterMode:
      return static_cast<uint32_t>(s.sampler.filter);
    case TextureQuery::kAddressMode0:
    case TextureQuery::kAddressMode1:
    case TextureQuery::kAddressMode2: {
      const auto axis = static_cast<unsigned>(query) - static_cast<unsigned>(TextureQuery::kAddressMode0);
      return static_cast<uint32_t>(s.sampler.address[axis]);
    }
    case TextureQuery::kMemoryLayout:
      return s.pitch != 0 || s.shape == TextureShape::kBuffer ? 1 : 0;  // blocks or rows
  }
  return 0;
}

void ask(Warp& w, const Instr& in, uint32_t lanes, TextureUse use) {
  const auto query = static_cast<TextureQuery>(in.aux);
  w.access.op = AccessOp::kNone;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t handle = source<uint64_t>(w, in.ops[1])[l] + static_cast<uint64_t>(in.imm);
    const TextureState& state = texture_state_at(w, in, l, handle, use);
    const int32_t level = in.target != 0 ? source<int32_t>(w, in.ops[2])[l] : 0;
    row<uint32_t>(w, in.ops[0])[l] = answer(state, query, level);
  });
}

}  // namespace

TextureQuery texture_query_named(std::string_view name) {
  const auto* const at = std::find(std::begin(kNames), std::end(kNames), name);
  return static_cast<TextureQuery>(at - std::begin(kNames));
}

void texture_query(Warp& w, const Instr& in, uint32_t lanes) {
  const auto query = static_cast<TextureQuery>(in.aux);
  const bool sampler = query == TextureQuery::kNormalizedCoords ||
                       (query >= TextureQuery::kForceUnnormalized && query <= TextureQuery::kAddressMode2);
  ask(w, in, lanes, sampler ? TextureUse::kSampler : TextureUse::kTexture);
}

void surface_query(Warp& w, const Instr& in, uint32_t lanes) { ask(w, in, lanes, TextureUse::kSurface); }

void is_type(Warp& w, const Instr& in, uint32_t lanes) {
  const auto use = static_cast<TextureUse>(in.aux);
  uint32_t yes = 0;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t handle = source<uint64_t>(w, in.ops[1])[l];
    uint64_t low = 0, high = 0;
    if (handle % alignof(TextureState) != 0 ||
        !w.launch->memory->locate(handle, sizeof(TextureState), low, high))
      return;
    const auto& state = *reinterpret_cast<const TextureState*>(w.launch->memory->host(handle));
    if (state.magic != kTextureMagic) return;
    const bool is = use == TextureUse::kTexture   ? state.texture
                    : use == TextureUse::kSampler ? state.sampler_bound && !state.texture
                                                  : state.surface;
    yes |= uint32_t{is} << l;
  });
  set_predicate(w, in.ops[0], lanes, yes);
}

}  // namespace gpuloom::ptx
