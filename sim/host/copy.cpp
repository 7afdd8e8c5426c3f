// SPDX-License-Identifier: Apache-2.0
#include "sim/host/copy.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "ptx/exec/memory_view.h"
#include "sim/host/status.h"
#include "sim/runtime/module.h"

namespace gpuloom::host {
namespace {

// Addresses of .const variables: see Programs::constant_address.
bool constant(uint64_t address) { return address >= ptx::kConstWindowBase && address < ptx::kFunctionBase; }

// Bytes from the first to beyond the last that a box of rows touches.
uint64_t span(const CopySide& side, const Copy& copy) {
  const uint64_t rows = (copy.depth - 1) * side.slice_rows + copy.height - 1;
  return rows * side.pitch + copy.width;
}

uint64_t begin_of(const CopySide& side) {
  return side.address + (side.z * side.slice_rows + side.y) * side.pitch + side.x;
}

void check_array(const CopySide& side, const Copy& copy) {
  const ptx::TextureLevel level = ptx::level_of(side.array->state, side.array->level);
  require(side.x + copy.width <= uint64_t{level.width} * side.array->state.texel_bytes() &&
          side.y + copy.height <= level.height && side.z + copy.depth <= level.depth);
}

// Calls f(host address, bytes) for each run of [x, x + bytes) of a row that lies together in an array.
template <class F>
void array_runs(const Array& array, uint64_t x, uint64_t y, uint64_t z, uint64_t bytes, F&& f) {
  constexpr uint64_t kRun = 16;  // ptx/exec/texture/state.h: blocks keep 16 bytes of a row together
  const ptx::TextureLevel level = ptx::level_of(array.state, array.level);
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t here = std::min(bytes - done, kRun - (x + done) % kRun);
    f(array.state.address + ptx::offset_in(array.state, level, x + done, y, z), done, here);
    done += here;
  }
}

}  // namespace

// A row's place: in memory, or in an array.
struct Copier::Row {
  uint64_t address = 0;
  const Array* array = nullptr;
  uint64_t x = 0, y = 0, z = 0;
};

Copy linear_copy(uint64_t to, uint64_t from, uint64_t bytes, CopyKind kind) {
  Copy copy;
  copy.to.address = to;
  copy.from.address = from;
  copy.width = bytes;
  copy.kind = kind;
  return copy;
}

bool Copier::side_on_device(const CopySide& side, const Copy& copy) const {
  if (side.array != nullptr) {
    check_array(side, copy);
    return true;
  }
  require((copy.height == 1 && copy.depth == 1) || side.pitch >= copy.width, Status::kInvalidPitchValue);
  require(side.address != 0);
  uint64_t at = begin_of(side);
  if (constant(at)) {
    sim::LoadedModule* module = constants_(at);
    require(module != nullptr &&
            at - ptx::kConstWindowBase + span(side, copy) <= module->const_bank().size());
    return true;
  }
  return memory_.on_device(at, span(side, copy));
}

bool Copier::pinned(const CopySide& side) const {
  const auto facts = memory_.facts(begin_of(side));
  return facts && (facts->kind == sim::MemoryKind::kPinned || facts->kind == sim::MemoryKind::kRegistered);
}

Route Copier::check(const Copy& copy) const {
  const int kind = static_cast<int>(copy.kind);
  require(kind >= 0 && kind <= static_cast<int>(CopyKind::kDefault), Status::kInvalidMemcpyDirection);
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return Route::kHost;
  const bool to = side_on_device(copy.to, copy), from = side_on_device(copy.from, copy);
  // A pointer that the kind calls the device's must be one.
  if (copy.kind == CopyKind::kHostToDevice || copy.kind == CopyKind::kDeviceToDevice) require(to);
  if (copy.kind == CopyKind::kDeviceToHost || copy.kind == CopyKind::kDeviceToDevice) require(from);
  const bool to_host = !to || pinned(copy.to), from_host = !from || pinned(copy.from);
  if (to_host && from_host) return Route::kHost;
  if (to_host) return to ? Route::kFromDevice : Route::kPageableFromDevice;
  if (from_host) return from ? Route::kToDevice : Route::kPageableToDevice;
  const std::optional<unsigned> there = only_device(copy.to), here = only_device(copy.from);
  return there && here && *there != *here ? Route::kPeer : Route::kDevice;
}

// Of memory that no other device has a part in; constants are of the device that copies.
std::optional<unsigned> Copier::only_device(const CopySide& side) const {
  const auto facts = memory_.facts(side.array != nullptr ? side.array->state.address : begin_of(side));
  if (!facts || !facts->on_device()) return std::nullopt;
  return facts->device;
}

unsigned Copier::device_of(const CopySide& side) const { return only_device(side).value_or(0); }

Copier::Row Copier::row_of(const CopySide& side, uint64_t y, uint64_t z) {
  if (side.array != nullptr) return {0, side.array, side.x, side.y + y, side.z + z};
  return {begin_of(side) + (z * side.slice_rows + y) * side.pitch, nullptr, 0, 0, 0};
}

void Copier::move(const Row& to, const Row& from, uint64_t bytes) const {
  const auto host = [](uint64_t address) { return reinterpret_cast<uint8_t*>(address); };
  if (to.array != nullptr) {
    array_runs(*to.array, to.x, to.y, to.z, bytes, [&](uint64_t place, uint64_t done, uint64_t count) {
      if (from.array == nullptr) {
        std::memmove(host(place), host(from.address + done), count);
        return;
      }
      array_runs(*from.array, from.x + done, from.y, from.z, count,
                 [&](uint64_t source, uint64_t part, uint64_t n) {
                   std::memmove(host(place + part), host(source), n);
                 });
    });
    return;
  }
  if (from.array != nullptr) {
    array_runs(*from.array, from.x, from.y, from.z, bytes,
               [&](uint64_t source, uint64_t done, uint64_t count) {
                 std::memmove(host(to.address + done), host(source), count);
               });
    return;
  }
  uint64_t to_address = to.address, from_address = from.address;
  if (constant(to_address)) {
    sim::LoadedModule* module = constants_(to_address);
    std::vector<uint8_t> row(bytes);
    move({reinterpret_cast<uint64_t>(row.data())}, from, bytes);
    module->write(to_address, row.data(), bytes);
  } else if (constant(from_address)) {
    constants_(from_address)->read(from_address, host(to_address), bytes);
  } else {
    std::memmove(host(to_address), host(from_address), bytes);
  }
}

void Copier::run(const Copy& copy) const {
  if (copy.width == 0) return;
  for (uint64_t z = 0; z < copy.depth; ++z)
    for (uint64_t y = 0; y < copy.height; ++y)
      move(row_of(copy.to, y, z), row_of(copy.from, y, z), copy.width);
}

void Copier::check(const Fill& fill) const {
  if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return;
  const uint64_t bytes = fill.width * fill.element;
  require((fill.height == 1 && fill.depth == 1) || fill.pitch >= bytes, Status::kInvalidPitchValue);
  const uint64_t rows = (fill.depth - 1) * fill.slice_rows + fill.height - 1;
  require(fill.address != 0 && fill.address % fill.element == 0);
  require(memory_.on_device(fill.address, rows * fill.pitch + bytes) &&
          (bytes == 0 || memory_.reaches(fill.address)));
}

void Copier::run(const Fill& fill) const {
  for (uint64_t z = 0; z < fill.depth; ++z)
    for (uint64_t y = 0; y < fill.height; ++y) {
      auto* row = reinterpret_cast<uint8_t*>(fill.address + (z * fill.slice_rows + y) * fill.pitch);
      if (fill.element == 1) {
        std::memset(row, static_cast<int>(fill.value), fill.width);
        continue;
      }
      for (uint64_t k = 0; k < fill.width; ++k)
        std::memcpy(row + k * fill.element, &fill.value, fill.element);
    }
}

}  // namespace gpuloom::host
