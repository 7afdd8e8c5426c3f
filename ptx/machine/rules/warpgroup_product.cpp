// SPDX-License-Identifier: Apache-2.0
// Matrix descriptors of wgmma stand in uniform registers: gdesc[UR4] names four, the lower half and the upper
// half of each matrix in shared memory. Upper halves are constants, as the shape says, and are moved there in
// front of each multiplication but where an earlier one of the block has left the same matrix in its place
// (SASS of ptxas 13.0 for sm_90a: attention and products of bench/silicon/ml; of eight multiplications of
// four steps and two halves of rows, the last four move one matrix each). What the lower halves are made of
// is seen to later (uniform_arithmetic).
#include <algorithm>

#include "ptx/machine/rules/matrix_operands.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool match_warpgroup_product(const Selection& s, uint32_t i) { return is_warpgroup_product(s.class_now(i)); }

// Whether a multiplication of the block in front of i has this matrix in the same place.
bool stands_in_place(const Selection& s, uint32_t i, const OperandRef& ref) {
  const Program& p = s.program();
  for (uint32_t k = s.flow().blocks[s.block_of(i)].first; k < i; ++k) {
    if (!is_warpgroup_product(s.op_class(k))) continue;
    for (uint32_t r = p.ref_begin[k]; r < p.ref_begin[k + 1]; ++r) {
      const OperandRef& other = p.refs[r];
      if (!other.defines && other.operand == ref.operand && other.bytes == ref.bytes &&
          other.place.at == ref.place.at)
        return true;
    }
  }
  return false;
}

void apply_warpgroup_product(const Selection& s, Emitter& out, uint32_t i) {
  const Program& p = s.program();
  std::vector<uint32_t> lower, made;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (!is_descriptor(s, i, ref)) continue;
    const std::vector<uint32_t> from = out.source(ref.place);
    const bool whole = !from.empty() && !s.needs_low_word(ref.place);
    if (whole || from.size() > 1) continue;
    lower.insert(lower.end(), from.begin(), from.end());
    if (s.stable(ref.place) && stands_in_place(s, i, ref)) continue;
    for (size_t halves = 2 - from.size(); halves != 0; --halves)
      made.push_back(out.make(OpClass::mov, {}, 1, true));
  }
  out.sequence(s.sequence_of(s.class_now(i)));
  Node& n = out.last();
  n.uses.insert(n.uses.end(), made.begin(), made.end());
  n.descriptors = std::move(lower);
  // Sums stand side by side.
  const bool single = std::all_of(n.defs.begin(), n.defs.end(), [&](uint32_t v) { return s.words(v) == 1; });
  if (n.defs.size() >= 2 && single) n.rows.push_back(n.defs);
}

}  // namespace

extern const Rule kWarpgroupProduct{"warpgroup_product", match_warpgroup_product, apply_warpgroup_product};

}  // namespace gpuloom::ptx
