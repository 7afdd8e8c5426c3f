// SPDX-License-Identifier: Apache-2.0
// Shapes of wgmma.mma_async: M is 64, N a multiple of 8 (PTX ISA 9.7.15.2).
#pragma once
#include <string>

namespace gpuloom::ptx {

inline void add_shape(std::string& shapes, int n, int k) {
  shapes += " .m64n" + std::to_string(n) + "k" + std::to_string(k);
}

// Floats: every multiple of 8 up to 256.
inline std::string float_shapes(int k) {
  std::string shapes;
  for (int n = 8; n <= 256; n += 8) add_shape(shapes, n, k);
  return shapes;
}

// Integers and bits: 8, 16, 24, 32, then multiples of 16.
inline std::string integer_shapes(int k) {
  std::string shapes;
  for (int n = 8; n <= 256; n += n < 32 ? 8 : 16) add_shape(shapes, n, k);
  return shapes;
}

}  // namespace gpuloom::ptx
