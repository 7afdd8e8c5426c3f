// SPDX-License-Identifier: Apache-2.0
// mbarrier objects (PTX ISA 9.7.13.16): a 64-bit word in shared memory. The layout is ours; the manual calls
// it opaque:
//   bits 0-19   pending arrivals of the current phase
//   bits 20-39  expected arrivals of the next phase
//   bits 40-61  transaction count of the current phase, two's complement
//   bit 62      parity of the current phase
//   bit 63      initialised
// A phase completes when both counts are zero. The state that arrive returns is the word before the arrival.
#pragma once
#include <cstdint>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

class MbarrierWord {
 public:
  explicit MbarrierWord(uint64_t word = 0) : word_(word) {}
  static MbarrierWord initial(uint32_t count) {
    return MbarrierWord(1ull << 63 | uint64_t(count) << 20 | count);
  }
  uint64_t word() const { return word_; }
  bool initialised() const { return word_ >> 63; }
  unsigned parity() const { return word_ >> 62 & 1; }
  uint32_t pending() const { return static_cast<uint32_t>(word_ & kCount); }
  uint32_t expected() const { return static_cast<uint32_t>(word_ >> 20 & kCount); }
  int32_t transactions() const { return static_cast<int32_t>(static_cast<int64_t>(word_ << 2) >> 42); }

  void set_pending(uint32_t n) { word_ = (word_ & ~kCount) | n; }
  void set_expected(uint32_t n) { word_ = (word_ & ~(kCount << 20)) | uint64_t(n) << 20; }
  void set_transactions(int32_t n) {
    word_ = (word_ & ~(0x3f'ffffull << 40)) | (static_cast<uint64_t>(n) & 0x3f'ffff) << 40;
  }
  // Begins the next phase where this one is complete.
  bool advance() {
    if (pending() != 0 || transactions() != 0) return false;
    word_ ^= 1ull << 62;
    set_pending(expected());
    return true;
  }

  static constexpr uint64_t kCount = (1ull << 20) - 1;  // also the largest count

 private:
  uint64_t word_;
};

// Where an mbarrier is: the block that owns it and its word.
struct MbarrierPlace {
  Cta* cta = nullptr;
  uint8_t* at = nullptr;
  uint64_t address = 0;  // for messages
};

// The mbarrier at a shared address (with or without rank). `initialised`: it must be one already. Throws
// Fault.
MbarrierPlace mbarrier_at(Warp& w, const Instr& in, unsigned lane, uint64_t shared_address, bool initialised);

// Each carries out one operation and begins the next phase where it completes this one. Throw Fault where a
// count leaves its range.
void mbarrier_arrive(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, uint32_t count,
                     bool drop);
void mbarrier_expect_tx(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, uint32_t bytes);
void mbarrier_complete_tx(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m, uint32_t bytes);
// Adds to the arrivals that the current phase waits for (cp.async.mbarrier.arrive without .noinc).
void mbarrier_add_pending(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m);

}  // namespace gpuloom::ptx
