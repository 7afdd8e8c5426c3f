// SPDX-License-Identifier: Apache-2.0
// Accesses of one SM that take effect at the memory partition and have not been answered yet. What the
// program orders behind them (PTX ISA 8.9.5, causality order) must not overtake them at the same bytes: a
// weak access waits (Wait::kMemory), and so does a bulk copy to global memory. Ordered is what the same warp
// does, and what others of its block do after a fence of that warp, or after a barrier or an mbarrier's phase
// has ended since. Whoever comes without such an order may come first, as on hardware.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/exec/access.h"

namespace gpuloom::ptx {

struct Cta;
struct Warp;

class LateAccesses {
 public:
  void add(const DeferredAtomic& access, const Warp& by);
  void fenced(const Warp& by);  // what the warp has under way is ordered before what others do from now on
  void remove(const DeferredAtomic& access);
  void clear() { *this = {}; }
  bool empty() const { return records_.empty(); }
  // Whether bytes that the warp is to access are touched by one that is ordered before.
  bool touch(const Warp& by, uint64_t address, uint64_t bytes) const;
  // The same for some lanes of the access that it has located.
  bool touch(const Warp& by, const MemoryAccess& access, uint32_t lanes) const;
  // Somebody waits until one less is under way. Returns what was said so far.
  void wait() { awaited_ = true; }
  bool take_awaited() {
    const bool was = awaited_;
    awaited_ = false;
    return was;
  }

 private:
  // Bytes from the lowest to the highest, and a bit for each piece of 32 bytes, modulo 64: most accesses are
  // told apart by these.
  struct Extent {
    uint64_t low = UINT64_MAX, high = 0, pieces = 0;
    void include(uint64_t address, uint64_t bytes);
    bool meets(const Extent& other) const {
      return low < other.high && other.low < high && (pieces & other.pieces) != 0;
    }
  };
  struct Record {
    const DeferredAtomic* access;
    Extent extent;
    const Warp* warp;
    const Cta* block;
    uint64_t phases;  // of the block's barriers when it was added
    bool fenced;
  };
  static bool ordered(const Record& record, const Warp& by);
  static Extent extent_of(const uint64_t* address, uint32_t lanes, uint64_t bytes);

  std::vector<Record> records_;
  uint64_t low_ = UINT64_MAX, high_ = 0;  // around all since the list was empty
  bool awaited_ = false;
};

}  // namespace gpuloom::ptx
