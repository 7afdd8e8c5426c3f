// SPDX-License-Identifier: Apache-2.0
// Short conditional blocks become guarded instructions, as ptxas makes them. Measured with ptxas 13.0 for
// sm_90a: a block that a branch skips is predicated up to 8 machine instructions, loads of parameters that
// the block in front does not need counted in (7 FFMA yes, 8 no; 3 LDS + FFMA yes, 4 no; 3 LDS + FADD and an
// STS yes, 4 no). Up to 20, where it stores nothing and loads of global memory gain by it: two or more whose
// values are used behind the branch, in front of it, in the block, behind it up to a barrier (19 FFMA with a
// second load whose value only the end wants yes, 20 no; 8 LDG + FFMA yes, 10 no; one wide load, or loads of
// shared memory, make no difference), or one in it and one in the block that the next or the last branch
// skips (align_affine, maxpool_nhwc of bench/silicon/libraries). Each side of an if-else up to 7; never with
// an atomic in it; uniform conditions make no difference. All of it is guarded. What only the
// block itself reads is carried out for all lanes here, since nobody sees it elsewhere; its machine
// operations are guarded (kBranchGuard).
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kCompositeWeight = 6;  // machine instructions of a composite class, roughly

class IfConversion {
 public:
  IfConversion(Program& p, const PredicateHabits& habits)
      : p_(p), habits_(habits), flow_(build_flow(p)), live_(find_liveness(p, flow_)), edit_(p) {
    for (uint32_t i = 0; i < p_.code.size(); ++i) {
      if (p_.code[i].kind == InstrKind::kLoad && p_.code[i].space == Space::kParam)
        first_read_.emplace(p_.code[i].ops[0].at, static_cast<uint32_t>(p_.code.size()));
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        const auto it = first_read_.find(p_.refs[r].place.at);
        if (it != first_read_.end() && !p_.refs[r].defines) it->second = std::min(it->second, i);
      }
    }
  }

  bool run() {
    bool changed = false;
    for (uint32_t b = 0; b + 1 < flow_.blocks.size(); ++b) {
      if (touched(b)) continue;
      changed |= convert_skip(b) || convert_either(b);
    }
    if (changed) apply(p_, edit_);
    return changed;
  }

 private:
  bool touched(uint32_t b) const { return edit_.erase[flow_.blocks[b].last] != 0; }

  const Instr* conditional(uint32_t b) const {
    const Instr& last = p_.code[flow_.blocks[b].last];
    return jumps_to_label(last) && last.guard.present() && flow_.successors[b].size() == 2 ? &last : nullptr;
  }
  bool only_from(uint32_t b, uint32_t from) const {
    return flow_.predecessors[b].size() == 1 && flow_.predecessors[b][0] == from;
  }

  // @p bra J; X; J:
  bool convert_skip(uint32_t b) {
    const Instr* branch = conditional(b);
    const uint32_t x = b + 1;
    if (branch == nullptr || !only_from(x, b) || flow_.successors[x].size() != 1) return false;
    const uint32_t join = flow_.block_of[branch->target];
    if (flow_.successors[x][0] != join || join != x + 1) return false;
    const unsigned most = gains_loads(b, x, join) ? habits_.skipped_loads : habits_.skipped;
    const unsigned loads = parameters_of(x);
    if (loads > most || !eligible(x, branch->guard, most - loads)) return false;
    guard(x, *branch, branch->guard_negated == 0);
    edit_.erase[flow_.blocks[b].last] = 1;
    return true;
  }

  static bool is_global(const Instr& in) { return in.space == Space::kGlobal || in.space == Space::kGeneric; }
  static bool loads_global(const Instr& in) { return in.kind == InstrKind::kLoad && is_global(in); }

  // Whether loads of global memory could move over the branch: see above.
  bool gains_loads(uint32_t b, uint32_t x, uint32_t join) const {
    unsigned loads = 0;
    for (uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
      if (!loads_global(p_.code[i])) continue;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines ||
            !live_.live_out[b].has(live_.number(live_.function_of[b], p_.refs[r].place)))
          continue;
        ++loads;
        break;
      }
    }
    for (uint32_t i = flow_.blocks[x].first; i <= flow_.blocks[x].last; ++i) {
      if (p_.code[i].kind == InstrKind::kStore && is_global(p_.code[i])) return false;
      loads += loads_global(p_.code[i]) ? 1 : 0;
    }
    for (uint32_t i = flow_.blocks[join].first; i <= flow_.blocks[join].last; ++i) {
      if (is_block_barrier(class_of(p_.code[i]))) break;
      loads += loads_global(p_.code[i]) ? 1 : 0;
    }
    return loads >= 2 || (loads == 1 && (skips_load(join) || (b >= 2 && skips_load(b - 2))));
  }

  // Whether b skips one block that loads from global memory and stores nothing there.
  bool skips_load(uint32_t b) const {
    const Instr* branch = conditional(b);
    if (branch == nullptr || !only_from(b + 1, b) || flow_.successors[b + 1].size() != 1) return false;
    const uint32_t join = flow_.block_of[branch->target];
    if (join != b + 2 || flow_.successors[b + 1][0] != join) return false;
    bool loads = false;
    for (uint32_t i = flow_.blocks[b + 1].first; i <= flow_.blocks[b + 1].last; ++i) {
      if (p_.code[i].kind == InstrKind::kStore && is_global(p_.code[i])) return false;
      loads = loads || loads_global(p_.code[i]);
    }
    return loads;
  }

  // Parameters that nothing in front of block x reads: they are loaded in it.
  unsigned parameters_of(uint32_t x) const {
    std::vector<int32_t> read;
    const uint32_t first = flow_.blocks[x].first;
    for (uint32_t r = p_.ref_begin[first]; r < p_.ref_begin[flow_.blocks[x].last + 1]; ++r) {
      const auto it = p_.refs[r].defines ? first_read_.end() : first_read_.find(p_.refs[r].place.at);
      if (it == first_read_.end() || it->second < first) continue;
      if (std::find(read.begin(), read.end(), it->first) == read.end()) read.push_back(it->first);
    }
    return static_cast<unsigned>(read.size());
  }

  // @p bra E; T; bra J; E: ...; J:
  bool convert_either(uint32_t b) {
    const Instr* branch = conditional(b);
    if (branch == nullptr) return false;
    const uint32_t t = b + 1, e = flow_.block_of[branch->target];
    if (e != t + 1 || !only_from(t, b) || !only_from(e, b) || e + 1 >= flow_.blocks.size()) return false;
    if (flow_.successors[t].size() != 1 || flow_.successors[e].size() != 1) return false;
    if (flow_.successors[t][0] != e + 1 || flow_.successors[e][0] != e + 1) return false;
    if (!eligible(t, branch->guard, habits_.one_side) || !eligible(e, branch->guard, habits_.one_side))
      return false;
    // Unguarded temporaries of the first side must not hit what the second one reads.
    if (shares_rows(t, e)) return false;
    guard(t, *branch, branch->guard_negated == 0);
    guard(e, *branch, branch->guard_negated != 0);
    edit_.erase[flow_.blocks[b].last] = 1;
    return true;
  }

  bool shares_rows(uint32_t t, uint32_t e) const {
    bool shared = false;
    for_defs(t, [&](uint32_t row) { shared |= live_.live_in[e].has(row) && !live_.live_out[t].has(row); });
    return shared;
  }

  template <class Fn>
  void for_defs(uint32_t b, Fn fn) const {
    const Block& block = flow_.blocks[b];
    for (uint32_t r = p_.ref_begin[block.first]; r < p_.ref_begin[block.last + 1]; ++r) {
      if (p_.refs[r].defines) fn(live_.number(live_.function_of[b], p_.refs[r].place));
    }
  }

  bool eligible(uint32_t b, Place condition, unsigned most) const {
    const Block& block = flow_.blocks[b];
    unsigned weight = 0;
    std::vector<int32_t> scaled, extremes;  // rows of indices with their scale, of minima and maxima
    for (uint32_t i = block.first; i <= block.last; ++i) {
      const Instr& in = p_.code[i];
      if (in.guard.present()) return false;
      if (i == block.last && in.kind == InstrKind::kBranch) break;
      const bool simple =
          in.kind == InstrKind::kPlain || in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore;
      if (!simple || carries(in)) return false;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (p_.refs[r].defines && p_.refs[r].place.at == condition.at) return false;
      }
      const auto op = static_cast<OpClass>(in.op_class);
      // It branches, which nothing can guard (SASS of decision_tree: the block of a square root stays one).
      if (is(op, kCallsSlowPath)) return false;
      weight += weight_of(in, scaled, extremes);
      if (joins_addition(in)) scaled.push_back(in.ops[0].at);
    }
    return weight <= most;
  }

  // An index's scale goes into the addition of its base: IMAD.WIDE, LEA.
  bool joins_addition(const Instr& in) const {
    if (!is_computation(in)) return false;
    const FormUse use = use_of(p_, in);
    const std::string_view name = use.form().instruction->mnemonic;
    return (name == "mul" && use.has(".wide")) || (name == "shl" && in.ops[2].constant());
  }

  // Machine instructions, roughly.
  unsigned weight_of(const Instr& in, const std::vector<int32_t>& scaled,
                     std::vector<int32_t>& extremes) const {
    const OpClass op = class_of(in);
    if (takes_no_work(in) || op == OpClass::mov || joins_addition(in)) return 0;
    const auto reads = [&](const std::vector<int32_t>& rows) {
      return std::any_of(in.ops + 1, in.ops + 3, [&](Place place) {
        return place.present() && std::find(rows.begin(), rows.end(), place.at) != rows.end();
      });
    };
    switch (op) {
      case OpClass::add64:
        return reads(scaled) ? 1 : 2;
      case OpClass::logic64:
      case OpClass::shift64:
        return 2;
      case OpClass::iminmax:
        if (reads(extremes)) return 0;  // VIMNMX3
        extremes.push_back(in.ops[0].at);
        return 1;
      default:
        return info(op).composite() ? kCompositeWeight : 1;
    }
  }

  // Carry bits are written under a guard too, but nothing restores them for the lanes that are off.
  bool carries(const Instr& in) const {
    if (takes_no_work(in)) return false;
    return uses_carry(use_of(p_, in));
  }

  void guard(uint32_t b, const Instr& branch, bool negate) {
    const Block& block = flow_.blocks[b];
    for (uint32_t i = block.first; i <= block.last; ++i) {
      if (p_.code[i].kind == InstrKind::kBranch) {
        edit_.erase[i] = 1;
        continue;
      }
      Instr in = p_.code[i];
      std::vector<OperandRef> refs = refs_of(p_, i);
      if (in.kind == InstrKind::kPlain && !seen_outside(b, i)) {
        refs.push_back({branch.guard, 0, false, false, kBranchGuard, 0xff});
      } else {
        in.guard = branch.guard;
        in.guard_negated = negate ? 1 : 0;
        refs.push_back({in.guard, 0, false, false, kInstrPlaces, 0xff});
      }
      edit_.replace[i] = {in, refs};
    }
  }

  bool seen_outside(uint32_t b, uint32_t i) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].defines && live_.live_out[b].has(live_.number(live_.function_of[b], p_.refs[r].place)))
        return true;
    }
    return false;
  }

  Program& p_;
  const PredicateHabits& habits_;
  Flow flow_;
  Liveness live_;
  Edit edit_;
  std::unordered_map<int32_t, uint32_t> first_read_;  // by row that holds a parameter: who reads it first
};

}  // namespace

// A jump to a bare `ret` of the entry is a return where it stands, as ptxas makes it (`@P0 EXIT`): nothing is
// left to meet for.
void return_in_place(Program& p) {
  const FunctionCode& entry = p.functions[0];
  for (uint32_t i = entry.entry; i < entry.end; ++i) {
    Instr& in = p.code[i];
    if (!jumps_to_label(in)) continue;
    const Instr& target = p.code[in.target];
    if (!leaves_function(target) || target.guard.present()) continue;
    Instr leave = target;
    leave.guard = in.guard;
    leave.guard_negated = in.guard_negated;
    leave.uniform = in.uniform;
    leave.source = in.source;
    in = leave;
  }
}

void convert_short_branches(Program& p, const PredicateHabits& habits) {
  while (IfConversion(p, habits).run()) {
  }
}

}  // namespace gpuloom::ptx
