// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of a launch file: what its keys `textures` and `surfaces` say, and making them on a
// device.
#pragma once
#include <string>

#include "sim/memory/device_memory.h"
#include "sim/memory/element_type.h"
#include "sim/runtime/texture.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::sim {

enum class TexturePlace : uint8_t { kArray, kLinear, kPitch };

struct NamedTexture {
  std::string name;
  size_t buffer = 0;  // that holds the texels: copied into an array, or used in place
  bool surface = false;
  TexturePlace place = TexturePlace::kArray;
  ArraySpec array;
  uint32_t pitch = 0;  // bytes
  ptx::SamplerState sampler;
  std::string bind;  // name of a .texref, .samplerref or .surfref to bind; "" for none
  FilePosition where;
};

// Reads the keys of one entry; `type` is that of its buffer, which gives the format unless said.
void read_texture(const ConfigView& view, ElementType type, NamedTexture& out);

struct PlacedTexture {
  uint64_t handle = 0;
  ptx::TextureState resource;
};
// Makes the resource from the texels at `buffer` (of `bytes`), and the object. Throws Error (kInput).
PlacedTexture place_texture(DeviceMemory& memory, const NamedTexture& texture, uint64_t buffer,
                            uint64_t bytes);
// Copies a surface's array back into its buffer.
void fetch_surface(DeviceMemory& memory, const PlacedTexture& surface, uint64_t buffer);

}  // namespace gpuloom::sim
