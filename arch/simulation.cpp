// SPDX-License-Identifier: Apache-2.0
#include "arch/simulation.h"

#include "arch/gpu/machine.h"
#include "base/error.h"

namespace gpuloom::arch {

struct Simulation::Impl {
  GpuConfig config;
  Machine machine;
  bool broken = false;  // a run has thrown: the machine's state is of no use any more

  Impl(const GpuConfig& c, const SimulationOptions& options) : config(c), machine(config, options) {}

  template <class Fn>
  void advance(Fn&& go_on) {
    if (broken)
      throw Error(ErrorKind::kInternal, "a simulation cannot go on after a failed kernel", {},
                  "make a new one");
    broken = true;
    go_on();
    broken = false;
  }
};

Simulation::Simulation(const GpuConfig& config, const SimulationOptions& options)
    : impl_(std::make_unique<Impl>(config, options)) {}
Simulation::~Simulation() = default;

// The simple case of work that is submitted: one grid, and nothing beside it.
KernelResult Simulation::run(ptx::Launch& launch, const ptx::MachineProgram& program, const RunLimits& limits,
                             const ProgressFn& progress) {
  Machine& machine = impl_->machine;
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
      machine.advance_until(ticket);
    });
  } catch (const Error& error) {
    if (!limits.keep_partial || error.kind() != ErrorKind::kUsage || ticket == 0) throw;
    return machine.partial_result(ticket, reached);
  }
  return machine.take_result(ticket);
}

Ticket Simulation::submit(const GridWork& work, const WorkOrder& order, const ProgressFn& progress) {
  return impl_->machine.submit(work, order, progress);
}
Ticket Simulation::submit(CopyWork work, const WorkOrder& order) {
  return impl_->machine.submit(std::move(work), order);
}
Ticket Simulation::submit(CallWork work, const WorkOrder& order) {
  return impl_->machine.submit(std::move(work), order);
}
void Simulation::advance_until(Ticket ticket) {
  impl_->advance([&] { impl_->machine.advance_until(ticket); });
}
void Simulation::advance_until_idle() {
  impl_->advance([&] { impl_->machine.advance_until_idle(); });
}
void Simulation::advance_to(uint64_t cycle) {
  impl_->advance([&] { impl_->machine.advance_to(cycle); });
}
bool Simulation::done(Ticket ticket) const { return impl_->machine.work().done(ticket); }
uint64_t Simulation::begin_of(Ticket ticket) const { return impl_->machine.work().begin_of(ticket); }
uint64_t Simulation::end_of(Ticket ticket) const { return impl_->machine.work().end_of(ticket); }
KernelResult Simulation::take_result(Ticket ticket) { return impl_->machine.take_result(ticket); }

void Simulation::flush_caches() { impl_->machine.flush_caches(); }
void Simulation::advance(uint64_t cycles) { impl_->machine.idle(cycles); }
uint64_t Simulation::now() const { return impl_->machine.now(); }
stats::Snapshot Simulation::statistics() const { return impl_->machine.statistics(); }
const GpuConfig& Simulation::config() const { return impl_->config; }

}  // namespace gpuloom::arch
