// SPDX-License-Identifier: Apache-2.0
// Slots of a sub-core by age, for schedulers that ask for it.
#pragma once
#include <cstdint>

namespace gpuloom::policy {

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

}  // namespace gpuloom::policy
