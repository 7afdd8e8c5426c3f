// SPDX-License-Identifier: Apache-2.0
// Shape and types of a matrix instruction, packed into Instr::imm when it is decoded.
#pragma once
#include <cstdint>

#include "ptx/ir/types.h"

namespace gpuloom::ptx {

struct MatrixShape {
  int m = 0, n = 0, k = 0;
  Type a = Type::kNone, b = Type::kNone, c = Type::kNone, d = Type::kNone;
};

// m and n up to 1023, k up to 4095.
inline int64_t pack(const MatrixShape& s) {
  const uint64_t packed = static_cast<uint64_t>(s.m) | static_cast<uint64_t>(s.n) << 10 |
                          static_cast<uint64_t>(s.k) << 20 | static_cast<uint64_t>(s.a) << 32 |
                          static_cast<uint64_t>(s.b) << 40 | static_cast<uint64_t>(s.c) << 48 |
                          static_cast<uint64_t>(s.d) << 56;
  return static_cast<int64_t>(packed);
}
inline MatrixShape unpack_shape(int64_t packed) {
  const auto bits_at = [packed](int at, int mask) {
    return static_cast<int>(static_cast<uint64_t>(packed) >> at) & mask;
  };
  return {bits_at(0, 0x3ff),
          bits_at(10, 0x3ff),
          bits_at(20, 0xfff),
          static_cast<Type>(bits_at(32, 0xff)),
          static_cast<Type>(bits_at(40, 0xff)),
          static_cast<Type>(bits_at(48, 0xff)),
          static_cast<Type>(bits_at(56, 0xff))};
}

// 32-bit (or, for f64, 64-bit) registers a lane for `elements` elements spread over the warp.
inline unsigned registers_for(int elements, Type type) {
  const int width = static_cast<int>(bits(type));
  return static_cast<unsigned>(width == 64 ? elements / 32 : elements * width / 32 / 32);
}

}  // namespace gpuloom::ptx
