// SPDX-License-Identifier: Apache-2.0
// Conversions between rows of different types. cvt has hundreds of pairs of types, and its operands may be
// registers wider than the types (PTX ISA 9.4.1), so a conversion is split in two:
// - a row conversion: the loop d[l] = f(a[l]) for one pair of types, made by row_conversion() from a function
// of one lane;
// - a lane function that applies it to registers: directly, or by way of buffers where an integer's register
// is wider than the
//   integer (the source is truncated first, the result extended as its type's sign says).
// An instruction keeps its row conversion in Instr::imm and what the lane function must know in Instr::extra.
#pragma once
#include "ptx/exec/lane_loop.h"

namespace gpuloom::ptx {

using RowConversion = void (*)(void* destination, const void* source);

namespace lane {

template <class F, class Signature>
struct RowLoop;
template <class F, class C, class D, class S>
struct RowLoop<F, D (C::*)(S) const> {
  static void run(void* destination, const void* source_row) {
    D* d = static_cast<D*>(destination);
    const S* a = static_cast<const S*>(source_row);
    GPULOOM_LANE_LOOP
    for (unsigned l = 0; l < kLanes; ++l) d[l] = F{}(a[l]);
  }
};

}  // namespace lane

template <class F>
constexpr RowConversion row_conversion(F) {
  return &lane::RowLoop<F, decltype(&F::operator())>::run;
}

// Bytes of the types and of the registers that hold them.
struct ConversionWidths {
  uint8_t source = 0, source_register = 0;
  uint8_t destination = 0, destination_register = 0;
  bool destination_signed = false;
  bool plain() const { return source == source_register && destination == destination_register; }
};

// Lane function for a conversion between these widths, and what it expects in the instruction.
LaneFn conversion_loop(const ConversionWidths& widths);
void encode_conversion(Instr& in, RowConversion conversion, const ConversionWidths& widths);
// Whether an instruction of this lane function has a row conversion in Instr::imm.
bool applies_conversion(LaneFn fn);

// The conversion of an integer register to another one that only truncates and extends: takes the `kept` low
// bytes of the source and extends them to the destination register. nullptr where kept is wider than the
// source register.
LaneFn extension_loop(unsigned source_register, unsigned kept, bool kept_signed,
                      unsigned destination_register);

}  // namespace gpuloom::ptx
