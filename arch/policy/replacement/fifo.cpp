// SPDX-License-Identifier: Apache-2.0
// First in, first out: the line that came first goes, whether it is used or not.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class FirstInFirstOut final : public Replacement {
 public:
  FirstInFirstOut(Parameters&, const CacheHost&) {}
  Place hit(uint32_t&, const CacheAccess&) override { return Place::kStays; }
  Place inserted(uint32_t&, const CacheAccess&) override { return Place::kNewest; }
  uint32_t victim(Lines& lines, const CacheAccess&) override {
    Lines::Line first;
    return lines.next(first) ? first.index : kNone;
  }
};

}  // namespace

GPULOOM_POLICY(replacement, fifo, FirstInFirstOut)
