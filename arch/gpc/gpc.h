// SPDX-License-Identifier: Apache-2.0
// A graphics processing cluster: its SMs. SMs run their windows independently, except where blocks of a
// cluster reach into each other's shared memory: then the SMs of a GPC run one after another, in one order,
// on one thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "arch/sm/sm.h"
#include "arch/systemc/module.h"

namespace gpuloom::arch {

// An SM's place in SystemC's module tree; the SM itself does not know SystemC.
class SmModule : public sim::Module {
 public:
  SmModule(const sim::ModuleName& name, const GpuConfig& config, unsigned id, unsigned gpc)
      : Module(name), sm(config.sm, config.noc, id, gpc, config.clock_hz) {}
  Sm sm;
};

class Gpc : public sim::Module, public sim::WindowUnit {
 public:
  Gpc(const sim::ModuleName& name, const GpuConfig& config, unsigned index, unsigned first_sm)
      : Module(name) {
    for (unsigned i = 0; i < config.gpc.sms[index]; ++i)
      modules_.push_back(std::make_unique<SmModule>(("sm" + std::to_string(first_sm + i)).c_str(), config,
                                                    first_sm + i, index));
    for (unsigned i = 0; i < size(); ++i) sm(i).set_place(i, size(), config.gpc.sm_count());
  }
  unsigned size() const { return static_cast<unsigned>(modules_.size()); }
  Sm& sm(unsigned i) { return modules_[i]->sm; }

  // Cluster launches: the GPC as one unit of the window engine.
  sim::Cycle next_cycle() const override {
    sim::Cycle next = sim::kNever;
    for (const auto& m : modules_) next = std::min(next, m->sm.next_cycle());
    return next;
  }
  void run_window(const sim::Window& w) override {
    for (auto& m : modules_)
      if (m->sm.next_cycle() < w.end) m->sm.run_window({w.begin, w.end, w.end, w.thread});
  }

 private:
  std::vector<std::unique_ptr<SmModule>> modules_;
};

}  // namespace gpuloom::arch
