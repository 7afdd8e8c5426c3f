// SPDX-License-Identifier: Apache-2.0
// What travels beyond an SM: one line's worth of traffic. No SystemC here.
#pragma once
#include <cstdint>

namespace gpuloom::sim {

// What a request asks for.
enum class RequestOp : uint8_t { kRead, kWrite, kAtomic, kReduce, kPrefetch, kFlush };

// Who asks: the SMs' L1, the caches for instructions and constants, the other L2 partition, copy engines.
enum class MemoryUnit : uint8_t { kL1, kInstruction, kFabric, kCopy };

// Hints that policies may use; the meaning follows PTX ISA 9.7.9.2 (eviction priority).
enum class EvictHint : uint8_t { kNormal, kFirst, kLast, kUnchanged, kNoAllocate };

struct MemoryRequest {
  uint64_t line = 0;    // address of a 128-byte line
  uint64_t time = 0;    // core cycle of arrival at whom it is handed to; afterwards: of completion there
  uint32_t id = 0;      // the sender's
  uint16_t source = 0;  // SM
  RequestOp op = RequestOp::kRead;
  uint8_t sectors = 0;  // mask of 32-byte sectors
  uint16_t bytes = 0;   // that a write or atomic carries
  uint8_t atomics = 0;  // turns that an atomic unit needs for this line's lanes
  uint8_t sums = 0;     // of floating-point numbers, on the word of the line that has most; 0: none are
  MemoryUnit unit = MemoryUnit::kL1;
  uint16_t prefetch = 0;  // bytes that a miss of a read should fetch together: 0, 64, 128, 256
  EvictHint evict = EvictHint::kNormal;
  uint8_t whole = 0;              // mask of sectors that a write covers whole, where not all
  bool home : 1 = true;           // handed to the partition that the address belongs to
  bool full_sectors : 1 = false;  // a write covers each of its sectors whole
  // Answers.
  uint64_t taken = 0;       // core cycle in which the slice that it was handed to took it
  bool hit : 1 = false;     // all sectors were found where it was handed to
  uint8_t hit_sectors = 0;  // mask
  // For policies: who asks.
  uint16_t warp = UINT16_MAX;  // in the SM
  uint32_t pc = UINT32_MAX;    // of its PTX instruction in the program
};

}  // namespace gpuloom::sim
