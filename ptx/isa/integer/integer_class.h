// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// Packed pairs of 16-bit integers in a 32-bit register.
struct U16x2 {
  uint16_t lower, upper;
};
struct S16x2 {
  int16_t lower, upper;
};

// Operation classes that depend on the width only: 16-bit work runs on the 32-bit pipes, 64-bit work is a
// sequence.
inline OpClass by_bits(const FormUse& use, OpClass narrow, OpClass wide) {
  return bits(use.type()) == 64 ? wide : narrow;
}

inline OpClass add_class(const FormUse& use) { return by_bits(use, OpClass::iadd, OpClass::add64); }

// mul and mad share the multiplier: low half, high half or the whole product.
inline OpClass multiply_class(const FormUse& use) {
  const bool high = use.has(".hi");
  switch (bits(use.type())) {
    case 64:
      return high ? OpClass::mulhi64 : OpClass::mul64;
    case 32:
      return high ? OpClass::imad_hi : (use.has(".wide") ? OpClass::imad_wide : OpClass::imad);
    default:
      return OpClass::imad;
  }
}

inline OpClass minmax_class(const FormUse& use) { return by_bits(use, OpClass::iminmax, OpClass::minmax64); }
inline OpClass logic_class(const FormUse& use) { return by_bits(use, OpClass::lop3, OpClass::logic64); }
inline OpClass shift_class(const FormUse& use) { return by_bits(use, OpClass::shift, OpClass::shift64); }
// A 16-bit shift by a constant.
inline bool is_short_amount(const FormUse& use) {
  return bits(use.type()) == 16 && use.operand(2).kind == OperandKind::kImmediate;
}
inline OpClass select_class(const FormUse& use) { return by_bits(use, OpClass::sel, OpClass::sel64); }

}  // namespace gpuloom::ptx
