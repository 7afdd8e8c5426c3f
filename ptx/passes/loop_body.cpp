// SPDX-License-Identifier: Apache-2.0
// Units of a body, as ptxas 13.0 counts them: one for each instruction before it is expanded. An access to
// global memory is two, one to shared memory is two if its address has an offset, an atomic ten. A guard of
// PTX is one more, and so is the branch that if_convert has made guards of, once. Moves, pointer steps and
// sums of 64 bits that are addresses are none (an index, its product and its sum two; up to 9 such loads with
// an addition each and no more).
#include "ptx/passes/loop_body.h"

#include <algorithm>
#include <set>

#include "ptx/isa/table/form.h"
#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/guards.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kUnitsOfCall = 49;  // more than what any budget without loads of shared memory has
constexpr unsigned kAtomicUnits = 10;
constexpr unsigned kWideSumUnits = 4;

}  // namespace

unsigned units_of(OpClass op) { return is(op, kCallsSlowPath) ? kUnitsOfCall : traits(op).unroll_units; }

namespace {

// Units of an access to memory beyond those of its class.
unsigned access_units(const Instr& in) {
  if (in.kind == InstrKind::kAtomic) return kAtomicUnits - 1;
  if (in.kind == InstrKind::kAsyncCopy) return 1;
  if (in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore) return 0;
  return in.space == Space::kShared ? (in.imm != 0 ? 1 : 0) : 1;
}

bool is_global(const Instr& in) { return in.space == Space::kGlobal || in.space == Space::kGeneric; }

// A sum of 64 bits that is one of the addresses.
bool makes_address(const Program& p, uint32_t i, const std::set<int32_t>& addresses) {
  const Instr& in = p.code[i];
  if (!is_computation(in)) return false;
  const FormUse use = use_of(p, in);
  const std::string_view name = use.form().instruction->mnemonic;
  const bool wide = name == "add" ? bits(in.type) == 64 : name == "mad" && use.has(".wide");
  return wide && !is_float(in.type) && addresses.contains(in.ops[0].at);
}

// Rows that plain accesses take as addresses; not those of fragments (wmma_gemm).
std::set<int32_t> addresses_in(const Program& p, const LoopRegion& region) {
  std::set<int32_t> out;
  for (uint32_t i = region.first; i <= region.last; ++i) {
    if (!is_plain_access(p.code[i])) continue;
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
      if (p.refs[r].address) out.insert(p.refs[r].place.at);
  }
  return out;
}

// Asked of ptxas kind by kind, with a bound and a start that lanes may have for themselves: cp.async, plain,
// volatile and ordered accesses, clock reads and prefetches do not count; all of these do.
bool acts_together(const Instr& in) {
  switch (in.kind) {
    case InstrKind::kBarrier:
    case InstrKind::kClusterBarrier:
    case InstrKind::kAtomic:
    case InstrKind::kWarpSync:
    case InstrKind::kMbarrier:
    case InstrKind::kFence:
    case InstrKind::kAsyncCommit:
    case InstrKind::kAsyncWait:
    case InstrKind::kSleep:
    case InstrKind::kGridControl:
      return true;
    case InstrKind::kAsyncCopy:
      return !is_thread_copy(class_of(in));
    default:
      return false;
  }
}

bool orders_memory(const Instr& in) {
  const OpClass op = class_of(in);
  return in.kind == InstrKind::kTrap || is_memory_fence(op) || op == OpClass::setmaxreg;
}

// Rows that the loop steps by a constant.
std::set<int32_t> stepped(const Draft& d, const LoopRegion& region) {
  std::set<int32_t> rows;
  for (uint32_t i = region.first; i <= region.last; ++i) {
    int64_t by = 0;
    if (is_step(d, i, by)) rows.insert(d.program.code[i].ops[0].at);
  }
  return rows;
}

// Whether a store to global memory has to do with what the loop has loaded from there, as its value or in its
// address, and the address is not a pointer that the loop steps.
bool stores_what_it_has_loaded(const Draft& d, const LoopRegion& region) {
  const Program& p = d.program;
  const std::set<int32_t> pointers = stepped(d, region);
  std::set<int32_t> loaded;  // places
  for (uint32_t i = region.first; i <= region.last; ++i) {
    const Instr& in = p.code[i];
    bool follows = in.kind == InstrKind::kLoad && is_global(in), depends = false, by_pointer = true;
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p.refs[r];
      if (ref.defines) continue;
      by_pointer &= !ref.address || pointers.contains(ref.place.at);
      if (!loaded.contains(ref.place.at)) continue;
      depends = true;
      follows |= !ref.address;
    }
    if (in.kind == InstrKind::kStore && is_global(in) && depends && !by_pointer) return true;
    for (uint32_t r = p.ref_begin[i]; follows && r < p.ref_begin[i + 1]; ++r)
      if (p.refs[r].defines) loaded.insert(p.refs[r].place.at);
  }
  return false;
}

// Of forms that ptxas counts otherwise than their class (bench/silicon/lowering/targets/units.csv): 32-bit
// products with a sum of 64 bits, leading zeros, conversions, one half alone (pairs of halves count twice).
unsigned form_units(const Program& p, const Instr& in) {
  const OpClass op = class_of(in);
  if (in.fn == nullptr || !is_computation(in)) return units_of(op);
  const FormUse use = use_of(p, in);
  const std::string_view name = use.form().instruction->mnemonic;
  if (name == "mad" && use.has(".wide")) return kWideSumUnits;
  const bool to_pair = use.has(".f16x2") || use.has(".bf16x2"),
             from_middle = use.type(".atype") == Type::kBf16;
  if (name == "clz" || (name == "cvt" && (to_pair || from_middle))) return 2;
  const bool one_half = name == "cvt" ? use.register_bits(1) == 16 : use.register_bits(0) == 16;
  return one_half && is(op, kHalfArithmetic) ? 1 : units_of(op);
}

// Moves of what a guarded load leaves where its guard holds it back.
unsigned moves_in_front_of_loads(const Program& p, const LoopRegion& region) {
  std::set<int32_t> loaded;
  for (uint32_t i = region.first; i <= region.last; ++i) {
    if (p.code[i].kind != InstrKind::kLoad || !p.code[i].guard.present() || !is_guarded_in_ptx(p, p.code[i]))
      continue;
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
      if (p.refs[r].defines) loaded.insert(p.refs[r].place.at);
  }
  unsigned moves = 0;
  for (uint32_t i = region.first; i <= region.last && !loaded.empty(); ++i)
    moves += is_plain(p, i, "mov") && loaded.contains(p.code[i].ops[0].at) ? 1 : 0;
  return moves;
}

void count_guard(const Program& p, const Instr& in, LoopBody& body,
                 std::set<std::pair<int32_t, bool>>& branches) {
  if (!is_guarded_in_ptx(p, in)) {
    body.guarded = true;
    branches.insert({in.guard.at, in.guard_negated != 0});
    return;
  }
  ++body.units;
  body.guarded |= in.kind != InstrKind::kPlain;
}

}  // namespace

bool is_plain_access(const Instr& in) { return in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore; }

bool is_step(const Draft& d, uint32_t i, int64_t& by) {
  const Program& p = d.program;
  const Instr& in = p.code[i];
  if (!is_plain(p, i, "add") || is_float(in.type) || bits(in.type) < 32) return false;
  if (in.ops[0].at != in.ops[1].at || !in.ops[2].constant()) return false;
  uint64_t raw = 0;
  if (!d.constants.value_of(in.ops[2], raw)) return false;
  by = bits(in.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
  return by > -(1 << 20) && by < (1 << 20) && by != 0;
}

LoopBody body_of(const Draft& d, const Flow& flow, const LoopRegion& region) {
  const Program& p = d.program;
  LoopBody body;
  unsigned shared_loads = 0;
  bool global_load = false, global_store = false;
  std::set<std::pair<int32_t, bool>> branches;  // that have become guards
  const std::set<int32_t> addresses = addresses_in(p, region);
  for (uint32_t i = region.first; i <= region.last; ++i) {
    const Instr& in = p.code[i];
    const auto op = static_cast<OpClass>(in.op_class);
    body.orders_memory |= orders_memory(in);
    body.barrier |= in.kind == InstrKind::kBarrier || op == OpClass::warpsync;
    body.together |= acts_together(in);
    body.units += form_units(p, in);
    if (in.guard.present() && in.kind != InstrKind::kBranch) {
      count_guard(p, in, body, branches);
      body.nested |= !is_guarded_in_ptx(p, in) && !region.runs_every_turn(flow.block_of[i]);
    }
    if (takes_no_work(in)) continue;
    body.units += access_units(in);
    if ((in.kind == InstrKind::kLoad && in.space == Space::kShared) || op == OpClass::ldsm) ++shared_loads;
    global_load |= in.kind == InstrKind::kLoad && is_global(in);
    global_store |= in.kind == InstrKind::kStore && is_global(in);
    int64_t by = 0;
    if ((bits(in.type) == 64 && is_step(d, i, by)) || makes_address(p, i, addresses)) --body.units;
  }
  body.units += moves_in_front_of_loads(p, region);
  body.guarded |= !region.one_block();
  body.nested |= region.nested;
  body.units += static_cast<unsigned>(branches.size());
  const UnrollHabits& habits = d.options.habits.unroll;
  body.budget = std::min(habits.units + habits.units_per_shared * shared_loads, habits.units_most);
  if (global_load) body.budget = std::max(body.budget, habits.units_with_global);
  body.stores_loaded = global_load && global_store && stores_what_it_has_loaded(d, region);
  return body;
}

}  // namespace gpuloom::ptx
