// SPDX-License-Identifier: Apache-2.0
// How a grid ends: when memory has what it wrote, what its end costs, and what is told of it.
#include <algorithm>

#include "arch/gpu/grid_result.h"
#include "arch/gpu/machine.h"
#include "base/error.h"

namespace gpuloom::arch {

uint32_t Machine::stores_in_flight(const Grid& grid) const {
  uint32_t sum = 0;
  for (const Sm* sm : gpu_.sms)
    if (const ResidentGrid* here = sm->find(grid)) sum += here->stores_in_flight;
  return sum;
}

// All blocks have ended, and memory has taken all they wrote: a warp may end before its stores arrive.
void Machine::settle(Cycle end) {
  settled_ = end;
  for (size_t i = 0; i < distributor_.grids().size();) {
    Grid& grid = *distributor_.grids()[i];
    if (grid.ended() && grid.depends_on.empty() && stores_in_flight(grid) == 0)
      finish(grid);
    else
      ++i;
  }
  begin_copies_with_room();
}

void Machine::finish(Grid& grid) {
  Cycle end = grid.last_end, stored = 0;
  bool used_memory = false;
  for (const Sm* sm : gpu_.sms)
    if (const ResidentGrid* here = sm->find(grid)) {
      stored = std::max(stored, here->last_store_answer);
      used_memory |= here->used_memory;
    }
  if (used_memory) end += config_.launch.flush_cycles;
  if (stored != 0) end = std::max(end, stored + config_.launch.release_cycles);
  end = std::max(end, grid.depended_until);
  end += config_.launch.drain_cycles;
  const Ticket ticket = grid.ticket;
  this->end(grid, end);
  KernelResult ended = result(grid);
  distributor_.forget(grid);
  memory_.ended();
  for (Sm* sm : gpu_.sms) sm->forget(grid);
  const auto ended_with = std::move(grid.ended_with);
  families_.done(ticket, end);
  grids_.erase(ticket);
  if (ended_with)
    ended_with(std::move(ended));
  else
    results_[ticket] = std::move(ended);
  if (without_place_.empty()) return;
  const Ticket next = without_place_.front();
  without_place_.pop_front();
  work_.served_from(next, std::max(end, work_.begin_of(next)));
  begin_grid(next, work_.begin_of(next));
}

void Machine::end(Grid& grid, Cycle at) {
  grid.end = at;
  // Beside others the SMs stand where the window has ended.
  const Cycle stand = grid.lone() ? at : std::min(at, settled_);
  recording_.pass(stand);
  for (Sm* sm : gpu_.sms) sm->settle_accounts(stand);
}

KernelResult Machine::result(const Grid& grid) {
  KernelResult result;
  result.kernel = grid.name();
  result.start_cycle = grid.start;
  result.clock_hz = config_.clock_hz;
  result.cycles = grid.end - grid.start;
  if (config_.sm.ideal.tail && grid.ended() && grid.lone())
    result.cycles -= grid.last_end - distributor_.mean_end();
  result.windows = engine_->windows() + cluster_engine_->windows() - grid.windows;
  for (const Sm* sm : gpu_.sms) result.warp_instructions += sm->warp_instructions(grid);
  result.statistics = collector_.freeze().since(grid.before);
  result.instructions = instruction_counts(grid);
  result.launch = launch_facts(config_, grid);
  result.async = async_counts(gpu_.sms, grid);
  result.shared_with = grid.shared_with;
  if (grid.lone()) recording_.add_to(result, grid.kernel, grid.end);
  return result;
}

KernelResult Machine::take_result(Ticket ticket) {
  auto taken = results_.extract(ticket);
  if (taken.empty()) throw Error(ErrorKind::kInternal, "no result of work " + std::to_string(ticket));
  return std::move(taken.mapped());
}

KernelResult Machine::partial_result(Ticket ticket, Cycle at) {
  Grid& grid = *grids_.at(ticket);
  end(grid, at);
  KernelResult partial = result(grid);
  partial.complete = false;
  return partial;
}

}  // namespace gpuloom::arch
