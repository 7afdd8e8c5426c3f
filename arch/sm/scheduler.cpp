// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/scheduler.h"

namespace gpuloom::arch {

std::unique_ptr<Scheduler> make_scheduler(SchedulerPolicy policy) {
  switch (policy) {
    case SchedulerPolicy::kGreedyThenOldest:
      return make_greedy_then_oldest();
    case SchedulerPolicy::kLooseRoundRobin:
      return make_loose_round_robin();
    case SchedulerPolicy::kGreedyThenYoungest:
      break;
  }
  return make_greedy_then_youngest();
}

}  // namespace gpuloom::arch
