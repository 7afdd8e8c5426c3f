// SPDX-License-Identifier: Apache-2.0
// Which of the warps that can issue does. A policy is one file, arch/policy/scheduler/<name>.cpp, that
// defines make_scheduler_<name>(); <name> then is its word in the configuration (sm.scheduler). The list of
// them is made by the build (cmake/Policies.cmake).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::arch {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // A warp of a block (its number in the grid) was put into, or left, a slot of the sub-core. Later launches
  // are younger.
  virtual void launched(unsigned slot, uint64_t block) = 0;
  virtual void retired(unsigned slot) = 0;
  // The operation that the slot has issued asks for other warps to go first.
  virtual void yielded(unsigned) {}
  // Picks a slot of `candidates` (not 0, a bit a slot). It issues in this cycle, which is later than that of
  // the last call.
  virtual unsigned pick(uint32_t candidates, uint64_t now) = 0;
};

// Names of all policies, sorted.
const std::vector<std::string>& scheduler_policies();
// `name` is one of them; Error (kInternal) otherwise, since reading a configuration has checked it.
std::unique_ptr<Scheduler> make_scheduler(std::string_view name);

// Slots by age, for policies that ask for it.
class AgeOrder {
 public:
  void launched(unsigned slot) { order_[count_++] = static_cast<uint8_t>(slot); }
  void retired(unsigned slot) {
    unsigned to = 0;
    for (unsigned i = 0; i < count_; ++i)
      if (order_[i] != slot) order_[to++] = order_[i];
    count_ = to;
  }
  unsigned youngest(uint32_t candidates) const {
    unsigned i = count_ - 1;
    while (i > 0 && !(candidates >> order_[i] & 1)) --i;
    return order_[i];
  }
  unsigned oldest(uint32_t candidates) const {
    unsigned i = 0;
    while (i + 1 < count_ && !(candidates >> order_[i] & 1)) ++i;
    return order_[i];
  }

 private:
  uint8_t order_[32] = {};
  unsigned count_ = 0;
};

}  // namespace gpuloom::arch
