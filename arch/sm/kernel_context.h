// SPDX-License-Identifier: Apache-2.0
// One running kernel as the SMs see it: its machine program decoded against the configuration, once, into
// records that the issue stage reads without asking anybody.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "arch/sm/bank_rule.h"
#include "arch/sm/config.h"
#include "ptx/exec/cta.h"
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::arch {

using ptx::Action;

struct OpInfo {
  uint32_t exec_first = 0, exec_end = 0;  // decoded instructions that take effect when it issues
  uint32_t source = 0;
  uint32_t fetch_line = 0;  // of the instruction cache
  uint16_t latency = 0, interval = 1;
  uint16_t queue_time = 0;  // of the pipe: what has issued may wait so long in front of it
  uint16_t constant_offset = 0;
  Pipe pipe = Pipe::kNone, also = Pipe::kNone, holds = Pipe::kNone;
  Action action = Action::kPlain;
  uint8_t stall = 1, wait_mask = 0;
  uint8_t loop_back = 0;       // closes the loop of a bulk copy over its lanes, so many operations long
  bool looped = false;         // a bulk copy in such a loop
  bool yields = false;         // other warps go first then
  uint8_t long_wait_mask = 0;  // those that it waits for if they are of memory beyond the SM
  uint8_t write_scoreboard = ptx::kNoScoreboard, read_scoreboard = ptx::kNoScoreboard;
  uint8_t lane_bytes = 0;
  std::array<uint8_t, 4> src{};
  bool last_in_block = false, constant_operand = false, queued = false, memory = false;
  bool constant_load =
      false;           // from the constant bank to a uniform register, at an address that the warp knows
  bool frame = false;  // accesses the stack frame, on nobody's behalf
  uint16_t frame_offset = 0;
  bool long_latency = false;  // its scoreboard waits count as long_scoreboard
  uint16_t matrix_time = 0;   // wgmma: issue to result
  uint8_t matrix_gap = 0;     // to the warp's next one
  ptx::Scope fence_scope = ptx::Scope::kNone;
  bool aggregated = false;  // an atomic that one lane does for the warp
  bool fenced = false;      // the fence and invalidation of its order are operations of their own
  uint8_t wavefronts = 0;   // passes of shared memory that the H200 counts although nothing is accessed there
  bool shared_access = false;     // a shared-memory instruction, or a generic load
  bool through_register = false;  // a branch, call or return whose target stands in a register
  SharedAtomic shared_atomic = SharedAtomic::kNone;
  uint8_t combines = 0;  // ideal: TimeRecord::combines
  bool guard_negated = false;
  ptx::Place guard;                         // absent: none, or none that the machine has
  const ptx::TimeRecord* record = nullptr;  // what few operations ask for
  bool divided = false;                     // further operations stand for the other pieces of its access
  // Whether operands are read through the register-file ports at issue; which, a bit each (the first of equal
  // ones), and the bank of each.
  bool through_ports = false;
  bool costless = false;  // ideal: it takes no time at all
  bool alone = false;     // carries out one instruction, which accesses nothing
  uint8_t port_reads = 0;
  std::array<uint8_t, 4> bank{};
  ptx::OpClass op = ptx::OpClass::nop;
};

constexpr uint32_t kNoOp = UINT32_MAX;

struct KernelContext {
  KernelContext(const SmConfig& config, ptx::Launch& launch, const ptx::MachineProgram& machine);
  ptx::Launch* launch;
  const ptx::MachineProgram* machine;
  const ptx::Program* program;
  const ptx::InstructionRecord* instructions;  // by decoded instruction
  std::vector<OpInfo> ops;
  uint64_t code_instructions = 0;  // in the caches of code: `ops`, and slow paths that are never run
  std::vector<uint32_t> entry;   // by decoded instruction: the operation to issue when the program counter is
                                 // there; kNoOp: none carries it out, it runs on the way
  std::vector<uint32_t> own_op;  // by decoded instruction: the memory operation that stands for its access;
                                 // kNoOp: none, or joined to another
  // ideal.shared_loads, by operation: what it is where its run can come with one load. Otherwise empty.
  std::vector<OpInfo> joined;
};

}  // namespace gpuloom::arch
