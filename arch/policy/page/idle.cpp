// SPDX-License-Identifier: Apache-2.0
// A row that nothing has been asked of for `nanoseconds` is closed, so that a later access to another row of
// the bank does not wait for that.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Idle final : public PagePolicy {
 public:
  Idle(Parameters& parameters, const DramHost& host)
      : wait_(static_cast<Cycle>(parameters.number("nanoseconds", 0, 1e6) * host.cycles_per_ns)) {}
  Cycle open_until(const RowAccess& access) override { return access.cycle + wait_; }

 private:
  const Cycle wait_;
};

}  // namespace

GPULOOM_POLICY(page, idle, Idle)
