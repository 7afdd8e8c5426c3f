// SPDX-License-Identifier: Apache-2.0
// A vector of values of 8 or 16 bits is stored as whole registers, which PRMT puts together.
#include <algorithm>

#include "ptx/machine/rules/pieces.h"

namespace gpuloom::ptx {

namespace {

bool match_stored_pieces(const Selection& s, uint32_t i) { return moves_pieces(s, i, InstrKind::kStore); }

// What puts the elements from `first` on into one register, and that register.
uint32_t packed(const Selection& s, Emitter& out, uint32_t i, uint32_t first, uint32_t last) {
  const Instr& in = s.instr(i);
  const auto element = [&](uint32_t k) { return s.program().extra[static_cast<uint32_t>(in.ops[1].at) + k]; };
  std::vector<uint32_t> parts;
  bool rounded = true;
  for (uint32_t k = first; k < last; ++k) {
    s.add_source(element(k), parts);
    const uint32_t from = s.maker(element(k));
    rounded = rounded && from != UINT32_MAX && s.folded(from) &&
              static_cast<OpClass>(s.instr(from).op_class) == OpClass::f2fp;
  }
  // Two halves as they stand in one register.
  if (parts.empty() || (parts.size() == 1 && bytes(in.type) == 2))
    return parts.empty() ? kNoVirtual : parts[0];
  std::vector<uint32_t> uses;
  s.add_source(element(first), uses);
  for (uint32_t k = first + 1; k < last; ++k) {
    s.add_source(element(k), uses);
    Node& n = out.push(rounded ? OpClass::f2fp : OpClass::prmt);
    n.uses = uses;
    uses = {out.temporary(1)};
    n.defs = uses;
  }
  return uses[0];
}

void apply_stored_pieces(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  const uint32_t each = 4 / bytes(in.type);  // elements of a register
  std::vector<uint32_t> words;
  for (uint32_t e = 0; e < in.vec; e += each)
    words.push_back(packed(s, out, i, e, std::min<uint32_t>(in.vec, e + each)));
  out.sequence({s.class_now(i)});
  Node& n = out.last();
  n.uses.clear();
  const Program& p = s.program();
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
    if (p.refs[r].address || p.refs[r].operand == kInstrPlaces) s.add_source(p.refs[r].place, n.uses);
  for (const uint32_t word : words)
    if (word != kNoVirtual) n.uses.push_back(word);
  n.tuple = words.size() > 1 ? words : std::vector<uint32_t>{};
}

}  // namespace

extern const Rule kStoredPieces{"stored_pieces", match_stored_pieces, apply_stored_pieces};

}  // namespace gpuloom::ptx
