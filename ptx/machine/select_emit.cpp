// SPDX-License-Identifier: Apache-2.0
// The operations of each decoded instruction that is left.
#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/rules/copy_size.h"
#include "ptx/machine/rules/gather_lanes.h"
#include "ptx/machine/rules/half_values.h"
#include "ptx/machine/rules/rule.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

void Selector::add_source(Place place, std::vector<uint32_t>& out, unsigned depth) const {
  if (!place.present() || place.constant()) return;
  if (const uint32_t in = pieces_.inside(g_.liveness.number(f_, place)); in != kNoVirtual) {
    if (std::find(out.begin(), out.end(), in) == out.end()) out.push_back(in);
    return;
  }
  const uint32_t made_by = maker(place);
  if (made_by != UINT32_MAX && folded(made_by) && shape(made_by) != Shape::kOther && depth < 8) {
    // Copies of copies may be many: an unrolled loop that exchanges two variables makes two in each turn.
    const unsigned next = shape(made_by) == Shape::kMove ? depth : depth + 1;
    for (uint32_t r = p_.ref_begin[made_by]; r < p_.ref_begin[made_by + 1]; ++r) {
      if (!p_.refs[r].defines) add_source(p_.refs[r].place, out, next);
    }
    const auto upper = upper_half_.find(made_by);
    if (upper != upper_half_.end() && std::find(out.begin(), out.end(), upper->second) == out.end())
      out.push_back(upper->second);
    return;
  }
  if (is_special_[g_.liveness.number(f_, place)] != 0) return;  // read from where the hardware keeps it
  const uint32_t v = find(virtual_of(place));
  if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
}

void Selector::sources(uint32_t i, std::vector<uint32_t>& out) const {
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines) add_source(p_.refs[r].place, out, 0);
  }
  if (names_window(i)) {
    const uint32_t base = shared_bases_[shared_base_of_.at(i)].value;
    if (std::find(out.begin(), out.end(), base) == out.end()) out.push_back(base);
  }
}

Node& Selector::push(std::vector<Node>& out, OpClass op, uint32_t decoded) {
  out.emplace_back();
  out.back().op = op;
  out.back().decoded = decoded;
  return out.back();
}

uint32_t Selector::temporary(uint8_t words, bool uniform) {
  g_.registers.push_back({words, uniform, kNoRegister});
  return static_cast<uint32_t>(g_.registers.size() - 1);
}

void Selector::set_order(Node& n, const Instr& in) const {
  switch (in.kind) {
    case InstrKind::kPlain:
    case InstrKind::kBranch:
    case InstrKind::kReturn:
    case InstrKind::kExit:
    case InstrKind::kCall:
    case InstrKind::kReconverge:
      break;
    case InstrKind::kLoad:
      n.loads = true;
      break;
    case InstrKind::kStore:
      n.stores = true;
      break;
    case InstrKind::kReadClock:
      n.volatile_order = true;
      break;
    case InstrKind::kWarpSync: {
      const auto op = static_cast<OpClass>(in.op_class);
      n.ordered = is(op, kOrdersLanes);
      n.loads = is(op, kLoadsMatrix);
      n.stores = is(op, kStoresMatrix);
      break;
    }
    default:
      n.ordered = true;
      break;
  }
  n.ends = in.ends_block != 0 && in.kind != InstrKind::kPlain;
  n.begins = in.kind == InstrKind::kReconverge;
  const auto own = static_cast<OpClass>(in.op_class);
  n.memory = is_memory(in) || is(own, kLoadsMatrix) || is(own, kStoresMatrix);
  n.space = in.space;
}

OpClass Selector::class_of(uint32_t i) const {
  const OpClass as = fused_[i - code_.entry];
  return as != OpClass::none ? as : static_cast<OpClass>(p_.code[i].op_class);
}

void Selector::emit(uint32_t i, std::vector<Node>& out) {
  Emitter emitter(*this, i, out);
  if (folded(i)) {
    emit_upper_half(i, out);
    return pieces_.write_upper_half(emitter, i);
  }
  if (shape(i) == Shape::kMoveSpecial) return emit_special(i, out);
  if (shape(i) == Shape::kMove && p_.code[i].ops[1].present() && p_.code[i].ops[1].constant() && is_symbol(i))
    return emit_symbol(i, out);
  if (emit_by_rule(rules_by_shape(), i, out)) return;
  const OpClass op = class_of(i);
  gather_lanes(Selection(*this), emitter, i);
  if (op == OpClass::none || emit_by_rule(rules_by_class(), i, out)) return;
  emit_sequence(i, sequence_for(i, op), out);
}

bool Selector::emit_by_rule(std::span<const Rule* const> rules, uint32_t i, std::vector<Node>& out) {
  const Selection function(*this);
  for (const Rule* rule : rules) {
    if (!g_.options.control.runs(rule->name) || !rule->match(function, i)) continue;
    Emitter emitter(*this, i, out);
    rule->apply(function, emitter, i);
    return true;
  }
  return false;
}

void Selector::emit_sequence(uint32_t i, const std::vector<OpClass>& sequence, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  std::vector<uint32_t> uses, defs;
  sources(i, uses);
  const bool single = sequence.size() == 1;
  if (single) add_constants(i, sequence[0], uses, out);
  Emitter emitter(*this, i, out);
  add_copy_size(Selection(*this), emitter, i, uses);
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines) continue;
    defs.push_back(find(virtual_of(p_.refs[r].place)));
  }
  // Of the four partial products of a high half, two wait for the next (SASS of int64_mul).
  const bool keeps_two = class_of(i) == OpClass::mulhi64;
  uint32_t long_before = kNoVirtual;
  // A comparison that has an operand scaled has the result scaled back: its predicate lives as long (SASS of
  // swiglu_bwd: FSETP P6, @P6 FMUL, MUFU, @P6 FMUL).
  const bool scales = sequence.size() > 2 && sequence[0] == OpClass::fsetp && sequence[1] == OpClass::fmul &&
                      sequence.back() == OpClass::fmul;
  uint32_t scaled = kNoVirtual;
  // Of one operand the product in front has all that comes behind (SASS of nbody: @!P1 FMUL R16, R16,
  // 16777216).
  std::vector<uint32_t> guard;
  if (in.guard.present()) add_source(in.guard, guard, 0);
  const bool one_operand = scales && uses.size() == guard.size() + 1;
  uint32_t chain = kNoVirtual, check = kNoVirtual;  // what the last step in and beside the chain made
  for (size_t k = 0; k < sequence.size(); ++k) {
    Node& n = push(out, sequence[k], i);
    const bool last = k + 1 == sequence.size();
    uint32_t& before = !last && stands_beside(sequence, k) ? check : chain;
    n.uses = one_operand && k > 1 ? guard : uses;
    if (before != kNoVirtual) n.uses.push_back(before);
    if (keeps_two && long_before != kNoVirtual) n.uses.push_back(long_before);
    if (last && check != kNoVirtual) n.uses.push_back(check);
    if (last && scaled != kNoVirtual) n.uses.push_back(scaled);
    n.guarded = in.guard.present();
    n.predicated =
        k > 0 && before != kNoVirtual && g_.registers[before].words == 0 && !is(n.op, kTakesPredicate);
    set_order(n, in);
    n.ends = n.ends && last;
    if (n.op == OpClass::bra || calls(n)) {
      for (uint8_t r = traits(class_of(i)).slow_path_registers; r != 0; --r)
        n.scratch.push_back(temporary(1));
    }
    if (!last) {
      n.memory = n.ordered = n.loads = n.stores = false;
      long_before = before;
      before = temporary(traits(n.op).result_words);
      n.defs = {before};
      if (scales && k == 0) scaled = before;
    } else {
      n.defs = defs;
      if (n.guarded) n.uses.insert(n.uses.end(), defs.begin(), defs.end());  // where it holds off, they stay
      n.carries = true;
      // From 9.0 on constants have registers anyway.
      n.immediate = single && g_.model->profile.constant_operands ? immediate_of(i) : 0;
      n.high = n.op == OpClass::lea && adds_upper_bits(i);
      if (n.memory) n.lane_bytes = lane_bytes(i);
      n.half = loads_half(Selection(*this), i);
      if (n.memory && in.kind == InstrKind::kStore && is(n.op, kTuple)) n.tuple = stored(i);  // not surfaces
    }
  }
}

// Whether a shift to the right has gone into the sum that i makes.
bool Selector::adds_upper_bits(uint32_t i) const {
  for (const Place place : {p_.code[i].ops[1], p_.code[i].ops[2]}) {
    const uint32_t from = maker(place);
    if (from == UINT32_MAX || !folded(from)) continue;
    if (shape(from) == Shape::kShr32 || shape(from) == Shape::kFunnel) return true;
  }
  return false;
}

// What a store writes, in the order of its addresses; empty where that is not one register each.
std::vector<uint32_t> Selector::stored(uint32_t i) {
  const Instr& in = p_.code[i];
  std::vector<uint32_t> out;
  if (in.type == Type::kNone || bytes(in.type) < 4) return out;
  for (uint32_t e = 0; e < std::max<uint32_t>(1, in.vec); ++e) {
    const Place place = in.vec <= 1 ? in.ops[1] : p_.extra[static_cast<uint32_t>(in.ops[1].at) + e];
    std::vector<uint32_t> from;
    add_source(place, from, 0);
    if (from.size() > 1) return {};
    out.push_back(from.empty() ? kNoVirtual : from[0]);
  }
  return out;
}

uint8_t Selector::lane_bytes(uint32_t i) const {
  const Instr& in = p_.code[i];
  const unsigned each = in.type == Type::kNone ? 4 : bytes(in.type);
  return static_cast<uint8_t>(std::min(32u, each * std::max<unsigned>(1, in.vec)));
}

namespace {

SpecialRegister special_register(const Program& p, uint32_t i) {
  return static_cast<SpecialRegister>(use_of(p, p.code[i]).operand(1).id);
}

}  // namespace

OpClass Selector::special_class(uint32_t i) const {
  switch (special_register(p_, i)) {
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
      return OpClass::ldc;
    default:
      return OpClass::s2r;
  }
}

// What the first block has read of a special register is not kept behind a long loop, nor in one but in
// front of what each of its turns needs.
bool Selector::read_anew(uint32_t i) const {
  return shape(i) == Shape::kMoveSpecial && special_class(i) == OpClass::s2r &&
         !long_loops_.keeps(g_.flow.first_block[f_], home_of_read(i));
}

// A variable that begins with a special register which the function's first block has read is a copy of what
// was read there, and so is the one that was read (SASS of softmax_rows).
bool Selector::copy_special(uint32_t i, std::vector<Node>& out) {
  if (p_.code[i].guard.present() || read_anew(i)) return false;
  const uint32_t begin = g_.flow.first_block[f_], own = g_.flow.block_of[i];
  if (own != begin) {
    const auto read = std::find_if(special_copies_.begin(), special_copies_.end(),
                                   [&](const auto& copy) { return same_operation(copy.first, i); });
    const uint32_t first = read == special_copies_.end() ? same_at_begin(i) : UINT32_MAX;
    if (read == special_copies_.end() && first == UINT32_MAX) return false;
    const uint32_t kept = first == UINT32_MAX ? read->second : find(virtual_of(p_.code[first].ops[0]));
    emit_sequence(i, {OpClass::mov}, out);
    out.back().uses = {kept};
    return true;
  }
  bool again = false;
  for (uint32_t k = code_.entry; k < code_.end && !again; ++k)
    again = g_.flow.block_of[k] != begin && shape(k) == Shape::kMoveSpecial && !read_anew(k) &&
            same_operation(k, i);
  if (!again || single_result(i) != nullptr) return false;
  emit_sequence(i, {OpClass::s2r, OpClass::mov}, out);
  special_copies_[i] = out[out.size() - 2].defs[0];
  return true;
}

void Selector::emit_special(uint32_t i, std::vector<Node>& out) {
  const SpecialRegister reg = special_register(p_, i);
  const OpClass op = special_class(i);
  if (op == OpClass::s2r && copy_special(i, out)) return;
  emit_sequence(i, {op}, out);
  if (op != OpClass::ldc) return;
  Node& n = out.back();
  n.constant_operand = n.uniform = true;
  n.constant_offset = static_cast<uint16_t>(
      g_.model->profile.constant_bank.block_size +
      4 * (static_cast<unsigned>(reg) - static_cast<unsigned>(SpecialRegister::ntid_x)));
  for (const uint32_t d : n.defs) g_.registers[d].uniform = stable(p_.code[i].ops[0]);
}

void Selector::emit_symbol(uint32_t i, std::vector<Node>& out) {
  const Variable* v = symbol_of(i);
  // c[3][R + offset]: the address of a constant variable is part of the operand (SASS of constant_divergent).
  const RowFacts* result = single_result(i);
  const bool in_operand = v->space == Space::kConst && result != nullptr &&
                          all_uses(*result, [&](uint32_t u, const OperandRef& ref) {
                            return ref.address || (shape(u) == Shape::kAdd32 && folded(u));
                          });
  if (in_operand) {
    folded_[i - code_.entry] = 1;
    return;
  }
  if (names_shared(i)) {
    emit_shared_base(i, out);
  } else if (v->space == Space::kShared || v->space == Space::kLocal) {
    emit_sequence(i, {OpClass::mov}, out);
  } else {
    emit_sequence(i, {OpClass::ldc}, out);
    out.back().constant_operand = true;
  }
}

}  // namespace gpuloom::ptx
