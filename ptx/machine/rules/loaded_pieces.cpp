// SPDX-License-Identifier: Apache-2.0
// A vector of values of 8 or 16 bits is loaded as whole registers; PRMT takes out what cannot be picked.
#include "ptx/machine/rules/pieces.h"

namespace gpuloom::ptx {

namespace {

bool match_loaded_pieces(const Selection& s, uint32_t i) { return s.pieces().loaded(i) != kNoVirtual; }

void apply_loaded_pieces(const Selection& s, Emitter& out, uint32_t i) {
  const Program& p = s.program();
  const uint32_t loaded = s.pieces().loaded(i);
  out.sequence({s.class_now(i)});
  out.last().defs = {loaded};
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (!ref.defines || s.pieces().inside(s.number(ref.place)) != kNoVirtual ||
        s.facts(ref.place)->uses.empty())
      continue;
    Node& n = out.push(OpClass::prmt);
    n.uses = {loaded};
    n.defs = {s.value(ref.place)};
  }
}

}  // namespace

extern const Rule kLoadedPieces{"loaded_pieces", match_loaded_pieces, apply_loaded_pieces};

}  // namespace gpuloom::ptx
