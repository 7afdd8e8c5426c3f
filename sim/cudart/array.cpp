// SPDX-License-Identifier: Apache-2.0
// Arrays, and copies from and to them.
#include "sim/cudart/array.h"

#include <algorithm>

#include "sim/cudart/copy.h"

namespace gpuloom::cudart {
namespace {

host::CopySide side_of(ArrayHandle array, const PositionAbi& at, const PitchedPointer& memory,
                       uint64_t texel) {
  host::CopySide side;
  side.x = at.x * (array != nullptr ? texel : 1);
  side.y = at.y;
  side.z = at.z;
  if (array != nullptr) {
    side.array = array_of(array);
    return side;
  }
  side.address = address_of(memory.pointer);
  side.pitch = memory.pitch;
  side.slice_rows = memory.ysize;
  return side;
}

// A box of one slice between an array and memory.
int flat(ArrayHandle array, size_t x, size_t y, void* memory, size_t pitch, size_t width, size_t height,
         int kind, bool to_array, StreamHandle stream, Defaults defaults, bool wait) {
  return call([&](host::Runtime&, host::Context& c) {
    host::Copy copy;
    host::CopySide& in_array = to_array ? copy.to : copy.from;
    host::CopySide& in_memory = to_array ? copy.from : copy.to;
    in_array.array = &c.arrays().checked(array_of(array));
    in_array.x = x;
    in_array.y = y;
    in_memory.address = address_of(memory);
    in_memory.pitch = pitch;
    copy.width = width;
    copy.height = height;
    copy.kind = static_cast<host::CopyKind>(kind);
    submit_copy(c, stream_of(c, stream, defaults), copy, wait);
  });
}

// So many bytes of an array, row after row: the calls without a pitch.
int running(ArrayHandle array, size_t x, size_t y, void* memory, size_t bytes, int kind, bool to_array,
            StreamHandle stream, Defaults defaults, bool wait) {
  size_t row = 0;
  const int known = call([&](host::Runtime&, host::Context& c) {
    const host::Array& a = c.arrays().checked(array_of(array));
    row = a.extent.width * a.state.texel_bytes();
  });
  if (known != 0) return known;
  for (size_t done = 0; done < bytes;) {
    // Whole rows together, a broken one alone.
    const size_t here = x != 0 || bytes - done < row ? std::min(row - x, bytes - done) : row;
    const size_t rows = x == 0 && here == row ? (bytes - done) / row : 1;
    const int status = flat(array, x, y, static_cast<char*>(memory) + done, here, here, rows, kind, to_array,
                            stream, defaults, wait);
    if (status != 0) return status;
    done += here * rows;
    y += rows;
    x = 0;
  }
  return 0;
}

}  // namespace

host::Copy copy_of(const Copy3D& p) {
  const ArrayHandle any = p.source_array != nullptr ? p.source_array : p.target_array;
  const uint64_t texel = any != nullptr ? array_of(any)->state.texel_bytes() : 1;
  host::Copy copy;
  host::require((p.source_array == nullptr) != (p.source.pointer == nullptr));
  host::require((p.target_array == nullptr) != (p.target.pointer == nullptr));
  copy.from = side_of(p.source_array, p.source_position, p.source, texel);
  copy.to = side_of(p.target_array, p.target_position, p.target, texel);
  copy.width = p.extent.width * texel;
  copy.height = p.extent.height;
  copy.depth = p.extent.depth;
  copy.kind = static_cast<host::CopyKind>(p.kind);
  // One-dimensional arrays take no height, flat ones no depth: none means one there.
  if (any != nullptr && copy.height == 0) copy.height = 1;
  if (any != nullptr && copy.depth == 0) copy.depth = 1;
  return copy;
}

GPULOOM_CUDA ChannelDescAbi cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

GPULOOM_CUDA int cudaMalloc3DArray(ArrayHandle* array, const ChannelDescAbi* channels, ExtentAbi extent,
                                   unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(array != nullptr && channels != nullptr);
    not_in_capture(c);
    *array = handle_of(
        c.arrays().create(channels_of(*channels), {extent.width, extent.height, extent.depth}, flags));
  });
}

GPULOOM_CUDA int cudaMallocArray(ArrayHandle* array, const ChannelDescAbi* channels, size_t width,
                                 size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}

GPULOOM_CUDA int cudaFreeArray(ArrayHandle array) {
  return call([&](host::Runtime&, host::Context& c) {
    if (array == nullptr) return;
    not_in_capture(c);
    c.synchronise();
    c.arrays().destroy(c.arrays().checked(array_of(array)));
  });
}

GPULOOM_CUDA int cudaMallocMipmappedArray(MipmappedArrayHandle* array, const ChannelDescAbi* channels,
                                          ExtentAbi extent, unsigned levels, unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(array != nullptr && channels != nullptr);
    not_in_capture(c);
    *array = reinterpret_cast<MipmappedArrayHandle>(&c.arrays().create_mipmapped(
        channels_of(*channels), {extent.width, extent.height, extent.depth}, levels, flags));
  });
}

GPULOOM_CUDA int cudaFreeMipmappedArray(MipmappedArrayHandle array) {
  return call([&](host::Runtime&, host::Context& c) {
    if (array == nullptr) return;
    not_in_capture(c);
    c.synchronise();
    c.arrays().destroy(c.arrays().checked(reinterpret_cast<host::MipmappedArray*>(array)));
  });
}

GPULOOM_CUDA int cudaGetMipmappedArrayLevel(ArrayHandle* level, MipmappedArrayHandle array, unsigned number) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(level != nullptr);
    host::MipmappedArray& a = c.arrays().checked(reinterpret_cast<host::MipmappedArray*>(array));
    host::require(number < a.levels.size());
    *level = handle_of(*a.levels[number]);
  });
}

GPULOOM_CUDA int cudaArrayGetInfo(ChannelDescAbi* channels, ExtentAbi* extent, unsigned* flags,
                                  ArrayHandle array) {
  return call([&](host::Runtime&, host::Context& c) {
    const host::Array& a = c.arrays().checked(array_of(array));
    if (channels != nullptr) *channels = abi_of(a.channels);
    if (extent != nullptr) *extent = {a.extent.width, a.extent.height, a.extent.depth};
    if (flags != nullptr) *flags = a.flags;
  });
}

GPULOOM_CUDA int cudaGetChannelDesc(ChannelDescAbi* channels, ArrayHandle array) {
  return cudaArrayGetInfo(channels, nullptr, nullptr, array);
}

GPULOOM_BOTH(cudaMemcpy2DToArray, _ptds,
             (ArrayHandle to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
              int kind),
             to, x, y, from, pitch, width, height, kind) {
  return flat(to, x, y, const_cast<void*>(from), pitch, width, height, kind, true, nullptr, defaults, true);
}

GPULOOM_BOTH(cudaMemcpy2DToArrayAsync, _ptsz,
             (ArrayHandle to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
              int kind, StreamHandle stream),
             to, x, y, from, pitch, width, height, kind, stream) {
  return flat(to, x, y, const_cast<void*>(from), pitch, width, height, kind, true, stream, defaults, false);
}

GPULOOM_BOTH(cudaMemcpy2DFromArray, _ptds,
             (void* to, size_t pitch, ArrayHandle from, size_t x, size_t y, size_t width, size_t height,
              int kind),
             to, pitch, from, x, y, width, height, kind) {
  return flat(from, x, y, to, pitch, width, height, kind, false, nullptr, defaults, true);
}

GPULOOM_BOTH(cudaMemcpy2DFromArrayAsync, _ptsz,
             (void* to, size_t pitch, ArrayHandle from, size_t x, size_t y, size_t width, size_t height,
              int kind, StreamHandle stream),
             to, pitch, from, x, y, width, height, kind, stream) {
  return flat(from, x, y, to, pitch, width, height, kind, false, stream, defaults, false);
}

GPULOOM_BOTH(cudaMemcpy2DArrayToArray, _ptds,
             (ArrayHandle to, size_t to_x, size_t to_y, ArrayHandle from, size_t from_x, size_t from_y,
              size_t width, size_t height, int kind),
             to, to_x, to_y, from, from_x, from_y, width, height, kind) {
  return call([&](host::Runtime&, host::Context& c) {
    host::Copy copy;
    copy.to.array = &c.arrays().checked(array_of(to));
    copy.from.array = &c.arrays().checked(array_of(from));
    copy.to.x = to_x;
    copy.to.y = to_y;
    copy.from.x = from_x;
    copy.from.y = from_y;
    copy.width = width;
    copy.height = height;
    copy.kind = static_cast<host::CopyKind>(kind);
    submit_copy(c, stream_of(c, nullptr, defaults), copy, true);
  });
}

GPULOOM_BOTH(cudaMemcpyToArray, _ptds,
             (ArrayHandle to, size_t x, size_t y, const void* from, size_t bytes, int kind), to, x, y, from,
             bytes, kind) {
  return running(to, x, y, const_cast<void*>(from), bytes, kind, true, nullptr, defaults, true);
}

GPULOOM_BOTH(cudaMemcpyToArrayAsync, _ptsz,
             (ArrayHandle to, size_t x, size_t y, const void* from, size_t bytes, int kind,
              StreamHandle stream),
             to, x, y, from, bytes, kind, stream) {
  return running(to, x, y, const_cast<void*>(from), bytes, kind, true, stream, defaults, false);
}

GPULOOM_BOTH(cudaMemcpyFromArray, _ptds,
             (void* to, ArrayHandle from, size_t x, size_t y, size_t bytes, int kind), to, from, x, y, bytes,
             kind) {
  return running(from, x, y, to, bytes, kind, false, nullptr, defaults, true);
}

GPULOOM_BOTH(cudaMemcpyFromArrayAsync, _ptsz,
             (void* to, ArrayHandle from, size_t x, size_t y, size_t bytes, int kind, StreamHandle stream),
             to, from, x, y, bytes, kind, stream) {
  return running(from, x, y, to, bytes, kind, false, stream, defaults, false);
}

}  // namespace gpuloom::cudart
