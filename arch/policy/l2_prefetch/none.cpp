// SPDX-License-Identifier: Apache-2.0
// Nothing that nobody has asked for.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class None final : public Prefetcher {
 public:
  None(Parameters&, const SliceHost&) {}
  uint32_t fetch(const CacheAccess&, bool, uint64_t*) override { return 0; }
};

}  // namespace

GPULOOM_POLICY(l2_prefetch, none, None)
