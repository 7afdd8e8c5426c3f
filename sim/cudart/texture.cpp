// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects.
#include <algorithm>
#include <unordered_map>

#include "sim/cudart/array.h"

namespace gpuloom::cudart {
namespace {

// What programs may read back of an object.
struct Described {
  ResourceDesc resource;
  TextureDesc texture;
};
std::unordered_map<TextureHandle, Described>& descriptions() {
  static auto* const all = new std::unordered_map<TextureHandle, Described>;  // under the runtime's lock
  return *all;
}

host::TextureResource resource_of(const ResourceDesc& d) {
  host::TextureResource r;
  host::require(d.type >= 0 && d.type <= 3);
  r.kind = static_cast<host::TextureResource::Kind>(d.type);
  switch (r.kind) {
    case host::TextureResource::Kind::kArray:
      r.array = array_of(d.resource.array);
      break;
    case host::TextureResource::Kind::kMipmapped:
      r.mipmapped = reinterpret_cast<host::MipmappedArray*>(d.resource.mipmapped);
      break;
    case host::TextureResource::Kind::kLinear:
      r.address = address_of(d.resource.linear.pointer);
      r.channels = channels_of(d.resource.linear.channels);
      r.bytes = d.resource.linear.bytes;
      break;
    case host::TextureResource::Kind::kPitched:
      r.address = address_of(d.resource.pitched.pointer);
      r.channels = channels_of(d.resource.pitched.channels);
      r.width = d.resource.pitched.width;
      r.height = d.resource.pitched.height;
      r.pitch = d.resource.pitched.pitch;
      break;
  }
  return r;
}

// cudaTextureAddressMode and cudaTextureFilterMode have the order of ptx::AddressMode and ptx::TextureFilter.
ptx::SamplerState sampler_of(const TextureDesc& d) {
  ptx::SamplerState s;
  for (int k = 0; k < 3; ++k) {
    host::require(d.address[k] >= 0 && d.address[k] <= 3);
    s.address[k] = static_cast<ptx::AddressMode>(d.address[k]);
  }
  host::require(d.filter >= 0 && d.filter <= 1 && d.mip_filter >= 0 && d.mip_filter <= 1);
  s.filter = static_cast<ptx::TextureFilter>(d.filter);
  s.mip_filter = static_cast<ptx::TextureFilter>(d.mip_filter);
  s.normalized = d.normalized != 0 ? 1 : 0;
  s.read_integer = d.read == 0 ? 1 : 0;  // cudaReadModeElementType
  s.srgb = d.srgb != 0 ? 1 : 0;
  s.seamless = d.seamless != 0 ? 1 : 0;
  s.trilinear_optimization = d.no_trilinear_optimization != 0 ? 0 : 1;
  s.max_anisotropy = static_cast<uint8_t>(std::min(d.anisotropy, 16u));
  s.level_bias = d.level_bias;
  s.min_level = d.level_min;
  s.max_level = d.level_max;
  std::copy(std::begin(d.border), std::end(d.border), s.border);
  return s;
}

}  // namespace

GPULOOM_CUDA int cudaCreateTextureObject(TextureHandle* handle, const ResourceDesc* resource,
                                         const TextureDesc* texture, const void* view) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && resource != nullptr && texture != nullptr);
    if (view != nullptr)
      throw Failure(static_cast<Status>(refuse("cudaCreateTextureObject", "a resource view")));
    not_in_capture(c);
    *handle = c.arrays().create_texture(resource_of(*resource), sampler_of(*texture));
    descriptions()[*handle] = {*resource, *texture};
  });
}

GPULOOM_CUDA int cudaDestroyTextureObject(TextureHandle handle) {
  return call([&](host::Runtime&, host::Context& c) {
    not_in_capture(c);
    c.arrays().destroy_object(handle);
    descriptions().erase(handle);
  });
}

GPULOOM_CUDA int cudaCreateSurfaceObject(TextureHandle* handle, const ResourceDesc* resource) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && resource != nullptr);
    not_in_capture(c);
    host::TextureResource r = resource_of(*resource);
    *handle = c.arrays().create_surface(r);
    descriptions()[*handle] = {*resource, {}};
  });
}

GPULOOM_CUDA int cudaDestroySurfaceObject(TextureHandle handle) { return cudaDestroyTextureObject(handle); }

GPULOOM_CUDA int cudaGetTextureObjectResourceDesc(ResourceDesc* resource, TextureHandle handle) {
  return call([&](host::Runtime&, host::Context& c) {
    c.arrays().resource_of(handle);
    *resource = descriptions().at(handle).resource;
  });
}

GPULOOM_CUDA int cudaGetTextureObjectTextureDesc(TextureDesc* texture, TextureHandle handle) {
  return call([&](host::Runtime&, host::Context& c) {
    c.arrays().resource_of(handle);
    *texture = descriptions().at(handle).texture;
  });
}

GPULOOM_CUDA int cudaGetSurfaceObjectResourceDesc(ResourceDesc* resource, TextureHandle handle) {
  return cudaGetTextureObjectResourceDesc(resource, handle);
}

}  // namespace gpuloom::cudart
