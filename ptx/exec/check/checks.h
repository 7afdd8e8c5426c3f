// SPDX-License-Identifier: Apache-2.0
// `--check`: an observer of a running program that finds reads of memory that nobody has written, and data
// races in shared memory. Launch::checks points to it; without one nothing is observed and nothing is slower:
// instructions that access memory are observed through wrappers in a copy of the code, rarer events through
// calls at their places.
//
// One host thread at a time: engines that run warps on several threads must use one.
#pragma once
#include <vector>

#include "ptx/exec/check/findings.h"
#include "ptx/exec/check/init_check.h"
#include "ptx/exec/cta.h"

namespace gpuloom::ptx {

struct CheckOptions {
  bool init = false;   // reads of shared, local and global memory that nobody has written
  bool races = false;  // data races in shared memory
  bool any() const { return init || races; }
};

struct MbarrierPlace;

class Checks {
 public:
  explicit Checks(const CheckOptions& options);
  ~Checks();
  const CheckOptions& options() const { return options_; }
  // Before a launch of `program`, which has to live until the next one.
  void begin(const Program& program);
  const Instr* code() const { return code_.data(); }
  void block_started(Cta& cta);

  const std::vector<Finding>& findings() const { return findings_.all(); }
  InitMap& global() { return init_.global(); }

  // Accesses. `accessed`: what Warp::access says. `touched`: bytes at an address of one lane.
  void accessed(Warp& w, const Instr& in);
  void touched(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address, uint64_t bytes,
               bool write, bool collective = false);
  void issued(Warp& w, const Instr& in, const AsyncOperation& operation);
  void committed(Warp& w, const Instr& in, uint32_t lanes);
  void waited(Warp& w, const Instr& in, uint32_t lanes);
  void local_entered(Warp& w, uint32_t lanes, uint32_t begin, uint32_t bytes);
  void local_written(Warp& w, unsigned lane, uint32_t begin, uint32_t bytes);

  // What orders accesses.
  void warp_synchronised(Warp& w, uint32_t lanes);
  void warps_met(const std::vector<Warp*>& warps);  // of a warpgroup, at a product
  void barrier_arrived(Warp& w, uint32_t lanes, unsigned barrier);
  void barrier_released(const Cta& cta, unsigned barrier, const std::vector<BarrierWaiter>& waiters);
  void cluster_arrived(Warp& w, uint32_t lanes);
  void cluster_waits(Warp& w, uint32_t lanes, bool complete);
  void cluster_released(Cluster& cluster);
  void mbarrier_initialised(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m);
  void mbarrier_used(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m);
  void mbarrier_arrived(Warp& w, unsigned lane, const MbarrierPlace& m);
  void mbarrier_phase(const MbarrierPlace& m);
  void mbarrier_waited(Warp& w, unsigned lane, const MbarrierPlace& m);
  void fenced(Warp& w, uint32_t lanes);
  // A plain store to shared memory is about to be repeated lane by lane: do its lanes agree?
  void compare_lanes(Warp& w, const Instr& in, LaneFn store);

 private:
  void race(Warp& w, const Instr& in, bool write, uint8_t flags);
  void strong(Warp& w, uint32_t lanes);

  CheckOptions options_;
  Findings findings_;
  InitCheck init_{findings_};
  std::vector<Instr> code_;
};

}  // namespace gpuloom::ptx
