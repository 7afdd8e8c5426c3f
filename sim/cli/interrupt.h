// SPDX-License-Identifier: Apache-2.0
// Why a run ends before its kernels do: Ctrl-C, SIGTERM or --max-seconds. What was measured so far stays.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace gpuloom::cli {

// Takes SIGINT and SIGTERM while it lives. The second signal ends the program at once, as without it.
class Interrupt {
 public:
  explicit Interrupt(double max_seconds);  // 0: none
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  bool asked();               // to stop; keeps its answer
  std::string words() const;  // "interrupted (Ctrl-C)", "" where nothing has stopped the run
  int exit_code() const;      // 128 + signal as shells do; 5 for the limit of time, as other limits

 private:
  using Clock = std::chrono::steady_clock;
  double max_seconds_;
  Clock::time_point begin_ = Clock::now();
  int signal_ = 0;
  bool late_ = false;
};

}  // namespace gpuloom::cli
