// SPDX-License-Identifier: Apache-2.0
// Values of 8 and 16 bits that share a register. A vector of them is loaded and stored as whole registers;
// PRMT takes an element out, once, where what reads it cannot pick its bits itself, and puts elements
// together for a store. Two roundings to 16 bits that are packed are one F2FP. (SASS of single instructions,
// ptxas 13.0, sm_90.)
#pragma once
#include <map>
#include <utility>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// Where pieces stand: found when all has been folded.
class Pieces {
 public:
  explicit Pieces(Selector& selector) : selector_(selector), s_(selector) {}
  void find();
  // The register in which a row of 8 or 16 bits stands; kNoVirtual: in its own.
  uint32_t inside(uint32_t row) const;
  // The register or pair that a vector load of such fills; kNoVirtual: i is none.
  uint32_t loaded(uint32_t i) const;
  // What takes the upper half out where i has vanished, and packs it again.
  void write_upper_half(Emitter& out, uint32_t i) const;

 private:
  bool takes_roundings(Place low, Place high, uint32_t u);
  void find_loaded(uint32_t i);
  void drop_extensions(const RowFacts& row, bool with_sign);
  void find_upper_half(uint32_t i);
  uint32_t make_register(uint8_t words);

  Selector& selector_;
  const Selection s_;
  std::map<uint32_t, uint32_t> inside_, loaded_;                // by row; by instruction
  std::map<uint32_t, std::pair<uint32_t, bool>> upper_halves_;  // unpacking: register; whether it packs again
};

// A vector of elements of 8 or 16 bits, loaded or stored.
bool moves_pieces(const Selection& s, uint32_t i, InstrKind kind);
// cvt.rn.f16.f32 and its like of which nothing but u reads the result.
bool rounds_for(const Selection& s, Place half, uint32_t u);
// Whether instruction u reads an operand with its sign turned or dropped: floating-point arithmetic,
// comparisons, choices and conversions do (SASS of FSETP -R4, |R5|; FSEL; F2I -R4; HADD2.F32 -R0.H0_H0).
bool takes_sign(const Selection& s, uint32_t u, const OperandRef& ref, unsigned depth = 0);

}  // namespace gpuloom::ptx
