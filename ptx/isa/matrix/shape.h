// SPDX-License-Identifier: Apache-2.0
// Shapes of matrix instructions, and what their lists of registers must look like.
#pragma once
#include <string>
#include <string_view>

#include "ptx/exec/matrix/matrix_shape.h"
#include "ptx/isa/table/form.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx {

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

// The shape and types that a use of mma or wmma names; wmma leaves those of f16 factors out.
inline MatrixShape mma_shape_of(const FormUse& use) {
  MatrixShape s = parse_shape(use.mod(".shape"));
  s.d = use.type(".dtype");
  s.a = use.type(".atype");
  s.b = use.type(".btype");
  if (s.a == Type::kNone) s.a = s.b = Type::kF16;
  s.c = use.type(".ctype");
  return s;
}

inline numeric::Rounding rounding_of(const FormUse& use) {
  if (use.has(".rz")) return numeric::Rounding::kZero;
  if (use.has(".rm")) return numeric::Rounding::kDown;
  if (use.has(".rp")) return numeric::Rounding::kUp;
  return numeric::Rounding::kNearestEven;
}

// What is wrong with a list of registers that must be `count` registers of a fragment of `type`, or "".
inline std::string list_problem(const FormUse& use, unsigned operand, unsigned count, Type type,
                                std::string_view what) {
  const unsigned got = use.element_count(operand);
  if (got != count)
    return std::string(what) + " takes " + std::to_string(count) + (count == 1 ? " register" : " registers") +
           " here, not " + std::to_string(got);
  const unsigned width = type == Type::kF64 ? 64 : 32, has = use.register_bits(operand);
  if (has == width) return {};
  return std::string(what) + " takes " + std::to_string(width) + "-bit registers here" +
         (has == 0 ? "" : ", not " + std::to_string(has) + "-bit ones");
}

}  // namespace gpuloom::ptx
