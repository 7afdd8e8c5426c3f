// SPDX-License-Identifier: Apache-2.0
// Questions about an operation of the graph by meaning, where its class answers them.
#pragma once
#include "ptx/machine/graph.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

// From the constant bank: LDC, or ULDC.
inline bool is_constant_load(OpClass op) { return op == OpClass::ldc; }
// ...at an address that it names itself, in all lanes: a parameter or the like, which can be loaded
// elsewhere.
inline bool loads_one_constant(const Node& n) {
  return is_constant_load(n.op) && n.constant_operand && !n.guarded && n.uses.empty() && n.defs.size() == 1;
}
// A constant that the operation names.
inline bool moves_constant(const Node& n) {
  return n.op == OpClass::mov && n.uses.empty() && n.defs.size() == 1 && !n.uniform && !n.guarded;
}

inline bool calls(const Node& n) { return n.op == OpClass::call; }
inline bool returns(const Node& n) { return n.op == OpClass::ret; }
// LEA moves bits as a shift does.
inline bool shifts(const Node& n) { return n.op == OpClass::lea || n.op == OpClass::shift; }
// Of a block, or of a cluster.
inline bool is_barrier(OpClass op) { return is_block_barrier(op) || op == OpClass::ucgabar; }
// A bulk or tensor copy.
inline bool is_bulk_copy(OpClass op) { return op == OpClass::ublkcp || op == OpClass::utma; }

}  // namespace gpuloom::ptx
