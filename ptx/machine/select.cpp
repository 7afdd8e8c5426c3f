// SPDX-License-Identifier: Apache-2.0
// Which machine operations there are: what vanishes, fuses and expands. Patterns are those that the
// disassembly of the reference suite (ptxas 13.0, sm_90) shows. Folding is about time only: the decoded
// instructions all stay and take effect in a fitting place.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "ptx/isa/table/form.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"
#include "sim/base/error.h"

namespace gpuloom::ptx {

namespace {

struct RowFacts {
  uint32_t defs = 0;
  uint32_t def = UINT32_MAX;
  bool guarded = false;
  std::vector<std::pair<uint32_t, const OperandRef*>> uses;
};

bool is_memory(const Instr& in) {
  switch (in.kind) {
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kAtomic:
    case InstrKind::kAsyncCopy:
      return true;
    default:
      return false;
  }
}

class Selector {
 public:
  Selector(Graph& g, uint32_t f)
      : g_(g), p_(*g.program), f_(f), code_(p_.functions[f]), base_(g.first_virtual[f]) {}

  void run() {
    gather();
    join_moves();
    for (uint32_t i = code_.entry; i < code_.end; ++i) fold(i);
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      for (uint32_t i = g_.flow.blocks[b].first; i <= g_.flow.blocks[b].last; ++i) emit(i, g_.blocks[b]);
      if (g_.blocks[b].empty()) push(g_.blocks[b], OpClass::mov, g_.flow.blocks[b].last).carries = true;
    }
    add_shared_bases();
    if (f_ == 0) add_prologue();
    add_convergence();
  }

 private:
  // ---- facts
  void gather() {
    rows_.resize(g_.liveness.rows[f_].offset.size());
    for (uint32_t i = code_.entry; i < code_.end; ++i) {
      shape_.push_back(shape_of(p_, p_.code[i]));
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        const OperandRef& ref = p_.refs[r];
        if (ref.place.constant()) continue;
        RowFacts& row = rows_[g_.liveness.number(f_, ref.place)];
        if (ref.defines) {
          ++row.defs;
          row.def = i;
          row.guarded |= p_.code[i].guard.present();
        } else {
          row.uses.emplace_back(i, &ref);
        }
      }
    }
    is_special_.assign(rows_.size(), 0);
    for (const SpecialRow& s : code_.specials) is_special_[g_.liveness.number(f_, s.place)] = 1;
    folded_.assign(code_.end - code_.entry, 0);
    capacity_.assign(code_.end - code_.entry, 0);
    fused_.assign(code_.end - code_.entry, OpClass::none);
  }
  Shape shape(uint32_t i) const { return shape_[i - code_.entry]; }
  bool folded(uint32_t i) const { return folded_[i - code_.entry] != 0; }
  const RowFacts* facts(Place place) const {
    return place.present() && !place.constant() ? &rows_[g_.liveness.number(f_, place)] : nullptr;
  }
  // The one instruction that makes this row's value, or UINT32_MAX.
  uint32_t maker(Place place) const {
    const RowFacts* row = facts(place);
    return row != nullptr && row->defs == 1 && !row->guarded ? row->def : UINT32_MAX;
  }
  bool stable(Place place) const {
    const RowFacts* row = facts(place);
    return row == nullptr || (row->defs <= 1 && !row->guarded);
  }
  // Whether the sources of i hold the same values wherever its result is used: they have one definition, or
  // the uses follow in the same block before the next one.
  bool stable_sources(uint32_t i) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines && !stable(p_.refs[r].place) && !keeps_until_used(p_.refs[r].place, i))
        return false;
    }
    return true;
  }
  bool keeps_until_used(Place source, uint32_t i) const {
    const RowFacts* result = single_result(i);
    if (result == nullptr) return false;
    uint32_t last = i;
    for (const auto& use : result->uses) {
      if (g_.flow.block_of[use.first] != g_.flow.block_of[i] || use.first < i) return false;
      last = std::max(last, use.first);
    }
    for (uint32_t k = i; k < last; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (p_.refs[r].defines && p_.refs[r].place.at == source.at) return false;
      }
    }
    return true;
  }
  // Facts of the one row that i writes, if it is this instruction alone that writes it.
  const RowFacts* single_result(uint32_t i) const {
    if (p_.code[i].guard.present()) return nullptr;
    const RowFacts* result = nullptr;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines) continue;
      if (result != nullptr || p_.refs[r].element != 0xff) return nullptr;
      result = facts(p_.refs[r].place);
    }
    return result != nullptr && result->defs == 1 ? result : nullptr;
  }
  template <class Test>
  bool all_uses(const RowFacts& row, Test test) const {
    return !row.uses.empty() && std::all_of(row.uses.begin(), row.uses.end(),
                                            [&](const auto& use) { return test(use.first, *use.second); });
  }

  // ---- moves between variables of several definitions (loop counters and the like) that can share a
  // register
  uint32_t find(uint32_t v) {
    while (join_[v - base_] != v) v = join_[v - base_] = join_[join_[v - base_] - base_];
    return v;
  }

  void join_moves() {
    join_.resize(rows_.size());
    std::iota(join_.begin(), join_.end(), base_);
    std::vector<std::pair<uint32_t, uint32_t>> moves;  // row numbers
    std::vector<uint8_t> candidate(rows_.size(), 0);
    for (uint32_t i = code_.entry; i < code_.end; ++i) {
      const Instr& in = p_.code[i];
      if (shape(i) != Shape::kMove || in.ops[1].constant() || in.guard.present() || !in.ops[1].present())
        continue;
      const uint32_t d = g_.liveness.number(f_, in.ops[0]), s = g_.liveness.number(f_, in.ops[1]);
      moves.emplace_back(d, s);
      candidate[d] = candidate[s] = 1;
    }
    std::map<std::pair<uint32_t, uint32_t>, bool> clash;
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      RowSet live = g_.liveness.live_out[b];
      for (uint32_t i = g_.flow.blocks[b].last + 1; i-- > g_.flow.blocks[b].first;) {
        const bool is_move = shape(i) == Shape::kMove && !p_.code[i].ops[1].constant();
        const uint32_t source = is_move ? g_.liveness.number(f_, p_.code[i].ops[1]) : UINT32_MAX;
        for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
          if (!p_.refs[r].defines) continue;
          const uint32_t d = g_.liveness.number(f_, p_.refs[r].place);
          if (candidate[d] == 0) continue;
          live.for_each([&](uint32_t other) {
            if (candidate[other] != 0 && other != d && other != source) clash[std::minmax(d, other)] = true;
          });
        }
        step_back(p_, g_.liveness, f_, i, live);
      }
    }
    std::vector<std::vector<uint32_t>> members(rows_.size());
    for (uint32_t k = 0; k < members.size(); ++k) members[k] = {k};
    for (const auto& [d, s] : moves) {
      const uint32_t a = find(base_ + d) - base_, b = find(base_ + s) - base_;
      if (a == b) continue;
      bool free = true;
      for (const uint32_t x : members[a]) {
        for (const uint32_t y : members[b]) free = free && clash.count(std::minmax(x, y)) == 0;
      }
      if (!free) continue;
      join_[b] = base_ + a;
      members[a].insert(members[a].end(), members[b].begin(), members[b].end());
    }
  }

  // ---- folding
  void take(uint32_t user, OpClass as) {
    capacity_[user - code_.entry] = 1;
    if (as != OpClass::none) fused_[user - code_.entry] = as;
  }
  bool can_take(uint32_t user) const { return capacity_[user - code_.entry] == 0; }

  void fold_into(uint32_t i, const RowFacts& result, OpClass as) {
    folded_[i - code_.entry] = 1;
    for (const auto& use : result.uses) take(use.first, as);
  }

  bool used_by(const RowFacts& row, Shape wanted) const {
    return all_uses(
        row, [&](uint32_t u, const OperandRef&) { return shape(u) == wanted && can_take(u) && !folded(u); });
  }

  bool address_only(const RowFacts& row) const {
    return all_uses(row,
                    [&](uint32_t u, const OperandRef& ref) { return ref.address && is_memory(p_.code[u]); });
  }

  unsigned distinct_sources(uint32_t i) {
    std::vector<uint32_t> list;
    sources(i, list);
    unsigned constants = 0;
    for (unsigned k = 1; k < 3; ++k)
      constants += p_.code[i].ops[k].present() && p_.code[i].ops[k].constant() ? 1 : 0;
    return static_cast<unsigned>(list.size()) + constants;
  }

  void fold(uint32_t i) {
    const Instr& in = p_.code[i];
    const RowFacts* result = single_result(i);
    const auto here = [&] { folded_[i - code_.entry] = 1; };
    switch (shape(i)) {
      case Shape::kRename:
        if (result != nullptr && stable_sources(i)) here();
        return;
      case Shape::kMove:
        fold_move(i, result);
        return;
      case Shape::kPack:
        fold_pack(i);
        return;
      case Shape::kNotPred:
        if (result != nullptr && stable_sources(i)) here();
        return;
      default:
        break;
    }
    if (result == nullptr || !stable_sources(i)) return;
    switch (shape(i)) {
      case Shape::kExtend:
        if (!is_signed(in.type) && !source_is_signed(i)) return here();
        if (all_uses(*result, [&](uint32_t u, const OperandRef&) {
              return shape(u) == Shape::kShl64 || shape(u) == Shape::kAdd64 || shape(u) == Shape::kSub64;
            })) {
          here();
        }
        return;
      case Shape::kMulWide:
        if (used_by(*result, Shape::kAdd64)) fold_into(i, *result, OpClass::imad_wide);
        return;
      case Shape::kShl64: {
        if (!in.ops[2].constant() || !used_by(*result, Shape::kAdd64)) return;
        const uint32_t from = maker(in.ops[1]);
        const bool narrow = from != UINT32_MAX && shape(from) == Shape::kExtend && folded(from);
        fold_into(i, *result, narrow ? OpClass::imad_wide : OpClass::none);
        return;
      }
      case Shape::kAdd64:
        if (in.ops[2].constant() && can_take(i) && address_only(*result)) here();
        return;
      case Shape::kMul32:
        if (used_by(*result, Shape::kAdd32)) fold_into(i, *result, OpClass::imad);
        return;
      case Shape::kShl32:
        if (in.ops[2].constant() && used_by(*result, Shape::kAdd32)) fold_into(i, *result, OpClass::lea);
        return;
      case Shape::kAdd32:
        if (can_take(i) && address_only(*result) && (in.ops[2].constant() || has_uniform_base(i)))
          return here();
        if (result->uses.size() == 1 && can_take(i) && used_by(*result, Shape::kAdd32) &&
            distinct_sources(i) <= 2) {
          fold_into(i, *result, OpClass::none);
        }
        return;
      case Shape::kLogic32:
      case Shape::kNot32:
        fold_logic(i, *result);
        return;
      case Shape::kSetp:
        if (result->uses.size() == 1 && used_by(*result, Shape::kLogicPred)) {
          fold_into(i, *result, primitive(in.op_class));
        }
        return;
      case Shape::kFloatSign:
        if (all_uses(*result, [&](uint32_t u, const OperandRef&) {
              return shape(u) == Shape::kFloat || shape(u) == Shape::kFloatSign;
            })) {
          here();
        }
        return;
      default:
        return;
    }
  }

  // [R + UR]: an address that adds the base of shared memory to a register.
  bool has_uniform_base(uint32_t i) const {
    for (unsigned k = 1; k < 3; ++k) {
      const uint32_t from = maker(p_.code[i].ops[k]);
      if (from == UINT32_MAX || shape(from) != Shape::kMove || !p_.code[from].ops[1].constant()) continue;
      const Variable* v = symbol_of(from);
      if (v != nullptr && v->space == Space::kShared) return true;
    }
    return false;
  }

  bool source_is_signed(uint32_t i) const {
    const InstrSource& source = p_.sources[p_.code[i].source];
    const Instruction& written = source.function->instructions[source.instruction];
    return FormUse(*written.form, written, source.function).has(".s32");
  }

  OpClass primitive(uint16_t op) const { return static_cast<OpClass>(op); }

  void fold_logic(uint32_t i, const RowFacts& result) {
    if (result.uses.size() != 1) return;
    const uint32_t user = result.uses[0].first;
    if (folded(user)) return;
    if (shape(user) == Shape::kLogic32 && distinct_sources(i) <= 2) {
      std::vector<uint32_t> all;
      sources(i, all);
      sources(user, all);
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      if (all.size() <= 4 && can_take(user)) fold_into(i, result, OpClass::none);
      return;
    }
    // and + compare with zero: LOP3 writes a predicate.
    if (shape(user) == Shape::kSetp && shape(i) == Shape::kLogic32 && can_take(user)) {
      for (unsigned k = 1; k < 4; ++k) {
        const Place other = p_.code[user].ops[k];
        if (other.present() && other.constant() && is_zero(other)) return fold_into(i, result, OpClass::lop3);
      }
    }
  }

  bool is_zero(Place constant) const {
    const uint8_t* bytes = p_.constants.data() + static_cast<uint32_t>(~constant.at);
    return bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 0;
  }

  void fold_move(uint32_t i, const RowFacts* result) {
    const Instr& in = p_.code[i];
    if (!in.ops[1].present()) return;
    if (!in.ops[1].constant()) {
      if (result != nullptr && stable(in.ops[1])) {
        folded_[i - code_.entry] = 1;
      } else if (!in.guard.present()) {
        joined_move_ = find(virtual_of(in.ops[0])) == find(virtual_of(in.ops[1]));
        if (joined_move_) folded_[i - code_.entry] = 1;
      }
      return;
    }
    if (result == nullptr || is_symbol(i)) return;
    const bool must_be_register = std::any_of(result->uses.begin(), result->uses.end(), [&](const auto& use) {
      const Instr& user = p_.code[use.first];
      return (is_memory(user) && !use.second->address) || use.second->element != 0xff;
    });
    if (!must_be_register) folded_[i - code_.entry] = 1;
  }

  bool is_symbol(uint32_t i) const { return symbol_of(i) != nullptr; }
  const Variable* symbol_of(uint32_t i) const {
    const InstrSource& source = p_.sources[p_.code[i].source];
    const Instruction& written = source.function->instructions[source.instruction];
    const Operand& op = FormUse(*written.form, written, source.function).operand(1);
    return op.kind == OperandKind::kSymbol ? op.variable : nullptr;
  }

  // mov.b64 {a, b}, c renames halves; so does its inverse, as far as registers can be chosen freely.
  void fold_pack(uint32_t i) {
    unsigned narrowest = 16;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].defines && !stable(p_.refs[r].place)) return;
      if (p_.refs[r].operand < kInstrPlaces) narrowest = std::min<unsigned>(narrowest, p_.refs[r].bytes);
    }
    if (p_.code[i].guard.present() || !stable_sources(i)) return;
    const bool packs_halves = narrowest < 4 && p_.code[i].ops[1].present() && defines_one(i);
    if (!packs_halves) folded_[i - code_.entry] = 1;
  }
  bool defines_one(uint32_t i) const {
    unsigned count = 0;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) count += p_.refs[r].defines ? 1 : 0;
    return count == 1;
  }

  // ---- emission
  uint32_t virtual_of(Place place) const { return base_ + g_.liveness.number(f_, place); }

  void add_source(Place place, std::vector<uint32_t>& out, unsigned depth) {
    if (!place.present() || place.constant()) return;
    const uint32_t made_by = maker(place);
    if (made_by != UINT32_MAX && folded(made_by) && shape(made_by) != Shape::kOther && depth < 8) {
      for (uint32_t r = p_.ref_begin[made_by]; r < p_.ref_begin[made_by + 1]; ++r) {
        if (!p_.refs[r].defines) add_source(p_.refs[r].place, out, depth + 1);
      }
      return;
    }
    if (is_special_[g_.liveness.number(f_, place)] != 0) return;  // read from where the hardware keeps it
    const uint32_t v = find(virtual_of(place));
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  }

  void sources(uint32_t i, std::vector<uint32_t>& out) {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines) add_source(p_.refs[r].place, out, 0);
    }
  }

  Node& push(std::vector<Node>& out, OpClass op, uint32_t decoded) {
    out.emplace_back();
    out.back().op = op;
    out.back().decoded = decoded;
    return out.back();
  }

  uint32_t temporary(uint8_t words, bool uniform = false) {
    g_.registers.push_back({words, uniform, kNoRegister});
    return static_cast<uint32_t>(g_.registers.size() - 1);
  }

  void set_order(Node& n, const Instr& in) const {
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
        n.ordered = op == OpClass::warpsync || op == OpClass::vote || op == OpClass::elect ||
                    op == OpClass::wgmma || op == OpClass::warpgroup || op == OpClass::match;
        n.loads = op == OpClass::ldsm;
        n.stores = op == OpClass::stsm;
        break;
      }
      default:
        n.ordered = true;
        break;
    }
    n.ends = in.ends_block != 0 && in.kind != InstrKind::kPlain;
    n.begins = in.kind == InstrKind::kReconverge;
    n.memory = is_memory(in) || static_cast<OpClass>(in.op_class) == OpClass::ldsm ||
               static_cast<OpClass>(in.op_class) == OpClass::stsm;
    n.space = in.space;
  }

  OpClass class_of(uint32_t i) const {
    const OpClass as = fused_[i - code_.entry];
    return as != OpClass::none ? as : static_cast<OpClass>(p_.code[i].op_class);
  }

  void emit(uint32_t i, std::vector<Node>& out) {
    if (folded(i)) return;
    const Instr& in = p_.code[i];
    switch (shape(i)) {
      case Shape::kParamLoad:
        return emit_param(i, out);
      case Shape::kMoveSpecial:
        return emit_special(i, out);
      case Shape::kMove:
        if (in.ops[1].present() && in.ops[1].constant() && is_symbol(i)) return emit_symbol(i, out);
        break;
      case Shape::kExtend:
        return emit_sequence(i, {OpClass::shift}, out);
      case Shape::kRename:
      case Shape::kNotPred:
      case Shape::kFloatSign: {
        const auto op = static_cast<OpClass>(in.op_class);
        const bool is_predicate = shape(i) == Shape::kNotPred;
        return emit_sequence(i,
                             {op != OpClass::none ? op
                              : is_predicate      ? OpClass::plop3
                                                  : OpClass::mov},
                             out);
      }
      case Shape::kShl64:
      case Shape::kAdd64:
        if (capacity_[i - code_.entry] != 0 && fused_[i - code_.entry] == OpClass::none) {
          return emit_sequence(i, {OpClass::lea, OpClass::lea}, out);  // LEA, LEA.HI.X
        }
        break;
      default:
        break;
    }
    const OpClass op = class_of(i);
    if (op == OpClass::none) return;
    if (in.skips_unrolled != 0) emit_trip_tests(i, out);
    std::vector<OpClass> sequence = g_.model->sequence[static_cast<size_t>(op)];
    if (sequence.empty()) sequence = {op};
    const uint8_t shared = g_.model->divisor_steps[static_cast<size_t>(op)];
    if (shared == 0 || shared >= sequence.size() || !stable(in.ops[2]))
      return emit_sequence(i, sequence, out);
    const uint32_t reciprocal = divisor_part(i, shared, out);
    const size_t begin = out.size();
    emit_sequence(i, {sequence.begin() + shared, sequence.end()}, out);
    for (size_t k = begin; k < out.size(); ++k) out[k].uses.push_back(reciprocal);
  }

  // In front of a loop that ptxas unrolls four times it tests for any iteration at all, and behind it for two
  // more and for one more (SASS of staged_sync, matmul_tiled16).
  void emit_trip_tests(uint32_t i, std::vector<Node>& out) {
    for (const OpClass op : {OpClass::isetp, OpClass::bra, OpClass::plop3, OpClass::isetp, OpClass::bra,
                             OpClass::isetp, OpClass::bra}) {
      push(out, op, i).ordered = op == OpClass::bra;
    }
  }

  // What a division computes of its divisor alone: once for all divisions of a block, and before the loops in
  // which the divisor does not change. Returns the register with the reciprocal.
  uint32_t divisor_part(uint32_t i, uint8_t steps, std::vector<Node>& out) {
    const Place divisor = p_.code[i].ops[2];
    const OpClass op = class_of(i);
    const uint32_t own = g_.flow.block_of[i], at = before_invariant_loops(own, divisor);
    const auto [known, is_new] = reciprocals_.try_emplace({at, divisor.at, steps}, 0);
    if (!is_new) return known->second;
    std::vector<Node> part;
    std::vector<uint32_t> uses;
    add_source(divisor, uses, 0);
    uint32_t result = kNoVirtual;
    for (uint8_t k = 0; k < steps; ++k) {
      Node& n =
          push(part, g_.model->sequence[static_cast<size_t>(op)][k], at == own ? i : g_.flow.blocks[at].last);
      n.uses = uses;
      if (result != kNoVirtual) n.uses.push_back(result);
      result = temporary(1);
      n.defs = {result};
    }
    std::vector<Node>& nodes = at == own ? out : g_.blocks[at];
    const bool before_end = !nodes.empty() && nodes.back().ends;
    nodes.insert(nodes.end() - (before_end ? 1 : 0), part.begin(), part.end());
    return known->second = result;
  }

  // The block before the outermost loop around b in which `place` is not written, or b.
  uint32_t before_invariant_loops(uint32_t b, Place place) const {
    const RowFacts* row = facts(place);
    const uint32_t made = row != nullptr && row->def != UINT32_MAX ? g_.flow.block_of[row->def] : 0;
    for (uint32_t header = g_.flow.first_block[f_]; header <= b; ++header) {
      if (row != nullptr && row->def != UINT32_MAX && made >= header) continue;
      for (const uint32_t latch : g_.flow.predecessors[header]) {
        if (latch < header || b > latch) continue;
        for (const uint32_t outside : g_.flow.predecessors[header]) {
          if (outside < header) return outside;
        }
      }
    }
    return b;
  }

  void emit_sequence(uint32_t i, const std::vector<OpClass>& sequence, std::vector<Node>& out) {
    const Instr& in = p_.code[i];
    std::vector<uint32_t> uses, defs;
    sources(i, uses);
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines) continue;
      defs.push_back(find(virtual_of(p_.refs[r].place)));
      if (in.guard.present()) uses.push_back(defs.back());
    }
    uint32_t before = kNoVirtual;
    for (size_t k = 0; k < sequence.size(); ++k) {
      Node& n = push(out, sequence[k], i);
      const bool last = k + 1 == sequence.size();
      n.uses = uses;
      if (before != kNoVirtual) n.uses.push_back(before);
      n.guarded = in.guard.present();
      set_order(n, in);
      n.ends = n.ends && last;
      if (!last) {
        n.memory = n.ordered = n.loads = n.stores = false;
        before = temporary(1);
        n.defs = {before};
      } else {
        n.defs = defs;
        n.carries = true;
        if (n.memory) n.lane_bytes = lane_bytes(i);
      }
    }
  }

  uint8_t lane_bytes(uint32_t i) const {
    const Instr& in = p_.code[i];
    const unsigned each = in.type == Type::kNone ? 4 : bytes(in.type);
    return static_cast<uint8_t>(std::min(32u, each * std::max<unsigned>(1, in.vec)));
  }

  // Parameters come from the constant bank: ULDC where only arithmetic uses them, else LDC.
  void emit_param(uint32_t i, std::vector<Node>& out) {
    const Instr& in = p_.code[i];
    Node& n = push(out, OpClass::ldc, i);
    n.carries = true;
    n.constant_operand = true;
    n.constant_offset = static_cast<uint16_t>(0x210 + in.imm);  // where sm_90 keeps parameters
    bool arithmetic = true;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines) continue;
      n.defs.push_back(find(virtual_of(p_.refs[r].place)));
      for (const auto& use : facts(p_.refs[r].place)->uses) {
        const Instr& user = p_.code[use.first];
        arithmetic = arithmetic && user.kind == InstrKind::kPlain && g_.registers[n.defs.back()].words == 1 &&
                     stable(p_.refs[r].place);
      }
    }
    n.uniform = arithmetic;
    if (arithmetic) {
      for (const uint32_t d : n.defs) g_.registers[d].uniform = true;
    }
  }

  void emit_special(uint32_t i, std::vector<Node>& out) {
    const InstrSource& source = p_.sources[p_.code[i].source];
    const Instruction& written = source.function->instructions[source.instruction];
    const auto reg =
        static_cast<SpecialRegister>(FormUse(*written.form, written, source.function).operand(1).id);
    OpClass op = OpClass::s2r;
    switch (reg) {
      case SpecialRegister::ntid_x:
      case SpecialRegister::ntid_y:
      case SpecialRegister::ntid_z:
      case SpecialRegister::nctaid_x:
      case SpecialRegister::nctaid_y:
      case SpecialRegister::nctaid_z:
        op = OpClass::ldc;
        break;
      default:
        break;
    }
    emit_sequence(i, {op}, out);
    if (op != OpClass::ldc) return;
    Node& n = out.back();
    n.constant_operand = n.uniform = true;
    n.constant_offset = static_cast<uint16_t>(
        4 * (static_cast<unsigned>(reg) - static_cast<unsigned>(SpecialRegister::ntid_x)));
    for (const uint32_t d : n.defs) g_.registers[d].uniform = stable(p_.code[i].ops[0]);
  }

  // An address: of shared memory it is made of the block's rank in its cluster (S2R, MOV, LEA), others come
  // from the constant bank.
  void emit_symbol(uint32_t i, std::vector<Node>& out) {
    const Variable* v = symbol_of(i);
    if (v->space == Space::kShared && has_clusters()) {
      // Uniform, so ptxas makes it once and before loops.
      const auto [it, is_new] = shared_base_.try_emplace({v, p_.code[i].ops[1].at}, 0);
      Node& n = push(out, OpClass::none, i);
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines) continue;
        n.defs.push_back(find(virtual_of(p_.refs[r].place)));
        g_.registers[n.defs.back()].uniform = stable(p_.refs[r].place);
      }
      if (!is_new) {
        out.pop_back();
        return;
      }
      shared_base_at_.push_back(n);
      out.pop_back();
    } else if (v->space == Space::kShared || v->space == Space::kLocal) {
      emit_sequence(i, {OpClass::mov}, out);
    } else {
      emit_sequence(i, {OpClass::ldc}, out);
      out.back().constant_operand = true;
    }
  }

  bool has_clusters() const {
    if (p_.module == nullptr || p_.module->targets.empty()) return false;
    const std::string& target = p_.module->targets.front();
    return target.size() > 4 && target.compare(0, 3, "sm_") == 0 && std::atoi(target.c_str() + 3) >= 90;
  }

  // S2R of the rank, MOV of the window's begin (both once), LEA for each variable: in the block that asks
  // first, before its loop.
  void add_shared_bases() {
    uint32_t rank = kNoVirtual;
    uint32_t where = UINT32_MAX;
    for (const Node& wanted : shared_base_at_) {
      const uint32_t b = before_loops(g_.flow.block_of[wanted.decoded]);
      where = rank == kNoVirtual ? b : std::min(where, b);
      std::vector<Node>& nodes = g_.blocks[where];
      size_t at = !nodes.empty() && nodes.front().begins ? 1 : 0;
      std::vector<Node> base;
      if (rank == kNoVirtual) {
        rank = temporary(1, true);
        push(base, OpClass::s2r, g_.flow.blocks[where].first).defs = {rank};
        Node& begin = push(base, OpClass::mov, g_.flow.blocks[where].first);
        begin.uniform = true;
        begin.defs = {temporary(1, true)};
      }
      Node& address = push(base, OpClass::lea, g_.flow.blocks[where].first);
      address.uniform = true;
      address.uses = {rank};
      address.defs = wanted.defs;
      nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(at), base.begin(), base.end());
    }
  }

  uint32_t before_loops(uint32_t b) const {
    for (uint32_t header = g_.flow.first_block[f_]; header <= b; ++header) {
      for (const uint32_t latch : g_.flow.predecessors[header]) {
        if (latch < header || b > latch) continue;
        for (const uint32_t outside : g_.flow.predecessors[header]) {
          if (outside < header) return outside;
        }
      }
    }
    return b;
  }

  // Every kernel loads the stack pointer; those that touch global memory its descriptor.
  void add_prologue() {
    std::vector<Node>& first = g_.blocks[g_.flow.first_block[f_]];
    bool global = false;
    for (const Instr& in : p_.code) {
      global |= is_memory(in) && (in.space == Space::kGlobal || in.space == Space::kGeneric);
    }
    std::vector<Node> prologue;
    Node& stack = push(prologue, OpClass::ldc, code_.entry);
    stack.constant_operand = true;
    stack.constant_offset = 0x28;
    stack.defs = {temporary(1)};
    if (global) {
      Node& descriptor = push(prologue, OpClass::ldc, code_.entry);
      descriptor.constant_operand = descriptor.uniform = true;
      descriptor.constant_offset = 0x208;
      descriptor.defs = {temporary(2, true)};
    }
    const size_t at = !first.empty() && first.front().begins ? 1 : 0;
    first.insert(first.begin() + static_cast<ptrdiff_t>(at), prologue.begin(), prologue.end());
  }

  // BSSY where a region opens: before the branch, or before the loop that a branch leaves.
  void add_convergence() {
    std::vector<std::pair<uint32_t, uint32_t>> done;  // (block, meeting block)
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      const Instr& last = p_.code[g_.flow.blocks[b].last];
      uint32_t meet_instr = last.kind == InstrKind::kBranch ? p_.blocks[b].reconverge : UINT32_MAX;
      if (last.kind == InstrKind::kCall && p_.calls[last.extra].address.present())
        meet_instr = g_.flow.blocks[b].last + 1;
      if (meet_instr == UINT32_MAX) continue;
      const uint32_t meet = g_.flow.block_of[meet_instr];
      const uint32_t at = last.kind == InstrKind::kCall ? b : region_start(b, meet);
      if (std::find(done.begin(), done.end(), std::make_pair(at, meet)) != done.end()) continue;
      done.emplace_back(at, meet);
      std::vector<Node>& nodes = g_.blocks[at];
      size_t where = nodes.size();
      if (where > 0 && nodes.back().ends) --where;
      Node n;
      n.op = OpClass::bssy;
      n.decoded = g_.flow.blocks[at].last;
      nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(where), n);
    }
  }

  // The block itself, or the one before the outermost loop around it that does not hold the meeting point.
  uint32_t region_start(uint32_t b, uint32_t meet) const {
    uint32_t at = b;
    for (uint32_t header = g_.flow.first_block[f_]; header <= b; ++header) {
      for (const uint32_t latch : g_.flow.predecessors[header]) {
        // Loops as code order shows them: nvcc lays them out in one piece, header first.
        if (latch < header || b < header || b > latch || (meet >= header && meet <= latch)) continue;
        for (const uint32_t outside : g_.flow.predecessors[header]) {
          if (outside < header) return outside;
        }
      }
    }
    return at;
  }

  Graph& g_;
  Program& p_;
  uint32_t f_;
  const FunctionCode& code_;
  uint32_t base_;
  bool joined_move_ = false;
  std::vector<RowFacts> rows_;
  std::vector<Shape> shape_;
  std::vector<uint8_t> folded_, capacity_, is_special_;
  std::vector<OpClass> fused_;
  std::vector<uint32_t> join_;
  std::map<std::pair<const Variable*, int32_t>, int> shared_base_;  // variables whose address has been made
  std::vector<Node> shared_base_at_;
  std::map<std::tuple<uint32_t, int32_t, uint8_t>, uint32_t> reciprocals_;  // by block, divisor, steps
};

}  // namespace

void select_operations(Graph& g) {
  g.blocks.assign(g.flow.blocks.size(), {});
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) Selector(g, f).run();
}

void plain_operations(Graph& g) {
  const Program& p = *g.program;
  g.blocks.assign(g.flow.blocks.size(), {});
  for (uint32_t b = 0; b < g.flow.blocks.size(); ++b) {
    const uint32_t f = g.liveness.function_of[b];
    for (uint32_t i = g.flow.blocks[b].first; i <= g.flow.blocks[b].last; ++i) {
      const Instr& in = p.code[i];
      const auto& sequence = g.model->sequence[in.op_class];
      Node n;
      n.op = sequence.empty() ? static_cast<OpClass>(in.op_class) : sequence.front();
      if (n.op == OpClass::none) n.op = OpClass::nop;
      n.decoded = i;
      n.carries = true;
      n.guarded = in.guard.present();
      n.memory = is_memory(in) && in.space != Space::kParam;
      n.lane_bytes = static_cast<uint8_t>((in.type == Type::kNone ? 4 : bytes(in.type)) * in.vec);
      n.space = in.space;
      for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
        if (p.refs[r].place.constant()) continue;
        const uint32_t v = g.first_virtual[f] + g.liveness.number(f, p.refs[r].place);
        (p.refs[r].defines ? n.defs : n.uses).push_back(v);
      }
      g.blocks[b].push_back(std::move(n));
    }
  }
}

}  // namespace gpuloom::ptx
