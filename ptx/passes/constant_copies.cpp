// SPDX-License-Identifier: Apache-2.0
// A move from a register that only ever holds one constant, or that has been given one in the same block,
// moves the constant: Triton gives the other value of a masked load a register of its own and moves that to
// each element, sets one accumulator to zero and moves it to the others, and ptxas sees zeros there (CS2R of
// SRZ for a pair of them, SASS of a group normalisation and of attention).
#include <unordered_map>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

bool moves(const Program& p, uint32_t i) {
  const Instr& in = p.code[i];
  if (in.kind != InstrKind::kPlain || static_cast<OpClass>(in.op_class) == OpClass::none || in.vec > 1 ||
      in.type == Type::kPred)
    return false;
  const FormUse use = use_of(p, in);
  return use.form().instruction->mnemonic == "mov" && use.operand(0).kind != OperandKind::kVector &&
         use.operand(1).kind != OperandKind::kVector;
}

// The constant that a move gives, or none.
Place given(const Program& p, uint32_t i) {
  const Place from = p.code[i].ops[1];
  return moves(p, i) && from.present() && from.constant() ? from : Place{};
}

// Of a register that is written elsewhere too, what a block has put there. Returns whether anything changed.
bool move_constants_of_block(Program& p, const Block& block) {
  bool changed = false;
  std::unordered_map<int32_t, uint32_t> made;  // by place: the move of a constant that it holds
  for (uint32_t i = block.first; i <= block.last; ++i) {
    const Place from = p.code[i].ops[1];
    if (moves(p, i) && SingleValues::is_row(from)) {
      const auto at = made.find(from.at);
      if (at != made.end() && bits(p.code[at->second].type) == bits(p.code[i].type)) {
        read_instead(p, i, from, p.code[at->second].ops[1]);
        changed = true;
      }
    }
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
      if (p.refs[r].defines) made.erase(p.refs[r].place.at);
    if (given(p, i).present() && !p.code[i].guard.present()) made[p.code[i].ops[0].at] = i;
  }
  return changed;
}

}  // namespace

void move_constants_themselves(Draft& d) {
  Program& p = d.program;
  SingleValues values(p);
  bool changed = false;
  for (const FunctionCode& f : p.functions) {
    values.gather(f);
    for (uint32_t i = f.entry; i < f.end; ++i) {
      const Place from = p.code[i].ops[1];
      if (!values.made_once(from) || !moves(p, i)) continue;
      const uint32_t made = values.row(from).made;
      const Place held = given(p, made);
      if (!held.present() || bits(p.code[made].type) != bits(p.code[i].type)) continue;
      read_instead(p, i, from, held);
      changed = true;
    }
  }
  for (const Block& block : values.flow().blocks) changed |= move_constants_of_block(p, block);
  if (changed && d.options.runs("dead_code")) remove_dead_code(d);
}

}  // namespace gpuloom::ptx
