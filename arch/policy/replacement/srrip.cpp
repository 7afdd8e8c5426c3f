// SPDX-License-Identifier: Apache-2.0
// Static re-reference interval prediction (Jaleel et al., ISCA 2010): a line comes with a long predicted
// distance to its next use, a hit makes it near, and the one that is predicted furthest goes. So what is used
// once leaves before what has been used again, and a scan does not empty the cache.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Srrip final : public Replacement {
 public:
  Srrip(Parameters& parameters, const CacheHost&) : furthest_((1u << parameters.count("bits", 1, 8)) - 1) {}
  Place hit(uint32_t& state, const CacheAccess&) override {
    state = 0;
    return Place::kNewest;
  }
  Place inserted(uint32_t& state, const CacheAccess&) override {
    state = furthest_ - 1;
    return Place::kNewest;
  }
  // The furthest; of equals the oldest. All that could have gone instead come as much nearer to going as it
  // was short of.
  uint32_t victim(Lines& lines, const CacheAccess&) override {
    count_ = 0;
    uint32_t most = 0, index = kNone;
    for (Lines::Line line; lines.next(line);) {
      if (count_ < kMost) states_[count_++] = line.state;
      if (index == kNone || *line.state > most) most = *line.state, index = line.index;
    }
    for (uint32_t i = 0; i < count_; ++i) *states_[i] += furthest_ - most;
    return index;
  }

 private:
  static constexpr uint32_t kMost = 4096;  // lines of a set: more than any has
  const uint32_t furthest_;
  uint32_t count_ = 0;
  uint32_t* states_[kMost] = {};
};

}  // namespace

GPULOOM_POLICY(replacement, srrip, Srrip)
