// SPDX-License-Identifier: Apache-2.0
// A move from a register that only ever holds one constant moves the constant: Triton gives the other value
// of a masked load a register of its own and moves that to each element, and ptxas sees zeros there (CS2R of
// SRZ for a pair of them, SASS of a group normalisation). So does one from a register that a move of the same
// block has given a constant: a tile's sums begin as copies of the first of them (SASS of Triton's products).
#include <utility>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

bool moves(const Program& p, uint32_t i) {
  const Instr& in = p.code[i];
  if (!is_computation(in) || in.vec > 1 || in.type == Type::kPred) return false;
  const FormUse use = use_of(p, in);
  return use.form().instruction->mnemonic == "mov" && use.operand(0).kind != OperandKind::kVector &&
         use.operand(1).kind != OperandKind::kVector;
}

bool moves_constant(const Program& p, uint32_t i) {
  const Place held = p.code[i].ops[1];
  return held.present() && held.constant() && moves(p, i);
}

class ConstantCopies {
 public:
  explicit ConstantCopies(Program& p) : p_(p), values_(p) {}

  bool run() {
    for (const FunctionCode& f : p_.functions) {
      values_.gather(f);
      held_.assign(f.frame_bytes / 4 + 1, SingleValues::kNobody);
      uint32_t block = UINT32_MAX;
      for (uint32_t i = f.entry; i < f.end; ++i) {
        if (std::exchange(block, values_.flow().block_of[i]) != block) forget();
        replace(i);
        note(i);
      }
      forget();
    }
    return changed_;
  }

 private:
  void forget() {
    for (const uint32_t row : noted_) held_[row] = SingleValues::kNobody;
    noted_.clear();
  }

  // The move that has made what stands in the place, if it moved a constant.
  uint32_t maker(Place place) const {
    if (!SingleValues::is_row(place)) return SingleValues::kNobody;
    if (!values_.made_once(place)) return held_[static_cast<uint32_t>(place.at) / 4];
    const uint32_t made = values_.row(place).made;
    return moves_constant(p_, made) ? made : SingleValues::kNobody;
  }

  void replace(uint32_t i) {
    const Place from = p_.code[i].ops[1];
    const uint32_t made = maker(from);
    if (made == SingleValues::kNobody || !moves(p_, i) || bits(p_.code[made].type) != bits(p_.code[i].type))
      return;
    read_instead(p_, i, from, p_.code[made].ops[1]);
    changed_ = true;
  }

  void note(uint32_t i) {
    const bool constant = !p_.code[i].guard.present() && moves_constant(p_, i);
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.defines || !SingleValues::is_row(ref.place)) continue;
      const uint32_t row = static_cast<uint32_t>(ref.place.at) / 4;
      held_[row] = constant ? i : SingleValues::kNobody;
      if (constant) noted_.push_back(row);
    }
  }

  Program& p_;
  SingleValues values_;
  std::vector<uint32_t> held_;   // by row: the move of the block that gave it a constant
  std::vector<uint32_t> noted_;  // rows of which held_ may say one
  bool changed_ = false;
};

}  // namespace

void move_constants_themselves(Draft& d) {
  if (ConstantCopies(d.program).run() && d.options.runs("dead_code")) remove_dead_code(d);
}

}  // namespace gpuloom::ptx
