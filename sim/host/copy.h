// SPDX-License-Identifier: Apache-2.0
// Copies and fills of memory: from one row of bytes to boxes of arrays.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/host/array.h"
#include "sim/host/memory.h"
#include "sim/streams/costs.h"

namespace gpuloom::sim {
class LoadedModule;
}

namespace gpuloom::host {

// Values of cudaMemcpyKind.
enum class CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };

// One side of a copy: pitched memory at `address`, or an array. `x` counts bytes, `y` rows, `z` slices.
struct CopySide {
  uint64_t address = 0, pitch = 0;
  uint64_t slice_rows = 0;  // rows from slice to slice
  Array* array = nullptr;
  uint64_t x = 0, y = 0, z = 0;
};

struct Copy {
  CopySide to, from;
  uint64_t width = 0, height = 1, depth = 1;  // bytes, rows, slices
  CopyKind kind = CopyKind::kDefault;
};

struct Fill {
  uint64_t address = 0, pitch = 0, slice_rows = 0;
  uint32_t value = 0;
  unsigned element = 1;                       // bytes of the value: 1, 2, 4
  uint64_t width = 0, height = 1, depth = 1;  // elements, rows, slices
};

// Copies of one row of bytes.
Copy linear_copy(uint64_t to, uint64_t from, uint64_t bytes, CopyKind kind);

class Copier {
 public:
  // `constants` finds the module that a constant variable's address belongs to, and the address within it;
  // null: no module's.
  using ConstantOwner = std::function<sim::LoadedModule*(uint64_t& address)>;
  Copier(Memory& memory, ConstantOwner constants) : memory_(memory), constants_(std::move(constants)) {}

  // Throws Failure (kInvalidValue, kInvalidPitchValue, kInvalidMemcpyDirection) without touching anything.
  Route check(const Copy& copy) const;
  // Which device has the memory of a side of Route::kPeer or kDevice.
  unsigned device_of(const CopySide& side) const;
  void run(const Copy& copy) const;
  void check(const Fill& fill) const;
  void run(const Fill& fill) const;

 private:
  struct Row;
  bool side_on_device(const CopySide& side, const Copy& copy) const;
  bool pinned(const CopySide& side) const;
  std::optional<unsigned> only_device(const CopySide& side) const;
  void move(const Row& to, const Row& from, uint64_t bytes) const;
  static Row row_of(const CopySide& side, uint64_t y, uint64_t z);

  Memory& memory_;
  ConstantOwner constants_;
};

}  // namespace gpuloom::host
