// SPDX-License-Identifier: Apache-2.0
// Random choices that are the same on every machine for a seed (std's distributions are not).
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace gpuloom::fuzz {

class Random {
 public:
  // The seed is mixed first: next() steps by the same constant, and seeds beside each other would give one
  // sequence, shifted.
  explicit Random(uint64_t seed) : state_(seed) { state_ = next() ^ 0x1234567ull; }

  uint64_t next() {  // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint64_t n) { return static_cast<uint32_t>(next() % n); }
  int range(int first, int last) {
    return first + static_cast<int>(below(static_cast<uint64_t>(last - first + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& of) {
    return of[below(of.size())];
  }
  std::string pick(std::initializer_list<const char*> of) { return *(of.begin() + below(of.size())); }
  uint32_t number(std::initializer_list<uint32_t> of) { return *(of.begin() + below(of.size())); }

 private:
  uint64_t state_;
};

}  // namespace gpuloom::fuzz
