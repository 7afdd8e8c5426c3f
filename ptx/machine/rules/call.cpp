// SPDX-License-Identifier: Apache-2.0
// Calls: arguments and results move to the registers that calls.h names, and the return address is made in
// front of the call.
#include <algorithm>

#include "ptx/machine/calls.h"
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_call_parameter(const Selection& s, uint32_t i) { return s.shape(i) == Shape::kCallParam; }

// The address of a variable stands in a constant bank: it comes to where calls want it by way of a uniform
// register (ptxas 13.0, sm_90: ULDC.64 UR4, c[0x4][0x8]; IMAD.U32 R4, RZ, RZ, UR4; IMAD.U32 R5, RZ, RZ, UR5).
bool names_global(const Selection& s, Place place) {
  if (!s.profile().uniform_datapath || !place.present() || place.constant()) return false;
  uint32_t from = s.maker(place);
  while (from != UINT32_MAX && s.shape(from) == Shape::kRename && s.folded(from))
    from = s.maker(s.instr(from).ops[1]);
  if (from == UINT32_MAX || s.shape(from) != Shape::kMove) return false;
  const Variable* v = s.symbol_of(from);
  return v != nullptr && v->space == Space::kGlobal;
}

void apply_call_parameter(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  const bool loads = s.use(i).form().instruction->mnemonic == "ld";
  const Place base = in.ops[loads ? 1 : 0];
  const uint32_t each = in.type == Type::kNone ? 4 : bytes(in.type);
  const uint32_t elements = std::max<uint32_t>(1, in.vec);
  for (uint32_t e = 0; e < elements; ++e) {
    const Place value = in.ops[loads ? 0 : 1];
    const Place place = elements == 1 ? value : s.program().extra[static_cast<uint32_t>(value.at) + e];
    const bool known = !base.present() || base.constant();
    const uint32_t slot =
        known ? out.calls().slot(s.function(), static_cast<uint32_t>(in.imm) + e * each, each) : kNoVirtual;
    std::vector<uint32_t> from, to;
    if (loads) {
      if (slot != kNoVirtual) from.push_back(slot);
      if (place.present() && !place.constant()) to.push_back(s.value(place));
      if (in.guard.present()) from.insert(from.end(), to.begin(), to.end());
    } else {
      s.add_source(place, from);
      if (slot != kNoVirtual) to.push_back(slot);
    }
    const bool by_halves = !loads && names_global(s, place);
    if (by_halves) out.make(OpClass::mov, from, 1);
    Node& n = out.push(OpClass::mov);
    n.uses = from;
    n.defs = to;
    n.guarded = in.guard.present();
    n.carries = e + 1 == elements;
    n.copies = !by_halves;
    if (n.guarded) s.add_source(in.guard, n.uses);
  }
}

bool match_call(const Selection& s, uint32_t i) { return s.instr(i).kind == InstrKind::kCall; }

void apply_call(const Selection& s, Emitter& out, uint32_t i) {
  Calls& calls = out.calls();
  const uint32_t number = s.instr(i).extra;
  const CallSite& site = s.program().calls[number];
  std::vector<uint32_t> needs = calls.return_address(site);
  if (!site.external.empty()) {  // SASS of printf: MOV, LDC.64 of its address, LEPC
    out.push(OpClass::mov);
    const uint32_t address = out.make(OpClass::ldc, {}, 2);
    out.last().constant_operand = true;
    out.push(OpClass::mov).defs = needs;
    needs.push_back(address);
  } else {
    for (const uint32_t v : needs) out.push(OpClass::mov).defs = {v};
  }
  if (site.address.present()) {  // the function's address stands in a constant bank
    const uint32_t target = out.temporary(2);
    Node& address = out.push(OpClass::ldc);
    address.constant_operand = true;
    s.add_source(site.address, address.uses);
    address.defs = {target};
    needs.push_back(target);
  }
  out.sequence({OpClass::call});
  Node& call = out.last();
  const std::vector<uint32_t>& arguments = calls.arguments(number);
  const std::vector<uint32_t>& results = calls.results(number);
  call.uses.insert(call.uses.end(), needs.begin(), needs.end());
  call.uses.insert(call.uses.end(), arguments.begin(), arguments.end());
  call.defs.insert(call.defs.end(), results.begin(), results.end());
  call.clobbers = calls.conventional(site);
}

bool match_function_return(const Selection& s, uint32_t i) {
  return s.instr(i).kind == InstrKind::kReturn && s.function() != 0;
}

// A function that is allocated with its callers finds 32 bits of its return address in some register and
// makes the pair that RET wants.
void apply_function_return(const Selection& s, Emitter& out, uint32_t) {
  Calls& calls = out.calls();
  std::vector<uint32_t> needs = calls.return_address(s.function());
  if (!calls.conventional(s.function())) {
    const uint32_t pair = out.temporary(2), half = out.temporary(1);
    out.push(OpClass::mov).defs = {half};
    Node& low = out.push(OpClass::mov);
    low.uses = {needs[0], half};
    low.defs = {pair};
    needs = {pair};
  }
  out.sequence({OpClass::ret});
  Node& back = out.last();
  const std::vector<uint32_t>& returns = calls.returns(s.function());
  back.uses.insert(back.uses.end(), needs.begin(), needs.end());
  back.uses.insert(back.uses.end(), returns.begin(), returns.end());
}

}  // namespace

extern const Rule kCallParameter{"call_parameter", match_call_parameter, apply_call_parameter};
extern const Rule kCall{"call", match_call, apply_call};
extern const Rule kFunctionReturn{"function_return", match_function_return, apply_function_return};

}  // namespace gpuloom::ptx
