// SPDX-License-Identifier: Apache-2.0
// Behind a read that misses, the next `degree` lines (Smith, Computing Surveys 1982: prefetch on miss).
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

constexpr uint64_t kLine = 128;

class NextLines final : public Prefetcher {
 public:
  NextLines(Parameters& parameters, const SliceHost&)
      : degree_(static_cast<uint32_t>(parameters.count("degree", 1, kMost))) {}
  uint32_t fetch(const CacheAccess& access, bool hit, uint64_t* lines) override {
    if (hit || access.kind != AccessKind::kRead) return 0;
    for (uint32_t i = 0; i < degree_; ++i) lines[i] = access.line + (i + 1) * kLine;
    return degree_;
  }

 private:
  const uint32_t degree_;
};

}  // namespace

GPULOOM_POLICY(l2_prefetch, next_lines, NextLines)
