// SPDX-License-Identifier: Apache-2.0
#include "arch/simulation.h"

#include <algorithm>
#include <cmath>

#include "arch/gpu/counter_sampler.h"
#include "arch/gpu/gpu.h"
#include "arch/gpu/memory_system.h"
#include "arch/systemc/context.h"
#include "base/error.h"
#include "base/parallel.h"
#include "ptx/exec/fault.h"

namespace gpuloom::arch {

// Order of members is order of life: the context outlives every module.
struct Simulation::Impl {
  GpuConfig config;
  SimulationOptions options;
  sim::Context context;
  Gpu gpu;
  WorkDistributor distributor;
  MemorySystem memory;
  ThreadPool pool;
  std::unique_ptr<sim::WindowEngine> engine, cluster_engine;
  std::unique_ptr<CounterSampler> sampler;  // where a trace was asked for
  stats::Collector collector;
  InstructionTables counts;  // where they are asked for
  Cycle now = 0;
  bool broken = false;  // a run has thrown: the machine's state is of no use any more

  Impl(const GpuConfig& c, const SimulationOptions& o)
      : config(c),
        options(o),
        gpu("gpu", config),
        distributor(config, gpu.sms),
        memory(config, gpu, distributor),
        pool(options.host_threads) {
    // Both engines exist from the start: SystemC makes no process after elaboration.
    // What samples counters over time needs all SMs at one time.
    const bool sampled = options.trace.timeline || !options.trace.vcd.empty();
    const auto engine_config = [&](bool clusters) {
      return sim::WindowEngineConfig{config.clock_hz, config.window_cycles(clusters || sampled),
                                     sampled ? 0 : options.run_ahead, !clusters && !sampled};
    };
    std::vector<sim::WindowUnit*> sms(gpu.sms.begin(), gpu.sms.end()), gpcs;
    for (auto& gpc : gpu.gpcs) gpcs.push_back(gpc.get());
    engine = std::make_unique<sim::WindowEngine>("engine", engine_config(false), sms, &memory, &pool);
    cluster_engine =
        std::make_unique<sim::WindowEngine>("cluster_engine", engine_config(true), gpcs, &memory, &pool);
    gpu.add_stats(collector);
    trace();
  }

  // Recorders of the SMs that the trace names, and the sampler.
  void trace() {
    if (!options.trace.timeline && options.trace.vcd.empty()) return;
    sampler = std::make_unique<CounterSampler>(gpu, options.trace);
    memory.sample_into(sampler.get());
    if (!options.trace.timeline) return;
    for (const unsigned sm : options.trace.sms) {
      if (sm >= gpu.sms.size())
        throw Error(ErrorKind::kUsage, "there is no SM " + std::to_string(sm) + ": the GPU has " +
                                           std::to_string(gpu.sms.size()) + ", from 0");
      gpu.sms[sm]->record(options.trace);
    }
  }
  std::shared_ptr<traces::Timeline> timeline(const KernelResult& result, const KernelContext& kernel);
  std::vector<AsyncCounts> async_counts() const;

  LaunchFacts facts(const ptx::Launch& launch, const ptx::MachineProgram& program, const Occupancy& o,
                    uint32_t carveout) const;
  void add_instructions(KernelResult& result) const;
};

namespace {

KernelResources resources(const ptx::Launch& launch, const ptx::MachineProgram& program) {
  KernelResources k;
  k.threads = static_cast<uint32_t>(launch.block.count());
  k.registers_per_thread = program.registers_per_thread;
  k.shared_dynamic = launch.dynamic_shared_bytes;
  k.shared_static = std::max(launch.shared_bytes, launch.dynamic_shared_bytes) - launch.dynamic_shared_bytes;
  k.barriers = program.program->barrier_count;
  return k;
}

}  // namespace

LaunchFacts Simulation::Impl::facts(const ptx::Launch& launch, const ptx::MachineProgram& program,
                                    const Occupancy& o, uint32_t carveout) const {
  LaunchFacts f;
  const LimitsConfig& l = config.sm.limits;
  const KernelResources k = resources(launch, program);
  f.registers_per_thread = program.registers_per_thread;
  f.shared_static_bytes = k.shared_static;
  f.shared_dynamic_bytes = k.shared_dynamic;
  f.shared_reserved_bytes = l.shared_reserved_per_block;
  f.shared_config_bytes = carveout;
  f.limit_warps = o.limit_warps;
  f.limit_registers = o.limit_registers;
  f.limit_shared = o.allocated_shared ? carveout / o.allocated_shared : o.limit_shared;
  f.limit_blocks = o.limit_blocks;
  f.limit_barriers = o.limit_barriers;
  f.blocks_per_sm = o.blocks;
  f.warps_per_block = o.warps_per_block;
  f.theoretical_occupancy_pct = 100.0 * o.blocks * o.warps_per_block / l.warps_per_sm;
  f.waves_per_sm = static_cast<double>(launch.grid.count()) /
                   (static_cast<double>(config.sm_count()) * std::max(1u, o.blocks));
  return f;
}

void Simulation::Impl::add_instructions(KernelResult& result) const {
  for (const std::vector<InstructionCounts>& table : counts) {
    result.instructions.resize(table.size());
    for (size_t i = 0; i < table.size(); ++i) {
      InstructionCounts& to = result.instructions[i];
      const InstructionCounts& from = table[i];
      to.issued += from.issued;
      to.executed += from.executed;
      to.thread_executed += from.thread_executed;
      for (size_t s = 0; s < kStallReasons; ++s) to.stalls[s] += from.stalls[s];
      to.requests += from.requests;
      to.sectors += from.sectors;
      to.ideal_sectors += from.ideal_sectors;
      to.wavefronts += from.wavefronts;
      to.ideal_wavefronts += from.ideal_wavefronts;
      to.bank_conflicts += from.bank_conflicts;
    }
  }
}

void AsyncCounts::add(const AsyncCounts& more) {
  copies += more.copies;
  bytes += more.bytes;
  flight += more.flight;
  flight_max = std::max(flight_max, more.flight_max);
  warp_cycles += more.warp_cycles;
  waited_cycles += more.waited_cycles;
}

std::vector<AsyncCounts> Simulation::Impl::async_counts() const {
  std::vector<AsyncCounts> all;
  for (Sm* sm : gpu.sms)
    for (const AsyncCounts& c : sm->async().counts()) {
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&](const AsyncCounts& a) { return a.instruction == c.instruction; });
      if (at == all.end())
        all.push_back(c);
      else
        at->add(c);
    }
  std::sort(all.begin(), all.end(),
            [](const AsyncCounts& a, const AsyncCounts& b) { return a.instruction < b.instruction; });
  return all;
}

std::shared_ptr<traces::Timeline> Simulation::Impl::timeline(const KernelResult& result,
                                                             const KernelContext& kernel) {
  if (!options.trace.timeline) return nullptr;
  auto t = std::make_shared<traces::Timeline>();
  t->kernel = result.kernel;
  t->clock_hz = result.clock_hz;
  t->start_cycle = result.start_cycle;
  t->cycles = result.cycles;
  t->sub_cores = config.sm.sub_cores;
  t->warps_per_sub_core = config.sm.warps_per_sub_core();
  t->reasons.assign(kStallNames.begin(), kStallNames.end());
  for (size_t i = 0; i < kernel.program->code.size(); ++i)
    t->instructions.push_back(ptx::place_name(*kernel.program, static_cast<uint32_t>(i)));
  for (const OpInfo& op : kernel.ops)
    t->operations.push_back(std::string(ptx::info(op.op).opcode) + " " + t->instructions[op.source]);
  for (Sm* sm : gpu.sms)
    if (sm->recorder()) t->sms.push_back(sm->recorder()->timeline());
  t->counters = sampler->tracks();
  return t;
}

Simulation::Simulation(const GpuConfig& config, const SimulationOptions& options)
    : impl_(std::make_unique<Impl>(config, options)) {}
Simulation::~Simulation() = default;

KernelResult Simulation::run(ptx::Launch& launch, const ptx::MachineProgram& program, const RunLimits& limits,
                             const ProgressFn& progress) {
  Impl& s = *impl_;
  if (s.broken)
    throw Error(ErrorKind::kInternal, "a simulation cannot go on after a failed kernel", {},
                "make a new one");
  const KernelContext kernel(s.config.sm, launch, program);
  const KernelResources need = resources(launch, program);
  const Occupancy fits = occupancy(s.config, need);
  const uint32_t carveout = launch_carveout(s.config, need, fits);
  KernelResult result;
  result.kernel = program.program->name;
  result.start_cycle = s.now;
  result.clock_hz = s.config.clock_hz;
  const Cycle begin = s.now + s.config.launch.overhead_cycles;
  if (s.options.per_instruction)
    s.counts.assign(s.pool.threads(), std::vector<InstructionCounts>(program.program->code.size()));
  s.pool.for_each_index(s.gpu.sms.size(), [&](size_t i) {
    Sm& sm = *s.gpu.sms[i];
    sm.start_kernel(&kernel, carveout, s.counts.empty() ? nullptr : &s.counts);
    if (sm.recorder()) sm.recorder()->start(s.now);
  });
  if (s.sampler) s.sampler->start(s.now);
  const stats::Snapshot before = s.collector.freeze();
  s.distributor.start(launch, fits, begin);
  Cycle reached = begin;  // as far as the SMs have run, where the run is interrupted
  const ProgressFn watched = [&](const Progress& p) {
    reached = result.start_cycle + p.cycle;
    return progress(p);
  };
  s.memory.start(launch, kernel.ops.size() * s.config.sm.fetch.instruction_bytes, s.now, limits,
                 progress ? watched : progress);
  sim::WindowEngine& engine = launch.cluster.count() > 1 ? *s.cluster_engine : *s.engine;
  const uint64_t windows = engine.windows();
  engine.skip_to(begin);
  s.broken = true;
  try {
    engine.run(limits.one_thread);
  } catch (const Error& error) {
    if (!limits.keep_partial || error.kind() != ErrorKind::kUsage) throw;
    result.complete = false;
  }
  s.broken = !result.complete;
  Cycle end = s.distributor.last_end(), stored = 0;
  for (const Sm* sm : s.gpu.sms) stored = std::max(stored, sm->last_store_answer());
  if (stored != 0) end = std::max(end, stored + s.config.launch.release_cycles);
  end = result.complete ? end + s.config.launch.drain_cycles : reached;
  for (Sm* sm : s.gpu.sms) sm->settle_accounts(end);
  s.now = std::max(engine.now(), end);
  result.cycles = end - result.start_cycle;
  result.windows = engine.windows() - windows;
  for (Sm* sm : s.gpu.sms) result.warp_instructions += sm->warp_instructions();
  result.statistics = s.collector.freeze().since(before);
  if (s.options.per_instruction) s.add_instructions(result);
  result.launch = s.facts(launch, program, fits, carveout);
  result.async = s.async_counts();
  result.timeline = s.timeline(result, kernel);
  return result;
}

void Simulation::flush_caches() {
  for (auto& slice : impl_->gpu.slices) slice->flush(impl_->now);
  for (auto& channel : impl_->gpu.channels) channel->close_rows();
}

void Simulation::advance(uint64_t cycles) { impl_->now += cycles; }
uint64_t Simulation::now() const { return impl_->now; }
stats::Snapshot Simulation::statistics() const { return impl_->collector.freeze(); }
const GpuConfig& Simulation::config() const { return impl_->config; }

}  // namespace gpuloom::arch
