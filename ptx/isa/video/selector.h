// SPDX-License-Identifier: Apache-2.0
// Selectors of video operands (PTX ISA 9.7.18): `.h0`, `.b3` name a part of a register, `.h31`, `.b7610` a
// part for each element of a SIMD operation, `.b310` the elements that a SIMD destination mask lets through.
// The parser keeps the letters and digits after the dot, first one in the lowest byte, in Operand::value of a
// register operand.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

struct Selector {
  char unit = 0;           // 'b', 'h', or 0: none given
  uint8_t digits[4] = {};  // as written, left to right
  uint8_t count = 0;
};

inline Selector selector_of(const FormUse& use, unsigned k) {
  Selector s;
  uint64_t text = static_cast<uint64_t>(use.operand(k).value);
  s.unit = static_cast<char>(text & 0xff);
  for (text >>= 8; text != 0 && s.count < 4; text >>= 8)
    s.digits[s.count++] = static_cast<uint8_t>((text & 0xff) - '0');
  return s;
}

}  // namespace gpuloom::ptx
