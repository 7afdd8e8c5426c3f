// SPDX-License-Identifier: Apache-2.0
// One simulated GPU: its configuration, its memory, the modules loaded on it, and launches.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arch/simulation.h"
#include "base/config/config.h"
#include "ptx/exec/check/checks.h"
#include "ptx/machine/lowering.h"
#include "sim/frontend/ptx_source.h"
#include "sim/memory/device_memory.h"
#include "sim/report/access_report.h"
#include "sim/runtime/launch_check.h"
#include "sim/runtime/module.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {

enum class Mode : uint8_t { kFunctional, kTimed };
using ptx::Lowering;

// Limits that cudaDeviceSetLimit sets.
struct DeviceLimits {
  uint64_t stack_bytes = 0;          // of one thread; 0: all that the compute capability allows
  uint64_t heap_bytes = 8ull << 20;  // of device malloc: cudaLimitMallocHeapSize's default (CUDA C++ guide)
};

struct DeviceOptions {
  std::string config = "h200";         // a name or a path
  std::vector<std::string> overrides;  // "sm.shared.banks=64"
  Mode mode = Mode::kTimed;
  Lowering lowering = Lowering::kMachine;
  bool contract = true;                  // mul + add -> fma as ptxas does (-fmad); changes bits
  unsigned threads = 1;                  // of the host; results do not depend on it
  unsigned block_threads = 1;            // the same without time; 0: as many as the host has
  bool per_instruction = true;           // collect counters by instruction
  LineRule line_rule = LineRule::kUser;  // what inlined instructions count for
  bool count_machine = false;            // functional mode: count machine instructions all the same
  ptx::CheckOptions checks;              // what to look for while kernels run; one host thread then
  DeviceLimits limits;
  std::function<void(const std::string&)> warn;   // receives what a user should know at once; empty: stderr
  std::function<void(const std::string&)> print;  // receives what vprintf prints; empty: stdout
  // What kernels read of an error of the runtime: its name, else what it means. Empty: no text.
  std::function<std::string(int error, bool name)> error_text;
  traces::TraceRequest trace;    // timed mode: arch::KernelResult::timeline
  uint64_t interval_cycles = 0;  // timed mode: arch::KernelResult::intervals
  bool analyze = false;          // functional mode: LaunchOutcome::accesses says how memory is used
  uint32_t run_ahead = arch::SimulationOptions{}.run_ahead;  // results do not depend on it
  HostPlacement placement = HostPlacement::kAnywhere;        // of device memory, in this process
  DeviceMemory::Share share = {};  // which of several devices that share addresses it is
  // Timed mode: the machine of one of several (shared_machines.h); empty: the device has its own.
  std::function<arch::Simulation&(unsigned number)> machine;
  Bounds bounds = Bounds::kExact;  // of what kernels may touch; constants too
  std::string lowering_cache;      // folder of kernels that earlier runs have lowered; "": none
  // As many host threads as a user has asked for. 0, nothing asked: one in time, where several pay for large
  // grids only, and all that there are without.
  void use_threads(unsigned asked) {
    threads = asked == 0 ? 1 : asked;
    block_threads = asked;
  }
  unsigned host_threads() const;  // what launches of its mode may take
};

struct RunProgress {
  uint64_t cycle = 0, blocks_done = 0, blocks_total = 0, warp_instructions = 0;
};
// Returning false ends the run with an Error of kind kUsage, unless LaunchOptions::keep_partial.
using RunProgressFn = std::function<bool(const RunProgress&)>;

struct LaunchOutcome;
// Takes the outcome of a launch that is work of the machine.
using EndedFn = std::function<void(const LaunchRequest&, const LaunchOutcome&)>;

struct LaunchOptions {
  uint64_t max_cycles = 0;        // of the SMs' clock; beyond it: Error (kProgram). 0: none
  uint64_t max_instructions = 0;  // functional: warp instructions, likewise. 0: none
  bool cold_caches = true;        // L2 written back and emptied before, as Nsight Compute does by default
  bool functional = false;        // this launch without time, whatever the device's mode
  bool keep_partial = false;      // an interrupted launch returns what was measured so far
  RunProgressFn progress;
  // Is told of a grid that a kernel launches, and its ticket (0 without time); answers who takes the outcome.
  std::function<EndedFn(const LaunchRequest&, arch::Ticket)> child_launched;
};

struct LaunchOutcome {
  std::string kernel;
  bool complete = true;  // false: interrupted (LaunchOptions::keep_partial)
  uint64_t warp_instructions = 0, thread_instructions = 0;  // PTX instructions
  std::optional<arch::KernelResult> timed;                  // absent in functional mode
  std::array<uint64_t, 16> pm_events{};                     // times that warps executed pmevent
  const ptx::Program* program = nullptr;
  const ptx::MachineProgram* machine = nullptr;  // absent in functional mode unless counted
  std::vector<uint64_t> executed;                // counted: warp executions as Program::code
  std::vector<uint64_t> thread_executed;         // the same: lanes of those
  std::optional<AccessReport> accesses;          // of DeviceOptions::analyze
};

class Device;
// Metrics of a timed launch, under Nsight Compute's names, each with its unit.
std::vector<arch::NamedMetric> timed_metrics(const Device& device, const arch::KernelResult& result);

class Device {
 public:
  // Reads and checks the whole configuration. Throws Error (kInput, kUsage).
  explicit Device(const DeviceOptions& options);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  // Any file that has PTX or CUDA C++ in it (sim/frontend); `request` chooses where it has several modules.
  // The module stays loaded as long as the device lives, or until unload(). Throws Error: kInput where the
  // file cannot be read or with every problem of its text, kUnsupported for what is not modelled.
  LoadedModule& load_file(const std::string& path, frontend::PtxRequest request = {},
                          const ModuleOptions& how = {});
  LoadedModule& load_text(std::string text, const std::string& file_name, const ModuleOptions& how = {});
  void unload(LoadedModule& module);
  // The text of the last module that load_file compiled or took out of a program.
  const std::string& made_ptx() const { return made_ptx_; }

  // Runs one grid to its end. Throws Error: kInput for launches that the device refuses, kProgram for what
  // goes wrong inside.
  LaunchOutcome launch(const LaunchRequest& request, const LaunchOptions& options = {});

  // Timed: the launch is work for the machine, which carries it out when it is advanced; `ended` takes the
  // outcome then. Throws as launch() does for what is refused at once.
  arch::Ticket submit(const LaunchRequest& request, const LaunchOptions& options,
                      const arch::WorkOrder& order, int priority, EndedFn ended);
  arch::Simulation& machine();
  arch::SimulationOptions simulation_options() const;

  // A timed launch will follow: with several host threads the architecture model is built on one of them
  // while the caller reads and lowers the kernel.
  void expect_timed_launch();

  // Lets go of the architecture model, of which a process can hold one; the next timed launch builds it anew,
  // with cold caches.
  void release_simulation();

  // Timed: L2 is written back and emptied. Nothing may be under way.
  void flush_caches();

  // The kernel as machine operations of this device; made once for each number of registers that a thread may
  // have (0: what the directives leave).
  const ptx::MachineProgram& lowered(const Kernel& kernel, uint32_t max_registers = 0);
  // As this launch runs it. How many registers ptxas would use is an estimate, which must not refuse a
  // launch: where they do not fit, the kernel is made to fit, with a note and a warning.
  const ptx::MachineProgram& lowered_for(const LaunchRequest& request);

  DeviceMemory& memory() { return memory_; }
  const DeviceMemory& memory() const { return memory_; }
  const Config& config() const { return config_; }
  const arch::GpuConfig& gpu() const { return gpu_; }
  const DeviceOptions& options() const { return options_; }
  unsigned number() const { return options_.share.device; }
  // What the model leaves out of the launches so far, each said once.
  const std::vector<std::string>& notes() const { return notes_; }
  // Limits of the launches to come.
  void set_limits(const DeviceLimits& limits) { options_.limits = limits; }
  // What the checks have found in the launches so far.
  std::vector<ptx::Finding> findings() const;

 private:
  struct Timed;  // the architecture model and the machine programs: see timed.cpp
  Timed& timed();
  std::unique_ptr<arch::Simulation> build() const;
  ptx::Launch prepare(const LaunchRequest& request);
  uint64_t text_of(int error, bool name);
  void run_functional(ptx::Launch& launch, const LaunchRequest& request, const LaunchOptions& options,
                      LaunchOutcome& outcome);
  void run_with_children(const LaunchRequest& request, const LaunchOptions& options, LaunchOutcome& outcome);
  void run_timed(ptx::Launch& launch, const LaunchRequest& request, const LaunchOptions& options,
                 LaunchOutcome& outcome);
  bool note(std::string text);  // false: said before
  void provide_system_calls(ptx::Launch& launch);
  void complete(const ptx::Launch& launch, LaunchOutcome& outcome);
  void note_leaks(const std::string& kernel);
  void note_printed(const std::string& kernel);

  DeviceOptions options_;
  Config config_;
  arch::GpuConfig gpu_;
  std::unique_ptr<ptx::Checks> checks_;
  DeviceMemory memory_;
  std::set<uint64_t> heap_;  // blocks that device malloc gave
  uint64_t heap_used_ = 0;
  std::map<std::string, uint64_t> texts_;  // that kernels read, and where
  std::string made_ptx_;
  uint64_t printed_ = 0;  // bytes, by the launch under way
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::unique_ptr<Timed> timed_;  // built by the first timed launch
  uint64_t grid_workspace_ = 0;   // of cooperative launches
  uint64_t launches_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace gpuloom::sim
