// SPDX-License-Identifier: Apache-2.0
// Atomics of all lanes on one word: ptxas elects a lane that does it for the warp. Without a result the
// values are summed up first (POPC for a constant, REDUX for what lanes differ in); with one, each lane adds
// what the lanes before it gave to the elected lane's old value (ptxas 13.0, sm_90: SASS of monte_carlo_pi,
// grid_sync_jacobi and of single instructions; f32 and 64-bit ones stay as they are, and those with a result
// whose values differ take a scan, which is left out).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

enum class Aggregate : uint8_t { kNone, kCount, kReduce, kResult };

Aggregate aggregate(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  const Program& p = s.program();
  const std::string_view name = in.kind == InstrKind::kAtomic ? s.mnemonic(i) : std::string_view();
  if ((name != "atom" && name != "red") || in.guard.present() || in.vec > 1) return Aggregate::kNone;
  const FormUse use = s.use(i);
  const Type type = use.type();
  if (type != Type::kU32 && type != Type::kS32 && type != Type::kB32) return Aggregate::kNone;
  const std::string_view op = use.mod(".op");
  bool differs = false, wanted = false;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.defines) {
      wanted = s.is_read(ref.place);
    } else if (s.divergent(ref.place)) {
      if (ref.address) return Aggregate::kNone;
      differs = true;
    }
  }
  if (wanted) return op == ".add" && !differs ? Aggregate::kResult : Aggregate::kNone;
  if (op == ".add") return differs ? Aggregate::kReduce : Aggregate::kCount;
  const bool reduces = op == ".min" || op == ".max" || op == ".and" || op == ".or" || op == ".xor";
  return reduces && differs ? Aggregate::kReduce : Aggregate::kNone;
}

bool match_aggregated_atomic(const Selection& s, uint32_t i) { return aggregate(s, i) != Aggregate::kNone; }

// What the elected lane adds for all.
uint32_t value_of_warp(Emitter& out, Aggregate how, uint32_t lanes) {
  if (how != Aggregate::kReduce) return out.make(OpClass::popc, {lanes}, 1);
  const uint32_t sum = out.make(OpClass::redux, out.sources(), 1, true);
  out.last().ordered = true;
  return out.make(OpClass::mov, {sum}, 1);
}

void apply_aggregated_atomic(const Selection& s, Emitter& out, uint32_t i) {
  const Aggregate how = aggregate(s, i);
  const bool result = how == Aggregate::kResult;
  const uint32_t lane = out.make(OpClass::s2r, {}, 1), lanes = out.make(OpClass::vote, {}, 1, true);
  out.last().ordered = true;
  const uint32_t first = out.make(result ? OpClass::flo : OpClass::uflo, {lanes}, 1, !result);
  const uint32_t elected = out.make(OpClass::isetp, {first, lane}, 0);
  const uint32_t value = value_of_warp(out, how, lanes);
  out.sequence({s.op_class(i)});
  Node& access = out.last();
  access.guarded = true;
  access.uses.insert(access.uses.end(), {elected, value});
  if (!result) {
    if (access.op == OpClass::atomg && !s.fences()) access.op = OpClass::red;  // as unread_atomic has it
    access.defs.clear();
    return;
  }
  const std::vector<uint32_t> old = access.defs;
  const uint32_t had = out.temporary(1);
  access.defs = {had};
  const uint32_t before = out.make(OpClass::s2r, {}, 1), mine = out.make(OpClass::lop3, {before, lanes}, 1);
  const uint32_t count = out.make(OpClass::popc, {mine}, 1),
                 theirs = out.make(OpClass::shfl, {had, first}, 1);
  out.make(OpClass::iadd, {theirs, count}, 1);
  out.last().defs = old;
}

}  // namespace

extern const Rule kAggregatedAtomic{"aggregated_atomic", match_aggregated_atomic, apply_aggregated_atomic};

}  // namespace gpuloom::ptx
