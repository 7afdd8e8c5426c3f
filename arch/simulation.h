// SPDX-License-Identifier: Apache-2.0
// The timed simulation of one GPU, as the runtime sees it. No SystemC here: it stays below arch.
//
//   Config config = Config::load("h200");
//   GpuConfig gpu = load_gpu_config(config.root());  config.check();
//   Simulation simulation(gpu);
//   KernelResult r = simulation.run(launch, machine_program);
//
// Or work is submitted while it runs, and the simulation is advanced until what somebody waits for has ended:
//
//   Ticket a = simulation.submit({&launch, &program}, {}), b = simulation.submit({&other, &its}, {});
//   simulation.advance_until(b);  KernelResult r = simulation.take_result(b);
//
// One Simulation at a time may exist in a process (SystemC has one current context); any number one after
// another.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/policy_window.h"
#include "arch/stall_reason.h"
#include "arch/systemc/memory_request.h"
#include "base/stats/intervals.h"
#include "base/stats/stats.h"
#include "ptx/exec/cta.h"
#include "ptx/machine/machine_program.h"
#include "traces/timeline.h"

namespace gpuloom::arch {

struct SimulationOptions {
  unsigned host_threads = 1;         // threads that run SMs; results do not depend on it
  bool per_instruction = true;       // fill KernelResult::instructions
  uint64_t device_memory_bytes = 0;  // 0: what the configuration says
  traces::TraceRequest trace;
  uint64_t interval_cycles = 0;  // not 0: KernelResult::intervals, counters in intervals of so many cycles
  uint32_t run_ahead = 2048;  // cycles that an SM runs on while nothing can reach it: no result depends on it
};

// What was submitted: numbers that grow, 0 for nothing.
using Ticket = uint64_t;

struct RunLimits {
  bool one_thread = false;  // SMs run one after another, whatever SimulationOptions::host_threads
  uint64_t max_cycles = 0;  // 0: none. Beyond it: Error of kind kProgram
  sim::PolicyWindow window = {};
  bool keep_partial = false;  // an interrupted run gives what was measured so far (KernelResult::complete)
  bool launches = false;      // the kernel may launch others: WorkOrder::parent
  int carveout_percent = -1;  // of shared memory, as the program prefers it; -1: the driver's choice
};

// What a piece of work waits for.
struct WorkOrder {
  std::vector<Ticket> after = {};  // it begins when these have ended
  // Grids of which each block has let dependent ones begin when it does (programmatic dependent launch). Its
  // griddepcontrol.wait waits for their ends.
  std::vector<Ticket> dependent = {};
  uint64_t arrival = 0;  // cycle in which it reaches the GPU, not before now()
  struct Elsewhere {
    unsigned gpu = 0;
    Ticket ticket = 0;
  };
  std::vector<Elsewhere> after_elsewhere = {};  // and work of other GPUs (SharedHost)
  std::optional<uint32_t> queue = {};           // hardware queue, which hands on its work in order
  bool of_graph = false;                        // what a launch needs is on the GPU already
  bool first_of_graph = false;                  // and it comes after nothing of it
  // The grid that asks for it (dynamic parallelism), which has ended for others when this has too. At the
  // tail: it begins when that grid and all that it has asked for have ended, but others at the tail.
  Ticket parent = 0;
  bool tail = false;
};

struct KernelResult;
struct GridWork {
  ptx::Launch* launch = nullptr;  // it and the program stay alive until the grid has ended
  const ptx::MachineProgram* program = nullptr;
  RunLimits limits = {};
  int priority = 0;  // less goes first
  // Takes the result when the grid has ended; empty: take_result() does.
  std::function<void(KernelResult&&)> ended = {};
};

// A copy between host and device, within the device, memory that is filled, or a copy between GPUs that the
// one with the source or the one with the target makes.
enum class CopyWay : uint8_t { kToDevice, kFromDevice, kWithin, kFill, kPush, kPull };
struct CopyWork {
  CopyWay way = CopyWay::kToDevice;
  bool pageable = false;  // the host's side of it, which is staged
  uint64_t bytes = 0;
  uint64_t to = 0, from = 0;        // on the device
  std::function<void()> carry_out;  // moves the bytes when the copy begins; may be empty
  std::function<void(uint64_t begin, uint64_t end)> ended;  // is told its cycles; may be empty
  bool staged = false;  // between GPUs that have no access to each other: through the host's memory
};

// Something that takes no part of the GPU: a function that is called when its turn comes.
struct CallWork {
  std::function<void(uint64_t cycle)> call;  // may be empty
  uint64_t cycles = 0;                       // how long it takes
  // It waits for another stream: `cycles` count where it had to wait on the device, and are the front end's,
  // which takes one after another.
  bool waits = false;
};

struct Progress {
  uint64_t cycle = 0;  // since the kernel's start
  uint64_t blocks_done = 0, blocks_total = 0;
  uint64_t warp_instructions = 0;
};
// Called between windows, at most every few milliseconds of host time. Returning false interrupts the run:
// Error of kind kUsage, unless RunLimits::keep_partial. The Simulation cannot run anything after that.
using ProgressFn = std::function<bool(const Progress&)>;

// What one decoded instruction caused; indexed as Program::code.
struct InstructionCounts {
  uint64_t issued = 0;                           // machine operations that stand for it, issued by warps
  uint64_t executed = 0;                         // times that a warp carried it out
  uint64_t thread_executed = 0;                  // lanes of those, predicated-off ones left out
  std::array<uint64_t, kStallReasons> stalls{};  // warp-cycles
  uint64_t requests = 0;                         // memory requests
  uint64_t sectors = 0, ideal_sectors = 0;  // global and local: 32-byte sectors; ideal: what its bytes need
  uint64_t wavefronts = 0, ideal_wavefronts = 0;  // shared memory
  uint64_t bank_conflicts = 0;
};

// How the grid was laid out on the machine.
struct LaunchFacts {
  uint32_t registers_per_thread = 0;
  uint32_t shared_static_bytes = 0, shared_dynamic_bytes = 0, shared_reserved_bytes = 0;
  uint32_t shared_config_bytes = 0;  // carve-out chosen for the launch
  uint32_t limit_warps = 0, limit_registers = 0, limit_shared = 0, limit_blocks = 0, limit_barriers = 0;
  uint32_t blocks_per_sm = 0;  // the least of the limits
  uint32_t warps_per_block = 0;
  double theoretical_occupancy_pct = 0;
  double waves_per_sm = 0;  // blocks / (SMs * blocks_per_sm)
};

// Asynchronous copies that one decoded instruction issued; indexed by it. Times are in cycles.
struct AsyncCounts {
  uint32_t instruction = 0;
  traces::CopyKind kind = traces::CopyKind::kAsync;
  uint64_t copies = 0, bytes = 0;
  uint64_t flight = 0, flight_max = 0;  // from issue to completion: sum, longest
  // Of the flights, times the warps of their blocks: all warp-cycles, and those in which a warp waited for
  // copies or an mbarrier. What is not waited is overlapped with other work.
  uint64_t warp_cycles = 0, waited_cycles = 0;
  void add(const AsyncCounts& more);
};

struct KernelResult {
  std::string kernel;
  uint64_t start_cycle = 0;                     // in the simulation's time
  uint64_t cycles = 0;                          // elapsed, launch overhead included
  double clock_hz = 0;                          // of `cycles`
  uint64_t warp_instructions = 0;               // decoded instructions carried out, a warp counted once
  stats::Snapshot statistics;                   // of this run alone; raw counters, one value an instance
  std::vector<InstructionCounts> instructions;  // empty without per_instruction
  std::vector<AsyncCounts> async;               // of instructions with copies
  LaunchFacts launch;
  std::shared_ptr<traces::Timeline> timeline;  // where SimulationOptions::trace asked for one
  // Where SimulationOptions::interval_cycles asked for it, and no other grid ran at the same time.
  std::shared_ptr<const stats::Intervals> intervals;
  uint64_t windows = 0;             // of the engine; for the simulator's own speed
  std::vector<Ticket> shared_with;  // grids that were on the GPU at the same time; counters of
                                    // the machine are then theirs too
  bool complete = true;             // false: interrupted, and everything here counts up to then
};

// One metric with Nsight Compute's name and roll-up: "smsp__inst_executed.sum",
// "l1tex__t_sector_hit_rate.pct".
struct NamedMetric {
  std::string name, unit;
  double value = 0;
};
// Every metric of a result, raw and derived.
std::vector<NamedMetric> nsight_metrics(const GpuConfig& config, const KernelResult& result);

class Simulation {
 public:
  // Builds the machine. Throws Error (kInternal) if another Simulation is alive in this process.
  explicit Simulation(const GpuConfig& config, const SimulationOptions& options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs one grid to its end. Simulated time goes on from the last run; L2 and DRAM keep their state, L1 and
  // the other caches of the SMs are invalidated at kernel start, as on hardware. `launch` and `program` must
  // stay alive during the call. Throws Error: kProgram for faults, deadlocks (naming who waits for what) and
  // limits; kInput for a launch that cannot fit an SM.
  KernelResult run(ptx::Launch& launch, const ptx::MachineProgram& program, const RunLimits& limits = {},
                   const ProgressFn& progress = {});

  // Work for the GPU while it runs. What went wrong with a grid is thrown by the advance that meets it.
  Ticket submit(const GridWork& work, const WorkOrder& order, const ProgressFn& progress = {});
  Ticket submit(CopyWork work, const WorkOrder& order);
  Ticket submit(CallWork work, const WorkOrder& order);
  // Lets time pass until a piece of work has ended, until nothing is left, or up to a cycle.
  void advance_until(Ticket ticket);
  void advance_until_idle();
  void advance_to(uint64_t cycle);
  bool done(Ticket ticket) const;  // its end is known
  uint64_t begin_of(Ticket ticket) const, end_of(Ticket ticket) const;
  // Of a grid that has ended; once.
  KernelResult take_result(Ticket ticket);
  // For programs without an end: what has ended is forgotten, but for pieces that somebody may still name or
  // ask for. Of the others only done() may be asked.
  void forget_all_but(const std::vector<Ticket>& asked_for);

  // Writes back and empties L2, closes all DRAM rows: the cold start that Nsight Compute measures by default.
  void flush_caches();
  // Lets idle time pass.
  void advance(uint64_t cycles);
  uint64_t now() const;  // core cycles since construction
  const GpuConfig& config() const;
  stats::Snapshot statistics() const;  // every counter of the machine, since it was built

 private:
  friend class SharedHost;
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Several GPUs on one timeline, each with a link to all others. Advancing one advances all as far as it
// takes.
class SharedHost {
 public:
  // Whose memory an address is: the number of a GPU, of the one that asks for the host's memory.
  using HomeFn = std::function<unsigned(uint64_t address, unsigned asking)>;
  SharedHost(const std::vector<GpuConfig>& configs, const SimulationOptions& options, const HomeFn& home);
  ~SharedHost();
  SharedHost(const SharedHost&) = delete;
  SharedHost& operator=(const SharedHost&) = delete;
  Simulation& gpu(unsigned number);
  // A run has thrown, or is under way: nothing can be advanced.
  bool broken() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpuloom::arch
