// SPDX-License-Identifier: Apache-2.0
// What a streaming multiprocessor is made of: the group `sm` of a configuration, member by member, and
// `limits`, which say what fits on one. configs/cc/sm_80.yaml explains each key. Cycles are core cycles.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/ideal.h"
#include "arch/policy/choice.h"
#include "arch/types.h"
#include "ptx/isa/table/op_class.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

enum class Pipe : uint8_t {
  kNone,
  kAlu,
  kFmaHeavy,
  kFmaLite,
  kHalf,
  kFp64,
  kXu,
  kTensor,
  kUniform,
  kBranch,
  kLsu,
  kAdu,
  kTex,
  kCount
};
constexpr size_t kPipes = static_cast<size_t>(Pipe::kCount);
inline constexpr std::array<const char*, kPipes> kPipeNames = {
    "none",   "alu",     "fma_heavy", "fma_lite", "half", "fp64", "xu",
    "tensor", "uniform", "branch",    "lsu",      "adu",  "tex"};

inline constexpr uint32_t kMostWarps = 256;  // that a configuration may give an SM

struct PipeConfig {
  bool shared = false;    // one for the SM instead of one a sub-core
  bool variable = false;  // results are guarded by scoreboards
  uint32_t queue = 0;     // operations that have issued and wait in front of the pipe
  bool ideal = false;     // takes an operation in every cycle (ideal.pipes)
};

// One row of sm.operations.
struct Operation {
  Pipe pipe = Pipe::kNone;
  Pipe also = Pipe::kNone;    // takes it when `pipe` is busy
  Pipe holds = Pipe::kNone;   // takes nothing as long as `pipe` is busy with it
  uint16_t latency = 0;       // issue to the earliest issue of a dependent operation of the same pipe
  uint16_t interval = 1;      // cycles that it holds the pipe; what is a sequence has none of its own
  uint16_t interval_f32 = 0;  // the same where a tensor core's sums are f32; 0: as `interval`
  std::vector<ptx::OpClass> sequence;  // composite classes: what runs instead
  uint8_t divisor_steps = 0;           // so many of them need the divisor alone and may run before a loop
  uint8_t slow_path = 0;               // instructions of the code that call its slow path, and never run here
};

constexpr size_t kOpClasses = static_cast<size_t>(ptx::OpClass::count);

// What the driver adds to the shared memory of an SM that a launch's blocks fill (arch/gpc/occupancy.cpp).
struct CarveoutRoom {
  uint32_t times = 1, more = 0;  // room for so many times the blocks, and for at most so many more of them
  uint32_t most = 0;             // bytes: not beyond this for what is added
  uint32_t plain_times = 1;      // without shared memory: times the blocks that warps allow
};

struct LimitsConfig {
  uint32_t threads_per_block = 0, warps_per_sm = 0, blocks_per_sm = 0, barriers_per_block = 0;
  uint32_t grids_per_device = 1;
  uint32_t barriers_per_sm = 0;  // named barriers of all blocks together; 0: not counted
  uint32_t registers_per_sm = 0, registers_per_block = 0, registers_per_thread = 0;
  uint32_t registers_asked_max = 0;  // a thread, as NVIDIA's calculator takes them
  uint32_t register_allocation_unit = 0;
  uint32_t shared_per_block = 0, shared_per_block_optin = 0, shared_per_sm = 0, shared_reserved_per_block = 0;
  uint32_t shared_allocation_unit = 0;
  std::vector<uint32_t> shared_carveouts;  // bytes, ascending
  CarveoutRoom carveout_room;
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t cluster_portable = 0, cluster_max = 0;
  uint32_t cluster_blocks_per_sm = 0;  // blocks on an SM that cluster occupancy counts at most
  uint32_t local_per_thread = 0, constant_bytes = 0, parameter_bytes = 0;
};

struct InstructionCache {
  uint32_t size = 0, line = 0, ways = 0, latency = 0;
};

struct FetchConfig {
  uint32_t instruction_bytes = 0;
  InstructionCache l0, l1;
  uint32_t l0_prefetch_lines = 0;
  uint32_t l0_fill_interval = 0;  // a line into L0, at most one in so many cycles
  double l1_bytes_per_cycle = 0;
  uint32_t l1_prefetch_lines = 0;  // that a request may bring the next one of
  struct {
    InstructionCache cache;      // of no size: GPCs have none
    double bytes_per_cycle = 0;  // towards all SMs of the GPC together
  } gpc;
  uint32_t l2_latency = 0, memory_latency = 0;  // of a miss: to L2, and from there where L2 misses too
  // A launch brings the first bytes of the code to the SMs: when the first line is there after the SM's first
  // block, and how much later for each further SM of the GPC.
  uint32_t preload_bytes = 0, preload_latency = 0, preload_interval = 0;
  uint32_t warp_start = 0,
           warp_interval = 0;  // of a block: first fetch of its first warp, and of each next one
};

struct RegisterFileConfig {
  uint32_t banks = 0, read_ports = 0, read_cycles = 0, reuse_entries = 0;
};

struct DependenceConfig {
  uint32_t other_pipe_extra = 0, memory_extra = 0, special_extra = 0, guard_extra = 0, uniform_extra = 0,
           uniform_memory_extra = 0;
};

struct LsuConfig {
  uint32_t queue_entries = 0, latch_entries = 0, address_interval = 0, issue_interval = 0;
  uint32_t input_entries = 0;  // in front of the tags, for the SM
  uint32_t bits64_extra = 0, bits128_extra = 0, outstanding_requests = 0;
  uint32_t stage_backlog = 0;  // the shared stage takes nothing while the stages after it are further behind
};

// MATCH.ANY looks for one of the lanes' different values after another.
struct MatchConfig {
  uint32_t value_latency = 0;  // of each further one; the unit is taken for the operation's interval by each
};

struct SharedMemoryConfig {
  uint32_t banks = 0, bank_bytes = 0, atomic_interval = 0;
  uint32_t pass_interval = 0;    // the SM gives a word of each bank once in so many cycles
  uint32_t return_interval = 0;  // a sub-core takes the result of one pass in so many cycles
  uint32_t generic_atomic_latency = 0, remote_atomic_latency = 0;
  uint32_t ordering_pass = 0;  // of a barrier or fence
  uint32_t copy_extra = 0;     // of cp.async through the L1, beside its passes
  // From one pass of an access to its next, at the soonest.
  uint32_t next_pass() const { return std::max(pass_interval, return_interval); }
};

struct L1Config {
  PolicyChoice replacement;
  uint32_t size = 0, sets = 0, mshrs = 0, tags_per_cycle = 0, sectors_per_cycle = 0;
  // Tags lie in four banks; of a line's number, the bits whose parities are the bank's two bits.
  uint32_t tag_bank_low = 0, tag_bank_high = 0;
  double bytes_per_cycle = 0;
  uint32_t write_lines = 0;                 // that later stores can join
  uint32_t join_base = 0, join_cycles = 0;  // how long they can, and more for each line of the store
};

// Cycles from issue to the warp's next instruction.
struct BranchConfig {
  uint32_t not_taken = 0, taken = 0;
  uint32_t other_lanes = 0;       // more, where lanes wait and others go on
  uint32_t through_register = 0;  // indirect branch or call, return: for each different target
  uint32_t converge = 0;          // BSYNC
  // WARPSYNC: of a mask that all lanes share, more for each further one; where lanes of each mask go on by
  // themselves, and more for the BSYNC that lets the next ones go.
  uint32_t sync = 0, sync_mask = 0, split = 0, split_turn = 0;
};

struct ConstantConfig {
  InstructionCache l0, l1;
  uint32_t replay_latency = 0, replay_interval = 0;  // an indexed load, for each further address of its lanes
  uint32_t line_interval = 0;                        // between two lines that indexed loads miss
  uint32_t fill_latency = 0, fill_interval = 0;      // a line for a sub-core's operands, and between two
};

struct BarrierConfig {
  uint32_t latency = 0, per_warp = 0, cluster_latency = 0, suspend_cycles = 0, fence_gpu = 0, fence_sys = 0,
           fence_release = 0, fence_written = 0, fence_drain = 0, fence_hold = 0, fence_ask = 0,
           fence_interval = 0, fences_together = 0;
};

// wgmma of n columns: n / columns_per_cycle cycles, and what A's place adds (arch/sm/op_details.cpp).
struct WgmmaConfig {
  uint32_t columns_per_cycle = 0, shared_setup = 0, shared_columns_per_cycle = 0;
  uint32_t register_extra = 0, register_least = 0;
  uint32_t shared_latency = 0, register_latency = 0;
  uint32_t queue = 0;  // operations of a sub-core that have issued and wait for the tensor cores
  uint32_t issue_columns_per_cycle = 0, issue_saves = 0;  // of a warp, from one to the next
};

struct TmaConfig {
  uint32_t start_latency = 0, request_interval = 0, tensor_latency = 0, turn = 0, write_buffer = 0,
           write_latency = 0, writes = 0, map_fetch = 0, map_acquire = 0;
};

struct SmConfig {
  LimitsConfig limits;
  uint32_t sub_cores = 0, scoreboards = 0;
  PolicyChoice scheduler;
  FetchConfig fetch;
  BranchConfig branch;
  RegisterFileConfig registers;
  DependenceConfig dependence;
  std::array<PipeConfig, kPipes> pipes{};
  std::array<Operation, kOpClasses> operations{};
  LsuConfig memory;
  MatchConfig match;
  SharedMemoryConfig shared;
  L1Config l1;
  ConstantConfig constant;
  BarrierConfig barrier;
  WgmmaConfig wgmma;
  TmaConfig tma;
  IdealConfig ideal;

  const Operation& operation(ptx::OpClass op) const { return operations[static_cast<size_t>(op)]; }
  uint32_t warps_per_sub_core() const { return limits.warps_per_sm / sub_cores; }
};

LimitsConfig read_limits(const ConfigView& view);
SmConfig read_sm_config(const ConfigView& view, const LimitsConfig& limits);

}  // namespace gpuloom::arch
