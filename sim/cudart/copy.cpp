// SPDX-License-Identifier: Apache-2.0
// Copies and fills of memory and symbols; those of arrays are in array.cpp.
#include "sim/cudart/copy.h"

namespace gpuloom::cudart {
namespace {

// Copies that the host waits for, and others.
enum class Waits : uint8_t { kNo, kYes };

int submit(const host::Copy& copy, StreamHandle stream, Defaults defaults, Waits waits) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    submit_copy(c, s, copy, waits == Waits::kYes);
  });
}

// Without Async in its name the host waits for a fill of its own memory (H200, and CUDA runtime API, API
// synchronization behaviour).
int submit(const host::Fill& fill, StreamHandle stream, Defaults defaults, Waits waits = Waits::kNo) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    c.submit(s, fill);
    const auto facts = c.memory().facts(fill.address);
    const bool of_host =
        facts && facts->kind != sim::MemoryKind::kDevice && facts->kind != sim::MemoryKind::kManaged;
    if (waits == Waits::kYes && of_host) c.synchronise(s);
  });
}

host::Copy pitched(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t height, int kind) {
  host::Copy copy;
  copy.to.address = address_of(to);
  copy.to.pitch = to_pitch;
  copy.from.address = address_of(from);
  copy.from.pitch = from_pitch;
  copy.width = width;
  copy.height = height;
  copy.kind = static_cast<host::CopyKind>(kind);
  return copy;
}

host::Fill filled(void* to, size_t pitch, int value, size_t width, size_t height) {
  host::Fill fill;
  fill.address = address_of(to);
  fill.pitch = pitch;
  fill.value = static_cast<uint8_t>(value);
  fill.width = width;
  fill.height = height;
  return fill;
}

host::Fill boxed(const PitchedPointer& to, int value, const ExtentAbi& extent) {
  host::Fill fill = filled(to.pointer, to.pitch, value, extent.width, extent.height);
  fill.slice_rows = to.ysize;
  fill.depth = extent.depth;
  return fill;
}

int symbol_copy(const void* symbol, void* other, size_t bytes, size_t offset, int kind, bool to_symbol,
                StreamHandle stream, Defaults defaults, Waits waits) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::Stream& s = any_stream(r, c, stream, defaults).stream;
    const uint64_t place = symbol_range(r, c, symbol, offset, bytes);
    const auto direction = static_cast<host::CopyKind>(kind);
    const uint64_t there = address_of(other);
    submit_copy(r.context(s.device), s,
                to_symbol ? host::linear_copy(place, there, bytes, direction)
                          : host::linear_copy(there, place, bytes, direction),
                waits == Waits::kYes);
  });
}

}  // namespace

void submit_copy(host::Context& c, host::Stream& stream, const host::Copy& copy, bool wait) {
  c.submit(stream, copy);
  if (wait && c.waits_for(copy)) c.synchronise(stream);
}

uint64_t symbol_range(host::Runtime& r, host::Context& c, const void* symbol, size_t offset, size_t bytes) {
  const sim::SymbolPlace place = c.place(r.programs().variable(symbol));
  host::require(offset <= place.size && bytes <= place.size - offset);
  return place.address + offset;
}

GPULOOM_BOTH(cudaMemcpy, _ptds, (void* to, const void* from, size_t bytes, int kind), to, from, bytes, kind) {
  return submit(host::linear_copy(address_of(to), address_of(from), bytes, static_cast<host::CopyKind>(kind)),
                nullptr, defaults, Waits::kYes);
}

GPULOOM_BOTH(cudaMemcpyAsync, _ptsz,
             (void* to, const void* from, size_t bytes, int kind, StreamHandle stream), to, from, bytes, kind,
             stream) {
  return submit(host::linear_copy(address_of(to), address_of(from), bytes, static_cast<host::CopyKind>(kind)),
                stream, defaults, Waits::kNo);
}

GPULOOM_BOTH(cudaMemcpy2D, _ptds,
             (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
              int kind),
             to, to_pitch, from, from_pitch, width, height, kind) {
  return submit(pitched(to, to_pitch, from, from_pitch, width, height, kind), nullptr, defaults, Waits::kYes);
}

GPULOOM_BOTH(cudaMemcpy2DAsync, _ptsz,
             (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
              int kind, StreamHandle stream),
             to, to_pitch, from, from_pitch, width, height, kind, stream) {
  return submit(pitched(to, to_pitch, from, from_pitch, width, height, kind), stream, defaults, Waits::kNo);
}

GPULOOM_BOTH(cudaMemcpy3D, _ptds, (const Copy3D* copy), copy) {
  if (copy == nullptr) return call_anyway([](host::Runtime&) { host::require(false); });
  return call([&](host::Runtime&, host::Context& c) {
    submit_copy(c, stream_of(c, nullptr, defaults), copy_of(*copy), true);
  });
}

GPULOOM_BOTH(cudaMemcpy3DAsync, _ptsz, (const Copy3D* copy, StreamHandle stream), copy, stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(copy != nullptr);
    auto [c, s] = any_stream(r, current, stream, defaults);
    submit_copy(c, s, copy_of(*copy), false);
  });
}

GPULOOM_BOTH(cudaMemcpyToSymbol, _ptds,
             (const void* symbol, const void* from, size_t bytes, size_t offset, int kind), symbol, from,
             bytes, offset, kind) {
  return symbol_copy(symbol, const_cast<void*>(from), bytes, offset, kind, true, nullptr, defaults,
                     Waits::kYes);
}

GPULOOM_BOTH(cudaMemcpyToSymbolAsync, _ptsz,
             (const void* symbol, const void* from, size_t bytes, size_t offset, int kind,
              StreamHandle stream),
             symbol, from, bytes, offset, kind, stream) {
  return symbol_copy(symbol, const_cast<void*>(from), bytes, offset, kind, true, stream, defaults,
                     Waits::kNo);
}

GPULOOM_BOTH(cudaMemcpyFromSymbol, _ptds,
             (void* to, const void* symbol, size_t bytes, size_t offset, int kind), to, symbol, bytes, offset,
             kind) {
  return symbol_copy(symbol, to, bytes, offset, kind, false, nullptr, defaults, Waits::kYes);
}

GPULOOM_BOTH(cudaMemcpyFromSymbolAsync, _ptsz,
             (void* to, const void* symbol, size_t bytes, size_t offset, int kind, StreamHandle stream), to,
             symbol, bytes, offset, kind, stream) {
  return symbol_copy(symbol, to, bytes, offset, kind, false, stream, defaults, Waits::kNo);
}

GPULOOM_CUDA int cudaGetSymbolAddress(void** address, const void* symbol) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(address != nullptr);
    *address = pointer_of(c.place(r.programs().variable(symbol)).address);
  });
}

GPULOOM_CUDA int cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(bytes != nullptr);
    *bytes = c.place(r.programs().variable(symbol)).size;
  });
}

GPULOOM_BOTH(cudaMemset, _ptds, (void* to, int value, size_t bytes), to, value, bytes) {
  return submit(filled(to, 0, value, bytes, 1), nullptr, defaults, Waits::kYes);
}

GPULOOM_BOTH(cudaMemsetAsync, _ptsz, (void* to, int value, size_t bytes, StreamHandle stream), to, value,
             bytes, stream) {
  return submit(filled(to, 0, value, bytes, 1), stream, defaults);
}

GPULOOM_BOTH(cudaMemset2D, _ptds, (void* to, size_t pitch, int value, size_t width, size_t height), to, pitch,
             value, width, height) {
  return submit(filled(to, pitch, value, width, height), nullptr, defaults, Waits::kYes);
}

GPULOOM_BOTH(cudaMemset2DAsync, _ptsz,
             (void* to, size_t pitch, int value, size_t width, size_t height, StreamHandle stream), to, pitch,
             value, width, height, stream) {
  return submit(filled(to, pitch, value, width, height), stream, defaults);
}

GPULOOM_BOTH(cudaMemset3D, _ptds, (PitchedPointer to, int value, ExtentAbi extent), to, value, extent) {
  return submit(boxed(to, value, extent), nullptr, defaults);
}

GPULOOM_BOTH(cudaMemset3DAsync, _ptsz, (PitchedPointer to, int value, ExtentAbi extent, StreamHandle stream),
             to, value, extent, stream) {
  return submit(boxed(to, value, extent), stream, defaults);
}

}  // namespace gpuloom::cudart
