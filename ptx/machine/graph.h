// SPDX-License-Identifier: Apache-2.0
// What the steps of lowering share: operations over virtual registers. Not for users of lower().
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/ir/program.h"
#include "ptx/machine/lower.h"
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

constexpr uint32_t kNoVirtual = UINT32_MAX;

struct VirtualRegister {
  uint8_t words = 1;     // 32-bit registers; 0: a predicate
  bool uniform = false;  // lives in the uniform file
  uint8_t physical = kNoRegister;
  uint8_t fixed = kNoRegister;  // by the calling convention
  bool kept_short = false;      // holds a spilled value between two accesses
  bool whole = false;           // one register for all its values: it stands for a parameter
};

// An operation before it has registers.
struct Node {
  OpClass op = OpClass::nop;
  uint32_t decoded =
      0;  // decoded instruction it stands for (numbering of the copied program before it is permuted)
  bool carries = false;  // ...which takes effect when it issues
  bool memory = false;
  bool guarded = false;
  bool fresh = false;       // guarded, and what it defines has no old value
  bool skipped = false;     // guarded by a branch that has become guards
  bool predicated = false;  // a step of a composite operation that the comparison in front of it guards
  bool uniform = false;
  bool constant_operand = false;
  bool ordered = false;         // keeps its order with all other ordered operations and memory accesses
  bool volatile_order = false;  // keeps its order with everything (clock reads)
  bool loads = false, stores = false;
  bool ends = false;      // last of its block
  bool begins = false;    // first of its block
  bool follows = false;   // comes behind the operation that carries its instruction
  bool high = false;      // LEA.HI: not even IMAD does it on the FMA pipe
  bool copies = false;    // a parameter or result: vanishes where both sides may have one register
  bool clobbers = false;  // a call by the convention
  bool half = false;      // loads 16 bits of shared memory that only take a half of an operand each
  bool frame = false;     // accesses the stack frame at frame_offset, on nobody's behalf
  uint16_t frame_offset = 0;
  uint8_t lane_bytes = 0;
  Space space = Space::kGeneric;
  uint16_t constant_offset = 0;
  uint64_t immediate = 0;  // a value that it names itself, whatever vanished in between; 0: none is known
  std::vector<uint32_t>
      also;  // further decoded instructions that take effect with this one (merged accesses)
  std::vector<uint32_t> tuple;              // what a store writes, in order; kNoVirtual: a constant
  std::vector<uint32_t> scratch;            // registers that a call of a slow path would take meanwhile
  std::vector<std::vector<uint32_t>> rows;  // operands of a multiplication: in consecutive registers
  std::vector<uint32_t> descriptors;        // uses that are lower halves of matrix descriptors (wgmma)
  std::vector<uint32_t> uses, defs;         // virtual registers; a guarded definition also uses the old value
};

struct Graph {
  Program* program = nullptr;  // the copy
  const MachineModel* model = nullptr;
  LoweringOptions options;
  Flow flow;
  Liveness liveness;
  std::vector<uint32_t> first_virtual;  // by function: rows of Liveness come first, numbered from here
  std::vector<VirtualRegister> registers;
  std::vector<uint32_t> register_of_row;  // by row, counted as above: where select has it; kNoVirtual
  std::vector<std::vector<Node>> blocks;  // by block of the program
  std::vector<std::vector<uint8_t>> divergent_row;  // by function and row of Liveness
  std::vector<std::vector<uint8_t>> exchanged_row;  // the same, where votes and the like count as uniform
  std::vector<uint8_t> apart;                       // by block: lanes may be apart there
  std::vector<uint8_t> conventional;                // by function: follows the calling convention (calls.h)
};

// Whether n loads several values into consecutive registers.
inline bool loads_pair(const Graph& graph, const Node& n) {
  const bool constants = n.op == OpClass::ldc && n.constant_operand && !n.uniform;
  return (n.memory ? !n.stores : constants) && n.defs.size() >= 2 && !graph.registers[n.defs[0]].uniform;
}

// Whether these are the halves of a sum of 64 bits that replaces one of its operands.
bool adds_in_place(const Graph& graph, const Node& half, const Node& sum);

// By block, over virtual registers.
struct VirtualLiveness {
  std::vector<RowSet> in, out;
};
VirtualLiveness virtual_liveness(const Graph& graph);

// What the allocation of registers asks for that no order within blocks changes.
struct AllocationFacts {
  VirtualLiveness live;
  std::vector<std::vector<uint32_t>> partners;  // by value of one register: those that are read beside it
};
AllocationFacts allocation_facts(const Graph& graph);

// Values that stand in consecutive registers, in order: what one wide load fills, one wide store reads, one
// multiplication of matrices takes, or one operation sets to zero. No value is in two groups.
std::vector<std::vector<uint32_t>> consecutive_registers(const Graph& graph);

// The steps, in order.
void order_clocks(Graph& graph);             // the last clock read and the barrier in front of it
void order_copies(Graph& graph);             // loop variables whose old and new value share a register
void select_operations(Graph& graph);        // which operations there are
void find_uniform_values(Graph& graph);      // what select_operations must know of divergence
void plain_operations(Graph& graph);         // the same with Lowering::kNone
void merge_accesses(Graph& graph);           // adjacent accesses become wide ones
void use_uniform_descriptors(Graph& graph);  // of matrices in shared memory
void use_uniform_arithmetic(Graph& graph);   // integers that all lanes share
void use_uniform_path(Graph& graph);         // counts of bits that all lanes share
void balance_pipes(Graph& graph);            // additions and moves go to ALU or FMA pipe
void find_first_definitions(Graph& graph);   // guarded ones that keep no old value
void sink_constants(Graph& graph);           // parameters are loaded where they are needed
void pair_halves(Graph& graph);              // arithmetic on single halves, two at a time
void split_webs(Graph& graph);               // one virtual register a value
void join_halves(Graph& graph);              // 64-bit sums in place
void make_tuples(Graph& graph);              // operands that stand in consecutive registers
void pair_zeros(Graph& graph);               // zeros that one operation moves to two registers
void save_predicates(Graph& graph);          // those beyond seven wait in registers
// Physical registers; returns how many a thread takes.
uint32_t allocate_registers(Graph& graph, const AllocationFacts& facts, uint32_t target);
uint32_t schedule_and_allocate(Graph& graph, uint32_t most);  // both, at the budget that ptxas would take
void put_empty_loads(Graph& graph);              // operations that do nothing, which ptxas puts there
MachineProgram attach_and_encode(Graph& graph);  // carriers of decoded instructions, final program
void set_control_codes(const Graph& graph, MachineProgram& machine);  // stalls and scoreboards
void set_yields(const MachineModel& model, MachineProgram& machine);  // from stalls

}  // namespace gpuloom::ptx
