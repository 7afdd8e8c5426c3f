// SPDX-License-Identifier: Apache-2.0
// Calls: arguments and results move to the registers that calls.h names, the return address is made in front
// of the call, and convergence barriers that regions around calls take are kept in registers.
#include <algorithm>

#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

void Selector::emit_call_param(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const bool loads = use_of(p_, in).form().instruction->mnemonic == "ld";
  const Place base = in.ops[loads ? 1 : 0];
  const uint32_t each = in.type == Type::kNone ? 4 : bytes(in.type);
  const uint32_t elements = std::max<uint32_t>(1, in.vec);
  for (uint32_t e = 0; e < elements; ++e) {
    const Place value = in.ops[loads ? 0 : 1];
    const Place place = elements == 1 ? value : p_.extra[static_cast<uint32_t>(value.at) + e];
    const bool known = !base.present() || base.constant();
    const uint32_t slot =
        known ? calls_.slot(f_, static_cast<uint32_t>(in.imm) + e * each, each) : kNoVirtual;
    std::vector<uint32_t> from, to;
    if (loads) {
      if (slot != kNoVirtual) from.push_back(slot);
      if (place.present() && !place.constant()) to.push_back(find(virtual_of(place)));
      if (in.guard.present()) from.insert(from.end(), to.begin(), to.end());
    } else {
      add_source(place, from, 0);
      if (slot != kNoVirtual) to.push_back(slot);
    }
    Node& n = push(out, OpClass::mov, i);
    n.uses = from;
    n.defs = to;
    n.guarded = in.guard.present();
    n.carries = e + 1 == elements;
    n.copies = true;
    if (n.guarded) add_source(in.guard, n.uses, 0);
  }
}

void Selector::emit_call(uint32_t i, std::vector<Node>& out) {
  const CallSite& site = p_.calls[p_.code[i].extra];
  std::vector<uint32_t> needs = calls_.return_address(site);
  if (!site.external.empty()) {  // SASS of printf: MOV, LDC.64 of its address, LEPC
    push(out, OpClass::mov, i);
    Node& address = push(out, OpClass::ldc, i);
    address.constant_operand = true;
    address.defs = {temporary(2)};
    Node& back = push(out, OpClass::mov, i);
    back.defs = needs;
    needs.push_back(out[out.size() - 2].defs[0]);
  } else {
    for (const uint32_t v : needs) push(out, OpClass::mov, i).defs = {v};
  }
  if (site.address.present()) {  // the function's address stands in a constant bank
    const uint32_t target = temporary(2);
    Node& address = push(out, OpClass::ldc, i);
    address.constant_operand = true;
    add_source(site.address, address.uses, 0);
    address.defs = {target};
    needs.push_back(target);
  }
  emit_sequence(i, {OpClass::call}, out);
  Node& call = out.back();
  const std::vector<uint32_t>& arguments = calls_.arguments(p_.code[i].extra);
  const std::vector<uint32_t>& results = calls_.results(p_.code[i].extra);
  call.uses.insert(call.uses.end(), needs.begin(), needs.end());
  call.uses.insert(call.uses.end(), arguments.begin(), arguments.end());
  call.defs.insert(call.defs.end(), results.begin(), results.end());
  call.clobbers = calls_.conventional(site);
}

// A function that is allocated with its callers finds 32 bits of its return address in some register and
// makes the pair that RET wants.
void Selector::emit_return(uint32_t i, std::vector<Node>& out) {
  std::vector<uint32_t> needs = calls_.return_address(f_);
  if (!calls_.conventional(f_)) {
    const uint32_t pair = temporary(2), half = temporary(1);
    push(out, OpClass::mov, i).defs = {half};
    Node& low = push(out, OpClass::mov, i);
    low.uses = {needs[0], half};
    low.defs = {pair};
    needs = {pair};
  }
  emit_sequence(i, {OpClass::ret}, out);
  Node& back = out.back();
  back.uses.insert(back.uses.end(), needs.begin(), needs.end());
  back.uses.insert(back.uses.end(), calls_.returns(f_).begin(), calls_.returns(f_).end());
}

unsigned Selector::barriers_across_calls() const {
  unsigned most = 0;
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
    const Instr& last = p_.code[g_.flow.blocks[b].last];
    if (last.kind != InstrKind::kCall || !calls_.conventional(p_.calls[last.extra])) continue;
    most = std::max(most,
                    static_cast<unsigned>(std::count_if(regions_.begin(), regions_.end(), [&](const auto& r) {
                      return r.first <= b && b < r.second;
                    })));
  }
  return most;
}

void Selector::keep_barriers() {
  for (unsigned k = barriers_across_calls(); k > 0; --k) {
    const uint32_t kept = temporary(1);
    std::vector<Node>& first = g_.blocks[g_.flow.first_block[f_]];
    Node take;
    take.op = OpClass::bmov;
    take.decoded = code_.entry;
    take.defs = {kept};
    first.insert(first.begin(), take);
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      std::vector<Node>& nodes = g_.blocks[b];
      if (nodes.empty() || nodes.back().op != OpClass::ret) continue;
      Node give = take;
      give.decoded = nodes.back().decoded;
      give.defs.clear();
      give.uses = {kept};
      nodes.insert(nodes.end() - 1, give);
    }
  }
}

}  // namespace gpuloom::ptx
