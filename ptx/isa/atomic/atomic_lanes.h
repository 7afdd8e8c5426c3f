// SPDX-License-Identifier: Apache-2.0
// The lane function of atom and red. What the operation is stands in a table (exec/atomic_ops.h): Instr::aux
// is its index, so that one function serves all of them.
#pragma once
#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "ptx/exec/atomic_ops.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {

// Places of the operands of atom (d, a, b, c, policy) and red (a, b, policy).
struct AtomicShape {
  int8_t result, address, b, c, policy;
};
constexpr AtomicShape kAtomShape{0, 1, 2, -1, 3};
constexpr AtomicShape kCasShape{0, 1, 2, 3, 4};
constexpr AtomicShape kRedShape{-1, 0, 1, -1, 2};

// Copies the operand of lane l, all elements of a vector, to `to`.
inline void gather_operand(const Warp& w, const Instr& in, unsigned at, unsigned lane, unsigned element_bytes,
                           uint8_t* to) {
  if (in.vec == 1) {
    std::memcpy(to, source<uint8_t>(w, in.ops[at]) + lane * element_bytes, element_bytes);
    return;
  }
  for (unsigned k = 0; k < in.vec; ++k) {
    const Place p = w.program->extra[static_cast<size_t>(in.ops[at].at) + k];
    std::memcpy(to + k * element_bytes, source<uint8_t>(w, p) + lane * element_bytes, element_bytes);
  }
}

inline void scatter_result(Warp& w, const Instr& in, unsigned at, unsigned lane, unsigned element_bytes,
                           const uint8_t* from) {
  if (in.vec == 1) {
    std::memcpy(row<uint8_t>(w, in.ops[at]) + lane * element_bytes, from, element_bytes);
    return;
  }
  for (unsigned k = 0; k < in.vec; ++k) {
    const Place p = w.program->extra[static_cast<size_t>(in.ops[at].at) + k];
    if (p.present())
      std::memcpy(row<uint8_t>(w, p) + lane * element_bytes, from + k * element_bytes, element_bytes);
  }
}

// Captures the operation for the memory partition.
inline void capture_atomic(Warp& w, const Instr& in, uint32_t lanes, const AtomicShape& s, AtomicFn fn,
                           unsigned element_bytes) {
  DeferredAtomic& d = *w.deferred;
  d.fn = fn;
  d.size = static_cast<uint8_t>(element_bytes * in.vec);
  d.has_result = s.result >= 0;
  if (d.has_result) d.result = in.ops[s.result];
  d.vec = in.vec;
  d.element_bytes = d.result_bytes = static_cast<uint8_t>(element_bytes);
  d.sign_extend = false;
  d.lanes = lanes;
  d.frame_regs = w.simt.frames[w.simt.frame].regs;
  std::copy_n(w.access.address, 32, d.address);
  for_lanes(lanes, [&](unsigned l) {
    gather_operand(w, in, static_cast<unsigned>(s.b), l, element_bytes, d.operand_b[l]);
    if (s.c >= 0) gather_operand(w, in, static_cast<unsigned>(s.c), l, element_bytes, d.operand_c[l]);
  });
  w.deferred_pending = true;
}

// Whether the lane's location is shared memory of another block of the cluster.
inline bool in_other_block(const Warp& w, Space space, unsigned lane) {
  const uint64_t rank = w.access.address[lane] >> kSharedRankShift;
  return space == Space::kSharedCluster && rank != 0 && rank - 1 != w.cta->cluster_rank;
}

inline void run_atomic(Warp& w, const Instr& in, uint32_t lanes, const AtomicShape& s) {
  const AtomicEntry& entry = atomic_entry(in.aux);
  const AtomicFn fn = entry.fn, global_fn = entry.global_fn;
  const unsigned element_bytes = entry.element_bytes;
  const unsigned size = element_bytes * in.vec;
  locate(w, in, in.ops[s.address], lanes, size, s.result >= 0 ? AccessOp::kAtomic : AccessOp::kReduce);
  w.access.sums = entry.sums;
  if (in.ops[s.policy].present())
    w.access.policy = source<uint64_t>(w, in.ops[s.policy])[std::countr_zero(lanes)];
  w.simt.polled = true;
  const uint32_t in_global = global_lanes(w);
  if (in.vec > 1 && (lanes & ~in_global) != 0)
    fault(w, in, static_cast<unsigned>(std::countr_zero(lanes & ~in_global)), FaultKind::kWrongSpace,
          "is an atomic of a vector, which exists in global memory only, at an address elsewhere");
  if (w.deferred != nullptr && in_global != 0) {
    capture_atomic(w, in, in_global, s, global_fn, element_bytes);
    lanes &= ~in_global;
  }
  const bool packed = entry.type == Type::kF16x2 || entry.type == Type::kBf16x2;
  for_lanes(lanes, [&](unsigned l) {
    alignas(16) uint8_t b[kOperandBytes], c[kOperandBytes], old[kOperandBytes], here[kOperandBytes];
    gather_operand(w, in, static_cast<unsigned>(s.b), l, element_bytes, b);
    if (s.c >= 0) gather_operand(w, in, static_cast<unsigned>(s.c), l, element_bytes, c);
    const Space space = w.access.mixed_spaces ? w.access.space_of[l] : w.access.space;
    if (space == Space::kLocal && size > 4) {  // not contiguous on the host
      read_lane(w, l, here, size);
      fn(here, b, c, old);
      write_lane(w, l, here, size);
    } else if (packed && in_other_block(w, space, l)) {  // see atomic_ops.h
      atomic_entry(atomic_index("add", Type::kU32)).fn(lane_pointer(w, l, 0), b, c, old);
    } else if (space == Space::kGlobal && w.launch->concurrent) {
      apply_atomically(global_fn, lane_pointer(w, l, 0), size, b, c, old);
    } else {
      (space == Space::kGlobal ? global_fn : fn)(lane_pointer(w, l, 0), b, c, old);
    }
    if (s.result >= 0) scatter_result(w, in, static_cast<unsigned>(s.result), l, element_bytes, old);
  });
}

template <const AtomicShape& S>
void atomic_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  run_atomic(w, in, lanes, S);
}

// "add" of the set ".op".
inline std::string_view atomic_word(const FormUse& use) {
  const std::string_view word = use.mod(".op");
  return word.empty() ? word : word.substr(1);
}

inline unsigned vector_elements(const FormUse& use) {
  for (std::string_view set : {".vec_16_bit", ".vec_32_bit"})
    if (const std::string_view v = use.mod(set); !v.empty()) return static_cast<unsigned>(v[2] - '0');
  return 1;
}

inline std::string check_atomic(const FormUse& use) {
  const bool untyped = info(use.type()).kind == TypeKind::kBits;
  if (atomic_index(atomic_word(use), use.type(), vector_elements(use)) != UINT8_MAX &&
      (untyped || atomic_word(use) != "exch"))
    return {};
  return "there is no atomic " + std::string(atomic_word(use)) + " of ." + std::string(info(use.type()).name);
}

inline void encode_atomic(const FormUse& use, Instr& in, const AtomicShape& s) {
  in.aux = atomic_index(atomic_word(use), use.type(), vector_elements(use));
  const bool packed = use.type() == Type::kF16x2 || use.type() == Type::kBf16x2;
  if (packed && in.space == Space::kShared) in.aux = atomic_index("add_low", use.type());  // see atomic_ops.h
  MemoryFlags f = memory_flags(use, static_cast<unsigned>(s.address));
  // Without a .sem they are relaxed, without a .scope their scope is the GPU (9.7.13.5).
  if (f.ordering == Ordering::kWeak) f.ordering = Ordering::kRelaxed;
  if (f.scope == Scope::kNone) f.scope = Scope::kGpu;
  in.target = f.pack();
}

constexpr std::string_view kAtomicSpaces = ".global .shared .shared::cta@7.8 .shared::cluster@7.8,sm_90";
constexpr std::string_view kAtomicScopes = ".cta@5.0 .cluster@7.8,sm_90 .gpu@5.0 .sys@5.0,sm_60";

}  // namespace gpuloom::ptx
