// SPDX-License-Identifier: Apache-2.0
// Arrays, texture objects, surface objects: what cudaMallocArray, cudaMallocMipmappedArray,
// cudaCreateTextureObject and cudaCreateSurfaceObject make. The state behind a handle is ours
// (ptx/exec/texture/state.h).
#pragma once
#include <string_view>

#include "base/error.h"
#include "ptx/exec/texture/state.h"
#include "sim/memory/device_memory.h"

namespace gpuloom::sim {

struct ArraySpec {
  ptx::TextureShape shape = ptx::TextureShape::k2d;
  ptx::ChannelFormat format = ptx::ChannelFormat::kF32;
  uint8_t channels = 1;  // 1, 2, 4
  uint32_t width = 1, height = 1;
  uint32_t depth = 1;  // or layers; of cube maps six a cube
  uint8_t levels = 0;  // 0: no mipmaps
};

// A resource is a state to which no sampler or surface belongs yet. All throw Error (kInput) where CUDA
// answers cudaErrorInvalidValue.
ptx::TextureState allocate_array(DeviceMemory& memory, const ArraySpec& spec, const FilePosition& where = {});
ptx::TextureState linear_memory(uint64_t address, ptx::ChannelFormat format, uint8_t channels, uint64_t bytes,
                                const FilePosition& where = {});
ptx::TextureState pitched_memory(uint64_t address, ptx::ChannelFormat format, uint8_t channels,
                                 uint32_t width, uint32_t height, uint32_t pitch,
                                 const FilePosition& where = {});
void free_array(DeviceMemory& memory, const ptx::TextureState& array);

// Texels of a level, row by row without gaps, slices or layers one after the other.
uint64_t level_bytes(const ptx::TextureState& array, unsigned level);
void write_level(DeviceMemory& memory, const ptx::TextureState& array, unsigned level, const void* texels);
void read_level(const DeviceMemory& memory, const ptx::TextureState& array, unsigned level, void* texels);

// Handles, as kernels take them (u64).
uint64_t create_texture(DeviceMemory& memory, ptx::TextureState resource, const ptx::SamplerState& sampler,
                        const FilePosition& where = {});
uint64_t create_surface(DeviceMemory& memory, ptx::TextureState resource, const FilePosition& where = {});
uint64_t create_sampler(DeviceMemory& memory, const ptx::SamplerState& sampler);
void destroy_object(DeviceMemory& memory, uint64_t handle);
// Binds a .texref, .samplerref or .surfref variable, whose address is `variable`, to what an object holds.
void bind_object(DeviceMemory& memory, uint64_t variable, uint64_t handle);

// "u8", "f16", ...; "clamp", ...; "1d", "a2d", "cube", ...: false where there is no such name.
bool channel_format_named(std::string_view name, ptx::ChannelFormat& out);
bool address_mode_named(std::string_view name, ptx::AddressMode& out);
bool texture_shape_named(std::string_view name, ptx::TextureShape& out);

}  // namespace gpuloom::sim
