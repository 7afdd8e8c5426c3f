// SPDX-License-Identifier: Apache-2.0
// Atomics of all lanes on one word: ptxas elects a lane that does it for the warp. Without a result the
// values are summed up first (POPC for a constant, REDUX for what lanes differ in); with one, each lane adds
// what the lanes before it gave to the elected lane's old value (ptxas 13.0, sm_90: SASS of monte_carlo_pi,
// grid_sync_jacobi and of single instructions; f32 and 64-bit ones stay as they are, and those with a result
// whose values differ take a scan, which is left out).
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

Selector::Aggregate Selector::aggregate(uint32_t i) const {
  const Instr& in = p_.code[i];
  const std::string_view name = in.kind == InstrKind::kAtomic ? mnemonic(i) : std::string_view();
  if ((name != "atom" && name != "red") || in.guard.present() || in.vec > 1) return Aggregate::kNone;
  const FormUse use = use_of(p_, in);
  const Type type = use.type();
  if (type != Type::kU32 && type != Type::kS32 && type != Type::kB32) return Aggregate::kNone;
  const std::string_view op = use.mod(".op");
  bool differs = false, wanted = false;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.defines) {
      const RowFacts* row = facts(ref.place);
      wanted = row == nullptr || !row->uses.empty();
    } else if (divergent(ref.place)) {
      if (ref.address) return Aggregate::kNone;
      differs = true;
    }
  }
  if (wanted) return op == ".add" && !differs ? Aggregate::kResult : Aggregate::kNone;
  if (op == ".add") return differs ? Aggregate::kReduce : Aggregate::kCount;
  const bool reduces = op == ".min" || op == ".max" || op == ".and" || op == ".or" || op == ".xor";
  return reduces && differs ? Aggregate::kReduce : Aggregate::kNone;
}

bool Selector::emit_aggregated(uint32_t i, std::vector<Node>& out) {
  const Aggregate how = aggregate(i);
  if (how == Aggregate::kNone) return false;
  const auto add = [&](OpClass op, std::vector<uint32_t> uses, uint8_t words, bool uniform = false) {
    Node& n = push(out, op, i);
    n.uses = std::move(uses);
    n.uniform = uniform;
    const uint32_t result = temporary(words, uniform);
    n.defs = {result};
    return result;
  };
  const bool result = how == Aggregate::kResult;
  const uint32_t lane = add(OpClass::s2r, {}, 1), lanes = add(OpClass::vote, {}, 1, true);
  out.back().ordered = true;
  const uint32_t first = add(result ? OpClass::flo : OpClass::uflo, {lanes}, 1, !result);
  const uint32_t elected = add(OpClass::isetp, {first, lane}, 0);
  std::vector<uint32_t> from;
  sources(i, from);
  uint32_t value = 0;
  if (how == Aggregate::kReduce) {
    const uint32_t sum = add(OpClass::redux, from, 1, true);
    out.back().ordered = true;
    value = add(OpClass::mov, {sum}, 1);
  } else {
    value = add(OpClass::popc, {lanes}, 1);
  }
  emit_sequence(i, {static_cast<OpClass>(p_.code[i].op_class)}, out);
  Node& access = out.back();
  access.guarded = true;
  access.uses.insert(access.uses.end(), {elected, value});
  if (!result) {
    if (access.op == OpClass::atomg) access.op = OpClass::red;
    access.defs.clear();
    return true;
  }
  const std::vector<uint32_t> old = access.defs;
  const uint32_t had = temporary(1);
  access.defs = {had};
  const uint32_t before = add(OpClass::s2r, {}, 1), mine = add(OpClass::lop3, {before, lanes}, 1);
  const uint32_t count = add(OpClass::popc, {mine}, 1), theirs = add(OpClass::shfl, {had, first}, 1);
  add(OpClass::iadd, {theirs, count}, 1);
  out.back().defs = old;
  return true;
}

// An atomic whose result nobody reads is a RED, exchanges excepted (SASS of bins_u64, histogram_global).
bool Selector::emit_reduction(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kAtomic || class_of(i) != OpClass::atomg || mnemonic(i) != "atom") return false;
  const FormUse use = use_of(p_, in);
  const RowFacts* result = facts(in.ops[0]);
  if (in.guard.present() || in.vec > 1 || use.has(".exch") || use.has(".cas")) return false;
  if (result == nullptr || !result->uses.empty()) return false;
  emit_sequence(i, {OpClass::red}, out);
  out.back().defs.clear();
  return true;
}

}  // namespace gpuloom::ptx
