// SPDX-License-Identifier: Apache-2.0
// The machine-like program that the timed SM issues: what ptxas would make of a Program, as far as time is
// concerned. Meaning stays in the decoded instructions: each machine operation says which of them take effect
// when it issues (zero to many), in order and each exactly once a block, so results never depend on the
// lowering. Blocks correspond one to one to Program::blocks.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/ir/program.h"
#include "ptx/isa/table/op_class.h"
#include "ptx/machine/lowering_profile.h"
#include "ptx/machine/time_record.h"

namespace gpuloom::ptx {

constexpr uint8_t kNoScoreboard = 7;
constexpr uint8_t kMostScoreboards = 6;  // that the fields of an instruction word can name (JIA18)
constexpr uint8_t kNoRegister = 255;     // RZ

// Control information in the manner of the Volta encoding (Jia et al. 2018; Huerta et al., MICRO 2025):
// `stall` cycles before the next issue of the same warp; waits for the scoreboards in `wait_mask` to be zero
// before issue; `write_scoreboard` is counted up at issue and down when the result is written,
// `read_scoreboard` down when the operands have been read; `yield`: other warps are to go first then.
struct MachineOp {
  OpClass op = OpClass::nop;  // primitive class
  uint16_t exec_count = 0;    // decoded instructions that take effect when this issues...
  uint32_t exec_first = 0;    // ...beginning here
  uint32_t source =
      0;  // decoded instruction that it stands for (per-line counters), whether or not it takes effect here
  uint8_t stall = 1;
  uint8_t wait_mask = 0;
  uint8_t write_scoreboard = kNoScoreboard;
  uint8_t read_scoreboard = kNoScoreboard;
  uint8_t yield : 1 = 0;
  uint8_t guarded : 1 = 0;
  uint8_t constant_operand : 1 = 0;  // reads the constant bank (parameters, immediates from c[])
  uint8_t memory : 1 = 0;            // uses the access that its decoded instruction fills
  uint8_t uniform : 1 = 0;           // uniform datapath
  uint8_t frame : 1 = 0;             // accesses the stack frame of the activation: saved registers
  uint8_t lane_bytes = 0;            // memory: bytes a lane
  std::array<uint8_t, 4> src = {kNoRegister, kNoRegister, kNoRegister,
                                kNoRegister};  // first register of each source
  uint8_t dst = kNoRegister;
  uint8_t dst_count = 0;  // consecutive 32-bit registers written
  uint8_t slow_path = 0;  // instructions behind it in the code that only a rare operand runs: none here
  uint16_t constant_offset = 0;  // in the constant bank, for the constant caches
  uint16_t frame_offset = 0;     // where `frame`: bytes from the frame's begin
};

struct MachineBlock {
  uint32_t first = 0, count = 0;  // operations; a block may have none
};

struct MachineProgram {
  // What the operations carry out. Scheduling moves decoded instructions too, so this is a program of its
  // own: run this one, not the one that lower() was given.
  const Program* program = nullptr;
  std::shared_ptr<const Program> owned;
  std::vector<MachineOp> ops;
  std::vector<MachineBlock> blocks;             // as Program::blocks
  std::vector<TimeRecord> records;              // by operation
  std::vector<InstructionRecord> instructions;  // by decoded instruction
  bool registers_given = false;       // the directives say how many; otherwise the number is an estimate
  uint32_t registers_per_thread = 0;  // as ptxas -v counts them; a launch rounds up to its allocation unit
  uint32_t spill_bytes = 0;
  uint32_t instruction_bytes = 16;  // for the instruction caches
};

constexpr uint8_t kMostOfStall = 15;  // of the four bits of an instruction word (JIA18)
constexpr uint8_t kStalledF64 = 3;    // OpLatency::stalled_unit of the f64 unit

// Latency that the lowering needs to know from the configuration, by class.
struct OpLatency {
  uint16_t latency = 0;   // issue to earliest issue of a dependent operation, cycles
  uint16_t interval = 0;  // issue to issue on the same pipe of one sub-core, cycles
  bool variable = false;  // guarded by a scoreboard instead of a stall count
  // Operations of one number other than 0 use one another's results without Dependence::other_pipe.
  uint8_t forwards = 0;
  uint16_t alu_interval = 0;  // of operations of the ALU: what the schedule keeps between two of them
  bool reads_early = false;   // never pays it (MUFU and conversions)
  uint8_t stalled_unit = 0;   // 1 to 3: a unit that stall counts do not ask again within `interval`
};

// What a consumer waits beyond the producer's latency, in cycles (sm.dependence of the configuration).
struct Dependence {
  uint16_t other_pipe = 0;      // of another kind of pipe
  uint16_t memory = 0;          // the same, of the pipe of memory
  uint16_t special = 0;         // the same, of the special functions
  uint16_t guard = 0;           // a predicate as guard, or for a branch or a vote
  uint16_t uniform = 0;         // a uniform register in a vector instruction
  uint16_t uniform_memory = 0;  // a uniform register in an address
};

struct MachineModel {
  std::array<OpLatency, static_cast<size_t>(OpClass::count)> latency;  // primitive classes
  Dependence dependence;
  std::array<std::vector<OpClass>, static_cast<size_t>(OpClass::count)>
      sequence;  // composite classes; [itself] for primitive ones
  // Of a division's sequence, the steps in front that need the divisor alone: made once where it is known.
  std::array<uint8_t, static_cast<size_t>(OpClass::count)> divisor_steps{};
  // Of a sequence with a branch: the instructions that call its slow path, which stand in the code behind it.
  std::array<uint8_t, static_cast<size_t>(OpClass::count)> slow_path{};
  uint32_t max_registers = 0;   // of a thread
  uint32_t file_registers = 0;  // of an SM
  uint32_t scoreboards = 0;     // of a warp
  uint32_t register_unit = 1;   // registers a thread are rounded up to this
  LoweringProfile profile;
};

}  // namespace gpuloom::ptx
