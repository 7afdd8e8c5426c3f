// SPDX-License-Identifier: Apache-2.0
// A small GPU's configuration, and neighbours of known time for units of the memory system that are tested
// alone.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/systemc/context.h"
#include "arch/systemc/memory_socket.h"
#include "arch/systemc/module.h"
#include "arch/systemc/window_engine.h"
#include "base/config/config.h"
#include "base/parallel.h"

namespace gpuloom::arch {

inline GpuConfig tiny() {
  const Config config = Config::load("test/tiny");
  GpuConfig gpu = load_gpu_config(config.root());
  config.check();
  return gpu;
}

// A memory that takes 500 cycles.
struct SlowMemory : sim::MemoryTarget {
  explicit SlowMemory(const sim::ModuleName& name) : MemoryTarget(name, 1e9) {}
  std::vector<sim::MemoryRequest> seen;
  void access(sim::MemoryRequest& r) override {
    seen.push_back(r);
    r.time += 500;
  }
};

// Whoever asks.
struct Source : sim::Module {
  sim::MemoryInitiator out;
  Source(const sim::ModuleName& name, double hz) : Module(name), out("out", hz) {}
};

// Runs `action` once SystemC has elaborated.
struct Once : sim::WindowService {
  std::function<void()> action;
  bool done = false;
  sim::Cycle next_cycle() const override { return 0; }
  void serve(sim::Cycle) override {
    action();
    done = true;
  }
  bool finished() const override { return done; }
  void stuck(sim::Cycle) override {}
};

inline void once(std::function<void()> action) {
  Once service;
  service.action = std::move(action);
  ThreadPool alone(1);
  sim::WindowEngine engine("engine", {1e9, 1}, {}, &service, &alone);
  engine.run();
}

inline sim::MemoryRequest read(uint64_t line, uint8_t sectors, Cycle at) {
  sim::MemoryRequest r;
  r.line = line;
  r.sectors = sectors;
  r.time = at;
  return r;
}

}  // namespace gpuloom::arch
