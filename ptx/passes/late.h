// SPDX-License-Identifier: Apache-2.0
// Which results time delivers after the instruction has been left behind.
#pragma once
#include "ptx/isa/table/use_of.h"

namespace gpuloom::ptx {

// Atomics and strong loads take effect at the memory partition; a call's results come when it returns.
inline bool arrives_late(const Program& p, const Instr& in) {
  if (in.kind == InstrKind::kAtomic || in.kind == InstrKind::kCall) return true;
  if (in.kind != InstrKind::kLoad) return false;
  const FormUse use = use_of(p, in);
  for (const std::string_view word : {".volatile", ".relaxed", ".acquire", ".mmio"}) {
    if (use.has(word)) return true;
  }
  return false;
}

// Accesses of global memory that take effect late, stores too.
inline bool acts_late(const Program& p, const Instr& in) {
  if (in.kind == InstrKind::kAtomic) return true;
  if (in.kind == InstrKind::kLoad) return arrives_late(p, in);
  if (in.kind != InstrKind::kStore) return false;
  const FormUse use = use_of(p, in);
  for (const std::string_view word : {".volatile", ".relaxed", ".release", ".mmio"}) {
    if (use.has(word)) return true;
  }
  return false;
}

}  // namespace gpuloom::ptx
