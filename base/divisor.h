// SPDX-License-Identifier: Apache-2.0
// Division by a number that stays the same: a multiplication instead. For hot loops over values that a
// configuration gives, where a compiler cannot know them.
#pragma once
#include <cstdint>

namespace gpuloom {

class Divisor {
 public:
  // `by` is not zero.
  explicit Divisor(uint64_t by)
      : by_(by), inverse_(UINT64_MAX / by + 1), exact_below_(by == 1 ? 0 : UINT64_MAX / by) {}

  // With inverse = (2^64 + e) / by and e < by, n * inverse / 2^64 is off by less than 1 / by where
  // n * e < 2^64.
  uint64_t quotient(uint64_t n) const {
    if (n >= exact_below_) return n / by_;
    return static_cast<uint64_t>(static_cast<Wide>(n) * inverse_ >> 64);
  }
  uint64_t remainder(uint64_t n) const { return n - quotient(n) * by_; }
  uint64_t value() const { return by_; }

 private:
  __extension__ using Wide = unsigned __int128;
  uint64_t by_, inverse_, exact_below_;
};

inline uint64_t operator/(uint64_t n, const Divisor& d) { return d.quotient(n); }
inline uint64_t operator%(uint64_t n, const Divisor& d) { return d.remainder(n); }

}  // namespace gpuloom
