// SPDX-License-Identifier: Apache-2.0
// Fills an SM before it goes on to the next one: neighbouring blocks share an L1, and a grid that does not
// fill the GPU leaves whole SMs alone.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Fill final : public BlockOrder {
 public:
  Fill(Parameters&, const BlockHost&) {}
  uint32_t wave(const SmPlace* sms, uint32_t count, uint32_t per_sm, uint64_t, uint32_t* chosen) override {
    for (uint32_t i = 0; i < count; ++i)
      if (sms[i].blocks < per_sm) {
        chosen[0] = sms[i].sm;
        return 1;
      }
    return 0;
  }
};

}  // namespace

GPULOOM_POLICY(block_order, fill, Fill)
