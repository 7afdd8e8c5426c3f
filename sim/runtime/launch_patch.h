// SPDX-License-Identifier: Apache-2.0
// `patch` of a launch file: addresses and tensor maps inside buffers and arguments, for structures and tables
// with pointers in them, whose values are known when everything has its place.
//
//   patch:
//     - {buffer: table, at: 16, address_of: a, plus: 256}   # 8 bytes: a buffer's address, or a tensor map's
//     - {arg: 0, at: 64, tensor_map: tmA}                   # its 128 bytes; `arg` counts from 0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::sim {

struct LaunchFile;
struct PlacedTensorMap;
class DeviceMemory;

struct PatchSpec {
  enum class Value : uint8_t { kAddress, kMapAddress, kMap };
  bool in_argument = false;
  size_t target = 0;  // index into LaunchFile::buffers, or of the argument
  uint64_t at = 0;    // bytes into it
  Value value = Value::kAddress;
  size_t source = 0;  // index into LaunchFile::buffers or tensor_maps
  int64_t plus = 0;   // added to the address
  FilePosition where;
  uint64_t bytes() const { return value == Value::kMap ? 128 : 8; }
};

// Reads `patch` of the file and, with `launches`, of each launch; buffers, tensor maps and launches have been
// read. Problems go to the views' configuration.
void read_patches(const ConfigView& root, LaunchFile& file);

// Writes one into the bytes of its target. Throws Error (kInput) where it does not fit.
void apply_patch(const PatchSpec& patch, const std::vector<uint64_t>& addresses,
                 const std::vector<PlacedTensorMap>& maps, std::span<uint8_t> target);

}  // namespace gpuloom::sim
