// SPDX-License-Identifier: Apache-2.0
// Of the `window` lines that nobody has asked for the longest, the oldest that memory has as well goes. A
// line that holds what memory has not got is passed over, but only so many times (`passes`) since it was last
// written. Where all of them are, the oldest goes. So what has been read makes room for a while before what
// has been written. L2 alone has such lines.
//
// Source: H200, probes/sides, kept.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class CleanFirst final : public Replacement {
 public:
  CleanFirst(Parameters& parameters, const CacheHost&)
      : window_(parameters.count("window", 1, kMost)), passes_(parameters.count("passes", 0, 65536)) {}
  Place hit(uint32_t& state, const CacheAccess& access) override {
    if (access.kind == AccessKind::kWrite || access.kind == AccessKind::kAtomic) state = 0;
    return Place::kNewest;
  }
  Place inserted(uint32_t&, const CacheAccess&) override { return Place::kNewest; }
  uint32_t victim(Lines& lines, const CacheAccess&) override {
    uint32_t oldest = kNone, passed = 0;
    for (Lines::Line line; passed < window_ && lines.next(line); passed_[passed++] = line.state) {
      if (oldest == kNone) oldest = line.index;
      if (line.dirty && *line.state < passes_) continue;
      oldest = line.index;
      break;
    }
    for (uint32_t i = 0; i < passed; ++i) ++*passed_[i];
    return oldest;
  }

 private:
  static constexpr uint32_t kMost = 64;
  const uint64_t window_, passes_;  // `passed_` counts of them in the line's word
  uint32_t* passed_[kMost] = {};
};

}  // namespace

GPULOOM_POLICY(replacement, clean_first, CleanFirst)
