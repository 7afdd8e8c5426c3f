// SPDX-License-Identifier: Apache-2.0
// The GPU as something that takes work while it runs: begins what may begin, takes what has ended, and lets
// the window engine run until what somebody waits for is there.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "arch/gpu/commands.h"
#include "arch/gpu/copy_engine.h"
#include "arch/gpu/families.h"
#include "arch/gpu/gpu.h"
#include "arch/gpu/memory_system.h"
#include "arch/gpu/recording.h"
#include "arch/gpu/work_queue.h"
#include "arch/host/work_distributor.h"
#include "arch/systemc/context.h"
#include "base/parallel.h"

namespace gpuloom::arch {

class Machine : private Commands {
 public:
  // Alone in a SystemC context of its own, or with others (SharedHost), told apart by `number`.
  Machine(const GpuConfig& config, const SimulationOptions& options);
  Machine(const GpuConfig& config, const SimulationOptions& options, unsigned number, PeerPort::HomeFn home);

  Ticket submit(const GridWork& work, const WorkOrder& order, const ProgressFn& progress);
  Ticket submit(CopyWork work, const WorkOrder& order);
  Ticket submit(CallWork work, const WorkOrder& order);
  void advance_until(Ticket ticket);
  void advance_until_idle();
  void advance_to(Cycle cycle);

  // One of several: whoever conducts them lets each go on in turn, as far as nothing of another can reach it.
  PeerPort& port() { return *port_; }
  void connect(std::vector<Machine*> all);
  // When it next does something; kNever: not by itself.
  Cycle next_step() const;
  // Goes on to `bound` at most, or until the ticket has ended (0: none).
  void step(Cycle bound, Ticket goal);
  // It has been waited for until then.
  void reach(Cycle cycle);
  // The first piece of work that has not ended; 0: none.
  Ticket first_open();
  double seconds(Cycle cycle) const { return static_cast<double>(cycle) / config_.clock_hz; }
  const WorkQueue& work() const { return work_; }
  void forget_all_but(const std::vector<Ticket>& asked_for) {
    if (!families_.open()) work_.forget_all_but(asked_for);
  }
  // Of a grid that has ended.
  KernelResult take_result(Ticket ticket);
  // What a grid has come to that was interrupted at `end`.
  KernelResult partial_result(Ticket ticket, Cycle end);
  Cycle now() const { return now_; }
  void idle(Cycle cycles) { now_ += cycles; }
  void flush_caches();
  stats::Snapshot statistics() { return collector_.freeze(); }

 private:
  // Commands
  Cycle next_cycle() const override;
  void send_until(Cycle cycle) override;
  bool copying() const override { return copies_.busy() || (port_ != nullptr && port_->busy()); }
  void begin_until(Cycle end) override;
  void settle(Cycle end) override;
  bool one_grid() const override;
  bool pauses() const override;

  struct Submitted {
    GridWork work;
    ProgressFn progress;
    Cycle arrival = 0;
    bool of_graph = false, first_of_graph = false, of_device = false;
    std::vector<Ticket> dependent;
  };
  struct Call {
    CallWork work;
    Cycle arrival;
  };
  struct Mode {
    bool clusters = false, one_thread = false;
    bool operator==(const Mode&) const = default;
  };
  Machine(const GpuConfig& config, const SimulationOptions& options, std::unique_ptr<sim::Context> context,
          const std::string& suffix);
  void wait_elsewhere(Ticket ticket, const WorkOrder& order);
  void tell_elsewhere(Ticket ended, Cycle at);
  void take_answer(const Asker& asker, Cycle at);
  Cycle next_window() const;
  Cycle bound() const { return port_ == nullptr ? kNever : std::min(bound_, port_->felt()); }
  bool may_run_window() const;
  void pass_between_grids(Cycle next);
  Mode needed() const;
  bool reached() const;
  void begin_work(Ticket ticket, Cycle at);
  void begin_call(Ticket ticket, const Call& call, Cycle at);
  Unit unit_of(const CopyWork& work) const;
  Cycle preparation(const CopyWork& work) const;
  Cycle stream_wait() const;  // for an event of another GPU
  void begin_grid(Ticket ticket, Cycle at);
  Cycle overhead(const Submitted& submitted, Cycle at) const;
  void begin(Grid& grid, Cycle at, Cycle overhead);
  void take_copies();
  void begin_copies_with_room();
  void tell_dependents();
  void set_dependences(Grid& grid, const Submitted& submitted);
  void release_dependents(Ticket of);
  void run_engine();
  void finish(Grid& grid);
  void end(Grid& grid, Cycle at);
  uint32_t stores_in_flight(const Grid& grid) const;
  KernelResult result(const Grid& grid);

  // Order of members is order of life: the context outlives every module.
  const GpuConfig& config_;
  SimulationOptions options_;
  std::unique_ptr<sim::Context> context_;  // null: all GPUs' together
  Gpu gpu_;
  WorkDistributor distributor_;
  MemorySystem memory_;
  ThreadPool pool_;
  std::unique_ptr<sim::WindowEngine> engine_, cluster_engine_;
  Recording recording_;
  stats::Collector collector_;

  WorkQueue work_;
  CopyEngines copies_;
  Families families_;
  std::map<Ticket, Submitted> submitted_;  // that have not begun, and copies and calls likewise
  std::map<Ticket, CopyWork> submitted_copies_;
  struct WaitingCopy {
    Ticket ticket;
    CopyWork work;
    Cycle at;
  };
  std::vector<WaitingCopy> without_room_;  // copies that find no place on the SMs
  std::map<Ticket, Call> calls_;
  std::map<Ticket, std::unique_ptr<Grid>> grids_;  // that have not ended
  std::deque<Ticket> without_place_;               // limits.grids_per_device are on the GPU
  std::map<Ticket, KernelResult> results_;         // that nobody has taken
  bool flushed_ = false;                           // and no grid has begun since
  uint64_t bases_ = 0;                             // line bases given away
  Cycle front_end_free_ = 0;                       // when it can start the next kernel
  Ticket goal_ = 0;                                // what is waited for; 0: goal_cycle_
  Cycle goal_cycle_ = 0;
  Ticket open_ = 1;  // all before it have ended
  Mode mode_;
  std::unique_ptr<PeerPort> port_;  // of several GPUs
  std::vector<Machine*> all_;
  struct Waiter {
    Machine* machine;
    Ticket ticket;
  };
  std::multimap<Ticket, Waiter> elsewhere_;  // work of other GPUs that waits for a piece of this one's
  Cycle bound_ = kNever;
  Cycle now_ = 0, settled_ = 0;  // settled_: as far as windows have run
};

}  // namespace gpuloom::arch
