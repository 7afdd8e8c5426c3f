// SPDX-License-Identifier: Apache-2.0
// ptxas 13.0 was asked with loops of every size: it unrolls by four where the units of the loop's
// instructions (loop_body.cpp) are at most so many, and more for each load from shared memory up to a limit;
// or others where the loop loads from global memory and that is more (habits.h). The compared value must be
// the stepped one itself, the step a constant, and `.pragma "nounroll"` absent.
//
// A loop with a constant number of turns becomes straight code while that is short enough (kWhole). If it is
// longer and one block, as many turns at once as fit into kMostUnits with the turns that are left over, which
// run first (128 turns of 12 units: 3, then five times 25); a body of more than kMostOfTurn stays.
//
// A loop of several blocks is unrolled by the same units, a branch is one. It becomes straight code whatever
// its branches are; by four only if each skips one block or chooses one of two, none within another's, and
// never with a constant number of turns.
//
// What stays a loop in any case or by what it contains (ptxas 13.0, sm_90, each rule by generated loops that
// differ in that alone):
// - with a fence of memory it stays;
// - with a barrier and a branch, or an access under a guard, it stays unless its turns are constant;
// - with something that lanes or warps do together (acts_together) it stays unless its turns are constant, or
//   its bound is a constant or a parameter itself and all lanes begin it with one value;
// - where lanes begin it with values of their own it stays with a store to global memory whose value or
//   address is made of what it has loaded from there, unless it steps the address as a pointer; other values
//   and stores to shared memory do not matter (bench/silicon/lowering/stores.py).
#include "ptx/passes/unroll_find.h"

#include <algorithm>

#include "ptx/isa/table/form.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

// Units of the turns that run first and of one round of the loop; and of one turn (ptxas 13.0, the same for
// 7.5 to 12.0: FFMA, 1 to 118 a turn, 14 numbers of turns from 21 to 2^20).
constexpr int64_t kMostUnits = 350;
constexpr int64_t kMostOfTurn = 72;

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

// As many turns at once as fit with the ones left over; 1 if not even two do.
unsigned turns_at_once(int64_t trips, int64_t units) {
  if (units > kMostOfTurn) return 1;
  for (int64_t at_once = std::min(trips, kMostUnits / std::max<int64_t>(units, 1)); at_once > 1; --at_once) {
    if ((at_once + trips % at_once) * units <= kMostUnits) return static_cast<unsigned>(at_once);
  }
  return 1;
}

}  // namespace

std::optional<Loop> LoopFinder::recognise(uint32_t b) {
  auto region = find_region(p_, flow_, b);
  if (!region) return std::nullopt;
  Loop loop;
  loop.function = live_.function_of[b];
  loop.region = std::move(*region);
  const LoopBody body = body_of(d_, flow_, loop.region);
  if (body.orders_memory || !find_compare(p_.code[loop.region.last], loop) || !find_step(loop) ||
      marked_nounroll(loop.region))
    return std::nullopt;
  find_trips(loop);
  if (!fits(body, loop) || !may_overlap(body, loop)) return std::nullopt;
  find_pointers(loop);
  return loop;
}

// Whether it is short enough for what is wanted.
bool LoopFinder::fits(const LoopBody& body, Loop& loop) const {
  const int64_t units = int64_t{body.units} - std::min(body.units, kUnitsOfLatch);
  loop.wholly = loop.trips && *loop.trips * units <= most_units(*loop.trips);
  if (wanted_ == Unrolled::kWholly) return loop.wholly;
  if (loop.trips) {
    if (!loop.region.one_block()) return false;
    loop.turns_at_once = turns_at_once(*loop.trips, units);
    loop.turns_apart = static_cast<unsigned>(*loop.trips % loop.turns_at_once);
    return loop.turns_at_once > 1;
  }
  return body.units <= body.budget && !body.nested && loop.region.other_exits.empty();
}

// Whether ptxas puts turns of it beside each other.
bool LoopFinder::may_overlap(const LoopBody& body, const Loop& loop) {
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
    if (!is_plain(p_, made, "mov")) return p_.code[made].space == Space::kParam;
    place = p_.code[made].ops[1];
    if (!place.present() || place.constant()) return place.present();
  }
  return false;
}

// The one instruction of the loop that makes the row, if each turn runs it.
uint32_t LoopFinder::only_def(const LoopRegion& region, Place row) const {
  uint32_t found = UINT32_MAX;
  for (uint32_t i = region.first; i <= region.last; ++i) {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines || p_.refs[r].place.at != row.at) continue;
      if (found != UINT32_MAX) return UINT32_MAX;
      found = i;
    }
  }
  const bool known = found != UINT32_MAX && region.runs_every_turn(flow_.block_of[found]);
  return known ? found : UINT32_MAX;
}

// Whether somebody reads the row in the next turn or behind the loop.
bool LoopFinder::lives_behind(const Loop& loop, Place row) const {
  const uint32_t number = live_.number(loop.function, row);
  const auto lives = [&](uint32_t block) { return live_.live_in[block].has(number); };
  const auto& next = flow_.successors[loop.region.latch];
  return std::any_of(next.begin(), next.end(), lives) || lives_at_other_exits(live_, loop.region, number);
}

bool LoopFinder::find_compare(const Instr& latch, Loop& loop) const {
  const uint32_t i = only_def(loop.region, latch.guard);
  if (i == UINT32_MAX || !is_plain(p_, i, "setp")) return false;
  const Instr& in = p_.code[i];
  // Clang and Triton compare for equality by bits.
  const Type type = in.type == Type::kB32 ? Type::kU32 : in.type == Type::kB64 ? Type::kU64 : in.type;
  const bool integer = type == Type::kS32 || type == Type::kU32 || type == Type::kS64 || type == Type::kU64;
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
  loop.type = type;
  loop.bound = in.ops[3];
  if (loop.bound.constant()) {
    uint64_t raw = 0;
    if (!d_.constants.value_of(loop.bound, raw)) return false;
    loop.constant_bound =
        bits(in.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
  }
  if (lives_behind(loop, latch.guard)) return false;
  for (uint32_t k = loop.region.first; k < loop.region.last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      if (!p_.refs[r].defines && p_.refs[r].place.at == latch.guard.at) return false;
      if (p_.refs[r].defines && !loop.bound.constant() && p_.refs[r].place.at == loop.bound.at) return false;
    }
  }
  loop.compare = i;
  loop.counter = in.ops[2];
  return true;
}

bool LoopFinder::find_step(Loop& loop) const {
  const LoopRegion& region = loop.region;
  const uint32_t i = only_def(region, loop.counter);
  if (i == UINT32_MAX || i > loop.compare || !is_step(d_, i, loop.step) ||
      p_.code[i].ops[0].at != loop.counter.at || bits(p_.code[i].type) != bits(loop.type))
    return false;
  loop.add = i;
  for (uint32_t k = region.first; k <= region.last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      if (k != loop.add && k != loop.compare && p_.refs[r].place.at == loop.counter.at)
        loop.counter_used = true;
    }
  }
  // Copies count in rows of their own.
  if (lives_at_other_exits(live_, region, live_.number(loop.function, loop.counter))) return false;
  if (loop.constant_bound && !room_for_bound(loop)) return false;
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

// Whether the bound less three steps is a number as the comparison sees it.
bool LoopFinder::room_for_bound(const Loop& loop) const {
  const bool is_unsigned = loop.relation != Relation::kNe && !is_signed(loop.type);
  const int64_t bound = *loop.constant_bound, far = bound - int64_t{kUnrollCopies} * loop.step;
  const int64_t limit = bits(loop.type) == 32 ? INT32_MAX : INT64_MAX / 2;
  if (far >= limit || far <= -limit || bound >= limit || bound <= -limit) return false;
  return !is_unsigned || (far >= 0 && bound >= 0);
}

// The parser keeps the place of a pragma in a body as a label of that name.
bool LoopFinder::marked_nounroll(const LoopRegion& region) const {
  const InstrSource& first = p_.sources[p_.code[region.first].source];
  const InstrSource& last = p_.sources[p_.code[region.last].source];
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

// What the counter is when the loop begins, if that is one number.
std::optional<int64_t> LoopFinder::start_of(const Loop& loop) const {
  const FunctionCode& code = p_.functions[loop.function];
  uint32_t start = UINT32_MAX;
  for (uint32_t i = code.entry; i < code.end; ++i) {
    if (i >= loop.region.first && i <= loop.region.last) continue;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines || p_.refs[r].place.at != loop.counter.at) continue;
      if (start != UINT32_MAX || !is_plain(p_, i, "mov")) return std::nullopt;
      start = i;
    }
  }
  uint64_t raw = 0;
  if (start == UINT32_MAX || !d_.constants.value_of(p_.code[start].ops[1], raw)) return std::nullopt;
  return bits(loop.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
}

void LoopFinder::find_trips(Loop& loop) const {
  if (!loop.constant_bound) return;
  const auto from = start_of(loop);
  if (!from || (*from < 0 && loop.relation != Relation::kNe && !is_signed(loop.type))) return;
  const int64_t way = *loop.constant_bound - *from;
  const bool inclusive = loop.relation == Relation::kLe || loop.relation == Relation::kGe;
  if ((way == 0 && !inclusive) || (way != 0 && (way < 0) != (loop.step < 0))) return;
  int64_t trips = way / loop.step;
  if (loop.relation == Relation::kNe && way % loop.step != 0) return;
  if (inclusive || way % loop.step != 0) ++trips;
  const int64_t end = *from + trips * loop.step, limit = bits(loop.type) == 32 ? INT32_MAX : INT64_MAX / 2;
  if (end >= limit || end <= -limit || (end < 0 && !is_signed(loop.type) && loop.relation != Relation::kNe))
    return;
  loop.trips = trips;
}

void LoopFinder::find_pointers(Loop& loop) const {
  const LoopRegion& region = loop.region;
  for (uint32_t i = region.first; i < region.last; ++i) {
    int64_t by = 0;
    if (i == loop.add || !is_step(d_, i, by) || only_def(region, p_.code[i].ops[0]) != i) continue;
    const Place stepped = p_.code[i].ops[0];
    bool only_addresses = !lives_at_other_exits(live_, region, live_.number(loop.function, stepped));
    std::map<int32_t, Loop::Sum> sums;
    for (uint32_t k = region.first; k <= region.last; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (k == i || p_.refs[r].place.at != stepped.at) continue;
        if (sums_with_constant(k, stepped, loop)) {
          sums[p_.code[k].ops[0].at] = {k, i};
          continue;
        }
        only_addresses = only_addresses && is_plain_access(p_.code[k]) && p_.refs[r].address;
      }
    }
    if (!only_addresses) continue;
    loop.pointers[stepped.at] = i;
    loop.sums.insert(sums.begin(), sums.end());
  }
}

// d = stepped + y with y from outside of the loop, and d for addresses behind it alone.
bool LoopFinder::sums_with_constant(uint32_t i, Place stepped, const Loop& loop) const {
  const LoopRegion& region = loop.region;
  const Instr& in = p_.code[i];
  if (!is_plain(p_, i, "add") || is_float(in.type) || bits(in.type) < 32) return false;
  const Place sum = in.ops[0], other = in.ops[1].at == stepped.at ? in.ops[2] : in.ops[1];
  if (other.constant() || other.at == stepped.at || only_def(region, sum) != i || lives_behind(loop, sum))
    return false;
  for (uint32_t k = region.first; k <= region.last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.defines && ref.place.at == other.at) return false;
      if (ref.place.at == sum.at && k != i && (!ref.address || !is_plain_access(p_.code[k]))) return false;
    }
  }
  return true;
}

}  // namespace gpuloom::ptx
