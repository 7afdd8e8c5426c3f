// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/facts.h"

#include <algorithm>
#include <string_view>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/calls.h"

namespace gpuloom::ptx {

namespace {

Shape integer_shape(std::string_view name, Type type, const FormUse& use) {
  const unsigned width = bits(type);
  const bool wide = use.has(".wide");
  if (name == "mul" && wide && width == 32) return Shape::kMulWide;
  if (name == "mad" && wide && width == 32) return Shape::kMadWide;
  if (uses_carry(use) || use.has(".sat")) return Shape::kOther;
  if (width == 32) {
    if (name == "add") return Shape::kAdd32;
    if (name == "sub") return Shape::kSub32;
    if (name == "mul" && use.has(".lo")) return Shape::kMul32;
    if (name == "mad" && use.has(".lo")) return Shape::kMad32;
    if (name == "shl") return Shape::kShl32;
    if (name == "shr" && use.operand(2).kind == OperandKind::kImmediate) return Shape::kShr32;
    if (name == "and" || name == "or" || name == "xor") return Shape::kLogic32;
    if (name == "not") return Shape::kNot32;
    if (name == "clz") return Shape::kCountZeros;
    if (name == "shf" && use.operand(3).kind == OperandKind::kImmediate) return Shape::kFunnel;
    if (name == "selp") return Shape::kSelect;
    if (name == "vabsdiff4") return Shape::kAbsDiff4;
    const bool plain = (type == Type::kS32 || type == Type::kU32) && !use.has(".relu");
    if ((name == "min" || name == "max") && plain) return Shape::kMinMax32;
  }
  if (width == 64) {
    if (name == "add") return Shape::kAdd64;
    if (name == "sub") return Shape::kSub64;
    if (name == "shl") return Shape::kShl64;
    if (name == "mul" && use.has(".lo")) return Shape::kMul64;
    if (name == "mad" && use.has(".lo")) return Shape::kMad64;
    if (name == "and" || name == "or" || name == "xor") return Shape::kLogic64;
    if (name == "not") return Shape::kNot64;
  }
  return Shape::kOther;
}

Shape convert_shape(const Program& p, const Instr& in, const FormUse& use) {
  if (in.ops[1].constant()) return Shape::kOther;
  const unsigned from = use.register_bits(1), to = use.register_bits(0);
  const bool single = in.op_class == static_cast<uint16_t>(OpClass::fadd) && from == 32 && to == 32;
  if (use.has(".sat")) return single ? Shape::kSaturate : Shape::kOther;
  bool is_float_conversion = false;
  unsigned low = 64;  // narrowest type named
  for (const ModifierSlot& slot : use.form().mods) {
    const Type t = use.type(slot.set);
    is_float_conversion |= t != Type::kNone && is_float(t);
    if (t != Type::kNone && bits(t) < low) low = bits(t);
  }
  static_cast<void>(p);
  if (is_float_conversion) return Shape::kOther;
  if (from == 32 && to == 64 && low == 32) return Shape::kExtend;
  if (from == 64 && to == 32 && low == 32) return Shape::kRename;
  if (from == 32 && to == 32 && low == 32) return Shape::kRename;
  if (from == 64 && to == 64 && low == 64) return Shape::kRename;
  if (from == 32 && to == 16 && low == 16) return Shape::kRename;  // upper halves are not looked at
  return Shape::kOther;
}

}  // namespace

Shape shape_of(const Program& p, const Instr& in) {
  const auto op = static_cast<OpClass>(in.op_class);
  if (in.kind != InstrKind::kPlain && in.kind != InstrKind::kLoad) return Shape::kOther;
  if (is_call_parameter(in)) return Shape::kCallParam;
  const FormUse use = use_of(p, in);
  const std::string_view name = use.form().instruction->mnemonic;
  if (name == "ld" && in.space == Space::kParam && in.ops[1].present() && in.ops[1].constant())
    return Shape::kParamLoad;
  if (in.kind == InstrKind::kLoad) return Shape::kOther;
  if (op == OpClass::ffma || op == OpClass::dfma || op == OpClass::hfma2) return Shape::kFloat;
  if (op ==
      OpClass::none) {  // inserted by a pass: an address with its offset, or a sign for a contracted fma
    return name == "mul" || name == "add" || name == "sub" ? Shape::kFloatSign : Shape::kRename;
  }
  if (name == "cvta") return Shape::kRename;
  if (name == "mov") {
    if (use.operand(0).kind == OperandKind::kVector || use.operand(1).kind == OperandKind::kVector)
      return Shape::kPack;
    if (use.operand(1).kind == OperandKind::kSpecialRegister) return Shape::kMoveSpecial;
    if (in.vec > 1) return Shape::kOther;  // whole vector registers: the places are lists
    return Shape::kMove;
  }
  if (name == "cvt") return convert_shape(p, in, use);
  if (in.type == Type::kPred) {
    if (name == "and" || name == "or" || name == "xor") return Shape::kLogicPred;
    if (name == "not") return Shape::kNotPred;
    return Shape::kOther;
  }
  if (name == "setp") return Shape::kSetp;
  if (is_float(in.type)) {
    if (name == "neg" || name == "abs") return Shape::kFloatSign;
    for (const std::string_view f :
         {"add", "sub", "mul", "min", "max", "ex2", "lg2", "rsqrt", "rcp", "sqrt", "sin", "cos"}) {
      if (name == f) return Shape::kFloat;
    }
    return Shape::kOther;
  }
  return integer_shape(name, in.type, use);
}

// A division or root whose fast path is checked: the check stands beside the arithmetic and only its branch
// waits for it, unless it looks at the result (SASS of verlet_f64, precise_math, f64_newton).
bool stands_beside(const std::vector<OpClass>& sequence, size_t k) {
  const auto has = [&](OpClass op) {
    return std::find(sequence.begin(), sequence.end(), op) != sequence.end();
  };
  if (!has(OpClass::mufu)) return false;
  // The divisor of integers is compared with zero beside the rest; only the end asks (SASS of sieve_votes).
  if (sequence[k] == OpClass::isetp && k + 1 < sequence.size() &&
      (sequence[k + 1] == OpClass::imad_hi || sequence[k + 1] == OpClass::iabs))
    return true;
  if (!has(OpClass::bra)) return false;
  if (sequence[k] == OpClass::bra)
    return k == 0 || !is(sequence[k - 1], kChecksDivision) || stands_beside(sequence, k - 1);
  if (!is(sequence[k], kChecksDivision)) return false;
  const bool last_check = k + 1 < sequence.size() && sequence[k + 1] == OpClass::bra;
  return !(last_check && k > 0 && !is(sequence[k - 1], kChecksDivision));
}

}  // namespace gpuloom::ptx
