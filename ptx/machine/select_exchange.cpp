// SPDX-License-Identifier: Apache-2.0
// Exchanges between lanes that ptxas leaves out: a shuffle of a value that all lanes share is that value, and
// an exchange that has been made before with the same operands is not made again, also behind a barrier
// (SASS of rate_shfl and of pairs of SHFL, VOTE and REDUX).
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/selector.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool may_be_shared(const Instr& in) {
  const auto op = static_cast<OpClass>(in.op_class);
  return in.kind == InstrKind::kWarpSync && !in.guard.present() && is(op, kExchanges) && op != OpClass::match;
}

}  // namespace

bool Selector::divergent(Place place) const {
  if (!place.present() || place.constant()) return false;
  return g_.exchanged_row[f_][g_.liveness.number(f_, place)] != 0;
}

void Selector::drop_exchanges() {
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    Instr& in = p_.code[i];
    const bool copies =
        may_be_shared(in) && is_shuffle(ptx::class_of(in)) && !in.ops[1].present() && !divergent(in.ops[2]);
    if (!copies) continue;
    shape_[i - code_.entry] = Shape::kMove;
    in.op_class = static_cast<uint16_t>(OpClass::mov);
  }
}

void Selector::share_exchanges(uint32_t b) {
  std::vector<uint32_t> seen;
  for (uint32_t i = g_.flow.blocks[b].first; i <= g_.flow.blocks[b].last; ++i) {
    if (!may_be_shared(p_.code[i])) continue;
    bool single = true;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      single = single && stable(p_.refs[r].place);
    if (!single) continue;
    const auto known =
        std::find_if(seen.begin(), seen.end(), [&](uint32_t k) { return same_operation(k, i); });
    if (known == seen.end()) {
      seen.push_back(i);
      continue;
    }
    share_results(i, *known);
    folded_[i - code_.entry] = 1;
  }
}

}  // namespace gpuloom::ptx
