// SPDX-License-Identifier: Apache-2.0
// One host thread's part of a functional launch: blocks (or clusters) that it has begun, and their turns.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "ptx/exec/functional.h"

namespace gpuloom::ptx {

// What the host threads of a launch share. A group is what must run together: a cluster, or one block.
class GridWork {
 public:
  GridWork(Launch& launch, const FunctionalOptions& options);

  // The next group that nobody has begun; false: there is none.
  bool take(uint64_t& group);
  bool all_taken() const { return next_.load(std::memory_order_relaxed) >= end(); }
  uint64_t left() const;
  // Whether blocks may run in any order. Asked for once, when it matters.
  bool independent();
  // The group has come to a fault. Of several the first group's counts, as if they ran one after another;
  // later ones are of no interest any more.
  void failed(uint64_t group, std::exception_ptr error);
  void rethrow() const;  // what failed() has been given, if anything
  // Whether to leave a group alone, which has executed so much.
  bool abandoned(uint64_t group, uint64_t executed) const;
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  Launch& launch;
  const FunctionalOptions& options;
  const uint32_t cluster_size;
  const uint64_t groups;
  std::atomic<uint64_t> executed{0}, blocks_done{0};

 private:
  uint64_t end() const { return end_.load(std::memory_order_relaxed); }

  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> end_;  // groups from here on do not count
  std::atomic<bool> stopped_{false};
  std::mutex lock_;
  std::exception_ptr error_;  // of group end_
  enum class Answer : uint8_t { kNotAsked, kNo, kYes } independent_ = Answer::kNotAsked;
};

// Thrown where FunctionalOptions::progress has answered false.
struct Interrupted {};

class GroupRunner {
 public:
  // `reports`: asks FunctionalOptions::progress, on the launch's own thread.
  GroupRunner(GridWork& work, bool reports);
  GroupRunner(const GroupRunner&) = delete;
  GroupRunner& operator=(const GroupRunner&) = delete;
  ~GroupRunner();

  // Runs groups until none is left: true; or, after so many instructions, pauses with some left: false.
  bool run(uint64_t pause_after = UINT64_MAX);
  // From now on others take groups too, so many threads in all.
  void share_with(unsigned threads) { threads_ = threads; }
  void report();
  FunctionalResult result();

 private:
  struct Group;

  bool room() const;
  void admit_more();
  bool admit();
  void retire(Group& group);
  std::unique_ptr<Cta> used_block();
  void turn(Group& group);
  void run_group(Group& group);
  void run_round(Group& group, uint64_t slice, bool& runnable, bool& all_poll);
  void run_slice(Warp& w, uint64_t slice);
  void wake_suspended(Group& group);
  void unblock(Group& group);
  [[noreturn]] void deadlock(const Group& group) const;
  std::string somebody_running() const;
  void after_progress();
  uint64_t block_of(uint64_t group, uint32_t rank) const;

  GridWork& work_;
  FunctionalResult result_;
  std::vector<std::unique_ptr<Group>> resident_;
  std::vector<std::unique_ptr<Cta>> used_;  // blocks that have ended: the next ones take their memory
  bool reports_;
  unsigned threads_ = 1, turns_ = 0;
  uint64_t group_bytes_ = 0;
  uint64_t executed_ = 0, next_report_;
};

}  // namespace gpuloom::ptx
