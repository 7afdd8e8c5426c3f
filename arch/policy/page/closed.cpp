// SPDX-License-Identifier: Apache-2.0
// Each access closes its row again: column commands with automatic precharge.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Closed final : public PagePolicy {
 public:
  Closed(Parameters&, const DramHost&) {}
  Cycle open_until(const RowAccess& access) override { return access.cycle; }
};

}  // namespace

GPULOOM_POLICY(page, closed, Closed)
