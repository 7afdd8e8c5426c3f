// SPDX-License-Identifier: Apache-2.0
// Arrays, texture and surface objects.
#include "sim/cudart/array.h"

#include <algorithm>

#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

using cudart::ArrayHandle;
using cudart::ChannelDescAbi;
using cudart::ExtentAbi;
using cudart::MipmappedArrayHandle;
using cudart::ResourceDesc;
using cudart::TextureDesc;
using cudart::TextureHandle;

// CU_AD_FORMAT_*, beside bits and kind of cudaChannelFormatDesc (0 signed, 1 unsigned, 2 float).
struct Format {
  int driver, bits, kind;
};
constexpr Format kFormats[] = {{0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
                               {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2}};

const Format& format_of(int driver) {
  const auto* known = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& f) { return f.driver == driver; });
  if (known == std::end(kFormats))
    throw Failure(static_cast<Status>(refuse("CUarray_format", "other than integers, halves and floats")));
  return *known;
}

ChannelDescAbi channels_abi(int format, unsigned channels) {
  const Format& f = format_of(format);
  host::require(channels == 1 || channels == 2 || channels == 4);
  const auto bits = [&](unsigned k) { return k < channels ? f.bits : 0; };
  return {bits(0), bits(1), bits(2), bits(3), f.kind};
}

int driver_format(const host::ChannelDesc& channels) {
  for (const Format& f : kFormats)
    if (f.bits == channels.bits[0] && f.kind == channels.kind) return f.driver;
  return 0;
}

unsigned channel_count(const host::ChannelDesc& channels) {
  return static_cast<unsigned>(
      std::count_if(std::begin(channels.bits), std::end(channels.bits), [](int b) { return b != 0; }));
}

ArrayDesc3D describe(const host::Array& a) {
  return {
      a.extent.width, a.extent.height, a.extent.depth, driver_format(a.channels), channel_count(a.channels),
      a.flags};
}

ResourceDesc runtime_resource(const DriverResourceDesc& d) {
  ResourceDesc r{};
  r.type = d.type;
  constexpr int kArray = 0, kMipmapped = 1, kLinear = 2, kPitched = 3;
  switch (d.type) {
    case kArray:
      r.resource.array = d.array;
      break;
    case kMipmapped:
      r.resource.mipmapped = d.mipmapped;
      break;
    case kLinear:
      r.resource.linear = {pointer_of(d.linear.pointer), channels_abi(d.linear.format, d.linear.channels),
                           d.linear.bytes};
      break;
    case kPitched:
      r.resource.pitched = {pointer_of(d.pitched.pointer), channels_abi(d.pitched.format, d.pitched.channels),
                            d.pitched.width, d.pitched.height, d.pitched.pitch};
      break;
    default:
      throw Failure(Status::kInvalidValue);
  }
  return r;
}

// Texels of 8 or 16 bits are read as normalized floats unless a flag asks for integers; others as they are.
bool promotes(const DriverResourceDesc& d) {
  constexpr int kLinear = 2, kPitched = 3, kFloatKind = 2;
  int bits = 0, kind = kFloatKind;
  if (d.type == kLinear || d.type == kPitched) {
    const Format& f = format_of(d.type == kLinear ? d.linear.format : d.pitched.format);
    bits = f.bits, kind = f.kind;
  } else {
    const host::ChannelDesc& c = d.type == 0 ? cudart::array_of(d.array)->channels
                                             : reinterpret_cast<host::MipmappedArray*>(d.mipmapped)->channels;
    bits = c.bits[0], kind = c.kind;
  }
  return kind != kFloatKind && bits < 32;
}

TextureDesc runtime_texture(const DriverTextureDesc& d, bool promoted) {
  constexpr unsigned kReadAsInteger = 1, kNormalized = 2, kSrgb = 0x10, kNoTrilinear = 0x20, kSeamless = 0x40;
  TextureDesc t{};
  std::copy(std::begin(d.address), std::end(d.address), t.address);
  t.filter = d.filter;
  t.read = promoted && (d.flags & kReadAsInteger) == 0 ? 1 : 0;
  t.srgb = (d.flags & kSrgb) != 0 ? 1 : 0;
  std::copy(std::begin(d.border), std::end(d.border), t.border);
  t.normalized = (d.flags & kNormalized) != 0 ? 1 : 0;
  t.anisotropy = d.anisotropy;
  t.mip_filter = d.mip_filter;
  t.level_bias = d.level_bias;
  t.level_min = d.level_min;
  t.level_max = d.level_max;
  t.no_trilinear_optimization = (d.flags & kNoTrilinear) != 0 ? 1 : 0;
  t.seamless = (d.flags & kSeamless) != 0 ? 1 : 0;
  return t;
}

// What `body` throws as the caller's result.
int converted(const std::function<int()>& body) {
  return in_context([&]() -> int {
    try {
      return body();
    } catch (const Failure& failure) {
      return static_cast<int>(failure.status());
    }
  });
}

}  // namespace

extern "C" int cudaMalloc3DArray(ArrayHandle*, const ChannelDescAbi*, ExtentAbi, unsigned);
extern "C" int cudaMallocMipmappedArray(MipmappedArrayHandle*, const ChannelDescAbi*, ExtentAbi, unsigned,
                                        unsigned);
extern "C" int cudaCreateTextureObject(TextureHandle*, const ResourceDesc*, const TextureDesc*, const void*);
extern "C" int cudaCreateSurfaceObject(TextureHandle*, const ResourceDesc*);

GPULOOM_CUDA int cuArray3DCreate_v2(ArrayHandle* array, const ArrayDesc3D* d) {
  return converted([&]() -> int {
    if (array == nullptr || d == nullptr) return kInvalidValue;
    const ChannelDescAbi channels = channels_abi(d->format, d->channels);
    return cudaMalloc3DArray(array, &channels, {d->width, d->height, d->depth}, d->flags);
  });
}

GPULOOM_CUDA int cuArrayCreate_v2(ArrayHandle* array, const ArrayDesc* d) {
  if (d == nullptr) return kInvalidValue;
  const ArrayDesc3D box = {d->width, d->height, 0, d->format, d->channels, 0};
  return cuArray3DCreate_v2(array, &box);
}

GPULOOM_CUDA int cuArray3DGetDescriptor_v2(ArrayDesc3D* d, ArrayHandle array) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(d != nullptr);
    *d = describe(c.arrays().checked(cudart::array_of(array)));
  });
}

GPULOOM_CUDA int cuArrayGetDescriptor_v2(ArrayDesc* d, ArrayHandle array) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(d != nullptr);
    const ArrayDesc3D all = describe(c.arrays().checked(cudart::array_of(array)));
    *d = {all.width, all.height, all.format, all.channels};
  });
}

GPULOOM_CUDA int cuMipmappedArrayCreate(MipmappedArrayHandle* array, const ArrayDesc3D* d, unsigned levels) {
  return converted([&]() -> int {
    if (array == nullptr || d == nullptr) return kInvalidValue;
    const ChannelDescAbi channels = channels_abi(d->format, d->channels);
    return cudaMallocMipmappedArray(array, &channels, {d->width, d->height, d->depth}, levels, d->flags);
  });
}

GPULOOM_SAME(cuArrayDestroy, cudaFreeArray, (ArrayHandle array), array)
GPULOOM_SAME(cuMipmappedArrayDestroy, cudaFreeMipmappedArray, (MipmappedArrayHandle array), array)
GPULOOM_SAME(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel,
             (ArrayHandle * level, MipmappedArrayHandle array, unsigned number), level, array, number)

GPULOOM_CUDA int cuTexObjectCreate(TextureHandle* handle, const DriverResourceDesc* resource,
                                   const DriverTextureDesc* texture, const void* view) {
  return converted([&]() -> int {
    if (handle == nullptr || resource == nullptr || texture == nullptr) return kInvalidValue;
    const ResourceDesc r = runtime_resource(*resource);
    const TextureDesc t = runtime_texture(*texture, promotes(*resource));
    return cudaCreateTextureObject(handle, &r, &t, view);
  });
}

GPULOOM_CUDA int cuSurfObjectCreate(TextureHandle* handle, const DriverResourceDesc* resource) {
  return converted([&]() -> int {
    if (handle == nullptr || resource == nullptr) return kInvalidValue;
    const ResourceDesc r = runtime_resource(*resource);
    return cudaCreateSurfaceObject(handle, &r);
  });
}

GPULOOM_SAME(cuTexObjectDestroy, cudaDestroyTextureObject, (TextureHandle handle), handle)
GPULOOM_SAME(cuSurfObjectDestroy, cudaDestroySurfaceObject, (TextureHandle handle), handle)

}  // namespace gpuloom::driver
