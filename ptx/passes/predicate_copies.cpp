// SPDX-License-Identifier: Apache-2.0
// A condition that becomes 1 or 0 and is then asked for not being 0 is the condition itself: inline assembly
// passes predicates as integers (`selp.u32 r, 1, 0, q` far in front of `setp.ne.b32 p, r, 0; @p ld`,
// CUTLASS's guarded accesses), and SASS of them has neither SEL nor ISETP.
#include <algorithm>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

class PredicateCopies {
 public:
  explicit PredicateCopies(Draft& d) : d_(d), p_(d.program), values_(p_) {}

  bool run() {
    for (const FunctionCode& f : p_.functions) {
      values_.gather(f);
      for (uint32_t i = f.entry; i < f.end; ++i) replace(i);
    }
    return changed_;
  }

 private:
  bool names(Place place, bool zero) const {
    uint64_t value = 0;
    return place.present() && place.constant() && d_.constants.value_of(place, value) && (value == 0) == zero;
  }

  // The predicate that i's first result copies, or no place.
  Place copied(uint32_t i) const {
    if (!is_plain(p_, i, "setp")) return {};
    const Instr& in = p_.code[i];
    const FormUse use = use_of(p_, in);
    const bool combines = use.has(".and") || use.has(".or") || use.has(".xor");
    if (is_float(in.type) || bits(in.type) > 32 || !use.has(".ne") || combines || in.ops[1].present() ||
        !values_.made_once(in.ops[2]) || !names(in.ops[3], true))
      return {};
    const uint32_t made = values_.row(in.ops[2]).made;
    const Instr& chosen = p_.code[made];
    if (!is_plain(p_, made, "selp") || bits(chosen.type) != bits(in.type) || !names(chosen.ops[1], false) ||
        !names(chosen.ops[2], true) || !values_.made_once(chosen.ops[3]))
      return {};
    return values_.stays(chosen.ops[3], made) && values_.stays(in.ops[2], i) ? chosen.ops[3] : Place{};
  }

  void replace(uint32_t i) {
    const Place from = p_.code[i].ops[0], to = copied(i);
    if (!to.present() || !SingleValues::is_row(from)) return;
    SingleValues::Row &own = values_.row(from), &other = values_.row(to);
    // What reads between the two in a loop reads the copy of the turn before.
    const bool behind =
        std::all_of(own.users.begin(), own.users.end(), [&](uint32_t u) { return u > i || u < other.made; });
    if (own.made != i || !own.movable || !behind) return;
    for (const uint32_t u : own.users) read_instead(p_, u, from, to);
    other.users.insert(other.users.end(), own.users.begin(), own.users.end());
    own.users.clear();
    changed_ = true;
  }

  Draft& d_;
  Program& p_;
  SingleValues values_;
  bool changed_ = false;
};

}  // namespace

void share_copied_predicates(Draft& d) {
  if (PredicateCopies(d).run() && d.options.runs("dead_code")) remove_dead_code(d);
}

}  // namespace gpuloom::ptx
