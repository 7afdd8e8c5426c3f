// SPDX-License-Identifier: Apache-2.0
// What happens between windows: everything that SMs sent is served in (cycle, SM, order) order, answers
// become events of the SMs, and the work distributor hands out blocks.
#pragma once
#include <chrono>
#include <functional>
#include <vector>

#include "arch/gpu/commands.h"
#include "arch/gpu/counter_sampler.h"
#include "arch/gpu/gpu.h"
#include "arch/gpu/peer_port.h"
#include "arch/host/work_distributor.h"
#include "arch/simulation.h"
#include "arch/systemc/window_engine.h"

namespace gpuloom::arch {

class MemorySystem : public sim::WindowService {
 public:
  MemorySystem(const GpuConfig& config, Gpu& gpu, WorkDistributor& distributor);
  void set_commands(Commands* commands) { commands_ = commands; }
  // What is of another GPU's memory goes through it.
  void connect(PeerPort* port) { port_ = port; }
  // A grid of the distributor's begins; its code is read into the GPCs' caches.
  void start(const Grid& grid);
  void ended();                                                      // one has ended
  void sample_into(CounterSampler* sampler) { sampler_ = sampler; }  // null: no samples

  sim::Cycle next_cycle() const override;
  sim::Cycle gather(sim::Cycle begin, sim::Cycle end) override;
  void serve(sim::Cycle end) override;
  void serve_overlapped(sim::Cycle end, const std::function<void(size_t)>& release) override;
  bool gather_first(sim::Cycle begin, sim::Cycle middle) override;
  void serve_first(sim::Cycle end) override;
  void settle(sim::Cycle end) override;
  bool finished() const override { return commands_->pauses(); }
  bool may_run_ahead() const override { return commands_->one_grid(); }
  void stuck(sim::Cycle now) override;

 private:
  struct Reference {
    uint16_t sm;
    uint32_t index;
  };
  OutMessage& message(const Reference& r) { return boxes_[r.sm][r.index]; }
  void collect(Cycle begin, Cycle end, std::vector<OutMessage> Sm::*box);
  void prefetch(const Reference& r);
  void serve_next(size_t i, Cycle end);
  void serve_with_copies(Cycle end);
  void forget_served(Sm& sm);
  void serve_one(OutMessage& message, unsigned sm, sim::Cycle end);
  void send_away(const OutMessage& message, unsigned sm, sim::Cycle end);
  void set_window(const sim::PolicyWindow& window);
  static void classify(sim::MemoryRequest& request, const sim::PolicyWindow& window);
  void read_code(const Grid& grid);
  void look_at_grids();
  bool overlaps() const;
  void check_limit(const Grid& grid, Cycle now) const;
  void report(Cycle now);

  CounterSampler* sampler_ = nullptr;
  const GpuConfig& config_;
  Gpu& gpu_;
  WorkDistributor& distributor_;
  Cycle round_trip_;  // least time from what an SM sends to what it hears of it
  Commands* commands_ = nullptr;
  PeerPort* port_ = nullptr;                 // of several GPUs
  bool clusters_ = false, windows_ = false;  // some grid has
  std::chrono::steady_clock::time_point reported_;
  Cycle held_ = sim::kNever;  // earliest message that is left for a later window
  unsigned rescues_ = 0;
  std::vector<OutMessage*> boxes_;  // by SM: where its messages of the window stand
  std::vector<std::vector<Reference>> by_cycle_;
  std::vector<Reference> in_order_;       // of the window that is being served
  std::vector<uint32_t> waiting_, left_;  // messages of it, by SM; those not served yet
  bool applies_ = false;                  // some of it changes memory when it is served
  size_t early_ = 0;                      // messages that serve_first() has taken, and the first one's cycle
  Cycle early_first_ = 0;
};

}  // namespace gpuloom::arch
