// SPDX-License-Identifier: Apache-2.0
// Copies and fills.
#include "sim/cuda/copy.h"

#include "sim/cuda/driver.h"
#include "sim/cudart/array.h"
#include "sim/cudart/copy.h"

namespace gpuloom::driver {
namespace {

using cudart::ArrayHandle;

int submit_between(const host::Copy& copy, StreamHandle stream, Defaults defaults, bool waits) {
  return call([&](host::Runtime&, host::Context& c) {
    cudart::submit_copy(c, cudart::stream_of(c, stream, defaults), copy, waits);
  });
}

int linear(uint64_t to, uint64_t from, size_t bytes, host::CopyKind kind, StreamHandle stream,
           Defaults defaults, bool waits) {
  return submit_between(host::linear_copy(to, from, bytes, kind), stream, defaults, waits);
}

int submit_3d(const Copy3D* copy, StreamHandle stream, Defaults defaults, bool waits) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(copy != nullptr);
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0) return;
    cudart::submit_copy(c, cudart::stream_of(c, stream, defaults), cudart::copy_of(runtime_copy(*copy)),
                        waits);
  });
}

CopySide3D with_depth(const CopySide2D& s) {
  return {s.x, s.y, 0, 0, s.type, s.host, s.device, s.array, nullptr, s.pitch, 0};
}

int submit_2d(const Copy2D* copy, StreamHandle stream, Defaults defaults, bool waits) {
  if (copy == nullptr) return in_context([]() -> int { return kInvalidValue; });
  const Copy3D box = {with_depth(copy->from), with_depth(copy->to), copy->width, copy->height, 1};
  return submit_3d(&box, stream, defaults, waits);
}

// Between an array's bytes from `offset` on and memory.
int array_row(ArrayHandle array, size_t offset, uint64_t memory, size_t bytes, bool to_array,
              StreamHandle stream, Defaults defaults, bool waits) {
  return call([&](host::Runtime&, host::Context& c) {
    host::Copy copy;
    host::CopySide& in_array = to_array ? copy.to : copy.from;
    host::CopySide& in_memory = to_array ? copy.from : copy.to;
    in_array.array = &c.arrays().checked(cudart::array_of(array));
    in_array.x = offset;
    in_memory.address = memory;
    in_memory.pitch = bytes;
    copy.width = bytes;
    cudart::submit_copy(c, cudart::stream_of(c, stream, defaults), copy, waits);
  });
}

int submit_fill(DevicePointer to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                StreamHandle stream, Defaults defaults) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(to % element == 0 && (height <= 1 || pitch % element == 0));
    host::Fill f;
    f.address = to;
    f.pitch = pitch;
    f.value = value;
    f.element = element;
    f.width = width;
    f.height = height;
    c.submit(cudart::stream_of(c, stream, defaults), f);
  });
}

cudart::PitchedPointer memory_of(const CopySide3D& s, size_t width) {
  void* pointer = s.type == kHostMemory ? s.host : pointer_of(s.device);
  return {pointer, s.pitch != 0 ? s.pitch : width, width, s.height};
}

bool host_side(const CopySide3D& s) { return s.type == kHostMemory; }

// The runtime counts elements where an array takes part; the driver counts bytes.
void fill_side(ArrayHandle& array, cudart::PositionAbi& at, cudart::PitchedPointer& memory,
               const CopySide3D& s, const Copy3D& copy) {
  host::require(s.type >= kHostMemory && s.type <= kUnifiedMemory && s.level == 0);
  at = {s.x, s.y, s.z};
  if (s.type == kArrayMemory) {
    host::require(s.array != nullptr);
    const uint64_t texel = cudart::array_of(s.array)->state.texel_bytes();
    host::require(s.x % texel == 0);
    at.x = s.x / texel;
    array = s.array;
    return;
  }
  memory = memory_of(s, copy.width);
  if (memory.ysize == 0) memory.ysize = copy.height;
}

}  // namespace

cudart::Copy3D runtime_copy(const Copy3D& copy) {
  cudart::Copy3D r{};
  fill_side(r.source_array, r.source_position, r.source, copy.from, copy);
  fill_side(r.target_array, r.target_position, r.target, copy.to, copy);
  const ArrayHandle any = r.source_array != nullptr ? r.source_array : r.target_array;
  const uint64_t texel = any != nullptr ? cudart::array_of(any)->state.texel_bytes() : 1;
  host::require(copy.width % texel == 0);
  r.extent = {copy.width / texel, copy.height, copy.depth};
  const auto kind =
      copy.from.type == kUnifiedMemory || copy.to.type == kUnifiedMemory ? host::CopyKind::kDefault
      : host_side(copy.from)
          ? (host_side(copy.to) ? host::CopyKind::kHostToHost : host::CopyKind::kHostToDevice)
          : (host_side(copy.to) ? host::CopyKind::kDeviceToHost : host::CopyKind::kDeviceToDevice);
  r.kind = static_cast<int>(kind);
  return r;
}

// A copy that the host waits for, and one in a stream, each with its twin of the thread's default stream.
#define GPULOOM_COPY(NAME, ASYNC, KIND, TO, FROM, TO_ADDRESS, FROM_ADDRESS)                          \
  GPULOOM_BOTH(NAME, _ptds, (TO to, FROM from, size_t bytes), to, from, bytes) {                     \
    return linear(TO_ADDRESS, FROM_ADDRESS, bytes, host::CopyKind::KIND, nullptr, defaults, true);   \
  }                                                                                                  \
  GPULOOM_BOTH(ASYNC, _ptsz, (TO to, FROM from, size_t bytes, StreamHandle stream), to, from, bytes, \
               stream) {                                                                             \
    return linear(TO_ADDRESS, FROM_ADDRESS, bytes, host::CopyKind::KIND, stream, defaults, false);   \
  }
GPULOOM_COPY(cuMemcpy, cuMemcpyAsync, kDefault, DevicePointer, DevicePointer, to, from)
GPULOOM_COPY(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, kHostToDevice, DevicePointer, const void*, to,
             address_of(from))
GPULOOM_COPY(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, kDeviceToHost, void*, DevicePointer, address_of(to), from)
GPULOOM_COPY(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, kDeviceToDevice, DevicePointer, DevicePointer, to, from)

GPULOOM_BOTH(cuMemcpyPeer, _ptds,
             (DevicePointer to, ContextHandle to_context, DevicePointer from, ContextHandle from_context,
              size_t bytes),
             to, to_context, from, from_context, bytes) {
  static_cast<void>(to_context);
  static_cast<void>(from_context);
  return linear(to, from, bytes, host::CopyKind::kDeviceToDevice, nullptr, defaults, true);
}

GPULOOM_BOTH(cuMemcpy2D_v2, _ptds, (const Copy2D* copy), copy) {
  return submit_2d(copy, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpy2DUnaligned_v2, _ptds, (const Copy2D* copy), copy) {
  return submit_2d(copy, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpy2DAsync_v2, _ptsz, (const Copy2D* copy, StreamHandle stream), copy, stream) {
  return submit_2d(copy, stream, defaults, false);
}
GPULOOM_BOTH(cuMemcpy3D_v2, _ptds, (const Copy3D* copy), copy) {
  return submit_3d(copy, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpy3DAsync_v2, _ptsz, (const Copy3D* copy, StreamHandle stream), copy, stream) {
  return submit_3d(copy, stream, defaults, false);
}

GPULOOM_BOTH(cuMemcpyHtoA_v2, _ptds, (ArrayHandle to, size_t offset, const void* from, size_t bytes), to,
             offset, from, bytes) {
  return array_row(to, offset, address_of(from), bytes, true, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpyAtoH_v2, _ptds, (void* to, ArrayHandle from, size_t offset, size_t bytes), to, from,
             offset, bytes) {
  return array_row(from, offset, address_of(to), bytes, false, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpyDtoA_v2, _ptds, (ArrayHandle to, size_t offset, DevicePointer from, size_t bytes), to,
             offset, from, bytes) {
  return array_row(to, offset, from, bytes, true, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpyAtoD_v2, _ptds, (DevicePointer to, ArrayHandle from, size_t offset, size_t bytes), to,
             from, offset, bytes) {
  return array_row(from, offset, to, bytes, false, nullptr, defaults, true);
}
GPULOOM_BOTH(cuMemcpyHtoAAsync_v2, _ptsz,
             (ArrayHandle to, size_t offset, const void* from, size_t bytes, StreamHandle stream), to, offset,
             from, bytes, stream) {
  return array_row(to, offset, address_of(from), bytes, true, stream, defaults, false);
}
GPULOOM_BOTH(cuMemcpyAtoHAsync_v2, _ptsz,
             (void* to, ArrayHandle from, size_t offset, size_t bytes, StreamHandle stream), to, from, offset,
             bytes, stream) {
  return array_row(from, offset, address_of(to), bytes, false, stream, defaults, false);
}

#define GPULOOM_FILL(NAME, ASYNC, TYPE)                                                                    \
  GPULOOM_BOTH(NAME, _ptds, (DevicePointer to, TYPE value, size_t count), to, value, count) {              \
    return submit_fill(to, 0, value, sizeof(TYPE), count, 1, nullptr, defaults);                           \
  }                                                                                                        \
  GPULOOM_BOTH(ASYNC, _ptsz, (DevicePointer to, TYPE value, size_t count, StreamHandle stream), to, value, \
               count, stream) {                                                                            \
    return submit_fill(to, 0, value, sizeof(TYPE), count, 1, stream, defaults);                            \
  }
GPULOOM_FILL(cuMemsetD8_v2, cuMemsetD8Async, unsigned char)
GPULOOM_FILL(cuMemsetD16_v2, cuMemsetD16Async, unsigned short)
GPULOOM_FILL(cuMemsetD32_v2, cuMemsetD32Async, unsigned)

#define GPULOOM_FILL_2D(NAME, ASYNC, TYPE)                                                                 \
  GPULOOM_BOTH(NAME, _ptds, (DevicePointer to, size_t pitch, TYPE value, size_t width, size_t height), to, \
               pitch, value, width, height) {                                                              \
    return submit_fill(to, pitch, value, sizeof(TYPE), width, height, nullptr, defaults);                  \
  }                                                                                                        \
  GPULOOM_BOTH(                                                                                            \
      ASYNC, _ptsz,                                                                                        \
      (DevicePointer to, size_t pitch, TYPE value, size_t width, size_t height, StreamHandle stream), to,  \
      pitch, value, width, height, stream) {                                                               \
    return submit_fill(to, pitch, value, sizeof(TYPE), width, height, stream, defaults);                   \
  }
GPULOOM_FILL_2D(cuMemsetD2D8_v2, cuMemsetD2D8Async, unsigned char)
GPULOOM_FILL_2D(cuMemsetD2D16_v2, cuMemsetD2D16Async, unsigned short)
GPULOOM_FILL_2D(cuMemsetD2D32_v2, cuMemsetD2D32Async, unsigned)

}  // namespace gpuloom::driver
