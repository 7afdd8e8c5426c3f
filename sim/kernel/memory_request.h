// SPDX-License-Identifier: Apache-2.0
// What travels beyond an SM: one line's worth of traffic. No SystemC here.
#pragma once
#include <cstdint>

namespace gpuloom::sim {

enum class MemoryOp : uint8_t { kRead, kWrite, kAtomic, kReduce, kPrefetch, kFlush };

// Hints that policies may use; the meaning follows PTX ISA 9.7.9.2 (eviction priority).
enum class EvictHint : uint8_t { kNormal, kFirst, kLast, kUnchanged, kNoAllocate };

struct MemoryRequest {
  uint64_t line = 0;    // address of a 128-byte line
  uint64_t time = 0;    // core cycle of arrival at whom it is handed to; afterwards: of completion there
  uint32_t id = 0;      // the sender's
  uint16_t source = 0;  // SM
  MemoryOp op = MemoryOp::kRead;
  uint8_t sectors = 0;  // mask of 32-byte sectors
  uint16_t bytes = 0;   // that a write or atomic carries
  uint8_t atomics = 0;  // lanes of an atomic that hit this line
  EvictHint evict = EvictHint::kNormal;
  bool full_sectors = false;  // a write covers each of its sectors whole
  // Answers.
  bool hit = false;         // all sectors were found where it was handed to
  uint8_t hit_sectors = 0;  // mask
};

}  // namespace gpuloom::sim
