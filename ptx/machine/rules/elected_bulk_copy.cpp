// SPDX-License-Identifier: Apache-2.0
// Bulk and tensor copies as ptxas writes them. Addresses come in uniform registers, and lanes may differ in
// what they copy, so a loop takes one lane after another: PLOP3; ELECT, UBLKCP, PLOP3, PLOP3, BRA.U.ANY.
// There is none for a copy to global memory or a prefetch whose operands all lanes share, and where only a
// lane that `elect.sync` chose comes by (ptxas 13.0, sm_90: SASS of bulk_copy, bulk_store, lat_bulk and of
// single instructions).
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/rules/tensor_operands.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kFarthestElect = 6;  // instructions between elect.sync and the branch that asks for it

// Whether the predicate or number is made of what elect.sync gives.
bool from_elect(const Selection& s, Place place, unsigned depth) {
  const Program& p = s.program();
  const uint32_t i = place.present() && !place.constant() ? s.maker(place) : UINT32_MAX;
  if (i == UINT32_MAX || depth == kFarthestElect) return false;
  if (s.op_class(i) == OpClass::elect) return true;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
    if (!p.refs[r].defines && from_elect(s, p.refs[r].place, depth + 1)) return true;
  return false;
}

// Whether one lane comes by because it was elected: guarded so, or behind a branch or an exit of which only
// that lane takes a side.
bool is_elected(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  const Flow& flow = s.flow();
  if (p.code[i].guard.present() && from_elect(s, p.code[i].guard, 0)) return true;
  for (uint32_t b = flow.first_block[s.function()]; b < flow.block_of[i]; ++b) {
    const Instr& last = p.code[flow.blocks[b].last];
    const bool around =
        leaves_function(last) || (last.kind == InstrKind::kBranch && p.blocks[b].reconverge > i);
    if (around && last.guard.present() && from_elect(s, last.guard, 0)) return true;
  }
  return false;
}

// Registers that lanes do not share.
unsigned differing_registers(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  unsigned differing = 0;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    const bool guard = ref.operand == kInstrPlaces;
    if (!ref.defines && !guard && s.divergent(ref.place)) differing += (ref.bytes + 3u) / 4;
  }
  return differing;
}

bool writes_global(const Selection& s, uint32_t i) {
  const std::string_view syntax = s.use(i).form().syntax;
  const bool stores = syntax.find(".global.shared::cta") != std::string_view::npos &&
                      s.op_class(i) != OpClass::ublkred && !syntax.starts_with("cp.reduce");
  return stores || syntax.find(".prefetch") != std::string_view::npos;
}

bool match_elected_bulk_copy(const Selection& s, uint32_t i) {
  if (traits(s.op_class(i)).action != Action::kBulk) return false;
  if (s.instr(i).kind != InstrKind::kAsyncCopy) return false;
  return (!writes_global(s, i) || differing_registers(s, i) != 0) && !is_elected(s, i);
}

// To global memory each register is compared with the first lane's (PLOP3, R2UR.OR); else the elected lane
// gives its own (R2UR).
void apply_elected_bulk_copy(const Selection& s, Emitter& out, uint32_t i) {
  const bool writes = writes_global(s, i);
  std::vector<OpClass> before = {OpClass::plop3};
  if (!writes) before.push_back(OpClass::elect);
  for (unsigned k = differing_registers(s, i); k != 0; --k) {
    if (writes) before.push_back(OpClass::plop3);
    before.push_back(OpClass::mov);
  }
  const bool tensor = s.op_class(i) == OpClass::utma;
  const TensorOperands operands = tensor ? add_tensor_operands(s, out, i) : TensorOperands{};
  out.around(before, s.op_class(i), {OpClass::plop3, OpClass::plop3, OpClass::bra});
  if (tensor) name_tensor_operands(operands, out.carrier());
}

}  // namespace

extern const Rule kElectedBulkCopy{"elected_bulk_copy", match_elected_bulk_copy, apply_elected_bulk_copy};

}  // namespace gpuloom::ptx
