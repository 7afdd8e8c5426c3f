// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/bank_rule.h"

#include <algorithm>
#include <bit>

#include "ptx/exec/memory_view.h"

namespace gpuloom::arch {
namespace {

constexpr unsigned kMaxBanks = 128;
constexpr unsigned kMaxWords = 32 * 8;  // a phase: 16 lanes of up to 64 bytes in 4-byte banks

// Collects the words of one phase.
class Phase {
 public:
  explicit Phase(const BankGeometry& g)
      : shift_(static_cast<unsigned>(std::countr_zero(g.bank_bytes))), mask_(g.banks - 1) {
    std::fill_n(head_, g.banks, int16_t{-1});
    std::fill_n(depth_, g.banks, uint8_t{0});
  }
  void touch(uint64_t address, unsigned bytes) {
    for (uint64_t word = address >> shift_, last = (address + bytes - 1) >> shift_; word <= last; ++word) {
      const uint32_t bank = static_cast<uint32_t>(word) & mask_;
      bool known = false;
      for (int16_t i = head_[bank]; i >= 0 && !known; i = next_[i]) known = words_[i] == word;
      if (known) continue;
      words_[count_] = word;
      next_[count_] = head_[bank];
      head_[bank] = static_cast<int16_t>(count_++);
      passes_ = std::max<unsigned>(passes_, ++depth_[bank]);
    }
  }
  // One more access of this word, whether it is known or not.
  void serialize(uint64_t address) {
    const uint32_t bank = static_cast<uint32_t>(address >> shift_) & mask_;
    passes_ = std::max<unsigned>(passes_, ++depth_[bank]);
  }
  unsigned passes() const { return passes_; }
  // With the same words spread over all banks.
  unsigned ideal() const { return std::max(1u, (count_ + mask_) >> std::popcount(mask_)); }

 private:
  unsigned shift_;
  uint32_t mask_;
  unsigned count_ = 0, passes_ = 0;
  int16_t head_[kMaxBanks], next_[kMaxWords];
  uint8_t depth_[kMaxBanks];
  uint64_t words_[kMaxWords];
};

unsigned lanes_of_phase(unsigned lane_bytes) { return lane_bytes <= 4 ? 32 : 16; }

BankPasses count(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes, unsigned lane_bytes,
                 unsigned width) {
  BankPasses result;
  for (unsigned first = 0; first < 32; first += width) {
    uint32_t group = lanes & static_cast<uint32_t>(((uint64_t{1} << width) - 1) << first);
    if (group == 0) continue;
    Phase phase(geometry);
    for (; group; group &= group - 1) phase.touch(address[std::countr_zero(group)], lane_bytes);
    result.phases = static_cast<uint16_t>(result.phases + phase.ideal());
    result.passes = static_cast<uint16_t>(result.passes + phase.passes());
    result.most = std::max(result.most, static_cast<uint16_t>(phase.passes()));
  }
  return result;
}

// All lanes, one beside the other: what most accesses are.
bool is_contiguous(const uint64_t* address, unsigned lane_bytes) {
  uint64_t different = address[0] & (lane_bytes - 1);
  for (unsigned l = 0; l < 32; ++l) different |= address[l] ^ (address[0] + uint64_t{l} * lane_bytes);
  return different == 0;
}

}  // namespace

BankPasses bank_passes(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes,
                       unsigned lane_bytes) {
  if (geometry.banks == 32 && geometry.bank_bytes == 4 && lanes == ~0u && lane_bytes >= 4 &&
      lane_bytes <= 16 && is_contiguous(address, lane_bytes)) {
    const uint16_t phases = static_cast<uint16_t>(lane_bytes / 4);
    return {phases, phases, static_cast<uint16_t>(std::max(1, phases / 2))};
  }
  return count(geometry, address, lanes, lane_bytes, lanes_of_phase(lane_bytes));
}

BankPasses store_passes(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes,
                        unsigned lane_bytes) {
  constexpr unsigned kQuarter = 8;
  if (lane_bytes < 16) return bank_passes(geometry, address, lanes, lane_bytes);
  return count(geometry, address, lanes, lane_bytes, kQuarter);
}

BankPasses atomic_passes(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes,
                         unsigned lane_bytes) {
  BankPasses result;
  const unsigned width = lanes_of_phase(lane_bytes);
  for (unsigned first = 0; first < 32; first += width) {
    uint32_t group = lanes & static_cast<uint32_t>(((uint64_t{1} << width) - 1) << first);
    if (group == 0) continue;
    Phase phase(geometry);
    for (; group; group &= group - 1) phase.serialize(address[std::countr_zero(group)]);
    ++result.phases;
    result.passes = static_cast<uint16_t>(result.passes + phase.passes());
    result.most = std::max(result.most, static_cast<uint16_t>(phase.passes()));
  }
  return result;
}

BankPasses matrix_passes(const BankGeometry& geometry, const uint64_t* address, unsigned rows) {
  BankPasses result;
  for (unsigned first = 0; first < rows; first += 8) {
    Phase phase(geometry);
    for (unsigned r = first; r < first + 8; ++r) phase.touch(address[r], 16);
    ++result.phases;
    result.passes = static_cast<uint16_t>(result.passes + phase.passes());
    result.most = std::max(result.most, static_cast<uint16_t>(phase.passes()));
  }
  return result;
}

uint32_t lanes_here(const ptx::MemoryAccess& a, uint32_t own_rank) {
  uint32_t here = a.lanes;
  if (a.space != ptx::Space::kSharedCluster) return here;
  for (uint32_t l = a.lanes; l; l &= l - 1) {
    const uint64_t rank = a.address[std::countr_zero(l)] >> ptx::kSharedRankShift;
    if (rank != 0 && rank - 1 != own_rank) here &= ~(l & (0u - l));
  }
  return here;
}

BankPasses shared_passes(const BankGeometry& geometry, const ptx::MemoryAccess& a, uint32_t here,
                         unsigned lane_bytes, SharedAtomic atomic) {
  using ptx::AccessOp;
  if (a.op == AccessOp::kMatrixLoad || a.op == AccessOp::kMatrixStore)
    return matrix_passes(geometry, a.address, a.rows);
  const bool atomically = a.op == AccessOp::kAtomic || a.op == AccessOp::kReduce;
  if (a.op == AccessOp::kStore) return store_passes(geometry, a.address, here, lane_bytes);
  if (!atomically) return bank_passes(geometry, a.address, here, lane_bytes);
  // Through the cluster's window lanes of one word come one after another, and it takes a pass even if none
  // stays here (H200: probes/passes, remote; probes/clusters, counters).
  if (a.space == ptx::Space::kSharedCluster || atomic == SharedAtomic::kWindow) {
    const BankPasses passes = atomic_passes(geometry, a.address, here, lane_bytes);
    return passes.passes == 0 ? BankPasses{1, 1, 0} : passes;
  }
  return atomic == SharedAtomic::kIncrement || atomic == SharedAtomic::kNone
             ? bank_passes(geometry, a.address, here, lane_bytes)
             : atomic_passes(geometry, a.address, here, lane_bytes);
}

}  // namespace gpuloom::arch
