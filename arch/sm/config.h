// SPDX-License-Identifier: Apache-2.0
// What a streaming multiprocessor is made of. Latencies and intervals in core cycles.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/types.h"
#include "ptx/isa/table/op_class.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

// Pipes as Nsight Compute counts them (sm__inst_executed_pipe_*). kFma is "whichever of the two halves is
// free": the heavy half alone does integer multiplication.
enum class Pipe : uint8_t {
  kNone,
  kAlu,
  kFma,
  kFmaHeavy,
  kFmaLite,
  kFp16,
  kFp64,
  kXu,
  kTensor,
  kUniform,
  kCbu,
  kAdu,
  kLsu,
  kTex,
  kCount
};
constexpr size_t kPipes = static_cast<size_t>(Pipe::kCount);
// Word of the configuration; "fma_heavy" for kFmaHeavy.
const char* name(Pipe pipe);

// One row of sm.operations.
struct Operation {
  Pipe pipe = Pipe::kNone;
  uint16_t latency = 0;   // issue to the earliest issue of a dependent operation
  uint16_t interval = 1;  // issue to issue on the same pipe of one sub-core
  bool variable = false;  // result guarded by a scoreboard
  bool present = false;
  std::vector<ptx::OpClass> sequence;  // composite classes
};

constexpr size_t kOpClasses = static_cast<size_t>(ptx::OpClass::count);

struct OperationsConfig {
  std::array<Operation, kOpClasses> rows;
  const Operation& operator[](ptx::OpClass op) const { return rows[static_cast<size_t>(op)]; }
};

enum class SchedulerPolicy : uint8_t { kGreedyThenYoungest, kGreedyThenOldest, kLooseRoundRobin };

struct InstructionCacheConfig {
  uint32_t l0_bytes = 0, l1_bytes = 0;
  uint32_t line_bytes = 128;
  uint32_t l0_latency = 0;      // bubble when a jump leaves the line being fetched
  uint32_t l1_latency = 0;      // L0 miss that hits in L1
  uint32_t miss_latency = 0;    // L1 miss, from the constant/instruction hierarchy beyond
  uint32_t prefetch_lines = 0;  // stream buffer
};

struct ConstantCacheConfig {
  uint32_t immediate_bytes = 0;  // for constant operands of fixed-latency instructions
  uint32_t line_bytes = 64;
  uint32_t miss_latency = 0;
};

struct SharedMemoryConfig {
  uint32_t bytes_per_sm = 0, bytes_per_block = 0, optin_bytes_per_block = 0, reserved_bytes_per_block = 0;
  uint32_t allocation_unit_bytes = 128;
  std::vector<uint32_t> carveouts;  // ascending; empty where shared memory is an array of its own
  uint32_t banks = 32, bank_bytes = 4;
};

struct L1Config {
  uint32_t total_bytes = 0;     // of the array that shared memory is carved from
  bool unified = true;          // false: total_bytes is L1 alone
  uint32_t ways = 0;            // associativity; sets follow from the carve-out
  uint32_t hit_latency = 0;     // tag stage to data
  uint32_t tags_per_cycle = 4;  // lines that the tag stage compares
  uint32_t sectors_per_cycle = 16;
  uint32_t bytes_per_cycle = 128;  // data stage
  uint32_t miss_requests = 0;      // lines with sectors on the way
  bool caches_global_loads = true;
  bool write_allocate = false;
};

struct LsuConfig {
  uint32_t queue_entries = 0;     // a sub-core's memory input queue
  uint32_t address_interval = 1;  // cycles that an instruction holds the sub-core's address unit
  uint32_t accept_interval = 1;   // cycles between instructions that the shared stage takes
  uint32_t shared_latency = 0;    // shared stage to data of shared memory
  uint32_t backlog_cycles =
      0;  // the shared stage stops taking instructions when the data stage is this far behind
  uint32_t store_buffer_sectors = 0;  // sectors of stores on the way to the crossbar
};

struct SmConfig {
  uint32_t sub_cores = 0, warps = 0, blocks = 0, threads = 0;
  uint32_t threads_per_block = 1024;
  uint32_t registers = 0, registers_per_block = 0, registers_per_thread = 255;
  uint32_t register_allocation_unit = 256;  // registers a warp are rounded up to this
  uint32_t register_banks = 2;              // a sub-core
  uint32_t register_read_ports = 1;         // a bank, of a warp-wide register
  uint32_t barriers = 16;                   // named barriers of a block
  uint32_t barrier_slots = 0;               // of the SM; 0: no limit (before 9.0)
  uint32_t barrier_latency = 0;             // last arrival to release
  uint32_t barrier_warp_interval = 0;       // cycles between arrivals that the barrier unit takes
  uint32_t branch_latency = 0;              // taken branch to first issue at the target
  uint32_t issue_width = 1;                 // a sub-core
  uint32_t async_copy_latency = 0;          // bulk copy: issue to first request
  uint32_t async_copy_bytes_per_cycle = 0;
  uint32_t mbarrier_latency = 0;  // completion of a transaction to a waiting warp's wake-up
  SchedulerPolicy scheduler = SchedulerPolicy::kGreedyThenYoungest;
  InstructionCacheConfig instruction;
  ConstantCacheConfig constant;
  SharedMemoryConfig shared;
  L1Config l1;
  LsuConfig lsu;
  OperationsConfig operations;
  uint32_t warps_per_sub_core() const { return warps / sub_cores; }
};

SmConfig read_sm_config(const ConfigView& view);

}  // namespace gpuloom::arch
