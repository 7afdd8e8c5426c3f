// SPDX-License-Identifier: Apache-2.0
// Bulk and tensor copies as ptxas writes them. Addresses come in uniform registers, and lanes may differ in
// what they copy, so a loop takes one lane after another: PLOP3; ELECT, UBLKCP, PLOP3, PLOP3, BRA.U.ANY.
// There is none for a copy to global memory or a prefetch whose operands all lanes share, and where only a
// lane that `elect.sync` chose comes by (ptxas 13.0, sm_90: SASS of bulk_copy, bulk_store, lat_bulk and of
// single instructions).
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {
constexpr unsigned kDeepest = 6;  // instructions between elect.sync and the branch that asks for it
}

// Whether the predicate or number is made of what elect.sync gives.
bool Selector::from_elect(Place place, unsigned depth) const {
  const uint32_t i = place.present() && !place.constant() ? maker(place) : UINT32_MAX;
  if (i == UINT32_MAX || depth == kDeepest) return false;
  if (static_cast<OpClass>(p_.code[i].op_class) == OpClass::elect) return true;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
    if (!p_.refs[r].defines && from_elect(p_.refs[r].place, depth + 1)) return true;
  return false;
}

// Whether one lane comes by because it was elected: guarded so, or behind a branch or an exit of which only
// that lane takes a side.
bool Selector::is_elected(uint32_t i) const {
  if (p_.code[i].guard.present() && from_elect(p_.code[i].guard, 0)) return true;
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.block_of[i]; ++b) {
    const Instr& last = p_.code[g_.flow.blocks[b].last];
    const bool around =
        leaves_function(last) || (last.kind == InstrKind::kBranch && p_.blocks[b].reconverge > i);
    if (around && last.guard.present() && from_elect(last.guard, 0)) return true;
  }
  return false;
}

bool Selector::emit_bulk(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const std::string_view syntax = use_of(p_, in).form().syntax;
  if (in.kind != InstrKind::kAsyncCopy) return false;
  unsigned differing = 0;  // registers that lanes do not share
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    const bool guard = ref.operand == kInstrPlaces;
    if (!ref.defines && !guard && divergent(ref.place)) differing += (ref.bytes + 3u) / 4;
  }
  const bool stores = syntax.find(".global.shared::cta") != std::string_view::npos &&
                      static_cast<OpClass>(in.op_class) != OpClass::ublkred &&
                      !syntax.starts_with("cp.reduce");
  const bool writes = stores || syntax.find(".prefetch") != std::string_view::npos;
  if ((writes && differing == 0) || is_elected(i)) return false;
  // To global memory each register is compared with the first lane's (PLOP3, R2UR.OR); else the elected lane
  // gives its own (R2UR).
  std::vector<OpClass> before = {OpClass::plop3};
  if (!writes) before.push_back(OpClass::elect);
  for (unsigned k = 0; k < differing; ++k) {
    if (writes) before.push_back(OpClass::plop3);
    before.push_back(OpClass::mov);
  }
  around(i, before, static_cast<OpClass>(in.op_class), {OpClass::plop3, OpClass::plop3, OpClass::bra}, out);
  return true;
}

}  // namespace gpuloom::ptx
