// SPDX-License-Identifier: Apache-2.0
// F2FP rounds two values to the halves of a register: the roundings go into what packs them.
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/rules/pieces.h"

namespace gpuloom::ptx {

namespace {

std::vector<Place> read_rows(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  std::vector<Place> out;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
    if (!p.refs[r].defines) out.push_back(p.refs[r].place);
  return out;
}

bool match_packed_roundings(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kPack || !can_choose_registers(s, c.i) || !packs_halves(s, c.i)) return false;
  if (narrowest_operand(s, c.i) != 2 || c.result == nullptr) return false;
  const std::vector<Place> halves = read_rows(s, c.i);
  return halves.size() == 2 && halves[0].at != halves[1].at && rounds_for(s, halves[0], c.i) &&
         rounds_for(s, halves[1], c.i);
}

void apply_packed_roundings(const Selection& s, Folder& fold, const Candidate& c) {
  for (const Place half : read_rows(s, c.i)) fold.join(s.maker(half));
  fold.fuse(OpClass::f2fp);
}

}  // namespace

extern const FoldRule kPackedRoundings{"packed_roundings", match_packed_roundings, apply_packed_roundings};

}  // namespace gpuloom::ptx
