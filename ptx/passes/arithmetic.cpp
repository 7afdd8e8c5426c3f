// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/arithmetic.h"

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/bind.h"
#include "ptx/passes/divide.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

Arithmetic arithmetic_of(const Draft& d, const Instr& in) {
  Arithmetic out;
  if (!is_computation(in)) return out;
  if (const auto division = approx_division(d.program, in)) {
    uint64_t bits = 0;
    const bool one = !division->scaled() && d.constants.value_of(division->dividend, bits) &&
                     (bits & 0x7fff'ffff) == 0x3f80'0000;
    if (!one) out = {Op::kMul, Type::kF32, division->ftz, false};
    return out;
  }
  const FormUse use = use_of(d.program, in);
  const std::string& name = use.form().instruction->mnemonic;
  // What stands where a division by a constant stood is a product (fold_constant_divisors).
  const bool folded = name == "div" && class_of(in) == OpClass::fmul;
  const Op op = name == "mul" || folded ? Op::kMul
                : name == "add"         ? Op::kAdd
                : name == "sub"         ? Op::kSub
                : name == "neg"         ? Op::kNeg
                                        : Op::kOther;
  if (name == "mov" && !in.ops[2].present() && in.ops[1].present() && !in.ops[1].constant())
    out.op = Op::kMove;
  if (op == Op::kOther) return out;
  if (op == Op::kNeg && main_type(use) == Type::kBf16x2) return out;  // HFMA2.BF16_V2, no operand's sign
  switch (main_type(use)) {
    case Type::kF32:
    case Type::kF64:
    case Type::kF16:
    case Type::kF16x2:
    case Type::kBf16:
    case Type::kBf16x2:
      break;
    default:
      return out;
  }
  for (const std::string_view rounding : {".rn", ".rz", ".rm", ".rp"}) {
    if (use.has(rounding)) return out;
  }
  out.op = op;
  out.type = main_type(use);
  out.ftz = use.has(".ftz");
  out.sat = use.has(".sat");
  return out;
}

bool ends_segment(const Instr& in) {
  if (in.guard.present() && in.kind != InstrKind::kPlain) return true;
  return is(static_cast<OpClass>(in.op_class), kEndsContraction);
}

}  // namespace gpuloom::ptx
