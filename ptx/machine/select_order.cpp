// SPDX-License-Identifier: Apache-2.0
// Accesses with an order: ptxas writes a fence in front of a release and forgets the L1 behind an acquire
// (SASS of ld.acquire, st.release, atom and red by scope; of a block, MEMBAR.ALL.CTA and a NOP).
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {

struct AccessOrder {
  bool acquire = false, release = false, beyond_block = false;
};

AccessOrder access_order(const Program& p, uint32_t i) {
  const Instr& in = p.code[i];
  if (in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore && in.kind != InstrKind::kAtomic) return {};
  if (p.sources[in.source].function == nullptr) return {};
  const FormUse use = use_of(p, in);
  AccessOrder order;
  const bool both = use.has(".acq_rel");
  order.acquire = both || use.has(".acquire");
  order.release = both || use.has(".release");
  // Shared memory of the block itself has no order wider than it.
  order.beyond_block = !use.has(".cta") && in.space != Space::kShared;
  return order;
}

}  // namespace

void Selector::emit_in_order(uint32_t i, std::vector<Node>& out) {
  const AccessOrder order = access_order(p_, i);
  const size_t begin = out.size();
  const auto add = [&](OpClass op) {
    Node& n = push(out, op, i);
    n.ordered = true;
    n.guarded = p_.code[i].guard.present();
  };
  if (order.release) add(OpClass::membar);
  for (unsigned k = 0; order.release && order.beyond_block && k < 2; ++k) add(OpClass::nop);
  const size_t first = out.size();
  emit(i, out);
  if (out.size() == first) {  // nothing is left of it
    out.resize(begin);
    return;
  }
  if (!order.acquire && !order.release) return;
  const std::vector<uint32_t> result = out.back().defs;
  out.back().ordered = true;
  if (!order.acquire) return;
  add(order.beyond_block ? OpClass::ccctl : OpClass::nop);
  if (order.beyond_block) out.back().uses = result;  // not before the access has been answered
}

}  // namespace gpuloom::ptx
