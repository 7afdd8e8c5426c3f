// SPDX-License-Identifier: Apache-2.0
#include "arch/systemc/context.h"

#include <atomic>
#include <systemc>

#include "base/error.h"

// What follows is knowledge of the implementation, not of IEEE 1666: look again before accepting another
// version.
static_assert(SC_VERSION_MAJOR == 2 && SC_VERSION_MINOR == 3,
              "check context.cpp against this SystemC version");

// The shared library refers to this symbol even where nobody calls it.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char*[]) { return 0; }

namespace gpuloom::sim {
namespace {

std::atomic<bool> alive{false};

// The first context of a process is never deleted: static events of the library belong to it. It is made once
// and put aside.
sc_core::sc_simcontext* parked_context() {
  static sc_core::sc_simcontext* const parked = sc_core::sc_get_curr_simcontext();
  return parked;
}

}  // namespace

Context::Context() {
  if (alive.exchange(true))
    throw Error(ErrorKind::kInternal, "a simulation is already alive in this process", {},
                "destroy it first, or use processes for simulations side by side");
  parked_context();
  // SC_FATAL aborts by default; an exception reaches the caller instead. The same for errors, without text on
  // stdout.
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  context_ = new sc_core::sc_simcontext();
  sc_core::sc_curr_simcontext = context_;
  sc_core::sc_set_time_resolution(
      1, sc_core::SC_FS);  // 1.98 GHz is not a whole number of picoseconds; per context, before any time
}

Context::~Context() {
  delete context_;
  sc_core::sc_curr_simcontext = parked_context();
  sc_core::sc_report_handler::release();
  alive = false;
}

void run_context() { sc_core::sc_start(); }

uint64_t context_time_fs() { return sc_core::sc_time_stamp().value(); }

}  // namespace gpuloom::sim
