// SPDX-License-Identifier: Apache-2.0
// What is a compiler's habit or a target's machine code, and no property of PTX: the group `lowering` of a
// configuration, which has all values (configs/lowering, a file a compiler and target).
#pragma once
#include <cstdint>
#include <string>

#include "ptx/passes/habits.h"

namespace gpuloom::ptx {

// Where bank 0 of constants has what a launch brings, in bytes.
struct ConstantBank {
  uint16_t block_size = 0;     // ntid, and what else describes the launch
  uint16_t stack_pointer = 0;  // what R1 begins with
  uint16_t descriptor = 0;     // of global memory; 0: accesses need none
  uint16_t parameters = 0;
};

// Cycles by which stall counts keep operations of a unit apart.
struct UnitSpacing {
  uint16_t memory = 0;    // accesses and shuffles
  uint16_t special = 0;   // MUFU, conversions, counts of bits
  uint16_t constant = 0;  // LDC
  uint16_t f64 = 0;
  uint16_t matrix = 0;  // multiplications of matrices, where their unit's interval is not less
};

// Cycles beyond its latency after which a result is there for whatever reads it (control.cpp).
struct SettlingTimes {
  uint16_t registers = 0;
  uint16_t uniform = 0;
  uint16_t constant = 0;     // ULDC
  uint16_t overwritten = 0;  // for an operation behind a scoreboard that puts its own result there
};

// Empty loads of shared memory, and what else is executed without doing anything (empty_loads.cpp).
struct EmptyLoads {
  uint16_t before_copy = 0;   // in front of a cp.async that may overtake other accesses
  bool each_block = false;    // ...and of the first one in each block, whatever came in front of the block
  uint16_t before_fence = 0;  // in front of a fence of a kernel with cp.async
  uint16_t shuffles = 0;      // SHFL that a kernel begins with
  uint16_t nops = 0;          // NOP in front of a barrier
};

// From how many cycles on an operation asks for another warp (yields.cpp).
struct YieldHabits {
  uint16_t fixed_stall = 0;   // of fixed latency
  uint16_t second_stall = 0;  // the same behind a run without a yield
  uint16_t run = 0;           // which is so long
  uint16_t any_stall = 0;     // whatever it is
};

struct LoweringProfile {
  std::string name;
  Habits habits;
  ConstantBank constant_bank;
  bool constant_operands = false;  // arithmetic has an operand in the constant bank; else a register holds it
  bool shared_window = false;      // the address of shared memory is made of the block's rank in its cluster
  bool scaled_addresses = false;   // accesses of shared memory multiply the register of their address
  bool parameter_in_one_file = false;  // all readers have a parameter in vector registers if any must
  bool uniform_datapath = true;        // there are uniform registers and operations
  // An address of global memory has a uniform register for its base, unless the memory descriptor takes it
  // (SASS for sm_75: LDG.E.SYS R2, [UR4+0x10]; STG.E.SYS [R6.64+UR4], R3).
  bool has_uniform_bases() const { return uniform_datapath && constant_bank.descriptor == 0; }
  bool clears_barrier = false;  // a convergence barrier is cleared in front of BSSY
  bool minimum_of_sum = false;  // one operation adds and takes the lesser or greater (VIADDMNMX)
  bool balances_pipes =
      false;  // additions, shifts and moves go to the FMA pipe where the function uses it less
  UnitSpacing spacing;
  SettlingTimes settling;
  EmptyLoads empty_loads;
  YieldHabits yield;
  uint32_t least_registers = 0;  // that a kernel is given
  uint32_t first_registers = 0;  // the first limit that a schedule fills...
  uint32_t register_step = 0;    // ...and how far the next one is
};

}  // namespace gpuloom::ptx
