// SPDX-License-Identifier: Apache-2.0
// Cache-conscious wavefront scheduling (Rogers, O'Connor and Aamodt, MICRO 2012): warps that lose lines to
// others which they would have used again are given a score, and while scores are high, the warps with the
// least of them may not load.
//
//   g++ -std=c++20 -O2 -shared -fPIC -I. arch/policy/template/ccws.cpp -o ccws.so
#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arch/policy/age_order.h"
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Ccws final : public Scheduler {
 public:
  Ccws(Parameters& parameters, const SchedulerHost& host)
      : entries_(parameters.count("victim_tags", 1, 1024)),
        base_(parameters.number("base_score", 1, 1e6)),
        throttle_(parameters.number("k_throttle", 0, 1e6)),
        view_(host.view) {}

  void launched(unsigned slot, uint64_t) override {
    age_.launched(slot);
    warps_[slot] = Warp{};
    warps_[slot].resident = true;
    ++resident_;
  }
  void retired(unsigned slot) override {
    age_.retired(slot);
    warps_[slot].resident = false;
    --resident_;
  }

  // Greedy, then oldest, among those that may issue.
  unsigned pick(uint32_t candidates, Cycle now) override {
    const uint32_t may = candidates & ~held_back(candidates, now);
    if (may == 0) return kNone;
    if (!(may >> last_ & 1)) last_ = age_.oldest(may);
    return last_;
  }

  uint32_t events() const override { return kIssues | kL1Accesses | kL1Evictions; }
  void issued(const Issue&) override { ++issued_; }
  void accessed(const L1Access& a) override {
    if (a.store || (a.hit | a.pending) != 0) return;
    Warp& warp = warps_[a.slot];
    const auto victim = std::find(warp.victims.begin(), warp.victims.end(), a.line);
    if (victim != warp.victims.end()) {
      warp.victims.erase(victim);
      lost(warp, a.cycle);
    }
    owner_[a.line] = static_cast<uint8_t>(a.slot);
  }
  // The line's tag goes to the warp that brought it, if that is one of this sub-core's.
  void evicted(uint64_t line, Cycle) override {
    const auto owner = owner_.find(line);
    if (owner == owner_.end()) return;
    std::vector<uint64_t>& victims = warps_[owner->second].victims;
    if (victims.size() == entries_) victims.erase(victims.begin());
    victims.push_back(line);
    owner_.erase(owner);
  }

 private:
  struct Warp {
    bool resident = false;
    double score = 0;  // above the base, at `since`
    Cycle since = 0;
    std::vector<uint64_t> victims;  // tags that it has lost, the oldest first
  };

  // What is left of a score: it falls by one a cycle.
  double score(const Warp& warp, Cycle now) const {
    return base_ + std::max(0.0, warp.score - static_cast<double>(now - warp.since));
  }

  // Section 3.3.2: the score that a lost line gives grows with the share of instructions that lose one.
  void lost(Warp& warp, Cycle now) {
    ++lost_;
    const double cutoff = base_ * resident_;
    warp.score =
        static_cast<double>(lost_) * throttle_ * cutoff / static_cast<double>(std::max<uint64_t>(issued_, 1));
    warp.since = now;
    quiet_ = std::max(quiet_, now + static_cast<Cycle>(warp.score) + 1);
  }

  // Warps whose next instruction loads and that are not among those whose scores, the highest first, fit the
  // cutoff.
  uint32_t held_back(uint32_t candidates, Cycle now) const {
    if (now >= quiet_) return 0;  // all have the base score
    std::array<uint8_t, 32> order{};
    unsigned count = 0;
    for (unsigned slot = 0; slot < warps_.size(); ++slot)
      if (warps_[slot].resident) order[count++] = static_cast<uint8_t>(slot);
    std::stable_sort(order.begin(), order.begin() + count,
                     [&](uint8_t a, uint8_t b) { return score(warps_[a], now) > score(warps_[b], now); });
    double sum = 0;
    uint32_t held = 0;
    for (unsigned i = 0; i < count; ++i) {
      sum += score(warps_[order[i]], now);
      const bool candidate = candidates >> order[i] & 1;
      if (sum > base_ * resident_ && candidate && view_->instruction(order[i]).use == Use::kGlobalLoad)
        held |= 1u << order[i];
    }
    return held;
  }

  const uint64_t entries_;
  const double base_, throttle_;
  const SubCoreView* view_;
  std::array<Warp, 32> warps_;
  std::unordered_map<uint64_t, uint8_t>
      owner_;  // of the lines that are in the L1: the slot that asked for them
  AgeOrder age_;
  unsigned last_ = 0, resident_ = 0;
  uint64_t issued_ = 0, lost_ = 0;
  Cycle quiet_ = 0;  // from then on all scores are the base
};

}  // namespace

GPULOOM_POLICY(scheduler, ccws, Ccws)
