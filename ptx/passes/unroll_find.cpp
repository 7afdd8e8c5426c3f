// SPDX-License-Identifier: Apache-2.0
// ptxas 13.0 was asked with loops of every size: it unrolls by four where the units of the block's
// instructions, before they are expanded, are at most so many, and more for each load from shared memory up
// to a limit; or others where the loop loads from global memory and that is more (habits.h). An access to
// global memory is two units, one to shared memory is two if its address has an offset, an atomic ten. A
// guard of PTX is one more, and so is the branch that if_convert has made guards of, once. Moves, pointer
// steps and sums of 64 bits that are addresses are none (an index, its product and its sum two; up to 9 such
// loads with an addition each and no more). The compared value must be the stepped one itself, the step a
// constant, and `.pragma "nounroll"` absent.
//
// A loop with a constant number of turns becomes straight code while that is short enough (kWhole). What
// stays a loop in any case or by what it contains (ptxas 13.0, sm_90, each rule by generated loops that
// differ in that alone):
// - with a fence it stays;
// - with a barrier and a guard it stays, unless its turns are constant;
// - with an atomic, an exchange between lanes, a product of matrices or a barrier it stays unless its bound
// is
//   a constant or a parameter itself and all lanes begin it with one value;
// - where lanes begin it with values of their own and it stores to global memory what it has loaded from
// there
//   it stays; stores of other values and to shared memory do not matter.
#include "ptx/passes/unroll_find.h"

#include <algorithm>
#include <set>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/guards.h"
#include "ptx/passes/post_dominators.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kUnitsOfCall = 49;  // more than what any budget without loads of shared memory has
constexpr unsigned kAtomicUnits = 10;
constexpr unsigned kUnitsOfLatch = 3;  // step, comparison, branch

// Turns, and the units of all of them up to which a loop becomes straight code (ptxas 13.0, sm_90: the
// longest bodies of FFMA that do; between the points it goes about straight).
struct Whole {
  int64_t turns;
  int64_t units;
};
constexpr Whole kWhole[] = {{1, 388},  {2, 388},  {3, 378},   {5, 390},    {6, 432},   {8, 456},
                            {16, 608}, {32, 800}, {64, 1088}, {128, 1536}, {256, 2048}};

int64_t most_units(int64_t turns) {
  if (turns > std::rbegin(kWhole)->turns) return 0;
  const auto* to =
      std::find_if(std::begin(kWhole), std::end(kWhole), [&](const Whole& w) { return w.turns >= turns; });
  if (to->turns == turns) return to->units;
  const Whole& from = *(to - 1);
  return from.units + (to->units - from.units) * (turns - from.turns) / (to->turns - from.turns);
}

// Classes that become many instructions (or a call), in units of the budget.
unsigned units_of(OpClass op) { return is(op, kCallsSlowPath) ? kUnitsOfCall : traits(op).unroll_units; }

// Units of an access to memory beyond those of its class.
unsigned access_units(const Instr& in) {
  if (in.kind == InstrKind::kAtomic) return kAtomicUnits - 1;
  if (in.kind == InstrKind::kAsyncCopy) return 1;
  if (in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore) return 0;
  return in.space == Space::kShared ? (in.imm != 0 ? 1 : 0) : 1;
}

bool plain_access(const Instr& in) { return in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore; }

}  // namespace

bool LoopFinder::is(uint32_t i, std::string_view mnemonic) const {
  return p_.code[i].kind == InstrKind::kPlain && static_cast<OpClass>(p_.code[i].op_class) != OpClass::none &&
         use_of(p_, p_.code[i]).form().instruction->mnemonic == mnemonic;
}

bool LoopFinder::steps(uint32_t i, int64_t& by) const {
  const Instr& in = p_.code[i];
  if (!is(i, "add") || in.guard.present() || is_float(in.type) || bits(in.type) < 32 ||
      uses_carry(use_of(p_, p_.code[i])) || use_of(p_, p_.code[i]).has(".sat")) {
    return false;
  }
  if (in.ops[0].at != in.ops[1].at || !in.ops[2].constant()) return false;
  uint64_t raw = 0;
  if (!d_.constants.value_of(in.ops[2], raw)) return false;
  by = bits(in.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
  return by > -(1 << 20) && by < (1 << 20) && by != 0;
}

std::optional<Loop> LoopFinder::recognise(uint32_t b) {
  const Block& block = flow_.blocks[b];
  const auto& next = flow_.successors[b];
  const Instr& latch = p_.code[block.last];
  if (next.size() != 2 || std::find(next.begin(), next.end(), b) == next.end()) return std::nullopt;
  if (latch.kind != InstrKind::kBranch || static_cast<OpClass>(latch.op_class) == OpClass::brx)
    return std::nullopt;
  if (!latch.guard.present() || latch.guard_negated != 0 || latch.target != block.first) return std::nullopt;
  Loop loop;
  loop.block = b;
  loop.function = live_.function_of[b];
  const Body body = body_of(block);
  if (body.runs_alone || !find_compare(block, latch, loop) || !find_step(block, loop) ||
      marked_nounroll(block))
    return std::nullopt;
  find_trips(block, loop);
  if (!fits(body, loop) || !may_overlap(body, loop)) return std::nullopt;
  find_pointers(block, loop);
  return loop;
}

LoopFinder::Body LoopFinder::body_of(const Block& block) const {
  Body body;
  unsigned shared_loads = 0;
  std::set<std::pair<int32_t, bool>> branches;  // that have become guards
  std::set<int32_t> addresses;                  // rows
  for (uint32_t i = block.first; i <= block.last; ++i) {
    if (!plain_access(p_.code[i])) continue;  // not those of fragments (wmma_gemm)
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (p_.refs[r].address) addresses.insert(p_.refs[r].place.at);
  }
  bool global_load = false, global_store = false;
  for (uint32_t i = block.first; i <= block.last; ++i) {
    const Instr& in = p_.code[i];
    const auto op = static_cast<OpClass>(in.op_class);
    const bool guarded = in.guard.present() && i != block.last;
    body.runs_alone |= in.kind == InstrKind::kSleep || in.kind == InstrKind::kTrap ||
                       in.kind == InstrKind::kMbarrier || in.kind == InstrKind::kReadClock ||
                       in.kind == InstrKind::kFence;
    body.barrier |= in.kind == InstrKind::kBarrier || op == OpClass::warpsync;
    body.together |=
        in.kind == InstrKind::kBarrier || in.kind == InstrKind::kAtomic || in.kind == InstrKind::kWarpSync;
    body.guarded |= guarded;
    body.units += units_of(op);
    if (guarded && is_guarded_in_ptx(p_, in))
      ++body.units;
    else if (guarded)
      branches.insert({in.guard.at, in.guard_negated != 0});
    if (op == OpClass::none) continue;
    body.units += access_units(in);
    if (in.kind == InstrKind::kLoad && in.space == Space::kShared) ++shared_loads;
    if (op == OpClass::ldsm) ++shared_loads;
    const bool global = in.space == Space::kGlobal || in.space == Space::kGeneric;
    global_load |= in.kind == InstrKind::kLoad && global;
    global_store |= in.kind == InstrKind::kStore && global;
    int64_t by = 0;
    if (bits(in.type) == 64 && (steps(i, by) || makes_address(i, addresses))) --body.units;
  }
  body.units += static_cast<unsigned>(branches.size());
  const UnrollHabits& habits = d_.options.habits.unroll;
  body.budget = std::min(habits.units + habits.units_per_shared * shared_loads, habits.units_most);
  if (global_load) body.budget = std::max(body.budget, habits.units_with_global);
  body.stores_loaded = global_load && global_store && stores_what_it_loads(block);
  return body;
}

// A sum of 64 bits that is one of the addresses.
bool LoopFinder::makes_address(uint32_t i, const std::set<int32_t>& addresses) const {
  const Instr& in = p_.code[i];
  return is(i, "add") && !is_float(in.type) && addresses.contains(in.ops[0].at);
}

bool LoopFinder::stores_what_it_loads(const Block& block) const {
  std::vector<int32_t> loaded;  // places
  const auto is_loaded = [&](Place place) {
    return std::find(loaded.begin(), loaded.end(), place.at) != loaded.end();
  };
  for (uint32_t i = block.first; i <= block.last; ++i) {
    const Instr& in = p_.code[i];
    const bool global = in.space == Space::kGlobal || in.space == Space::kGeneric;
    bool follows = in.kind == InstrKind::kLoad && global;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.defines || ref.address || !is_loaded(ref.place)) continue;
      if (in.kind == InstrKind::kStore && global) return true;
      follows = true;
    }
    for (uint32_t r = p_.ref_begin[i]; follows && r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].defines) loaded.push_back(p_.refs[r].place.at);
    }
  }
  return false;
}

// Whether it is short enough for what is wanted.
bool LoopFinder::fits(const Body& body, Loop& loop) const {
  const int64_t units = int64_t{body.units} - std::min(body.units, kUnitsOfLatch);
  loop.wholly = loop.trips && *loop.trips * units <= most_units(*loop.trips);
  return wanted_ == Unrolled::kWholly ? loop.wholly : body.units <= body.budget;
}

// Whether ptxas puts turns of it beside each other.
bool LoopFinder::may_overlap(const Body& body, const Loop& loop) {
  if (body.barrier && body.guarded && !loop.trips) return false;
  if (body.together && !loop.trips &&
      (divergent(loop, loop.counter) || !(loop.bound.constant() || comes_from_parameter(loop, loop.bound))))
    return false;
  return !body.stores_loaded || !divergent(loop, loop.counter);
}

bool LoopFinder::divergent(const Loop& loop, Place place) {
  if (!uniformity_) uniformity_ = find_uniformity(p_, flow_, live_, all_post_dominators(flow_));
  return uniformity_->divergent_row[loop.function][live_.number(loop.function, place)] != 0;
}

// Whether a parameter is all that the place ever holds, perhaps by moves.
bool LoopFinder::comes_from_parameter(const Loop& loop, Place place) const {
  constexpr unsigned kMostMoves = 4;
  const FunctionCode& code = p_.functions[loop.function];
  for (unsigned moves = 0; moves < kMostMoves; ++moves) {
    uint32_t made = UINT32_MAX;
    for (uint32_t i = code.entry; i < code.end; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines || p_.refs[r].place.at != place.at) continue;
        if (made != UINT32_MAX) return false;
        made = i;
      }
    }
    if (made == UINT32_MAX || p_.code[made].guard.present()) return false;
    if (p_.code[made].kind == InstrKind::kLoad) return p_.code[made].space == Space::kParam;
    if (!is(made, "mov")) return p_.code[made].space == Space::kParam;
    place = p_.code[made].ops[1];
    if (!place.present() || place.constant()) return place.present();
  }
  return false;
}

uint32_t LoopFinder::only_def(const Block& block, Place row) const {
  uint32_t found = UINT32_MAX;
  for (uint32_t i = block.first; i <= block.last; ++i) {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines || p_.refs[r].place.at != row.at) continue;
      if (found != UINT32_MAX) return UINT32_MAX;
      found = i;
    }
  }
  return found;
}

bool LoopFinder::find_compare(const Block& block, const Instr& latch, Loop& loop) const {
  const uint32_t i = only_def(block, latch.guard);
  if (i == UINT32_MAX || !is(i, "setp") || p_.code[i].guard.present()) return false;
  const Instr& in = p_.code[i];
  const bool integer =
      in.type == Type::kS32 || in.type == Type::kU32 || in.type == Type::kS64 || in.type == Type::kU64;
  if (!integer || in.ops[1].present() || !in.ops[2].present() || in.ops[2].constant()) return false;
  const FormUse use = use_of(p_, p_.code[i]);
  if (use.has(".and") || use.has(".or") || use.has(".xor")) return false;
  constexpr std::pair<std::string_view, Relation> kRelations[] = {{".ne", Relation::kNe},
                                                                  {".lt", Relation::kLt},
                                                                  {".le", Relation::kLe},
                                                                  {".gt", Relation::kGt},
                                                                  {".ge", Relation::kGe}};
  const auto known = std::find_if(std::begin(kRelations), std::end(kRelations),
                                  [&](const auto& r) { return use.has(r.first); });
  if (known == std::end(kRelations)) return false;
  loop.relation = known->second;
  loop.type = in.type;
  loop.bound = in.ops[3];
  if (loop.bound.constant()) {
    uint64_t raw = 0;
    if (!d_.constants.value_of(loop.bound, raw)) return false;
    loop.constant_bound =
        bits(in.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
  }
  const uint32_t row = live_.number(loop.function, latch.guard);
  for (const uint32_t s : flow_.successors[loop.block]) {
    if (live_.live_in[s].has(row)) return false;
  }
  for (uint32_t k = block.first; k < block.last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      if (!p_.refs[r].defines && p_.refs[r].place.at == latch.guard.at) return false;
      if (p_.refs[r].defines && !loop.bound.constant() && p_.refs[r].place.at == loop.bound.at) return false;
    }
  }
  loop.compare = i;
  loop.counter = in.ops[2];
  return true;
}

bool LoopFinder::find_step(const Block& block, Loop& loop) const {
  const uint32_t i = only_def(block, loop.counter);
  if (i == UINT32_MAX || i > loop.compare || !steps(i, loop.step) ||
      p_.code[i].ops[0].at != loop.counter.at || bits(p_.code[i].type) != bits(loop.type))
    return false;
  loop.add = i;
  for (uint32_t k = block.first; k <= block.last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      if (k != loop.add && k != loop.compare && p_.refs[r].place.at == loop.counter.at)
        loop.counter_used = true;
    }
  }
  if (loop.constant_bound) {  // room for the bound less three steps, seen as the comparison sees it
    const bool is_unsigned = loop.relation != Relation::kNe && !is_signed(loop.type);
    const int64_t bound = *loop.constant_bound, far = bound - int64_t{kUnrollCopies} * loop.step;
    const int64_t limit = bits(loop.type) == 32 ? INT32_MAX : INT64_MAX / 2;
    if (far >= limit || far <= -limit || bound >= limit || bound <= -limit) return false;
    if (is_unsigned && (far < 0 || bound < 0)) return false;
  }
  switch (loop.relation) {
    case Relation::kNe:
      return true;
    case Relation::kLt:
    case Relation::kLe:
      return loop.step > 0;
    default:
      return loop.step < 0;
  }
}

// The parser keeps the place of a pragma in a body as a label of that name.
bool LoopFinder::marked_nounroll(const Block& block) const {
  const InstrSource& first = p_.sources[p_.code[block.first].source];
  const InstrSource& last = p_.sources[p_.code[block.last].source];
  for (const Label& label : first.function->labels) {
    if (label.name != ".pragma nounroll" || first.function != last.function) continue;
    if (label.instruction <= last.instruction && label.instruction >= first.instruction) return true;
    // Instructions in front of the block's first may have vanished.
    if (label.instruction >= first.instruction) continue;
    const bool nothing_between = std::none_of(p_.code.begin(), p_.code.end(), [&](const Instr& in) {
      const InstrSource& s = p_.sources[in.source];
      return s.function == first.function && s.instruction >= label.instruction &&
             s.instruction < first.instruction;
    });
    if (nothing_between) return true;
  }
  return false;
}

void LoopFinder::find_trips(const Block& block, Loop& loop) const {
  if (!loop.constant_bound || loop.relation == Relation::kLe || loop.relation == Relation::kGe) return;
  const FunctionCode& code = p_.functions[loop.function];
  uint32_t start = UINT32_MAX;
  for (uint32_t i = code.entry; i < code.end; ++i) {
    if (i >= block.first && i <= block.last) continue;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines || p_.refs[r].place.at != loop.counter.at) continue;
      if (start != UINT32_MAX || !is(i, "mov") || p_.code[i].guard.present()) return;
      start = i;
    }
  }
  uint64_t raw = 0;
  if (start == UINT32_MAX || !d_.constants.value_of(p_.code[start].ops[1], raw)) return;
  const int64_t from = bits(loop.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
  const int64_t way = *loop.constant_bound - from;
  if (from < 0 && !is_signed(loop.type)) return;
  if (way == 0 || (way < 0) != (loop.step < 0) || way % loop.step != 0) return;
  loop.trips = way / loop.step;
}

void LoopFinder::find_pointers(const Block& block, Loop& loop) const {
  for (uint32_t i = block.first; i < block.last; ++i) {
    int64_t by = 0;
    if (i == loop.add || !steps(i, by) || only_def(block, p_.code[i].ops[0]) != i) continue;
    const Place stepped = p_.code[i].ops[0];
    std::map<int32_t, Loop::Sum> sums;
    bool only_addresses = true;
    for (uint32_t k = block.first; k <= block.last; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (k == i || p_.refs[r].place.at != stepped.at) continue;
        if (sums_with_constant(k, stepped, block, loop)) {
          sums[p_.code[k].ops[0].at] = {k, i};
          continue;
        }
        only_addresses = only_addresses && plain_access(p_.code[k]) && p_.refs[r].address;
      }
    }
    if (!only_addresses) continue;
    loop.pointers[stepped.at] = i;
    loop.sums.insert(sums.begin(), sums.end());
  }
}

// d = stepped + y with y from outside of the loop, and d for addresses behind it alone.
bool LoopFinder::sums_with_constant(uint32_t i, Place stepped, const Block& block, const Loop& loop) const {
  const Instr& in = p_.code[i];
  if (!is(i, "add") || in.guard.present() || is_float(in.type) || bits(in.type) < 32) return false;
  if (uses_carry(use_of(p_, in)) || use_of(p_, in).has(".sat")) return false;
  const Place sum = in.ops[0], other = in.ops[1].at == stepped.at ? in.ops[2] : in.ops[1];
  if (other.constant() || other.at == stepped.at || only_def(block, sum) != i) return false;
  if (live_.live_in[loop.block].has(live_.number(loop.function, sum))) return false;
  for (const uint32_t s : flow_.successors[loop.block]) {
    if (live_.live_in[s].has(live_.number(loop.function, sum))) return false;
  }
  for (uint32_t k = block.first; k <= block.last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.defines && ref.place.at == other.at) return false;
      if (ref.place.at == sum.at && k != i && (!ref.address || !plain_access(p_.code[k]))) return false;
    }
  }
  return true;
}

}  // namespace gpuloom::ptx
