// SPDX-License-Identifier: Apache-2.0
// A block to each of the SMs with the fewest, wave by wave; where too few blocks are left for all of them, to
// those that lie furthest apart.
//
// TPCs that are a group of their own come first, then group by group (H200: probes/blocks, places). A wave
// that does not fill all SMs takes of each group the first SMs of its TPCs, before it takes second ones.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Spread final : public BlockOrder {
 public:
  Spread(Parameters&, const BlockHost& host) : order_(host.count), apart_(host.count), chosen_(host.count) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](uint32_t a, uint32_t b) { return host.sms[a].lone_tpc > host.sms[b].lone_tpc; });
    apart_ = order_;
    const auto key = [&](uint32_t sm) {
      const SmPlace& p = host.sms[sm];
      return std::tuple(!p.lone_tpc, p.in_tpc, p.tpc);
    };
    std::stable_sort(apart_.begin(), apart_.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  uint32_t wave(const SmPlace* sms, uint32_t count, uint32_t per_sm, uint64_t left,
                uint32_t* chosen) override {
    uint32_t fewest = per_sm;
    for (uint32_t i = 0; i < count; ++i) fewest = std::min(fewest, sms[i].blocks);
    if (fewest == per_sm) return 0;
    uint32_t size = 0;
    for (const uint32_t sm : order_)
      if (sms[sm].blocks == fewest) chosen[size++] = sm;
    if (left >= size) return size;
    std::fill(chosen_.begin(), chosen_.end(), false);
    uint64_t some = 0;
    for (const uint32_t sm : apart_)
      if (some < left && sms[sm].blocks == fewest) chosen_[sm] = true, ++some;
    return static_cast<uint32_t>(
        std::remove_if(chosen, chosen + size, [&](uint32_t sm) { return !chosen_[sm]; }) - chosen);
  }

 private:
  std::vector<uint32_t> order_, apart_;  // in which SMs get their blocks, and are chosen if not all do
  std::vector<bool> chosen_;
};

}  // namespace

GPULOOM_POLICY(block_order, spread, Spread)
