// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/texture_file.h"

#include <algorithm>
#include <vector>

#include "base/config/config.h"

namespace gpuloom::sim {
namespace {

using ptx::AddressMode;
using ptx::TextureFilter;

TextureFilter filter_of(const ConfigView& view, std::string_view key) {
  if (!view.has(key)) return TextureFilter::kPoint;
  return view.choice<TextureFilter>(key,
                                    {{"point", TextureFilter::kPoint}, {"linear", TextureFilter::kLinear}});
}

uint8_t flag(const ConfigView& view, std::string_view key) {
  return view.has(key) && view.boolean(key) ? 1 : 0;
}

float real(const ConfigView& view, std::string_view key) {
  return view.has(key) ? static_cast<float>(view.number(key)) : 0.0f;
}

void read_sampler(const ConfigView& view, ptx::SamplerState& s) {
  if (view.has("address")) {
    const std::vector<ConfigView> modes = view.items("address");
    if (modes.empty() || modes.size() > 3) view.problem("address", "has one to three modes");
    for (size_t k = 0; k < 3 && !modes.empty(); ++k) {
      const ConfigView& mode = modes[std::min(k, modes.size() - 1)];
      const std::string word = mode.one_of(kSelf, {"wrap", "clamp", "mirror", "border"});
      address_mode_named(word, s.address[k]);
    }
  }
  s.filter = filter_of(view, "filter");
  s.mip_filter = filter_of(view, "mip_filter");
  s.normalized = flag(view, "normalized");
  s.srgb = flag(view, "srgb");
  s.seamless = flag(view, "seamless");
  if (view.has("read"))
    s.read_integer = view.one_of("read", {"element", "normalized_float"}) == "element" ? 1 : 0;
  s.level_bias = real(view, "bias");
  s.min_level = real(view, "min_level");
  s.max_level = real(view, "max_level");
  if (view.has("max_anisotropy"))
    s.max_anisotropy = static_cast<uint8_t>(view.count("max_anisotropy", 0, 16));
  if (view.has("border")) {
    const std::vector<ConfigView> channels = view.items("border");
    for (size_t k = 0; k < std::min<size_t>(channels.size(), 4); ++k)
      s.border[k] = static_cast<float>(channels[k].number(kSelf));
  }
}

std::string format_of(ElementType type) {
  std::string name(info(type).name);
  return name == "f64" || name == "bf16" || name == "u64" || name == "s64" ? "u32" : name;
}

}  // namespace

void read_texture(const ConfigView& view, ElementType type, NamedTexture& out) {
  out.where = view.where();
  ArraySpec& a = out.array;
  texture_shape_named(view.one_of("kind", {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}), a.shape);
  const std::string format =
      view.has("format") ? view.one_of("format", {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"})
                         : format_of(type);
  channel_format_named(format, a.format);
  if (view.has("channels")) a.channels = static_cast<uint8_t>(view.count("channels", 1, 4));
  a.width = view.count("width", 1);
  if (view.has("height")) a.height = view.count("height", 1);
  if (view.has("depth")) a.depth = view.count("depth", 1);
  if (view.has("levels")) a.levels = static_cast<uint8_t>(view.count("levels", 1, ptx::kMostLevels));
  if (view.has("bind")) out.bind = view.text("bind");
  if (out.surface) return;
  if (view.has("place"))
    out.place = view.choice<TexturePlace>("place", {{"array", TexturePlace::kArray},
                                                    {"linear", TexturePlace::kLinear},
                                                    {"pitch", TexturePlace::kPitch}});
  if (out.place == TexturePlace::kPitch) out.pitch = view.count("pitch", 32);
  read_sampler(view, out.sampler);
}

PlacedTexture place_texture(DeviceMemory& memory, const NamedTexture& texture, uint64_t buffer,
                            uint64_t bytes) {
  const ArraySpec& a = texture.array;
  PlacedTexture out;
  uint64_t needed = 0;
  if (texture.place == TexturePlace::kLinear) {
    needed = uint64_t{a.width} * a.channels * ptx::bytes_of(a.format);
    out.resource = linear_memory(buffer, a.format, a.channels, needed, texture.where);
  } else if (texture.place == TexturePlace::kPitch) {
    out.resource =
        pitched_memory(buffer, a.format, a.channels, a.width, a.height, texture.pitch, texture.where);
    needed = out.resource.bytes;
  } else {
    out.resource = allocate_array(memory, a, texture.where);
    for (unsigned level = 0; level < out.resource.levels; ++level) needed += level_bytes(out.resource, level);
  }
  if (needed > bytes)
    throw Error(ErrorKind::kInput,
                "'" + texture.name + "' needs " + std::to_string(needed) +
                    " bytes of texels, its buffer has " + std::to_string(bytes),
                texture.where);
  if (texture.place == TexturePlace::kArray) {
    uint64_t at = buffer;
    for (unsigned level = 0; level < out.resource.levels; ++level) {
      const uint64_t size = level_bytes(out.resource, level);
      write_level(memory, out.resource, level, memory.view(at, size));
      at += size;
    }
  }
  out.handle = texture.surface ? create_surface(memory, out.resource, texture.where)
                               : create_texture(memory, out.resource, texture.sampler, texture.where);
  return out;
}

void fetch_surface(DeviceMemory& memory, const PlacedTexture& surface, uint64_t buffer) {
  for (unsigned level = 0; level < surface.resource.levels; ++level) {
    const uint64_t size = level_bytes(surface.resource, level);
    read_level(memory, surface.resource, level, memory.view(buffer, size));
    buffer += size;
  }
}

}  // namespace gpuloom::sim
