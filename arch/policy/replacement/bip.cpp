// SPDX-License-Identifier: Apache-2.0
// Bimodal insertion (Qureshi et al., ISCA 2007): least recently used, but a line comes as the next to go, and
// only one in `one_in` as the newest. A working set larger than the cache then keeps a part of itself there.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class BimodalInsertion final : public Replacement {
 public:
  BimodalInsertion(Parameters& parameters, const CacheHost&)
      : one_in_(parameters.count("one_in", 1, 65536)) {}
  Place hit(uint32_t&, const CacheAccess&) override { return Place::kNewest; }
  Place inserted(uint32_t&, const CacheAccess&) override {
    return ++comes_ % one_in_ == 0 ? Place::kNewest : Place::kOldest;
  }
  uint32_t victim(Lines& lines, const CacheAccess&) override {
    Lines::Line oldest;
    return lines.next(oldest) ? oldest.index : kNone;
  }

 private:
  const uint64_t one_in_;
  uint64_t comes_ = 0;
};

}  // namespace

GPULOOM_POLICY(replacement, bip, BimodalInsertion)
