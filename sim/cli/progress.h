// SPDX-License-Identifier: Apache-2.0
// How far a run is, on stderr: a line that rewrites itself on a terminal, one line every few seconds
// elsewhere.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "sim/runtime/device.h"

namespace gpuloom::cli {

enum class ProgressKind : uint8_t { kAuto, kPlain, kNone };

class ProgressLine {
 public:
  explicit ProgressLine(ProgressKind kind);
  ~ProgressLine();  // takes the line away
  // Nothing for ProgressKind::kNone; for kAuto where stderr is not a terminal, a line now and then.
  sim::RunProgressFn callback();

 private:
  void show(const sim::RunProgress& p);
  void warn(const sim::RunProgress& p);
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kOnTerminal = std::chrono::milliseconds(100),
                                   kPlain = std::chrono::seconds(5), kFirst = std::chrono::seconds(1),
                                   kElsewhere = std::chrono::seconds(60),
                                   kSuspicious = std::chrono::seconds(30);
  bool enabled_ = false, terminal_ = false, shown_ = false, warned_ = false;
  Clock::duration every_ = kPlain;
  Clock::time_point begin_, last_;
};

}  // namespace gpuloom::cli
