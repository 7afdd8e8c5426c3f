// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/machine.h"

#include <algorithm>

#include "arch/gpu/grid_result.h"
#include "base/error.h"
#include "ptx/exec/fault.h"

namespace gpuloom::arch {
namespace {
// Lines of a grid's code and constants are told from another's by this: beyond any of their numbers, and a
// multiple of what caches have of sets.
constexpr uint64_t kLineBase = uint64_t{1} << 40;
}  // namespace

Machine::Machine(const GpuConfig& config, const SimulationOptions& options)
    : Machine(config, options, std::make_unique<sim::Context>(), "") {}

Machine::Machine(const GpuConfig& config, const SimulationOptions& options, unsigned number,
                 PeerPort::HomeFn home)
    : Machine(config, options, nullptr, std::to_string(number)) {
  port_ = std::make_unique<PeerPort>(config, *gpu_.crossbar, number, std::move(home),
                                     [this](const Asker& asker, Cycle at) { take_answer(asker, at); });
  copies_.connect(port_.get());
  memory_.connect(port_.get());
}

Machine::Machine(const GpuConfig& config, const SimulationOptions& options,
                 std::unique_ptr<sim::Context> context, const std::string& suffix)
    : config_(config),
      options_(options),
      context_(std::move(context)),
      gpu_(("gpu" + suffix).c_str(), config),
      distributor_(config, gpu_.sms),
      memory_(config, gpu_, distributor_),
      pool_(options.host_threads),
      recording_(config, gpu_, options_),
      work_(static_cast<Cycle>(config.host.switch_ns * 1e-9 * config.clock_hz),
            static_cast<Cycle>(config.link.switch_ns * 1e-9 * config.clock_hz),
            static_cast<Cycle>(config.host.copy_seen_ns * 1e-9 * config.clock_hz)),
      copies_(config, *gpu_.crossbar),
      families_(
          [this](Ticket ticket, Cycle at) {
            work_.ended(ticket, at);
            release_dependents(ticket);
            tell_elsewhere(ticket, at);
          },
          [this](Ticket ticket, Cycle at) { work_.release(ticket, at + config_.launch.tail_cycles); }) {
  memory_.set_commands(this);
  // Both engines exist from the start: SystemC makes no process after elaboration.
  // What samples counters over time needs all SMs at one time.
  const bool sampled = options.trace.timeline || !options.trace.vcd.empty();
  const auto engine_config = [&](bool clusters) {
    return sim::WindowEngineConfig{config.clock_hz, config.window_cycles(clusters || sampled),
                                   sampled ? 0 : options.run_ahead, !clusters && !sampled};
  };
  std::vector<sim::WindowUnit*> sms(gpu_.sms.begin(), gpu_.sms.end()), gpcs;
  for (auto& gpc : gpu_.gpcs) gpcs.push_back(gpc.get());
  engine_ = std::make_unique<sim::WindowEngine>(("engine" + suffix).c_str(), engine_config(false), sms,
                                                &memory_, &pool_);
  cluster_engine_ = std::make_unique<sim::WindowEngine>(("cluster_engine" + suffix).c_str(),
                                                        engine_config(true), gpcs, &memory_, &pool_);
  gpu_.add_stats(collector_);
  memory_.sample_into(recording_.sampler());
}

// ---------------------------------------------------------------- submitting

Ticket Machine::submit(const GridWork& work, const WorkOrder& order, const ProgressFn& progress) {
  const Ticket ticket = work_.add(order, std::max(order.arrival, now_), Unit::kCompute);
  submitted_[ticket] = {work,
                        progress,
                        std::max(order.arrival, now_),
                        order.of_graph,
                        order.first_of_graph,
                        order.parent != 0,
                        order.dependent};
  families_.add(ticket, order);
  wait_elsewhere(ticket, order);
  return ticket;
}

Ticket Machine::submit(CopyWork work, const WorkOrder& order) {
  if (work.bytes == 0)
    return submit(CallWork{[carry_out = std::move(work.carry_out)](Cycle) {
                    if (carry_out) carry_out();
                  }},
                  order);
  const Ticket ticket =
      work_.add_prepared(order, std::max(order.arrival, now_), unit_of(work), preparation(work));
  if (work.way == CopyWay::kPush && work.staged) work_.heard_late(ticket, stream_wait());
  submitted_copies_[ticket] = std::move(work);
  families_.add(ticket, order);
  wait_elsewhere(ticket, order);
  return ticket;
}

Ticket Machine::submit(CallWork work, const WorkOrder& order) {
  const Ticket ticket = work_.add_call(order, std::max(order.arrival, now_), work.waits);
  calls_[ticket] = {std::move(work), std::max(order.arrival, now_)};
  families_.add(ticket, order);
  wait_elsewhere(ticket, order);
  return ticket;
}

// Copies within the device and fills are kernels' work, and few bytes come to the device with the command
// (H200: probes/timeline, bandwidth).
Unit Machine::unit_of(const CopyWork& work) const {
  if (work.way == CopyWay::kFromDevice) return Unit::kFromDevice;
  if (work.way == CopyWay::kPush || work.way == CopyWay::kPull) return Unit::kPeer;
  if (work.way != CopyWay::kToDevice) return Unit::kCompute;
  const HostConfig& h = config_.host;
  return work.bytes <= (work.pageable ? h.pageable_inline : h.inline_bytes) ? Unit::kAny : Unit::kToDevice;
}

// ---------------------------------------------------------------- beginning

void Machine::begin_until(Cycle end) {
  take_copies();
  tell_dependents();
  Cycle at = 0;
  while (const Ticket ticket = work_.next(end, at)) {
    work_.begun(ticket, at);
    begin_work(ticket, at);
  }
}

void Machine::begin_work(Ticket ticket, Cycle at) {
  if (auto copy = submitted_copies_.extract(ticket)) {
    if (copies_.needs_sms(copy.mapped()) && !distributor_.has_room())
      without_room_.push_back({ticket, std::move(copy.mapped()), at});
    else
      copies_.submit(ticket, std::move(copy.mapped()), at);
  } else if (const auto call = calls_.extract(ticket)) {
    begin_call(ticket, call.mapped(), at);
  } else if (distributor_.grids().size() < config_.sm.limits.grids_per_device) {
    begin_grid(ticket, at);
  } else {
    without_place_.push_back(ticket);
  }
}

void Machine::begin_copies_with_room() {
  if (without_room_.empty() || !distributor_.has_room()) return;
  for (WaitingCopy& w : without_room_)
    copies_.submit(w.ticket, std::move(w.work), std::max(w.at, distributor_.last_freed()));
  without_room_.clear();
}

void Machine::begin_call(Ticket ticket, const Call& call, Cycle at) {
  const bool held = call.work.waits && at > call.arrival;
  const Cycle begin = held ? std::max(at, front_end_free_) : at;
  if (held) front_end_free_ = begin + call.work.cycles;
  if (call.work.call) call.work.call(begin);
  families_.done(ticket, begin + (held || !call.work.waits ? call.work.cycles : 0));
}

void Machine::take_copies() {
  for (const CopyEngines::Ended& copy : copies_.take_ended()) {
    work_.served_from(copy.ticket, copy.begin);
    families_.done(copy.ticket, copy.end);
    if (copy.tell) copy.tell(copy.begin, copy.end);
  }
}

void Machine::begin_grid(Ticket ticket, Cycle at) {
  const auto submitted = submitted_.extract(ticket);
  const GridWork& work = submitted.mapped().work;
  auto grid = std::make_unique<Grid>(config_.sm, *work.launch, *work.program);
  grid->needs = resources_of(*work.launch, *work.program);
  grid->needs.carveout_percent = work.limits.carveout_percent;
  grid->fits = occupancy(config_, grid->needs);
  grid->carveout = launch_carveout(config_, grid->needs, grid->fits);
  grid->limits = work.limits;
  grid->window = work.limits.window;
  grid->priority = work.priority;
  grid->progress = submitted.mapped().progress;
  grid->ended_with = work.ended;
  grid->ticket = ticket;
  set_dependences(*grid, submitted.mapped());
  Grid& begun = *grid;
  grids_[ticket] = std::move(grid);
  // The front end starts one kernel after another (H200, probes/launches: a graph of 100 that depend on
  // nothing).
  // One that finds the GPU empty finds it free: a run of its own is as if nothing had been before.
  const Cycle slot = distributor_.grids().empty() ? at : std::max(at, front_end_free_);
  front_end_free_ = slot + config_.launch.interval_cycles;
  if (slot != at) work_.served_from(ticket, slot);
  begin(begun, slot, overhead(submitted.mapped(), slot));
}

// What a launch needs is made ready from its arrival on; some of it cannot begin before what it comes after
// has ended.
Cycle Machine::overhead(const Submitted& submitted, Cycle at) const {
  const LaunchConfig& l = config_.launch;
  if (submitted.of_device) return std::min(l.child_overhead_cycles, l.overhead_cycles);
  const Cycle floor = !submitted.dependent.empty() ? (submitted.of_graph ? l.graph_dependent_overhead_cycles
                                                                         : l.dependent_overhead_cycles)
                      : submitted.of_graph && !submitted.first_of_graph ? l.graph_overhead_cycles
                                                                        : l.queued_overhead_cycles;
  const Cycle left = l.overhead_cycles - std::min<Cycle>(l.overhead_cycles, at - submitted.arrival);
  return std::max(left, std::min<Cycle>(floor, l.overhead_cycles));
}

// ---------------------------------------------------------------- programmatic dependent launch

void Machine::tell_dependents() {
  for (Grid* g : distributor_.grids()) {
    if (g->dependents_told || g->lets_dependents == kNever) continue;
    g->dependents_told = true;
    work_.lets_dependents(g->ticket, g->lets_dependents);
  }
}

// It ends after those that it depends on, whether it waits for them or not: what follows in its stream comes
// after both.
void Machine::set_dependences(Grid& grid, const Submitted& submitted) {
  grid.of_graph = submitted.of_graph;
  for (const Ticket t : submitted.dependent) {
    if (!work_.done(t)) grid.depends_on.push_back(t);
    grid.depended_until = std::max(grid.depended_until, work_.end_of(t));  // kNever: not known
  }
}

// Those that ended before are known to have, so this is the last of them.
void Machine::release_dependents(Ticket of) {
  for (Grid* g : distributor_.grids()) {
    if (std::erase(g->depends_on, of) == 0 || !g->depends_on.empty()) continue;
    const LaunchConfig& l = config_.launch;
    g->depended_until = work_.end_of(of) + (g->of_graph ? l.graph_wait_cycles : l.dependent_wait_cycles);
    for (Sm* sm : gpu_.sms) sm->tell_grids_ended(*g, std::max(g->depended_until, settled_));
  }
}

void Machine::begin(Grid& grid, Cycle at, Cycle overhead) {
  grid.start = at;
  grid.begin = at + overhead;
  grid.joined = !distributor_.grids().empty();
  grid.flushed = std::exchange(flushed_, false);
  if (options_.per_instruction)
    grid.tables.assign(pool_.threads(), std::vector<InstructionCounts>(grid.kernel.program->code.size()));
  if (grid.joined) {
    grid.line_base = ++bases_ * kLineBase;
    for (Grid* other : distributor_.grids()) {
      other->shared_with.push_back(grid.ticket);
      grid.shared_with.push_back(other->ticket);
    }
    for (Sm* sm : gpu_.sms) sm->settle_accounts(settled_);
  } else {
    bases_ = 0;
    pool_.for_each_index(gpu_.sms.size(), [&](size_t i) {
      Sm& sm = *gpu_.sms[i];
      sm.start_alone(grid);
      Recording::start(sm, at);
    });
    recording_.start(at);
  }
  grid.before = collector_.freeze();
  grid.windows = engine_->windows() + cluster_engine_->windows();
  distributor_.start(grid);
  memory_.start(grid);
}

// ---------------------------------------------------------------- time

bool Machine::reached() const {
  return goal_ != 0 ? work_.done(goal_) : std::max(now_, settled_) >= goal_cycle_;
}

Machine::Mode Machine::needed() const {
  Mode m;
  for (const Grid* g : distributor_.grids()) {
    m.clusters |= g->cluster_blocks > 1;
    m.one_thread |= g->limits.one_thread;
  }
  return m;
}

// Beside other GPUs something of theirs may come.
bool Machine::one_grid() const {
  return port_ == nullptr && goal_ != 0 && work_.running() == 1 && work_.next_cycle() == kNever &&
         !work_.dependents_wait() &&
         std::none_of(distributor_.grids().begin(), distributor_.grids().end(),
                      [](const Grid* g) { return g->limits.launches; });
}

bool Machine::pauses() const {
  return reached() || distributor_.grids().empty() || needed() != mode_ || !may_run_window();
}

void Machine::run_engine() {
  mode_ = needed();
  sim::WindowEngine& engine = mode_.clusters ? *cluster_engine_ : *engine_;
  // An empty GPU has nothing to do before the first block.
  if (one_grid() && work_.begin_of(distributor_.grids()[0]->ticket) >= settled_)
    engine.skip_to(distributor_.grids()[0]->begin);
  engine.skip_to(std::max(now_, settled_));
  engine.run(mode_.one_thread);
}

// Between grids nothing runs: time goes on where the next piece of work may begin.
void Machine::advance_until(Ticket ticket) {
  goal_ = ticket;
  while (!reached()) {
    if (!distributor_.grids().empty()) {
      run_engine();
      continue;
    }
    const Cycle next = next_cycle();
    if (next == kNever || (goal_ == 0 && next >= goal_cycle_)) break;
    pass_between_grids(next);
  }
  if (goal_ != 0 && !work_.done(goal_))
    throw Error(ErrorKind::kInternal, "work " + std::to_string(goal_) + " waits for work that never ends");
  if (goal_ != 0) now_ = std::max(now_, work_.end_of(goal_));
  if (goal_ == 0) now_ = std::max(now_, goal_cycle_);
  if (work_.running() == 0) now_ = std::max(now_, settled_);
}

// Copies alone need no windows: they go on until the next piece of work may begin.
void Machine::pass_between_grids(Cycle next) {
  const Cycle most = next + (copying() ? config_.window_cycles(false) : 1);
  const Cycle end = std::max(std::min({most, work_.next_cycle(), bound()}), next + 1);
  send_until(end);
  begin_until(end);
}

void Machine::advance_until_idle() {
  for (; open_ <= work_.last(); ++open_)
    if (!work_.done(open_)) advance_until(open_);
}

void Machine::advance_to(Cycle cycle) {
  goal_cycle_ = cycle;
  advance_until(0);
}

void Machine::flush_caches() {
  for (auto& slice : gpu_.slices) slice->flush(now_);
  for (auto& channel : gpu_.channels) channel->close_rows();
  flushed_ = true;
}

}  // namespace gpuloom::arch
