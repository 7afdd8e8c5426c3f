// SPDX-License-Identifier: Apache-2.0
// An atomic whose result nobody reads is a RED, exchanges excepted (SASS of bins_u64, histogram_global).
// Where the program has a fence of memory anywhere, of whichever scope, it stays what it is: a fence orders
// what an atomic has read, even if nobody looks at it. Fences of proxies, of barriers that are made and of
// `.release` or `.acquire` accesses do not count, and `red` is always a RED (SASS of 30 kernels of an atomic
// and a fence, and of probes/wide_atomics). Nor is one of no named space a RED.
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_unread_atomic(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (in.kind != InstrKind::kAtomic || s.class_now(i) != OpClass::atomg || s.mnemonic(i) != "atom")
    return false;
  if (s.fences() || in.space == Space::kGeneric) return false;
  const FormUse use = s.use(i);
  if (in.guard.present() || in.vec > 1 || use.has(".exch") || use.has(".cas")) return false;
  return !s.is_read(in.ops[0]);
}

void apply_unread_atomic(const Selection&, Emitter& out, uint32_t) {
  out.sequence({OpClass::red});
  out.last().defs.clear();
}

}  // namespace

extern const Rule kUnreadAtomic{"unread_atomic", match_unread_atomic, apply_unread_atomic};

}  // namespace gpuloom::ptx
