// SPDX-License-Identifier: Apache-2.0
// Hands the blocks of grids to SMs as they have room: of which grid first says gpc.grids, in which order
// gpc.order; blocks of a cluster together, to one GPC.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/host/grid.h"
#include "arch/sm/block_host.h"

namespace gpuloom::arch {

class WorkDistributor {
 public:
  WorkDistributor(const GpuConfig& config, std::vector<BlockHost*> sms);
  template <class Host>
  WorkDistributor(const GpuConfig& config, const std::vector<Host*>& sms)
      : WorkDistributor(config, std::vector<BlockHost*>(sms.begin(), sms.end())) {}

  // Begins a grid at its `begin` with the blocks that fit. Throws Error (kInput) where a block or a cluster
  // fits nowhere. A grid that is not `joined` finds the GPU empty.
  void start(Grid& grid);
  // Takes back what ended before `end` and hands out what fits instead.
  void serve(Cycle end);
  // A grid has ended: nothing of it is left.
  void forget(Grid& grid);
  // All blocks of all grids have ended.
  bool done() const;
  // No block waits for a place, and a warp of something else finds one; it does since then at the latest.
  bool has_room() const;
  Cycle last_freed() const { return static_cast<Cycle>(ends_free_); }
  Cycle mean_end() const;  // of the SMs' last blocks, an SM without one from the start
  const std::vector<Grid*>& grids() const { return grids_; }

 private:
  void check_cluster(const Grid& grid) const;
  void place(Cycle now);  // all that fits
  void order_sms(const GpuConfig& config);
  bool place_wave(Grid& grid, Cycle now);
  std::vector<BlockHost*>* home_of_cluster(const Grid& grid);
  bool place_cluster(Grid& grid, Cycle now);
  void take(Grid& grid, BlockHost& sm);
  Cycle start_time(const Grid& grid, BlockHost& sm, Cycle now);
  // Places of an SM that the grid cannot have, as if it were alone: those of its own blocks, and what others
  // leave it less.
  uint32_t taken(const Grid& grid, const BlockHost& sm) const;
  uint32_t room(const Grid& grid, const BlockHost& sm) const;

  // What blocks on an SM hold of it.
  struct Held {
    uint32_t blocks = 0, warps = 0, registers = 0, shared = 0, barriers = 0;
  };
  static void add(Held& held, const Grid& grid, int sign);

  const GpuConfig& config_;
  std::vector<BlockHost*> sms_;                              // by number
  std::vector<std::vector<BlockHost*>> groups_;              // that a cluster stays in
  std::vector<policy::SmPlace> places_;                      // by number
  std::vector<uint32_t> wave_;                               // numbers of the SMs that get a block now
  std::vector<std::unique_ptr<policy::BlockOrder>> orders_;  // that no grid uses
  std::unique_ptr<policy::GridOrder> grid_order_;
  std::vector<policy::GridPlace> choices_;
  std::vector<Grid*> grids_;  // by their time of arrival
  std::vector<Held> held_;    // by SM
  // Launches and ends come at rates that are not a whole number of cycles.
  double issue_free_ = 0, ends_free_ = 0;
  std::vector<Cycle> freed_;    // by SM: when the end of its last block was known
  std::vector<Cycle> next_;     // by SM: when it can be given its next block
  std::vector<Cycle> stagger_;  // by SM: how much later its first block comes
  struct News {
    BlockHost::BlockNews what;
    unsigned sm;
    Grid& grid() const { return *static_cast<Grid*>(what.grid); }
  };
  void take_end(const News& news);
  std::vector<News> news_;  // of blocks, in this window
};

}  // namespace gpuloom::arch
