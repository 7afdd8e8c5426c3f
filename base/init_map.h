// SPDX-License-Identifier: Apache-2.0
// Which bytes from an address on somebody has written, a bit a byte, in pages made where something is
// written.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace gpuloom {

class InitMap {
 public:
  explicit InitMap(uint64_t base) : base_(base) {}
  void set(uint64_t address, uint64_t bytes) { change(address, bytes, true); }
  void clear(uint64_t address, uint64_t bytes) { change(address, bytes, false); }
  // The first byte of [address, address + bytes) that nobody has written; address + bytes where there is
  // none.
  uint64_t first_unset(uint64_t address, uint64_t bytes) const;

 private:
  static constexpr unsigned kPageShift = 16;
  static constexpr uint64_t kPageBytes = uint64_t{1} << kPageShift;
  struct Page {
    uint64_t bits[kPageBytes / 64] = {};
  };
  uint64_t base_;
  void change(uint64_t address, uint64_t bytes, bool on);
  std::vector<std::unique_ptr<Page>> pages_;  // from `base_` on
};

}  // namespace gpuloom
