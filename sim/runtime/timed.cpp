// SPDX-License-Identifier: Apache-2.0
// The timed side of Device: the only file of the runtime that drives the architecture model.
#include <fmt/core.h>

#include <algorithm>
#include <future>
#include <map>

#include "arch/sm/ideal_ops.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "ptx/machine/lower.h"
#include "ptx/machine/spared_work.h"
#include "sim/memory/files.h"
#include "sim/runtime/child_grids.h"
#include "sim/runtime/device.h"
#include "sim/runtime/lowering_cache.h"
#include "sim/runtime/timed_children.h"

namespace gpuloom::sim {

// Lowered kernels stay for the next launch; the architecture model is made anew after a launch that failed.
struct Device::Timed {
  ptx::MachineModel model;
  LoweringCache cache;
  std::map<std::pair<const Kernel*, uint32_t>, ptx::MachineProgram> programs;  // by most registers, too
  std::unique_ptr<arch::Simulation> simulation;
  std::future<std::unique_ptr<arch::Simulation>> building;  // beside what comes before the first launch
};

namespace {

// Reads everything and refuses what is wrong before anything is built from it.
arch::GpuConfig checked(const Config& config) {
  arch::GpuConfig gpu = arch::load_gpu_config(config.root());
  config.check();
  return gpu;
}

// Checks look at one warp after another, and so do device malloc and vprintf.
bool one_thread(const ptx::Launch& launch) {
  const auto& calls = launch.program->calls;
  const bool system =
      std::any_of(calls.begin(), calls.end(), [](const auto& c) { return !c.external.empty(); });
  return system || launch.checks != nullptr;
}

}  // namespace

Device::Device(const DeviceOptions& options)
    : options_(options),
      config_(Config::load(options.config, options.overrides)),
      gpu_(checked(config_)),
      checks_(options.checks.any() ? std::make_unique<ptx::Checks>(options.checks) : nullptr),
      memory_(gpu_.dram.capacity, options.placement, options.share) {
  memory_.set_bounds(options.bounds);
  if (checks_) memory_.observe(&checks_->global());
  for (const arch::PolicyChoice* policy : gpu_.loaded_policies())
    note(fmt::format("{} is {}, SHA-256 {}", policy->key, policy->library,
                     sha256_hex(read_file(policy->library))));
}

Device::~Device() = default;

Device::Timed& Device::timed() {
  if (timed_) return *timed_;
  const std::string& folder = options_.lowering_cache;
  timed_.reset(new Timed{arch::machine_model(gpu_),
                         LoweringCache(folder, folder.empty() ? std::string() : config_.digest()),
                         {},
                         {},
                         {}});
  return *timed_;
}

void Device::expect_timed_launch() {
  if (options_.mode != Mode::kTimed || options_.threads < 2 || options_.machine) return;
  Timed& t = timed();
  if (!t.simulation && !t.building.valid())
    t.building = std::async(std::launch::async, [this] { return build(); });
}

arch::SimulationOptions Device::simulation_options() const {
  return {options_.threads, options_.per_instruction, 0,
          options_.trace,   options_.interval_cycles, options_.run_ahead};
}

std::unique_ptr<arch::Simulation> Device::build() const {
  return std::make_unique<arch::Simulation>(gpu_, simulation_options());
}

void Device::release_simulation() {
  if (!timed_) return;
  timed_->building = {};  // waits
  timed_->simulation.reset();
}

void Device::flush_caches() {
  if (options_.machine)
    options_.machine(number()).flush_caches();
  else if (timed_ && timed_->simulation)
    timed_->simulation->flush_caches();
}

void Device::unload(LoadedModule& module) {
  if (timed_)
    std::erase_if(timed_->programs, [&](const auto& p) { return p.first.first->module == &module; });
  std::erase_if(modules_, [&](const auto& m) { return m.get() == &module; });
}

const ptx::MachineProgram& Device::lowered(const Kernel& kernel, uint32_t max_registers) {
  Timed& t = timed();
  const auto known = t.programs.find({&kernel, max_registers});
  if (known != t.programs.end()) return known->second;
  ptx::LoweringOptions lowering = kernel.module->options().lowering.value_or(ptx::LoweringOptions{});
  if (!kernel.module->options().lowering) lowering.lowering = options_.lowering;
  if (max_registers != 0) lowering.max_registers = max_registers;
  const std::string text = kernel.module->text_key(*kernel.program->functions[0].function);
  ptx::MachineProgram program = t.cache.lower(*kernel.program, text, t.model, lowering);
  if (arch::reads_spared_work(gpu_.sm.ideal)) ptx::find_spared_work(*program.program, program);
  return t.programs.emplace(std::pair(&kernel, max_registers), std::move(program)).first->second;
}

const ptx::MachineProgram& Device::lowered_for(const LaunchRequest& request) {
  const ptx::MachineProgram& program = lowered(*request.kernel);
  const uint32_t estimate = program.registers_per_thread;
  const uint32_t fit = registers_that_fit(gpu_, request, estimate);
  if (fit == estimate || program.registers_given) return program;
  const ptx::MachineProgram& smaller = lowered(*request.kernel, fit);
  std::string text = fmt::format(
      "kernel '{}': its estimated {} registers a thread leave no room for the launch; it runs with {}{}",
      request.kernel->name(), estimate, smaller.registers_per_thread,
      smaller.spill_bytes == 0 ? "" : fmt::format(", of which {} bytes are spilled", smaller.spill_bytes));
  if (note(text)) {
    if (options_.warn)
      options_.warn(text);
    else
      Logger().warning(text);
  }
  return smaller;
}

namespace {

arch::RunLimits run_limits(const LaunchRequest& request, const LaunchOptions& options) {
  arch::RunLimits limits;
  limits.max_cycles = options.max_cycles;
  limits.keep_partial = options.keep_partial;
  if (request.carveout_pct) limits.carveout_percent = static_cast<int>(*request.carveout_pct);
  if (!request.window) return limits;
  limits.window = *request.window;
  if (limits.window.hit_ratio <= 0) limits.window.bytes = 0;  // it selects nothing, as in the reference cases
  return limits;
}

}  // namespace

arch::Simulation& Device::machine() {
  Timed& t = timed();
  if (options_.machine) return options_.machine(number());
  if (!t.simulation) t.simulation = t.building.valid() ? t.building.get() : build();
  return *t.simulation;
}

namespace {

arch::ProgressFn progress_of(const LaunchOptions& options) {
  if (!options.progress) return {};
  return [progress = options.progress](const arch::Progress& p) {
    return progress({p.cycle, p.blocks_done, p.blocks_total, p.warp_instructions});
  };
}

}  // namespace

arch::Ticket Device::submit(const LaunchRequest& request, const LaunchOptions& options,
                            const arch::WorkOrder& order, int priority, EndedFn ended) {
  if (checks_)
    throw Error(ErrorKind::kUsage, "--check looks at one kernel after another, not at a program of streams",
                {}, "omit --check, or launch the kernels one by one");
  struct Submitted {
    LaunchRequest request;
    ptx::Launch launch;
    const ptx::MachineProgram* program;
    EndedFn ended;
    std::unique_ptr<TimedChildren> children = {};  // of a kernel that may launch some
  };
  const ptx::MachineProgram& program = lowered_for(request);
  check_launch(gpu_, request, program.registers_per_thread);
  const auto s =
      std::make_shared<Submitted>(Submitted{request, prepare(request), &program, std::move(ended)});
  s->launch.program = program.program;  // scheduling has moved instructions
  arch::GridWork work{&s->launch, &program, run_limits(request, options), priority, {}};
  work.limits.one_thread = one_thread(s->launch);
  work.limits.launches = launches_kernels(*s->launch.program);
  if (work.limits.launches) {
    s->children = std::make_unique<TimedChildren>(*this, *request.kernel, options, priority);
    s->children->provide(s->launch);
  }
  work.ended = [this, s](arch::KernelResult&& result) {
    LaunchOutcome outcome;
    outcome.kernel = s->request.kernel->name();
    outcome.program = s->program->program;
    outcome.machine = s->program;
    outcome.warp_instructions = result.warp_instructions;
    outcome.timed = std::move(result);
    complete(s->launch, outcome);
    s->ended(s->request, outcome);
  };
  const arch::Ticket ticket = machine().submit(work, order, progress_of(options));
  if (s->children) s->children->belong_to(ticket);
  return ticket;
}

// Its result is that of its own blocks; the launch has ended when all that it has launched have.
void Device::run_with_children(const LaunchRequest& request, const LaunchOptions& options,
                               LaunchOutcome& outcome) {
  if (options.cold_caches) machine().flush_caches();
  uint64_t children = 0;
  LaunchOptions own = options;
  own.child_launched = [&](const LaunchRequest&, arch::Ticket) {
    ++children;
    return EndedFn();
  };
  try {
    const arch::Ticket ticket = submit(
        request, own, {}, 0, [&](const LaunchRequest&, const LaunchOutcome& ended) { outcome = ended; });
    machine().advance_until(ticket);
    const uint64_t own_end = outcome.timed->start_cycle + outcome.timed->cycles;
    note(fmt::format(
        "kernel '{}' launched {} grids, of which the last ended {} cycles after it; the report is "
        "of its own blocks",
        short_name(outcome.kernel), children, machine().end_of(ticket) - own_end));
  } catch (...) {
    timed().simulation.reset();
    throw;
  }
}

void Device::run_timed(ptx::Launch& launch, const LaunchRequest& request, const LaunchOptions& options,
                       LaunchOutcome& outcome) {
  const ptx::MachineProgram& program = lowered_for(request);
  Timed& t = *timed_;
  check_launch(gpu_, request, program.registers_per_thread);
  launch.program = program.program;  // scheduling has moved instructions
  arch::Simulation& simulation = machine();
  if (checks_) checks_->begin(*launch.program);
  if (options.cold_caches) simulation.flush_caches();
  const arch::ProgressFn progress = progress_of(options);
  try {
    arch::RunLimits limits = run_limits(request, options);
    limits.one_thread = one_thread(launch);
    outcome.timed = simulation.run(launch, program, limits, progress);
  } catch (...) {
    t.simulation.reset();
    throw;
  }
  outcome.complete = outcome.timed->complete;
  if (!outcome.complete) t.simulation.reset();
  outcome.warp_instructions = outcome.timed->warp_instructions;
  outcome.program = program.program;
  outcome.machine = &program;
}

std::vector<arch::NamedMetric> timed_metrics(const Device& device, const arch::KernelResult& result) {
  return arch::nsight_metrics(device.gpu(), result);
}

}  // namespace gpuloom::sim
