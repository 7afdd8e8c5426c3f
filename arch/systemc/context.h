// SPDX-License-Identifier: Apache-2.0
// One SystemC context a simulation, so that many simulations can run in a process one after another.
#pragma once
#include <cstdint>

namespace sc_core {
class sc_simcontext;
}

namespace gpuloom::sim {

// Makes a fresh SystemC context current and, at its end, deletes it. Construct it before the first module of
// a simulation and destroy it after the last. Only one may be alive in a process: SystemC's current context
// is a global (anchor: one kernel, many runs). Throws Error (kInternal) if another one is alive.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  sc_core::sc_simcontext* context_ = nullptr;
};

// Runs the current context until nothing is left to do, or until somebody pauses it.
void run_context();
// Simulated time of the current context in femtoseconds, the resolution of every context.
uint64_t context_time_fs();

}  // namespace gpuloom::sim
