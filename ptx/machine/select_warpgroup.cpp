// SPDX-License-Identifier: Apache-2.0
// Matrix descriptors of wgmma stand in uniform registers: gdesc[UR4] names four, the lower half and the upper
// half of each matrix in shared memory. Upper halves are constants, as the shape says, and are moved there in
// front of each multiplication but where an earlier one of the block has left the same matrix in its place
// (SASS of ptxas 13.0 for sm_90a: attention and products of bench/silicon/ml; of eight multiplications of
// four steps and two halves of rows, the last four move one matrix each). What the lower halves are made of
// is seen to later (uniform_arithmetic).
#include <algorithm>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {

// Whether a multiplication of the block in front of i has this matrix in the same place.
bool stands_in_place(const Program& p, const Block& block, uint32_t i, const OperandRef& ref) {
  for (uint32_t k = block.first; k < i; ++k) {
    if (static_cast<OpClass>(p.code[k].op_class) != OpClass::wgmma) continue;
    for (uint32_t r = p.ref_begin[k]; r < p.ref_begin[k + 1]; ++r) {
      const OperandRef& other = p.refs[r];
      if (!other.defines && other.operand == ref.operand && other.bytes == ref.bytes &&
          other.place.at == ref.place.at)
        return true;
    }
  }
  return false;
}

}  // namespace

bool Selector::is_descriptor(uint32_t i, const OperandRef& ref) const {
  constexpr unsigned kBytes = 8;
  return class_of(i) == OpClass::wgmma && !ref.defines && ref.element == 0xff && ref.bytes == kBytes;
}

void Selector::emit_warpgroup(uint32_t i, std::vector<Node>& out) {
  std::vector<uint32_t> lower, made;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!is_descriptor(i, ref)) continue;
    std::vector<uint32_t> from;
    add_source(ref.place, from, 0);
    const bool whole = !from.empty() && low_only_[g_.liveness.number(f_, ref.place)] == 0;
    if (whole || from.size() > 1) continue;
    lower.insert(lower.end(), from.begin(), from.end());
    if (stable(ref.place) && stands_in_place(p_, g_.flow.blocks[g_.flow.block_of[i]], i, ref)) continue;
    for (size_t halves = 2 - from.size(); halves != 0; --halves) {
      Node& half = push(out, OpClass::mov, i);
      half.uniform = true;
      half.defs = {temporary(1, true)};
      made.push_back(half.defs[0]);
    }
  }
  emit_sequence(i, sequence_of(class_of(i)), out);
  out.back().uses.insert(out.back().uses.end(), made.begin(), made.end());
  out.back().descriptors = std::move(lower);
  // Sums stand side by side.
  const std::vector<uint32_t>& sums = out.back().defs;
  const bool single =
      std::all_of(sums.begin(), sums.end(), [&](uint32_t v) { return g_.registers[v].words == 1; });
  if (sums.size() >= 2 && single) out.back().rows.push_back(sums);
}

}  // namespace gpuloom::ptx
