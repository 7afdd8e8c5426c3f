// SPDX-License-Identifier: Apache-2.0
// Hands the blocks of a grid to SMs as they have room, in the order that gpc.order says; blocks of a cluster
// together, to one GPC.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arch/gpc/occupancy.h"
#include "arch/gpu_config.h"
#include "arch/sm/sm.h"

namespace gpuloom::arch {

class WorkDistributor {
 public:
  WorkDistributor(const GpuConfig& config, std::vector<Sm*> sms);

  // Begins a grid at `now` with the blocks that fit. Throws Error (kInput) where a block or a cluster fits
  // nowhere.
  void start(ptx::Launch& launch, const Occupancy& occupancy, Cycle now);
  // Takes back what ended before `end` and hands out what fits instead.
  void serve(Cycle end);
  bool done() const { return finished_ == total_; }
  uint64_t finished() const { return finished_; }
  uint64_t total() const { return total_; }
  Cycle last_end() const { return last_end_; }

 private:
  void check_cluster() const;
  void place(Cycle now);  // all that fits
  void order_sms(const GpuConfig& config);
  bool place_wave(Cycle now);
  std::vector<Sm*>* home_of_cluster();
  bool place_cluster(Cycle now);
  Cycle start_time(Sm& sm, Cycle now);
  // Places of an SM that are taken as far as the distributor knows.
  unsigned blocks(const Sm& sm) const { return sm.blocks() + ending_[sm.id()]; }

  const GpuConfig& config_;
  std::vector<Sm*> sms_;  // by number
  std::vector<std::vector<Sm*>> gpcs_;
  std::vector<std::vector<Sm*>> groups_;  // that a cluster stays in
  std::vector<policy::SmPlace> places_;   // by number
  std::vector<uint32_t> wave_;            // numbers of the SMs that get a block now
  std::unique_ptr<policy::BlockOrder> order_;
  ptx::Launch* launch_ = nullptr;
  uint32_t per_sm_ = 0, cluster_blocks_ = 1;
  uint64_t next_block_ = 0, total_ = 0, finished_ = 0;
  // Launches and ends come at rates that are no whole number of cycles.
  double issue_free_ = 0, ends_free_ = 0;
  Cycle last_end_ = 0, interval_ = 0;
  std::vector<Cycle> freed_;                      // by SM: when the end of its last block was known
  std::vector<Cycle> next_;                       // by SM: when it can be given its next block
  std::vector<std::pair<Cycle, unsigned>> ends_;  // of blocks, in this window: when, in which SM
  std::vector<unsigned> ending_;                  // by SM: those of them whose turn has not come
};

}  // namespace gpuloom::arch
