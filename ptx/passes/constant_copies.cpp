// SPDX-License-Identifier: Apache-2.0
// A move from a register that only ever holds one constant moves the constant: Triton gives the other value
// of a masked load a register of its own and moves that to each element, and ptxas sees zeros there (CS2R of
// SRZ for a pair of them, SASS of a group normalisation).
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
      const Place held = p.code[made].ops[1];
      if (!moves(p, made) || !held.present() || !held.constant() ||
          bits(p.code[made].type) != bits(p.code[i].type))
        continue;
      read_instead(p, i, from, held);
      changed = true;
    }
  }
  if (changed && d.options.runs("dead_code")) remove_dead_code(d);
}

}  // namespace gpuloom::ptx
