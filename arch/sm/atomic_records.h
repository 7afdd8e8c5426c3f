// SPDX-License-Identifier: Apache-2.0
// Atomics, and ordered loads and stores, on their way to the memory partition.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/exec/access.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::arch {

struct AtomicRecord {
  ptx::DeferredAtomic data;
  ptx::Warp* by = nullptr;  // whose registers get the result
  uint16_t warp = 0, remaining = 0, tail = 0;
  uint8_t scoreboard = ptx::kNoScoreboard, grid = 0;
  bool store = false;  // without a result
  bool load = false;   // its lines count with the SM's requests
};

// Records stay where they are: messages point to them.
class AtomicRecords {
 public:
  uint32_t take() {
    if (free_.empty()) {
      records_.push_back(std::make_unique<AtomicRecord>());
      return static_cast<uint32_t>(records_.size() - 1);
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  AtomicRecord& at(uint32_t record) { return *records_[record]; }
  void give_back(uint32_t record) { free_.push_back(record); }

 private:
  std::vector<std::unique_ptr<AtomicRecord>> records_;
  std::vector<uint32_t> free_;
};

}  // namespace gpuloom::arch
