// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/texture.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace gpuloom::sim {
namespace {

using ptx::TextureLevel;
using ptx::TextureState;

constexpr std::string_view kFormats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
constexpr std::string_view kModes[] = {"wrap", "clamp", "mirror", "border"};
constexpr std::string_view kShapes[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};

template <class T, size_t N>
bool named_value(const std::string_view (&names)[N], std::string_view name, T& out) {
  const auto* const at = std::find(std::begin(names), std::end(names), name);
  if (at == std::end(names)) return false;
  out = static_cast<T>(at - std::begin(names));
  return true;
}

void require(const TextureState& state, const FilePosition& where, const char* what) {
  if (const std::string wrong = ptx::texture_state_problem(state); !wrong.empty())
    throw Error(ErrorKind::kInput, std::string(what) + " cannot have " + wrong, where);
}

// Calls f(bytes in the array, bytes of the packed texels, count) for every run that lies together in both.
template <class F>
void for_runs(const TextureState& array, unsigned number, F&& f) {
  const TextureLevel level = ptx::level_of(array, number);
  const uint64_t row = uint64_t{level.width} * array.texel_bytes();
  uint64_t packed = 0;
  for (uint64_t z = 0; z < level.depth; ++z)
    for (uint64_t y = 0; y < level.height; ++y)
      for (uint64_t x = 0; x < row; x += 16) {
        const uint64_t count = std::min<uint64_t>(16, row - x);
        f(ptx::offset_in(array, level, x, y, z), packed, count);
        packed += count;
      }
}

uint64_t store(DeviceMemory& memory, const TextureState& state, const char* name) {
  const uint64_t handle = memory.allocate(sizeof(TextureState), name);
  memory.write(handle, &state, sizeof state);
  return handle;
}

}  // namespace

TextureState allocate_array(DeviceMemory& memory, const ArraySpec& spec, const FilePosition& where) {
  TextureState s;
  s.shape = spec.shape;
  s.format = spec.format;
  s.channels = spec.channels;
  s.width = spec.width;
  s.height = spec.height;
  s.depth = spec.depth;
  s.levels = std::max<uint8_t>(spec.levels, 1);
  s.mipmapped = spec.levels != 0;
  if (spec.shape == ptx::TextureShape::kBuffer)
    throw Error(ErrorKind::kInput, "an array cannot be linear memory", where);
  require(s, where, "an array");
  s.bytes = ptx::array_bytes(s);
  s.address = memory.allocate(s.bytes, "array");
  return s;
}

TextureState linear_memory(uint64_t address, ptx::ChannelFormat format, uint8_t channels, uint64_t bytes,
                           const FilePosition& where) {
  TextureState s;
  s.shape = ptx::TextureShape::kBuffer;
  s.format = format;
  s.channels = channels;
  s.address = address;
  s.width = static_cast<uint32_t>(std::min<uint64_t>(bytes / std::max(1u, s.texel_bytes()), UINT32_MAX));
  s.bytes = uint64_t{s.width} * s.texel_bytes();
  require(s, where, "a texture of linear memory");
  return s;
}

TextureState pitched_memory(uint64_t address, ptx::ChannelFormat format, uint8_t channels, uint32_t width,
                            uint32_t height, uint32_t pitch, const FilePosition& where) {
  TextureState s;
  s.format = format;
  s.channels = channels;
  s.width = width;
  s.height = height;
  s.pitch = pitch;
  s.address = address;
  if (pitch == 0)
    throw Error(ErrorKind::kInput, "a texture of pitched memory cannot have a pitch of 0", where);
  require(s, where, "a texture of pitched memory");
  s.bytes = uint64_t{pitch} * (height - 1) + uint64_t{width} * s.texel_bytes();
  return s;
}

void free_array(DeviceMemory& memory, const TextureState& array) { memory.free(array.address); }

uint64_t level_bytes(const TextureState& array, unsigned level) {
  const TextureLevel l = ptx::level_of(array, level);
  return uint64_t{l.width} * l.height * l.depth * array.texel_bytes();
}

void write_level(DeviceMemory& memory, const TextureState& array, unsigned level, const void* texels) {
  uint8_t* to = memory.view(array.address, array.bytes);
  const auto* from = static_cast<const uint8_t*>(texels);
  for_runs(array, level, [&](uint64_t at, uint64_t packed, uint64_t count) {
    std::memcpy(to + at, from + packed, count);
    memory.mark_written(array.address + at, count);
  });
}

void read_level(const DeviceMemory& memory, const TextureState& array, unsigned level, void* texels) {
  const uint8_t* from = memory.view(array.address, array.bytes);
  auto* to = static_cast<uint8_t*>(texels);
  for_runs(array, level,
           [&](uint64_t at, uint64_t packed, uint64_t count) { std::memcpy(to + packed, from + at, count); });
}

uint64_t create_texture(DeviceMemory& memory, TextureState resource, const ptx::SamplerState& sampler,
                        const FilePosition& where) {
  resource.texture = resource.sampler_bound = 1;
  resource.surface = 0;
  resource.sampler = sampler;
  if (sampler.seamless && !ptx::is_cube(resource.shape))  // cuTexObjectCreate: CUDA_ERROR_INVALID_VALUE
    throw Error(ErrorKind::kInput, "a texture that is not a cube map cannot be seamless", where);
  require(resource, where, "a texture");
  return store(memory, resource, "texture object");
}

uint64_t create_surface(DeviceMemory& memory, TextureState resource, const FilePosition& where) {
  if (resource.pitch != 0 || resource.shape == ptx::TextureShape::kBuffer)
    throw Error(ErrorKind::kInput, "a surface needs an array, not linear or pitched memory", where);
  resource.texture = resource.sampler_bound = 0;
  resource.surface = 1;
  return store(memory, resource, "surface object");
}

uint64_t create_sampler(DeviceMemory& memory, const ptx::SamplerState& sampler) {
  TextureState state;
  state.sampler_bound = 1;
  state.sampler = sampler;
  return store(memory, state, "sampler object");
}

void destroy_object(DeviceMemory& memory, uint64_t handle) { memory.free(handle); }

void bind_object(DeviceMemory& memory, uint64_t variable, uint64_t handle) {
  TextureState state;
  memory.read(handle, &state, sizeof state);
  memory.write(variable, &state, sizeof state);
}

bool channel_format_named(std::string_view name, ptx::ChannelFormat& out) {
  return named_value(kFormats, name, out);
}
bool address_mode_named(std::string_view name, ptx::AddressMode& out) {
  return named_value(kModes, name, out);
}
bool texture_shape_named(std::string_view name, ptx::TextureShape& out) {
  return named_value(kShapes, name, out);
}

}  // namespace gpuloom::sim
