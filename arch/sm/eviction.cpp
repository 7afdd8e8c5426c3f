// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/eviction.h"

#include "arch/policy/mix_address.h"
#include "ptx/exec/cache_policy.h"

namespace gpuloom::arch {
namespace {

sim::EvictHint plain(ptx::Eviction eviction) {
  switch (eviction) {
    case ptx::Eviction::kFirst:
      return sim::EvictHint::kFirst;
    case ptx::Eviction::kLast:
      return sim::EvictHint::kLast;
    case ptx::Eviction::kUnchanged:
      return sim::EvictHint::kUnchanged;
    case ptx::Eviction::kNoAllocate:
      return sim::EvictHint::kNoAllocate;
    default:
      return sim::EvictHint::kNormal;
  }
}

}  // namespace

// ld.cs, ld.lu and st.cs touch their data once: evicted first (PTX ISA 9.7.9.1).
L2Hint l2_hint(const ptx::MemoryAccess& access) {
  L2Hint hint{access.l2_eviction, access.policy};
  if (hint.eviction == ptx::Eviction::kNormal &&
      (access.cache == ptx::CacheOp::kCs || access.cache == ptx::CacheOp::kLu))
    hint.eviction = ptx::Eviction::kFirst;
  return hint;
}

sim::EvictHint evict_hint(const L2Hint& hint, uint64_t line) {
  if (hint.eviction != ptx::Eviction::kPolicy) return plain(hint.eviction);
  const ptx::CachePolicy p = ptx::CachePolicy::decode(hint.policy);
  if (!p.range) {
    const bool first = static_cast<double>(policy::mix_address(line) >> 40) < p.fraction * (1 << 24);
    return plain(first ? p.primary : p.secondary);
  }
  if (line < p.first || line >= p.first + p.bytes) return sim::EvictHint::kNormal;
  return plain(line < p.first + p.primary_bytes ? p.primary : p.secondary);
}

}  // namespace gpuloom::arch
