// SPDX-License-Identifier: Apache-2.0
// Arrays of a device, and the texture and surface objects that read them.
#pragma once
#include <memory>
#include <unordered_map>

#include "sim/host/array.h"
#include "sim/memory/device_memory.h"

namespace gpuloom::host {

// What an object reads: as cudaResourceDesc.
struct TextureResource {
  enum class Kind : int { kArray, kMipmapped, kLinear, kPitched } kind = Kind::kArray;
  Array* array = nullptr;
  MipmappedArray* mipmapped = nullptr;
  uint64_t address = 0, bytes = 0, width = 0, height = 0, pitch = 0;
  ChannelDesc channels;
};

class Arrays {
 public:
  explicit Arrays(sim::DeviceMemory& memory) : memory_(memory) {}

  // Throw Failure (kInvalidChannelDescriptor, kInvalidValue, kMemoryAllocation).
  Array& create(const ChannelDesc& channels, const Extent& extent, uint32_t flags);
  MipmappedArray& create_mipmapped(const ChannelDesc& channels, const Extent& extent, unsigned levels,
                                   uint32_t flags);
  void destroy(Array& array);
  void destroy(MipmappedArray& array);
  // Throw Failure (kInvalidResourceHandle).
  Array& checked(Array* array) const;
  MipmappedArray& checked(MipmappedArray* array) const;

  uint64_t create_texture(const TextureResource& resource, const ptx::SamplerState& sampler);
  uint64_t create_surface(const TextureResource& resource);
  void destroy_object(uint64_t handle);
  const TextureResource& resource_of(uint64_t handle) const;

 private:
  ptx::TextureState state_of(const TextureResource& resource) const;

  sim::DeviceMemory& memory_;
  std::unordered_map<const Array*, std::unique_ptr<Array>> arrays_;  // levels of mipmapped ones are not owned
  std::unordered_map<const MipmappedArray*, std::unique_ptr<MipmappedArray>> mipmapped_;
  std::unordered_map<uint64_t, TextureResource> objects_;
};

}  // namespace gpuloom::host
