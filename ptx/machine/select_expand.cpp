// SPDX-License-Identifier: Apache-2.0
// Synchronisation that ptxas writes as several instructions around one (SASS of cluster_ring, lat_dsmem,
// spin_lock, lat_redux, bulk_store, and of single instructions).
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

void Selector::around(uint32_t i, const std::vector<OpClass>& before, OpClass op,
                      const std::vector<OpClass>& after, std::vector<Node>& out) {
  const auto add = [&](OpClass other) {
    Node& n = push(out, other, i);
    n.ordered = true;
    n.guarded = p_.code[i].guard.present();
  };
  for (const OpClass other : before) add(other);
  emit_sequence(i, {op}, out);
  for (const OpClass other : after) add(other);
}

// The hardware takes the parity of a phase in the sign bit.
bool Selector::emit_wait(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const bool asks = mnemonic(i) == "mbarrier.try_wait" || mnemonic(i) == "mbarrier.test_wait";
  if (!asks || use_of(p_, in).form().syntax.find(".parity") == std::string::npos || in.ops[2].constant())
    return false;
  std::vector<uint32_t> parity;
  add_source(in.ops[2], parity, 0);
  const uint32_t phase = temporary(1);
  Node& shift = push(out, OpClass::shift, i);
  shift.uses = parity;
  shift.defs = {phase};
  emit_sequence(i, {OpClass::syncs}, out);
  out.back().uses.push_back(phase);
  return true;
}

bool Selector::emit_expanded(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const auto op = static_cast<OpClass>(in.op_class);
  if (op == OpClass::ublkcp || op == OpClass::ublkred || op == OpClass::ublkpf || op == OpClass::utma)
    return emit_bulk(i, out);
  if (op == OpClass::syncs) return emit_wait(i, out);
  if (op != OpClass::redux && op != OpClass::membar && op != OpClass::fence_async && op != OpClass::ucgabar)
    return false;
  const FormUse use = use_of(p_, in);
  switch (op) {
    case OpClass::fence_async:  // between proxies: behind a MEMBAR, but for global memory alone
      if (!use.form().syntax.starts_with("fence.proxy.async{") || use.has(".global")) return false;
      around(i, {OpClass::membar}, op, {}, out);
      return true;
    case OpClass::redux: {  // the result comes in a uniform register
      emit_sequence(i, {OpClass::redux, OpClass::mov}, out);
      Node& reduction = out[out.size() - 2];
      reduction.ordered = out.back().ordered;
      return true;
    }
    case OpClass::membar:
      if (use.form().syntax.starts_with("fence.mbarrier_init")) {  // a place to stop at for the compiler
        emit_sequence(i, {OpClass::nop}, out);
        return true;
      }
      // beyond the block: MEMBAR, ERRBAR, CGAERRBAR, CCTL.IVALL
      if (mnemonic(i) == "membar" ? use.has(".cta") : !(use.has(".gpu") || use.has(".sys"))) return false;
      around(i, {}, op, {OpClass::nop, OpClass::nop, OpClass::ccctl}, out);
      return true;
    default:
      break;
  }
  if (mnemonic(i) != "barrier.cluster") return false;
  // A kernel that does not know whether it is launched with clusters asks, and has a block barrier for the
  // other case.
  const Directives& d = p_.functions[0].function->directives;
  const bool known = d.explicit_cluster || d.reqnctapercluster[0] != 0;
  std::vector<OpClass> before, after;
  if (!known) before.push_back(OpClass::bra);
  const bool arrives = in.aux == 0;  // barrier_cluster.cpp
  if (arrives && !use.has(".relaxed"))
    before.insert(before.end(), {OpClass::membar, OpClass::nop, OpClass::nop});
  if (!arrives) after.push_back(OpClass::ccctl);
  if (!known) after.push_back(OpClass::bra);
  around(i, before, op, after, out);
  return true;
}

}  // namespace gpuloom::ptx
