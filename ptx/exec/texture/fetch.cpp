// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/fetch.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/text.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/texture/sample.h"
#include "ptx/exec/texture/texel_access.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

const char* name_of(TextureShape shape) {
  constexpr const char* kNames[] = {
      "1D", "2D", "3D", "layered 1D", "layered 2D", "cube map", "layered cube map", "linear memory"};
  return kNames[static_cast<unsigned>(shape)];
}

std::string hexadecimal(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  do out.insert(out.begin(), kDigits[value & 15]);
  while ((value >>= 4) != 0);
  return "0x" + out;
}

// Texture and sampler of a lane, remembered while the next lanes name the same.
class Views {
 public:
  Views(Warp& w, const Instr& in, const TextureOperation& op) : w_(w), in_(in), op_(op) {}

  const TextureView& of(unsigned lane, const Place* places) {
    const uint64_t texture = source<uint64_t>(w_, places[0])[lane];
    const uint64_t sampler = op_.separate_sampler ? source<uint64_t>(w_, places[1])[lane] : texture;
    if (known_ && texture == texture_ && sampler == sampler_) return view_;
    const TextureState& state = texture_state_at(w_, in_, lane, texture, TextureUse::kTexture);
    require_shape(w_, in_, lane, state, op_.shape);
    view_.state = &state;
    view_.sampler = &texture_state_at(w_, in_, lane, sampler, TextureUse::kSampler).sampler;
    view_.texels = texels_of(w_, in_, lane, state);
    texture_ = texture, sampler_ = sampler, known_ = true;
    return view_;
  }

 private:
  Warp& w_;
  const Instr& in_;
  const TextureOperation& op_;
  TextureView view_;
  uint64_t texture_ = 0, sampler_ = 0;
  bool known_ = false;
};

const Place* list(const Warp& w, Place place) { return &w.program->extra[static_cast<size_t>(place.at)]; }

bool layered(TextureShape shape) { return is_layered(shape); }

unsigned coordinates_of(TextureShape shape) {
  switch (shape) {
    case TextureShape::k1d:
    case TextureShape::k1dLayered:
    case TextureShape::kBuffer:
      return 1;
    case TextureShape::k2d:
    case TextureShape::k2dLayered:
      return 2;
    default:
      return 3;
  }
}

// An operand that is a vector, or one register where one is enough.
Place element(const Warp& w, Place place, bool plain, unsigned k) {
  return plain ? place : list(w, place)[k];
}

SamplePoint point_of(Warp& w, const TextureOperation& op, const Place* coordinates, unsigned lane) {
  SamplePoint p;
  unsigned k = 0;
  if (layered(op.shape)) p.layer = source<uint32_t>(w, coordinates[k++])[lane];
  for (unsigned d = 0; d < coordinates_of(op.shape); ++d, ++k) {
    const uint32_t bits = source<uint32_t>(w, coordinates[k])[lane];
    p.at[d] = std::bit_cast<float>(bits);
    p.texel[d] = static_cast<int32_t>(bits);
  }
  return p;
}

// Offsets are kept in 4 bits (6 in gathers): H200 SASS packs them so.
void take_offsets(Warp& w, Place place, const TextureOperation& op, unsigned bits, unsigned lane,
                  SamplePoint& p) {
  if (!place.present()) return;
  for (unsigned d = 0; d < std::min(coordinates_of(op.shape), 3u); ++d) {
    const uint32_t raw = source<uint32_t>(w, element(w, place, op.plain_offset, d))[lane];
    p.offset[d] = static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits);
  }
}

void write_result(Warp& w, const TextureOperation& op, Place place, unsigned lane, const Sampled& s) {
  const auto half = [&](unsigned k) { return numeric::float_to_half(std::bit_cast<float>(s.value[k])); };
  const unsigned count = op.result == TextureResult::kF16x2 ? 2 : 4;
  for (unsigned k = 0; k < count; ++k) {
    const Place to = element(w, place, false, k);
    switch (op.result) {
      case TextureResult::k32:
        row<uint32_t>(w, to)[lane] = s.value[k];
        break;
      case TextureResult::kF16:
        row<uint16_t>(w, to)[lane] = half(k);
        break;
      case TextureResult::kF16x2:
        row<uint32_t>(w, to)[lane] = half(2 * k) | uint32_t{half(2 * k + 1)} << 16;
        break;
    }
  }
}

template <class F>
void fetch_lanes(Warp& w, const Instr& in, uint32_t lanes, F&& one) {
  const TextureOperation op = TextureOperation::unpack(in.target);
  Views views(w, in, op);
  const Place* places = list(w, in.ops[2]);
  const Place* coordinates = places + (op.separate_sampler ? 2 : 1);
  TexelAccess access(w, AccessOp::kLoad);
  for_lanes(lanes, [&](unsigned l) {
    const TextureView& view = views.of(l, places);
    const Sampled s = one(view, op, point_of(w, op, coordinates, l), l);
    if (s.inside) access.touch(l, view.state->address + s.offset);
    access.at_least(view.state->texel_bytes());
    write_result(w, op, in.ops[0], l, s);
  });
  if (in.ops[1].present())
    set_predicate(w, in.ops[1], lanes, lanes);  // no texture is sparse: always resident
}

}  // namespace

const TextureState& texture_state_at(Warp& w, const Instr& in, unsigned lane, uint64_t handle,
                                     TextureUse use) {
  constexpr const char* kUses[] = {"texture", "sampler", "surface", "texture or surface"};
  const std::string what = kUses[static_cast<unsigned>(use)];
  uint64_t low = 0, high = 0;
  if (handle % alignof(TextureState) != 0 ||
      !w.launch->memory->locate(handle, sizeof(TextureState), low, high))
    fault(w, in, lane, FaultKind::kIllegal,
          "uses " + hexadecimal(handle) + " as a " + what + ", but no object has this handle");
  const auto& state = *reinterpret_cast<const TextureState*>(w.launch->memory->host(handle));
  if (state.magic != kTextureMagic)
    fault(w, in, lane, FaultKind::kIllegal,
          state.magic == 0 ? "uses the " + what + " at " + hexadecimal(handle) + ", which nothing is bound to"
                           : "uses " + hexadecimal(handle) + " as a " + what +
                                 ", but the memory there does not hold an object that gpuloom made");
  const bool fits = use == TextureUse::kTexture   ? state.texture
                    : use == TextureUse::kSampler ? state.sampler_bound
                    : use == TextureUse::kSurface ? state.surface
                                                  : true;
  if (!fits)
    fault(w, in, lane, FaultKind::kIllegal,
          "uses " + hexadecimal(handle) + " as a " + what + ", but the object is a " +
              (state.surface   ? "surface"
               : state.texture ? "texture without a sampler"
                               : "sampler"));
  return state;
}

uint8_t* texels_of(Warp& w, const Instr& in, unsigned lane, const TextureState& state) {
  uint64_t low = 0, high = 0;
  if (!w.launch->memory->locate(state.address, state.bytes, low, high))
    fault_address(w, in, lane, FaultKind::kFreed, "reads a texture or surface whose memory is gone,",
                  Space::kGlobal, state.address, state.bytes);
  return w.launch->memory->host(state.address);
}

void require_shape(Warp& w, const Instr& in, unsigned lane, const TextureState& state, TextureShape shape) {
  if (state.shape == shape || (shape == TextureShape::k1d && state.shape == TextureShape::kBuffer)) return;
  if (state.surface && shape == TextureShape::k2dLayered && is_cube(state.shape)) return;  // faces are layers
  fault(
      w, in, lane, FaultKind::kIllegal,
      std::string("uses a ") + name_of(state.shape) + " resource with an instruction for " + name_of(shape));
}

void texture_fetch(Warp& w, const Instr& in, uint32_t lanes) {
  fetch_lanes(w, in, lanes,
              [&](const TextureView& view, const TextureOperation& op, SamplePoint p, unsigned l) {
                Place offsets = in.ops[3];
                if (op.level == LevelSource::kOperand) {
                  const uint32_t bits = source<uint32_t>(w, in.ops[3])[l];
                  p.level = op.integer_coordinates ? static_cast<float>(static_cast<int32_t>(bits))
                                                   : std::bit_cast<float>(bits);
                  offsets = in.ops[4];
                } else if (op.level == LevelSource::kDerivatives) {
                  for (unsigned d = 0; d < coordinates_of(op.shape); ++d) {
                    p.dx[d] = source<float>(w, element(w, in.ops[3], op.plain_derivative, d))[l];
                    p.dy[d] = source<float>(w, element(w, in.ops[4], op.plain_derivative, d))[l];
                  }
                  offsets = in.ops[5];
                }
                take_offsets(w, offsets, op, 4, l, p);
                if (op.integer_coordinates) return fetch_texel(view, op, p);
                return sample(view, op, p);
              });
}

void texture_gather(Warp& w, const Instr& in, uint32_t lanes) {
  fetch_lanes(w, in, lanes,
              [&](const TextureView& view, const TextureOperation& op, SamplePoint p, unsigned l) {
                take_offsets(w, in.ops[3], op, 6, l, p);
                return gather(view, op, p);
              });
}

}  // namespace gpuloom::ptx
