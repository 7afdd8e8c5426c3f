// SPDX-License-Identifier: Apache-2.0
// Rows stay open until another row of their bank is asked for.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Open final : public PagePolicy {
 public:
  Open(Parameters&, const DramHost&) {}
  Cycle open_until(const RowAccess&) override { return kNever; }
};

}  // namespace

GPULOOM_POLICY(page, open, Open)
