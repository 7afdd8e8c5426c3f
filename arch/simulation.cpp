// SPDX-License-Identifier: Apache-2.0
#include "arch/simulation.h"

#include "arch/gpu/conductor.h"
#include "arch/gpu/machine.h"
#include "base/error.h"

namespace gpuloom::arch {

struct Simulation::Impl {
  GpuConfig config;
  std::unique_ptr<Machine> machine;
  Conductor* conductor = nullptr;  // of several
  // A run has thrown: the machine's state, and that of those beside it, is of no use any more.
  std::shared_ptr<bool> broken = std::make_shared<bool>(false);

  explicit Impl(const GpuConfig& c) : config(c) {}

  template <class Fn>
  void advance(Fn&& go_on) {
    if (*broken)
      throw Error(conductor == nullptr ? ErrorKind::kInternal : ErrorKind::kUnsupported,
                  conductor == nullptr ? "a simulation cannot go on after a failed kernel"
                                       : "other GPUs cannot go on in time after a kernel of one has failed",
                  {}, conductor == nullptr ? "make a new one" : "run without --timed");
    *broken = true;
    go_on();
    *broken = false;
  }
  void until(Ticket ticket) {
    if (conductor != nullptr)
      conductor->advance_until(*machine, ticket);
    else
      machine->advance_until(ticket);
  }
};

Simulation::Simulation(const GpuConfig& config, const SimulationOptions& options)
    : impl_(std::make_unique<Impl>(config)) {
  impl_->machine = std::make_unique<Machine>(impl_->config, options);
}
Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::~Simulation() = default;

// The simple case of work that is submitted: one grid, and nothing beside it.
KernelResult Simulation::run(ptx::Launch& launch, const ptx::MachineProgram& program, const RunLimits& limits,
                             const ProgressFn& progress) {
  Machine& machine = *impl_->machine;
  const Cycle start = machine.now();
  Cycle reached = start;  // as far as the SMs have run, where the run is interrupted
  const ProgressFn watched = [&](const Progress& p) {
    reached = start + p.cycle;
    return progress(p);
  };
  Ticket ticket = 0;
  try {
    impl_->advance([&] {
      ticket = machine.submit({&launch, &program, limits}, {}, progress ? watched : progress);
      impl_->until(ticket);
    });
  } catch (const Error& error) {
    if (!limits.keep_partial || error.kind() != ErrorKind::kUsage || ticket == 0) throw;
    return machine.partial_result(ticket, reached);
  }
  return machine.take_result(ticket);
}

Ticket Simulation::submit(const GridWork& work, const WorkOrder& order, const ProgressFn& progress) {
  return impl_->machine->submit(work, order, progress);
}
Ticket Simulation::submit(CopyWork work, const WorkOrder& order) {
  return impl_->machine->submit(std::move(work), order);
}
Ticket Simulation::submit(CallWork work, const WorkOrder& order) {
  return impl_->machine->submit(std::move(work), order);
}
void Simulation::advance_until(Ticket ticket) {
  impl_->advance([&] { impl_->until(ticket); });
}
void Simulation::advance_until_idle() {
  impl_->advance([&] {
    if (impl_->conductor != nullptr)
      impl_->conductor->advance_until_idle(*impl_->machine);
    else
      impl_->machine->advance_until_idle();
  });
}
void Simulation::advance_to(uint64_t cycle) {
  impl_->advance([&] {
    if (impl_->conductor != nullptr)
      impl_->conductor->advance_to(*impl_->machine, cycle);
    else
      impl_->machine->advance_to(cycle);
  });
}
bool Simulation::done(Ticket ticket) const { return impl_->machine->work().done(ticket); }
uint64_t Simulation::begin_of(Ticket ticket) const { return impl_->machine->work().begin_of(ticket); }
uint64_t Simulation::end_of(Ticket ticket) const { return impl_->machine->work().end_of(ticket); }
KernelResult Simulation::take_result(Ticket ticket) { return impl_->machine->take_result(ticket); }
void Simulation::forget_all_but(const std::vector<Ticket>& asked_for) {
  impl_->machine->forget_all_but(asked_for);
}

void Simulation::flush_caches() { impl_->machine->flush_caches(); }
void Simulation::advance(uint64_t cycles) { impl_->machine->idle(cycles); }
uint64_t Simulation::now() const { return impl_->machine->now(); }
stats::Snapshot Simulation::statistics() const { return impl_->machine->statistics(); }
const GpuConfig& Simulation::config() const { return impl_->config; }

struct SharedHost::Impl {
  sim::Context context;
  std::vector<std::unique_ptr<Simulation>> gpus;
  std::unique_ptr<Conductor> conductor;
};

SharedHost::SharedHost(const std::vector<GpuConfig>& configs, const SimulationOptions& options,
                       const HomeFn& home)
    : impl_(std::make_unique<Impl>()) {
  const auto broken = std::make_shared<bool>(false);
  std::vector<Machine*> machines;
  for (const GpuConfig& config : configs) {
    auto one = std::make_unique<Simulation::Impl>(config);
    one->broken = broken;
    const auto number = static_cast<unsigned>(machines.size());
    one->machine = std::make_unique<Machine>(one->config, options, number, home);
    machines.push_back(one->machine.get());
    impl_->gpus.push_back(std::unique_ptr<Simulation>(new Simulation(std::move(one))));
  }
  impl_->conductor = std::make_unique<Conductor>(machines);
  for (const auto& gpu : impl_->gpus) gpu->impl_->conductor = impl_->conductor.get();
}

SharedHost::~SharedHost() = default;

Simulation& SharedHost::gpu(unsigned number) { return *impl_->gpus.at(number); }

bool SharedHost::broken() const { return *impl_->gpus.front()->impl_->broken; }

}  // namespace gpuloom::arch
