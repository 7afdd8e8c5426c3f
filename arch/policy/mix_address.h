// SPDX-License-Identifier: Apache-2.0
// Spreads the bits of an address over a word. NVIDIA's functions are not known (Jin et al., MICRO 2024); this
// one spreads every stride.
#pragma once
#include <cstdint>

namespace gpuloom::policy {

inline uint64_t mix_address(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

}  // namespace gpuloom::policy
