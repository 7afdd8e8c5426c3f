// SPDX-License-Identifier: Apache-2.0
// Plain words for what would make an access better. Found by trying: a padding or a swizzle is only proposed
// where it removes conflicts from the sampled requests of every instruction that touches the same memory.
#pragma once
#include <string>
#include <vector>

#include "arch/sm/bank_rule.h"

namespace gpuloom::sim {

struct SiteRecord;
struct AccessSample;

class AccessHints {
 public:
  AccessHints(const arch::BankGeometry& geometry, const std::vector<const SiteRecord*>& records);
  std::vector<std::string> of(const SiteRecord& record) const;
  // Distinct words that the worst request asks of each bank; empty where nothing conflicts.
  std::vector<uint32_t> banks_of(const SiteRecord& record) const;

 private:
  void shared_hints(const SiteRecord& record, std::vector<std::string>& hints) const;
  void global_hints(const SiteRecord& record, std::vector<std::string>& hints) const;
  // Instructions whose samples meet those of `record` in shared memory, itself included.
  std::vector<const SiteRecord*> neighbours(const SiteRecord& record) const;
  template <class Move>
  unsigned conflicts_after(const std::vector<const SiteRecord*>& sites, Move move) const;
  unsigned conflicts(const SiteRecord& site, const uint64_t* address, uint32_t lanes) const;

  arch::BankGeometry geometry_;
  std::vector<const SiteRecord*> records_;
};

// The distance between neighbouring lanes that most pairs of a request have; 0 where no distance has half of
// them.
struct LaneStride {
  int64_t bytes = 0;
  bool regular = false;
};
LaneStride lane_stride(const AccessSample& sample);

}  // namespace gpuloom::sim
