// SPDX-License-Identifier: Apache-2.0
// Questions about an instruction by meaning, where its operation class answers them. Where a question has
// more than two classes, or timing asks it too, it is a flag of ptx/isa/table/op_traits.h.
#pragma once
#include "ptx/ir/program.h"
#include "ptx/isa/table/op_class.h"

namespace gpuloom::ptx {

inline OpClass class_of(const Instr& in) { return static_cast<OpClass>(in.op_class); }

// The machine does nothing for it: a conversion between address spaces, a marker, a parameter of a call.
inline bool takes_no_work(const Instr& in) { return class_of(in) == OpClass::none; }
// Only computes, and the machine does something for it.
inline bool is_computation(const Instr& in) { return in.kind == InstrKind::kPlain && !takes_no_work(in); }

// brx.idx: a value says which of several places comes next.
inline bool jumps_by_value(const Instr& in) { return class_of(in) == OpClass::brx; }
inline bool jumps_to_label(const Instr& in) { return in.kind == InstrKind::kBranch && !jumps_by_value(in); }

inline bool reads_global(OpClass op) { return op == OpClass::ldg || op == OpClass::ldgen; }
inline bool updates_global(OpClass op) { return op == OpClass::atomg || op == OpClass::red; }
inline bool is_memory_fence(OpClass op) { return op == OpClass::membar; }
inline bool is_block_barrier(OpClass op) { return op == OpClass::bar; }
inline bool is_shuffle(OpClass op) { return op == OpClass::shfl; }
inline bool is_mbarrier(OpClass op) { return op == OpClass::syncs; }
inline bool is_thread_copy(OpClass op) { return op == OpClass::ldgsts; }       // cp.async
inline bool is_warpgroup_product(OpClass op) { return op == OpClass::wgmma; }  // of matrices

}  // namespace gpuloom::ptx
