// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/fit.h"

#include <algorithm>

#include "ptx/ir/special_register.h"
#include "ptx/parse/operand.h"
#include "ptx/parse/usage_rules.h"

namespace gpuloom::ptx {
namespace {

bool is_integer_type(Type type) {
  const TypeKind kind = info(type).kind;
  return kind == TypeKind::kUnsigned || kind == TypeKind::kSigned || kind == TypeKind::kBits;
}

// Whether an immediate may stand for a value of the type. ptxas takes integers for integers only, nothing for
// halves, and for untyped bits a floating-point literal of their size: `0f` for .b32, `0d` and decimals for
// .b64.
bool immediate_agrees(Type type, Type immediate) {
  const bool integer = immediate == Type::kS64 || immediate == Type::kU64;
  switch (info(type).kind) {
    case TypeKind::kNone:
      return true;
    case TypeKind::kPred:
    case TypeKind::kUnsigned:
    case TypeKind::kSigned:
      return integer;
    case TypeKind::kBits:
      return integer || (type == Type::kB32 && immediate == Type::kF32) ||
             (type == Type::kB64 && immediate == Type::kF64);
    case TypeKind::kFloat:
      return !integer && (type == Type::kF32 || type == Type::kF64);
    case TypeKind::kOpaque:
      return false;
  }
  return false;
}

bool space_agrees(Space instruction, Space variable) {
  switch (instruction) {
    case Space::kGeneric:
      return true;
    case Space::kShared:
    case Space::kSharedCluster:
      return variable == Space::kShared;
    case Space::kParam:
    case Space::kParamFunction:
      return variable == Space::kParam || variable == Space::kParamFunction;
    default:
      return instruction == variable;
  }
}

}  // namespace

bool types_agree(Type type, Type reg, bool relaxed) {
  const TypeInfo &t = info(type), &r = info(reg);
  if (t.kind == TypeKind::kNone) return true;
  if (t.kind == TypeKind::kPred || r.kind == TypeKind::kPred) return t.kind == r.kind;
  const bool size = r.bits == t.bits || (relaxed && r.bits > t.bits);
  switch (t.kind) {
    case TypeKind::kBits:
      return size;
    case TypeKind::kUnsigned:
    case TypeKind::kSigned:
      return size && r.kind != TypeKind::kFloat;
    case TypeKind::kFloat:
      return type == reg || (size && r.kind == TypeKind::kBits);
    default:
      return type == reg;
  }
}

OperandFitter::Why OperandFitter::source_register(const Candidate& candidate, const OperandNeed& need,
                                                  const Operand& operand, bool element) const {
  const Register& reg = function_->registers[operand.id];
  if (operand.value != 0 && !candidate.selects) return Why::kSelector;
  if (reg.vector > 1 && operand.component == kWholeRegister) return Why::kVector;
  if (operand.negated && !need.slot->negatable && !candidate.selects) return Why::kNegated;
  const bool relaxed = candidate.form->relaxed;
  if (element && need.type != Type::kPred && reg.type != Type::kPred) {
    // Elements of a vector need the size only: ptxas takes ld.v2.u32 {%r1, %f1}.
    const unsigned have = bits(reg.type), want = bits(need.type);
    return need.type == Type::kNone || have == want || (relaxed && have > want) ? Why::kNone : Why::kType;
  }
  return types_agree(need.type, reg.type, relaxed) ? Why::kNone : Why::kType;
}

OperandFitter::Why OperandFitter::plain(const Candidate& candidate, const OperandNeed& need,
                                        const Operand& operand, bool element, Detail& detail) const {
  detail.operand = &operand;
  detail.expected = need.type;
  detail.slot = need.slot;
  const bool destination = need.slot->destination;
  switch (operand.kind) {
    case OperandKind::kRegister:
      return source_register(candidate, need, operand, element);
    case OperandKind::kImmediate:
      if (destination) return Why::kNotRegister;
      return immediate_agrees(need.type, operand.immediate_type) ? Why::kNone : Why::kImmediateType;
    case OperandKind::kSpecialRegister: {
      if (destination) return Why::kNotRegister;
      if (!candidate.reads_special) return Why::kSpecial;
      const Type type = info(static_cast<SpecialRegister>(operand.id)).type;
      if (need.type == Type::kNone || type == need.type) return Why::kNone;
      // PTX 1.x read the low 16 bits of %tid and its like; that is still accepted.
      const bool legacy = bits(need.type) == 16 && bits(type) == 32;
      if (is_float(need.type)) return Why::kSpecial;
      return is_integer_type(need.type) && is_integer_type(type) && (bits(need.type) == bits(type) || legacy)
                 ? Why::kNone
                 : Why::kType;
    }
    case OperandKind::kSymbol:
    case OperandKind::kLabel:
      if (destination) return Why::kNotRegister;
      if (!candidate.takes_symbol) return Why::kSymbol;
      if (need.type == Type::kNone) return Why::kNone;
      return is_integer_type(need.type) && bits(need.type) >= 32 && bits(need.type) <= 64 ? Why::kNone
                                                                                          : Why::kType;
    case OperandKind::kSink:
      return (destination && candidate.takes_sink) || (element && destination) ? Why::kNone : Why::kSink;
    case OperandKind::kPair:
      return Why::kPair;
    case OperandKind::kVector:
      return Why::kVector;
    default:
      return destination ? Why::kNotRegister : Why::kNotSource;
  }
}

OperandFitter::Why OperandFitter::elements(const Candidate& candidate, const OperandNeed& need,
                                           const Operand& operand, Detail& detail) const {
  for (uint32_t k = 0; k < operand.child_count; ++k)
    if (const Why why = plain(candidate, need, children(operand)[k], true, detail); why != Why::kNone)
      return why;
  return Why::kNone;
}

OperandFitter::Why OperandFitter::address(const OperandNeed& need, const Operand& operand,
                                          Detail& detail) const {
  detail.operand = &operand;
  if (!operand.has_base) return Why::kNone;
  if (operand.base_is_symbol)
    return operand.variable == nullptr || space_agrees(need.space, operand.variable->space) ? Why::kNone
                                                                                            : Why::kSpace;
  const Register& reg = function_->registers[operand.id];
  if (reg.vector > 1 && operand.component == kWholeRegister) return Why::kVector;
  return is_integer_type(reg.type) && bits(reg.type) >= 16 && bits(reg.type) <= 64 ? Why::kNone
                                                                                   : Why::kAddressType;
}

OperandFitter::Why OperandFitter::one(const Candidate& candidate, size_t index, const Operand& operand,
                                      Detail& detail) const {
  const OperandNeed& need = candidate.needs[index];
  detail.operand = &operand;
  detail.expected = need.type;
  detail.slot = need.slot;
  const bool vector_register = operand.kind == OperandKind::kRegister &&
                               operand.component == kWholeRegister &&
                               function_->registers[operand.id].vector > 1;
  switch (need.slot->shape) {
    case OperandShape::kPlain:
      return plain(candidate, need, operand, false, detail);
    case OperandShape::kAddress:
      if (operand.kind == OperandKind::kAddress) return address(need, operand, detail);
      if (operand.kind == OperandKind::kSymbol && operand.variable != nullptr)  // array[3]
        return space_agrees(need.space, operand.variable->space) ? Why::kNone : Why::kSpace;
      return Why::kNotAddress;
    case OperandShape::kTensor:
      return operand.kind == OperandKind::kTensor ? Why::kNone : Why::kNotAddress;
    case OperandShape::kVectorOrPlain:
      if (candidate.vector == 1 && operand.kind != OperandKind::kVector)
        return plain(candidate, need, operand, false, detail);
      if (vector_register)
        return function_->registers[operand.id].vector == candidate.vector ? Why::kNone : Why::kVector;
      if (operand.kind != OperandKind::kVector || operand.child_count != candidate.vector)
        return Why::kVector;
      return elements(candidate, need, operand, detail);
    case OperandShape::kList:
      if (vector_register) return Why::kNone;
      if (operand.kind == OperandKind::kVector) return elements(candidate, need, operand, detail);
      return plain(candidate, need, operand, false, detail);
    case OperandShape::kImmediate:
      return operand.kind == OperandKind::kImmediate && operand.immediate_type != Type::kF32 &&
                     operand.immediate_type != Type::kF64
                 ? Why::kNone
                 : Why::kNotImmediate;
    case OperandShape::kPair: {
      const OperandNeed& second = candidate.needs[index + 1];
      const bool pair = operand.kind == OperandKind::kPair;
      if (!pair && !second.slot->optional) return Why::kPair;
      const Operand& first = pair ? children(operand)[0] : operand;
      if (first.kind == OperandKind::kVector && candidate.vector > 1) {
        if (first.child_count != candidate.vector) return Why::kVector;
        if (const Why why = elements(candidate, need, first, detail); why != Why::kNone) return why;
      } else if (!pair || first.kind != OperandKind::kSink) {
        if (const Why why = plain(candidate, need, first, false, detail); why != Why::kNone) return why;
      }
      if (!pair || children(operand)[1].kind == OperandKind::kSink) return Why::kNone;
      return plain(candidate, second, children(operand)[1], false, detail);
    }
    case OperandShape::kLabel:
      return operand.kind == OperandKind::kLabel ? Why::kNone : Why::kNotLabel;
    case OperandShape::kFunction:
      if (operand.kind == OperandKind::kSymbol)
        return operand.symbol_kind == SymbolKind::kFunction ? Why::kNone : Why::kNotFunction;
      return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kLabel
                 ? Why::kNone
                 : Why::kNotFunction;
    case OperandShape::kCallList:
      return operand.kind == OperandKind::kList ? Why::kNone : Why::kNotList;
    case OperandShape::kSymbol:
      return operand.kind == OperandKind::kSymbol || operand.kind == OperandKind::kLabel ? Why::kNone
                                                                                         : Why::kNotSymbol;
  }
  return Why::kNotSource;
}

bool OperandFitter::finish(const Candidate& candidate, const std::vector<Operand>& written, Instruction& in,
                           Mismatch& best) {
  std::vector<Operand>& pool = function_->operand_pool;
  const size_t mark = pool.size();
  unsigned present = candidate.groups;
  while (present > 0 && chosen_[present - 1] < 0) --present;
  // Halves that are absent become sinks; children come before the operands themselves.
  std::array<uint32_t, 32> halves{};
  for (unsigned group = 0, need = 0; group < present; ++group, ++need) {
    if (candidate.needs[need].slot->shape != OperandShape::kPair) continue;
    ++need;
    if (chosen_[group] < 0) continue;
    const Operand& operand = written[static_cast<size_t>(chosen_[group])];
    if (operand.kind == OperandKind::kPair) continue;
    halves[group] = static_cast<uint32_t>(pool.size());
    pool.push_back(operand);
    Operand sink;
    sink.kind = OperandKind::kSink;
    sink.position = operand.position;
    pool.push_back(sink);
  }
  in.form = candidate.form;
  std::copy(candidate.mods.begin(), candidate.mods.end(), in.mods);
  in.first_operand = static_cast<uint32_t>(pool.size());
  in.operand_count = static_cast<uint16_t>(present);
  for (unsigned group = 0, need = 0; group < present; ++group, ++need) {
    const OperandShape shape = candidate.needs[need].slot->shape;
    if (shape == OperandShape::kPair) ++need;
    Operand operand = chosen_[group] < 0 ? Operand() : written[static_cast<size_t>(chosen_[group])];
    // Without .vec, `{%r1}` is `%r1`: Triton writes every scalar access so, and ptxas takes it. What reads
    // the operand expects a register there, so the braces end here.
    if (shape == OperandShape::kVectorOrPlain && candidate.vector == 1 &&
        operand.kind == OperandKind::kVector)
      operand = Operand(children(operand)[0]);
    if (shape == OperandShape::kPair && operand.kind != OperandKind::kPair &&
        operand.kind != OperandKind::kNone) {
      const Position position = operand.position;
      operand = Operand();
      operand.kind = OperandKind::kPair;
      operand.first_child = halves[group];
      operand.child_count = 2;
      operand.position = position;
    }
    if (shape == OperandShape::kAddress && operand.kind == OperandKind::kSymbol) {
      operand.kind = OperandKind::kAddress;
      operand.has_base = operand.base_is_symbol = true;
    }
    pool.push_back(operand);
  }
  const FormUse use(*candidate.form, in, function_);
  std::string problem = candidate.form->check == nullptr ? "" : candidate.form->check(use);
  if (problem.empty()) problem = usage_problem(use, context_->version, context_->target);
  if (problem.empty()) return true;
  pool.resize(mark);
  if (best.score < 1000) {
    best = Mismatch();
    best.why = Why::kCheck;
    best.score = 1000;
    best.candidate = &candidate;
    best.text = std::move(problem);
  }
  return false;
}

bool OperandFitter::align(const Candidate& candidate, const std::vector<Operand>& written, size_t need,
                          size_t group, size_t op, Instruction& in, Mismatch& best) {
  const auto miss = [&](Why why, unsigned score, const Detail& detail) {
    if (best.why != Why::kNone && score <= best.score) return;
    best.why = why;
    best.score = score;
    best.candidate = &candidate;
    best.operand = detail.operand == nullptr ? Operand() : *detail.operand;
    best.expected = detail.expected;
    best.slot = detail.slot;
  };
  if (need == candidate.needs.size()) {
    if (op == written.size()) return finish(candidate, written, in, best);
    Detail detail;
    detail.operand = &written[op];
    miss(Why::kTooMany, 1, detail);
    return false;
  }
  const OperandSlot& slot = *candidate.needs[need].slot;
  const size_t width = slot.shape == OperandShape::kPair ? 2 : 1;
  if (op < written.size()) {
    Detail detail;
    const Why why = one(candidate, need, written[op], detail);
    if (why == Why::kNone) {
      chosen_[group] = static_cast<int16_t>(op);
      if (align(candidate, written, need + width, group + 1, op + 1, in, best)) return true;
      if (!slot.optional) return false;
    } else {
      // A mismatch says more than a wrong count, if the count is right.
      const bool count = written.size() >= candidate.mandatory && written.size() <= candidate.groups;
      miss(why, static_cast<unsigned>(count ? 100 + op : 2), detail);
    }
  } else if (!slot.optional) {
    miss(Why::kTooFew, 1, Detail());
  }
  if (!slot.optional) return false;
  chosen_[group] = -1;
  return align(candidate, written, need + width, group + 1, op, in, best);
}

bool OperandFitter::fit(const Candidate& candidate, const std::vector<Operand>& written, Instruction& in,
                        Mismatch& best) {
  if (candidate.groups > chosen_.size()) return false;
  return align(candidate, written, 0, 0, 0, in, best);
}

bool OperandFitter::fit(const Opcode& opcode, const Token& token, std::vector<Operand>& written,
                        Instruction& in) {
  Mismatch best;
  for (const Candidate& candidate : opcode.candidates) {
    if (!fit(candidate, written, in, best)) continue;
    if (!candidate.illegal.empty()) {
      context_->report.error(candidate.illegal_code, token, candidate.illegal);
    } else if (!candidate.form->not_modelled.empty() && context_->options.warn_not_modelled) {
      Diagnostic& d =
          context_->report.warning(Problem::kUnsupported, token.position, token.text.size(),
                                   ticked(token.text) + " is not modelled: " + candidate.form->not_modelled);
      d.hint = "a kernel that reaches it is refused when it is loaded";
    }
    return true;
  }
  explain(best, token, written.size());
  return false;
}

}  // namespace gpuloom::ptx
