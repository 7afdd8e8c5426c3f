// SPDX-License-Identifier: Apache-2.0
// Least recently used: the line that nobody has asked for the longest goes.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class LeastRecentlyUsed final : public Replacement {
 public:
  LeastRecentlyUsed(Parameters&, const CacheHost&) {}
  Place hit(uint32_t&, const CacheAccess&) override { return Place::kNewest; }
  Place inserted(uint32_t&, const CacheAccess&) override { return Place::kNewest; }
  uint32_t victim(Lines& lines, const CacheAccess&) override {
    Lines::Line oldest;
    return lines.next(oldest) ? oldest.index : kNone;
  }
};

}  // namespace

GPULOOM_POLICY(replacement, lru, LeastRecentlyUsed)
