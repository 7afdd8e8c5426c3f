// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what one thread knows of the others' past. Component c counts the releases of thread c (and
// the phases of an mbarrier, for components beyond the threads). Clocks are shared: after a barrier all
// threads hold the same one, each with its own component beside it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpuloom::ptx {

using Clock = std::vector<uint32_t>;
using ClockRef = std::shared_ptr<const Clock>;

inline uint32_t component(const ClockRef& clock, uint32_t index) {
  return clock != nullptr && index < clock->size() ? (*clock)[index] : 0;
}

// The maximum of clocks. Equal references that come one after another cost nothing.
class ClockJoin {
 public:
  bool empty() const { return sum_.empty() && only_ == nullptr; }
  void add(const ClockRef& clock) {
    if (clock == nullptr || clock == last_ || clock == only_) return;
    last_ = clock;
    if (empty()) {
      only_ = clock;
      return;
    }
    spread();
    merge(*clock);
  }
  void raise(uint32_t index, uint32_t value) {
    spread();
    if (index >= sum_.size()) sum_.resize(index + 1, 0);
    sum_[index] = std::max(sum_[index], value);
  }
  // The sum so far; the join goes on from it.
  ClockRef sum() {
    if (only_ == nullptr) only_ = std::make_shared<const Clock>(std::move(sum_));
    sum_.clear();
    return only_;
  }
  void clear() {
    sum_.clear();
    only_ = last_ = nullptr;
  }

 private:
  void spread() {
    if (only_ == nullptr) return;
    sum_ = *only_;
    only_ = nullptr;
  }
  void merge(const Clock& clock) {
    if (clock.size() > sum_.size()) sum_.resize(clock.size(), 0);
    for (size_t i = 0; i < clock.size(); ++i) sum_[i] = std::max(sum_[i], clock[i]);
  }
  Clock sum_;
  ClockRef only_, last_;
};

struct ThreadClock {
  ClockRef base;
  uint32_t self = 1;  // of the thread's own component
};

}  // namespace gpuloom::ptx
