// SPDX-License-Identifier: Apache-2.0
// Shape and types of a matrix instruction, packed into Instr::imm when it is decoded.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

struct MatrixShape {
  int m = 0, n = 0, k = 0;
  Type a = Type::kNone, b = Type::kNone, c = Type::kNone, d = Type::kNone;
};

inline int64_t pack(const MatrixShape& s) {
  return static_cast<int64_t>(s.m) | static_cast<int64_t>(s.n) << 8 | static_cast<int64_t>(s.k) << 16 |
         static_cast<int64_t>(s.a) << 32 | static_cast<int64_t>(s.b) << 40 | static_cast<int64_t>(s.c) << 48 |
         static_cast<int64_t>(s.d) << 56;
}
inline MatrixShape unpack_shape(int64_t packed) {
  const auto bits_at = [packed](int at, int mask) {
    return static_cast<int>(static_cast<uint64_t>(packed) >> at) & mask;
  };
  return {bits_at(0, 0xff),
          bits_at(8, 0xff),
          bits_at(16, 0xffff),
          static_cast<Type>(bits_at(32, 0xff)),
          static_cast<Type>(bits_at(40, 0xff)),
          static_cast<Type>(bits_at(48, 0xff)),
          static_cast<Type>(bits_at(56, 0xff))};
}

// ".m16n8k8" -> 16, 8, 8.
inline MatrixShape parse_shape(std::string_view text) {
  MatrixShape s;
  int* field = nullptr;
  for (const char ch : text) {
    if (ch == 'm') field = &s.m;
    if (ch == 'n') field = &s.n;
    if (ch == 'k') field = &s.k;
    if (field != nullptr && ch >= '0' && ch <= '9') *field = *field * 10 + (ch - '0');
  }
  return s;
}

// 32-bit (or, for f64, 64-bit) registers a lane for `elements` elements spread over the warp.
inline unsigned registers_for(int elements, Type type) {
  const int width = static_cast<int>(bits(type));
  return static_cast<unsigned>(width == 64 ? elements / 32 : elements * width / 32 / 32);
}

// What is wrong with the number of registers of an operand, or "".
inline std::string count_problem(const FormUse& use, unsigned operand, unsigned expected,
                                 std::string_view what) {
  const unsigned got = use.element_count(operand);
  if (got == expected) return {};
  return std::string(what) + " takes " + std::to_string(expected) + " registers here, not " +
         std::to_string(got);
}

}  // namespace gpuloom::ptx
