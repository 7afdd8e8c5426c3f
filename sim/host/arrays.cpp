// SPDX-License-Identifier: Apache-2.0
#include "sim/host/arrays.h"

#include <algorithm>

#include "base/error.h"
#include "sim/host/status.h"
#include "sim/runtime/texture.h"

namespace gpuloom::host {
namespace {

constexpr uint32_t kLayered = 1, kCubemap = 4;

ptx::ChannelFormat format_of(const ChannelDesc& d) {
  enum : int { kSigned, kUnsigned, kFloat };
  const int bits = d.bits[0];
  for (int k = 1; k < 4; ++k) require(d.bits[k] == bits || d.bits[k] == 0, Status::kInvalidChannelDescriptor);
  if (d.kind == kFloat && bits == 32) return ptx::ChannelFormat::kF32;
  if (d.kind == kFloat && bits == 16) return ptx::ChannelFormat::kF16;
  require(d.kind == kSigned || d.kind == kUnsigned, Status::kInvalidChannelDescriptor);
  const bool is_signed = d.kind == kSigned;
  if (bits == 8) return is_signed ? ptx::ChannelFormat::kS8 : ptx::ChannelFormat::kU8;
  if (bits == 16) return is_signed ? ptx::ChannelFormat::kS16 : ptx::ChannelFormat::kU16;
  require(bits == 32, Status::kInvalidChannelDescriptor);
  return is_signed ? ptx::ChannelFormat::kS32 : ptx::ChannelFormat::kU32;
}

uint8_t channels_of(const ChannelDesc& d) {
  const int channels = d.bits[3] != 0 ? 4 : d.bits[2] != 0 ? 3 : d.bits[1] != 0 ? 2 : 1;
  require(channels != 3, Status::kInvalidChannelDescriptor);
  return static_cast<uint8_t>(channels);
}

ptx::TextureShape shape_of(const Extent& e, uint32_t flags) {
  const bool layered = (flags & kLayered) != 0;
  if ((flags & kCubemap) != 0) {
    require(e.width == e.height && (layered ? e.depth % 6 == 0 && e.depth != 0 : e.depth == 6));
    return layered ? ptx::TextureShape::kCubeLayered : ptx::TextureShape::kCube;
  }
  if (layered) return e.height == 0 ? ptx::TextureShape::k1dLayered : ptx::TextureShape::k2dLayered;
  if (e.depth != 0) return ptx::TextureShape::k3d;
  return e.height != 0 ? ptx::TextureShape::k2d : ptx::TextureShape::k1d;
}

sim::ArraySpec spec_of(const ChannelDesc& channels, const Extent& extent, uint32_t flags, unsigned levels) {
  require(extent.width != 0 && extent.width <= UINT32_MAX && extent.height <= UINT32_MAX &&
          extent.depth <= UINT32_MAX);
  sim::ArraySpec s;
  s.shape = shape_of(extent, flags);
  s.format = format_of(channels);
  s.channels = channels_of(channels);
  s.width = static_cast<uint32_t>(extent.width);
  s.height = std::max<uint32_t>(1, static_cast<uint32_t>(extent.height));
  s.depth = std::max<uint32_t>(1, static_cast<uint32_t>(extent.depth));
  s.levels = static_cast<uint8_t>(levels);
  return s;
}

ptx::TextureState allocated(sim::DeviceMemory& memory, const sim::ArraySpec& spec) {
  try {
    return sim::allocate_array(memory, spec);
  } catch (const Error& error) {
    throw Failure(error.kind() == ErrorKind::kProgram ? Status::kMemoryAllocation : Status::kInvalidValue,
                  error.message());
  }
}

}  // namespace

Array& Arrays::create(const ChannelDesc& channels, const Extent& extent, uint32_t flags) {
  auto array = std::make_unique<Array>();
  array->state = allocated(memory_, spec_of(channels, extent, flags, 0));
  array->channels = channels;
  array->extent = extent;
  array->flags = flags;
  Array& created = *array;
  arrays_[&created] = std::move(array);
  return created;
}

MipmappedArray& Arrays::create_mipmapped(const ChannelDesc& channels, const Extent& extent, unsigned levels,
                                         uint32_t flags) {
  require(levels != 0 && levels <= ptx::kMostLevels);
  auto array = std::make_unique<MipmappedArray>();
  array->state = allocated(memory_, spec_of(channels, extent, flags, levels));
  array->channels = channels;
  array->extent = extent;
  array->flags = flags;
  for (unsigned k = 0; k < levels; ++k) {
    const ptx::TextureLevel level = ptx::level_of(array->state, k);
    auto one = std::make_unique<Array>();
    one->state = array->state;
    one->level = k;
    one->channels = channels;
    one->extent = {level.width, extent.height == 0 ? 0 : level.height, extent.depth == 0 ? 0 : level.depth};
    one->flags = flags;
    one->owner = array.get();
    arrays_[one.get()] = nullptr;
    array->levels.push_back(std::move(one));
  }
  MipmappedArray& created = *array;
  mipmapped_[&created] = std::move(array);
  return created;
}

void Arrays::destroy(Array& array) {
  require(array.owner == nullptr);
  sim::free_array(memory_, array.state);
  arrays_.erase(&array);
}

void Arrays::destroy(MipmappedArray& array) {
  sim::free_array(memory_, array.state);
  for (const auto& level : array.levels) arrays_.erase(level.get());
  mipmapped_.erase(&array);
}

Array& Arrays::checked(Array* array) const {
  require(arrays_.contains(array), Status::kInvalidResourceHandle);
  return *array;
}

MipmappedArray& Arrays::checked(MipmappedArray* array) const {
  require(mipmapped_.contains(array), Status::kInvalidResourceHandle);
  return *array;
}

ptx::TextureState Arrays::state_of(const TextureResource& r) const {
  switch (r.kind) {
    case TextureResource::Kind::kArray: {
      const Array& array = checked(r.array);
      require(array.owner == nullptr, Status::kNotSupported);  // one level of a mipmapped array by itself
      return array.state;
    }
    case TextureResource::Kind::kMipmapped:
      return checked(r.mipmapped).state;
    case TextureResource::Kind::kLinear:
      return sim::linear_memory(r.address, format_of(r.channels), channels_of(r.channels), r.bytes);
    case TextureResource::Kind::kPitched:
      return sim::pitched_memory(r.address, format_of(r.channels), channels_of(r.channels),
                                 static_cast<uint32_t>(r.width), static_cast<uint32_t>(r.height),
                                 static_cast<uint32_t>(r.pitch));
  }
  throw Failure(Status::kInvalidValue);
}

uint64_t Arrays::create_texture(const TextureResource& resource, const ptx::SamplerState& sampler) {
  try {
    const uint64_t handle = sim::create_texture(memory_, state_of(resource), sampler);
    objects_[handle] = resource;
    return handle;
  } catch (const Error& error) {
    throw Failure(Status::kInvalidValue, error.message());
  }
}

uint64_t Arrays::create_surface(const TextureResource& resource) {
  require(resource.kind == TextureResource::Kind::kArray);
  try {
    const uint64_t handle = sim::create_surface(memory_, state_of(resource));
    objects_[handle] = resource;
    return handle;
  } catch (const Error& error) {
    throw Failure(Status::kInvalidValue, error.message());
  }
}

void Arrays::destroy_object(uint64_t handle) {
  if (handle == 0) return;
  require(objects_.erase(handle) == 1);
  sim::destroy_object(memory_, handle);
}

const TextureResource& Arrays::resource_of(uint64_t handle) const {
  const auto known = objects_.find(handle);
  require(known != objects_.end());
  return known->second;
}

}  // namespace gpuloom::host
